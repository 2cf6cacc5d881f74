package plan

import "strings"

// Suggest returns the known word that a mistyped word was probably meant to be, or "". Case is ignored.
//
// It is the nearest word by edit distance. The limit is a third of the word's letters, but at least 1, and at least 2
// for four letters or more. If no word is near enough, it is the only known word that starts with the typed one, which
// needs three letters or more.
func Suggest(word string, known []string) string {
	w := []rune(strings.ToLower(word))
	limit := max(len(w)/3, 1)
	if len(w) >= 4 {
		limit = max(limit, 2)
	}
	best, nearest := "", limit+1
	for _, k := range known {
		kr := []rune(strings.ToLower(k))
		// If every letter differs, the words have nothing in common.
		if d := editDistance(w, kr); d < nearest && d < max(len(w), len(kr)) {
			best, nearest = k, d
		}
	}
	if best == "" && len(w) >= 3 {
		best = completion(strings.ToLower(word), known)
	}
	return best
}

// completion returns the only known word with that prefix, or "" if there is none or more than one.
func completion(prefix string, known []string) string {
	found := ""
	for _, k := range known {
		if !strings.HasPrefix(strings.ToLower(k), prefix) {
			continue
		}
		if found != "" {
			return ""
		}
		found = k
	}
	return found
}

// didYouMean returns the end of an error message about an unknown word, or "".
func didYouMean(word string, known []string) string {
	if s := Suggest(word, known); s != "" {
		return "; did you mean " + s + "?"
	}
	return ""
}

// editDistance returns the restricted Damerau-Levenshtein distance: the number of insertions, deletions, substitutions
// and swaps of adjacent letters that turn a into b, where no letter is edited twice (Damerau, CACM 7(3), 1964;
// Levenshtein, 1966). It uses dynamic programming.
func editDistance(a, b []rune) int {
	// before, above and row are the distances from a[:i-2], a[:i-1] and a[:i] to each b[:j].
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}

package plan

import "strings"

// Suggest is the known word that a mistyped one was probably meant to be, or "". The two differ by
// at most a third of the word's letters, where 1 is always allowed and 2 from four letters on. Failing
// that, it is the only known word that begins with three letters or more as typed.
func Suggest(word string, known []string) string {
	w := []rune(strings.ToLower(word))
	limit := max(len(w)/3, 1)
	if len(w) >= 4 {
		limit = max(limit, 2)
	}
	best, nearest := "", limit+1
	for _, k := range known {
		kr := []rune(strings.ToLower(k))
		// A distance of all the letters would be another word altogether.
		if d := editDistance(w, kr); d < nearest && d < max(len(w), len(kr)) {
			best, nearest = k, d
		}
	}
	if best == "" && len(w) >= 3 {
		best = completion(strings.ToLower(word), known)
	}
	return best
}

// completion is the only known word with that prefix, or "".
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

// didYouMean is the end of a message about an unknown word.
func didYouMean(word string, known []string) string {
	if s := Suggest(word, known); s != "" {
		return "; did you mean " + s + "?"
	}
	return ""
}

// editDistance is the number of insertions, deletions, substitutions and swaps of neighbours that
// turn a into b, no letter being touched twice (Damerau, CACM 7(3), 1964; Levenshtein, 1966; this
// is the restricted distance, by dynamic programming).
func editDistance(a, b []rune) int {
	// before, above and row are the distances of a[:i-2], a[:i-1] and a[:i] to each b[:j].
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

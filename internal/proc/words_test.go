package proc

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"make":                             {"make"},
		"  go build\t-o new . \n":          {"go", "build", "-o", "new", "."},
		`sh -c 'echo "$HOME"; ls *.go'`:    {"sh", "-c", `echo "$HOME"; ls *.go`},
		`echo "a b" c\ d "" ''`:            {"echo", "a b", "c d", "", ""},
		`echo "\$x \a \"" 'a\'`:            {"echo", `$x \a "`, `a\`},
		`a"b"'c'd`:                         {"abcd"},
		`echo \| \;`:                       {"echo", "|", ";"},
		`"./my prog" ä`:                    {"./my prog", "ä"},
		"\n make a~b c#d '~' \\~ \"#\"":    {"make", "a~b", "c#d", "~", "~", "#"},
		`a "\$b" '$c' ` + "'d\ne'":         {"a", "$b", "$c", "d\ne"},
		"go \\\n test \"x\\\ny\" 'a\\\nb'": {"go", "test", "xy", "a\\\nb"},
		"ma\\\nke \\\n":                    {"make"},
		"[ -f a ] '?' \\[":                 {"[", "-f", "a", "]", "?", "["},
	} {
		if got, err := Words(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", line, got, err, want)
		}
	}
	for line, want := range map[string]string{
		"": "names no command", " \t": "names no command", "'' x": "names no command",
		"echo 'a": "no closing '", `echo "a'`: `no closing "`, `echo \`: "ends in a backslash",
		"a | b": "unquoted |", "a && b": "unquoted &", "a > b": "unquoted >", "echo $x": "unquoted $",
		`rm "$TMP/x"`: "$ in double quotes", "a \"`b`\"": "` in double quotes", "rm ~/x": "unquoted ~",
		"make # all": "unquoted #", "make a\nmake b": "line break", "a\n\tb": "line break",
		"rm *.o": "unquoted *", "rm ?.o": "unquoted ?", "rm [ab].o": "unquoted [", "rm x[1]": "unquoted [",
		"a\x00b": "zero byte", "a\xff": "UTF-8", "\\\n": "names no command", "a \\\n\nb": "line break",
	} {
		if got, err := Words(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v; want an error with %q", line, got, err, want)
		}
	}
}

// FuzzWords checks that no text causes a panic, and that words in single quotes are split as they were joined.
func FuzzWords(f *testing.F) {
	f.Add(`sh -c 'a "b"' c\ d`, "it's")
	f.Add("a\\", "")
	f.Fuzz(func(t *testing.T, line, word string) {
		if words, err := Words(line); err == nil && (len(words) == 0 || words[0] == "") {
			t.Fatalf("%q has no command: %q", line, words)
		}
		if !utf8.ValidString(word) || strings.ContainsRune(word, 0) {
			return
		}
		quoted := "x '" + strings.ReplaceAll(word, "'", `'\''`) + "' y"
		if words, err := Words(quoted); err != nil || !slices.Equal(words, []string{"x", word, "y"}) {
			t.Fatalf("%q: %q, %v", quoted, words, err)
		}
	})
}

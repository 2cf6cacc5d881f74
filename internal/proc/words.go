package proc

import (
	"fmt"
	"strings"
)

// shellOnly are the signs that mean something to a shell and nothing here, unless they are quoted.
const shellOnly = "|&;<>()`$*?"

// blanks separate words.
const blanks = " \t\r\n"

// Words splits a command line into words as a shell does, without any other meaning: blanks separate words, single
// quotes keep everything, double quotes keep everything except a backslash before one of \ " $ `, and a backslash
// keeps the next character. A backslash at the end of a line, outside of single quotes, joins it with the next line.
// Signs that only a shell acts on are an error, because no shell is used: these signs without quotes, $ and ` in double
// quotes, ~ and # at the beginning of a word, [ except as a word of its own, and a line break between words.
func Words(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inside, quoted := false, rune(0) // within a word; within this kind of quotes
	rest := []rune(line)
	if string(rest) != line {
		return nil, fmt.Errorf("%q is not valid UTF-8", line)
	}
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		switch {
		case c == 0:
			return nil, fmt.Errorf("%q has a zero byte", line)
		case c == '\\' && quoted != '\'' && i+1 < len(rest) && rest[i+1] == '\n':
			i++
		case quoted != 0 && c == quoted:
			quoted = 0
		case quoted == '"' && (c == '$' || c == '`'):
			return nil, fmt.Errorf("%s has %c in double quotes, and no shell is used; put it in single quotes, or "+
				"give sh -c '...'", line, c)
		case quoted == '\'' || quoted == '"' && (c != '\\' || !escapes(rest[i+1:])):
			word.WriteRune(c)
		case c == '\\':
			if i+1 == len(rest) {
				return nil, fmt.Errorf("%s ends in a backslash", line)
			}
			i++
			inside = true
			word.WriteRune(rest[i])
		case c == '\'' || c == '"':
			inside, quoted = true, c
		case c == '\n' && strings.TrimSpace(string(rest[:i])) != "" &&
			strings.TrimSpace(string(rest[i:])) != "":
			return nil, fmt.Errorf("%q has a line break, and no shell is used; give one command, or sh -c '...'", line)
		case strings.ContainsRune(blanks, c):
			if inside {
				words = append(words, word.String())
				word.Reset()
			}
			inside = false
		case forShell(c, inside, rest[i+1:]):
			return nil, fmt.Errorf("%s has an unquoted %c, and no shell is used; quote it, or give sh -c '...'", line,
				c)
		default:
			inside = true
			word.WriteRune(c)
		}
	}
	switch {
	case quoted != 0:
		return nil, fmt.Errorf("%s has no closing %c", line, quoted)
	case inside:
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, fmt.Errorf("%q names no command", line)
	}
	return words, nil
}

// escapes reports whether a backslash within double quotes escapes the character after it.
func escapes(rest []rune) bool { return len(rest) > 0 && strings.ContainsRune("\\\"$`", rest[0]) }

// forShell reports whether an unquoted sign means something to a shell only. inside says that it is not the first sign
// of its word, and rest follows it.
func forShell(c rune, inside bool, rest []rune) bool {
	switch c {
	case '~', '#':
		return !inside
	case '[': // alone it is a program
		return inside || len(rest) > 0 && !strings.ContainsRune(blanks, rest[0])
	}
	return strings.ContainsRune(shellOnly, c)
}

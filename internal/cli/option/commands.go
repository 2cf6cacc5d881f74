package option

import (
	"os/exec"
	"slices"

	"github.com/brewput/brewput/plan"
)

// Separator is the word between two commands.
const Separator = ":::"

// SplitCommands splits words into commands, at each [Separator]. There is no separator if it returns one command.
func SplitCommands(words []string) (list [][]string) {
	for {
		i := slices.Index(words, Separator)
		if i < 0 {
			return append(list, words)
		}
		list, words = append(list, words[:i:i]), words[i+1:]
	}
}

// HasCommands reports whether words are commands. dashed is the number of words before two dashes; -1 if there are
// none. It refuses, by a [*plan.Refusal], words that may be meant as commands.
func HasCommands(words []string, dashed int) (commands bool, err error) {
	separated := slices.Contains(words, Separator)
	refuse := func(reason string, args ...any) (bool, error) {
		return true, plan.Refuse("", nil, reason, args...).Suggest("write compare -- ./old %s ./new", Separator)
	}
	switch {
	case separated && dashed > 0:
		return refuse("%s comes before the two dashes, and the commands after them", words[0])
	case separated && dashed < 0:
		return refuse("two dashes are missing before the first command")
	case !separated && dashed == 0 && len(words) > 0:
		if path, err := exec.LookPath(words[0]); err == nil {
			return refuse("%s is a program, and %s is missing between two commands", path, Separator)
		}
	}
	return separated, nil
}

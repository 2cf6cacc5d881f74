// Package help holds the long help texts and the examples of the verbs: VERB.txt is the text, then a line "Examples:",
// then one command a line. NAME stands for the name of the program.
package help

import (
	"embed"
	"strings"
)

//go:embed *.txt
var texts embed.FS

// Text returns the long text of a verb, which may be empty, and its examples, one a line. It panics for a verb that has
// no file, or a file that has no examples, which is a fault of this program.
func Text(verb string) (long, examples string) {
	text, err := texts.ReadFile(verb + ".txt")
	if err != nil {
		panic("no help text: " + err.Error())
	}
	long, examples, ok := strings.Cut("\n"+string(text), "\nExamples:\n")
	if examples = strings.TrimSpace(examples); !ok || examples == "" {
		panic("the help text " + verb + ".txt has no line \"Examples:\" with examples after it")
	}
	return strings.TrimSpace(long), examples
}

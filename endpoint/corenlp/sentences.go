package corenlp

import (
	_ "embed" // sentences.json
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Sentence is a sentence with its stored parses. Words are separated by single spaces.
type Sentence struct {
	Text  string `json:"text"`
	Words int    `json:"words"` // without the full stop or the question mark, which is a token too
	// Tags are the part-of-speech tags of the tokens, of the Penn Treebank.
	Tags string `json:"tags"`
	// Tree is the constituency tree of the annotator parse, such as (ROOT (S (NP (DT The) ...
	Tree string `json:"tree"`
	// Parse and Depparse are the basic dependencies, of the tree and of the annotator depparse. Each is a relation
	// with the number of the governing token, or 0, and that of the dependent one: nsubj(3,2).
	Parse    string `json:"parse"`
	Depparse string `json:"depparse"`
}

//go:embed sentences.json
var stored []byte

// Sentences returns the stored sentences: for each length a statement and a question.
func Sentences() []Sentence {
	var all []Sentence
	if err := json.Unmarshal(stored, &all); err != nil {
		panic(fmt.Sprintf("sentences.json: %v", err)) // a test reads it
	}
	return all
}

// ofLength returns the stored sentences with a number of words.
func ofLength(words int) []Sentence {
	return slices.DeleteFunc(Sentences(), func(s Sentence) bool { return s.Words != words })
}

// lengths lists the numbers of words of the stored sentences, for messages.
func lengths() string {
	var list []string
	for _, s := range Sentences() {
		if n := strconv.Itoa(s.Words); !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return strings.Join(list, ", ")
}

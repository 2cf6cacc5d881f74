package corenlp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/brewput/brewput/internal/quote"
)

// The levels of the factor annotators.
const (
	pos      = "pos"
	parse    = "parse"
	depparse = "depparse"
)

// reply is the part of the server's JSON that is checked.
type reply struct {
	Sentences []parsed `json:"sentences"`
}

// parsed is a sentence as the server parsed it.
type parsed struct {
	Tree         string `json:"parse"` // on several lines; "" without the annotator parse
	Dependencies []struct {
		Relation  string `json:"dep"`
		Governor  int    `json:"governor"`
		Dependent int    `json:"dependent"`
	} `json:"basicDependencies"`
	Tokens []struct {
		Tag string `json:"pos"`
	} `json:"tokens"`
}

// want returns the sentence as a server parses it with a level of annotators: without what the others add.
func (s Sentence) want(annotators string) Sentence {
	switch annotators {
	case pos:
		s.Tree, s.Parse, s.Depparse = "", "", ""
	case parse:
		s.Depparse = ""
	case depparse:
		s.Tree, s.Parse = "", ""
	}
	return s
}

// check returns an error if the body of a reply is not the stored parse of a sentence with a level of annotators. What
// other annotators add is wrong too.
func check(s Sentence, annotators string, body []byte) error {
	var r reply
	if err := json.Unmarshal(body, &r); err != nil {
		return fmt.Errorf("the reply is no JSON of CoreNLP: %w", err)
	}
	if len(r.Sentences) != 1 {
		return fmt.Errorf("the reply has %d sentences, not one", len(r.Sentences))
	}

	got, want := r.Sentences[0], s.want(annotators)
	for _, c := range []struct{ what, got, want string }{
		{"tags", got.tags(), want.Tags},
		{"tree", strings.Join(strings.Fields(got.Tree), " "), want.Tree},
		{"dependencies", got.dependencies(), want.Parse + want.Depparse}, // one of them is empty
	} {
		if c.got != c.want {
			return fmt.Errorf("wrong %s of %q: %s", c.what, s.Text, difference(c.got, c.want))
		}
	}
	return nil
}

// tags returns the tags in the form of [Sentence].
func (p *parsed) tags() string {
	var list []string
	for _, t := range p.Tokens {
		list = append(list, t.Tag)
	}
	return strings.Join(list, " ")
}

// dependencies returns the dependencies in the form of [Sentence].
func (p *parsed) dependencies() string {
	var list []string
	for _, d := range p.Dependencies {
		list = append(list, d.Relation+"("+strconv.Itoa(d.Governor)+","+strconv.Itoa(d.Dependent)+")")
	}
	return strings.Join(list, " ")
}

// shown is the number of bytes of a text around its first difference that an error shows.
const shown = 60

// difference shows the first words in which two texts differ.
func difference(got, want string) string {
	same := 0
	for same < min(len(got), len(want)) && got[same] == want[same] {
		same++
	}
	from := strings.LastIndexByte(got[:same], ' ') + 1
	cut := func(text string) string {
		if text = text[from:]; len(text) > shown {
			text = text[:shown] + "..."
		}
		if text == "" {
			return "nothing"
		}
		return quote.Line(text)
	}
	where := ""
	if from > 0 {
		where = fmt.Sprintf("after %d bytes ", from)
	}
	return fmt.Sprintf("%s%s, not %s", where, cut(got), cut(want))
}

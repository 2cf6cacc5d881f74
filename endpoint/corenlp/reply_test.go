package corenlp

import (
	"encoding/json"
	"strings"
	"testing"
)

// replyOf is the JSON of a reply with the tags, tree and dependencies of a sentence.
func replyOf(s Sentence) string {
	type dependency struct {
		Relation  string `json:"dep"`
		Governor  int    `json:"governor"`
		Dependent int    `json:"dependent"`
	}
	type token struct {
		Tag string `json:"pos"`
	}
	out := struct {
		Tree         string       `json:"parse,omitempty"`
		Dependencies []dependency `json:"basicDependencies"`
		Tokens       []token      `json:"tokens"`
	}{Tree: strings.ReplaceAll(s.Tree, " (", "\n    (")}
	for _, tag := range strings.Fields(s.Tags) {
		out.Tokens = append(out.Tokens, token{tag})
	}
	for word := range strings.FieldsSeq(s.Parse + s.Depparse) {
		relation, numbers, _ := strings.Cut(strings.TrimSuffix(word, ")"), "(")
		d := dependency{Relation: relation}
		json.Unmarshal([]byte("["+numbers+"]"), &[]any{&d.Governor, &d.Dependent})
		out.Dependencies = append(out.Dependencies, d)
	}
	text, _ := json.Marshal(map[string]any{"sentences": []any{out}})
	return string(text)
}

// TestCheck checks that a reply is right only if it is the stored parse of its annotators.
func TestCheck(t *testing.T) {
	for _, s := range Sentences() {
		for _, asked := range []string{pos, parse, depparse} {
			for _, sent := range []string{pos, parse, depparse} {
				err := check(s, asked, []byte(replyOf(s.want(sent))))
				if (err == nil) != (asked == sent) {
					t.Errorf("%q with %s instead of %s: %v", s.Text, sent, asked, err)
				}
			}
			for _, other := range Sentences() {
				if err := check(s, asked, []byte(replyOf(other.want(asked)))); (err == nil) != (s == other) {
					t.Errorf("%q instead of %q: %v", other.Text, s.Text, err)
				}
			}
		}
	}
}

// TestDifferences checks what the errors of wrong replies show.
func TestDifferences(t *testing.T) {
	s := Sentences()[0]
	right := replyOf(s.want(parse))
	for _, c := range []struct{ body, want string }{
		{strings.Replace(right, `"VBZ"`, `"NNS"`, 1),
			`wrong tags of "The barista grinds fresh coffee.": after 6 bytes NNS JJ NN ., not VBZ JJ NN .`},
		{strings.Replace(right, "(JJ fresh)", "(NN fresh)", 1),
			"(NN fresh) (NN coffee))) (. .))), not (JJ fresh) (NN coffee)"},
		{strings.Replace(right, `"amod","governor":5`, `"amod","governor":3`, 1),
			"amod(3,4) obj(3,5) punct(3,6), not amod(5,4)"},
		{strings.Replace(right, `"nsubj"`, `"\u001b[2J"`, 1), `\x1b[2J(3,2)`},
		{strings.Replace(right, `{"sentences":[`, `{"sentences":[{},`, 1), "the reply has 2 sentences, not one"},
		{`{"sentences":[]}`, "the reply has 0 sentences, not one"},
		{`{}`, "the reply has 0 sentences"},
		{``, "the reply is no JSON of CoreNLP: unexpected end of JSON input"},
		{`CoreNLP request timed out`, "the reply is no JSON of CoreNLP: invalid character"},
		{`{"sentences":[{"parse":7}]}`, "the reply is no JSON of CoreNLP: json: cannot unmarshal number"},
	} {
		if err := check(s, parse, []byte(c.body)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

// FuzzCheck checks that any body is refused unless it has the tags, the tree and the dependencies of the stored parse,
// and that errors are printable and short.
func FuzzCheck(f *testing.F) {
	for i, s := range Sentences() {
		f.Add(i, []byte(replyOf(s)))
		f.Add(i, []byte(replyOf(s.want(depparse))))
	}
	f.Add(0, []byte(`{"sentences":[{"tokens":[{"pos":"\u202e"}]}]}`))
	f.Fuzz(func(t *testing.T, n int, body []byte) {
		all := Sentences()
		s := all[max(0, n)%len(all)]
		for _, annotators := range []string{pos, parse, depparse} {
			err := check(s, annotators, body)
			if err != nil {
				if len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\n\x1b\u202e") {
					t.Errorf("%q", err)
				}
				continue
			}
			var r reply
			json.Unmarshal(body, &r)
			if got := replyOf(Sentence{Tags: r.Sentences[0].tags(), Tree: r.Sentences[0].Tree,
				Parse: r.Sentences[0].dependencies()}); check(s, annotators, []byte(got)) != nil {
				t.Errorf("%s is right, and %s is not", body, got)
			}
		}
	})
}

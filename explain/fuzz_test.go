package explain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brewput/brewput/evidence"
)

// FuzzSource: any source of a program can be read, also if it does not parse. Findings point to its lines.
func FuzzSource(f *testing.F) {
	const encode = "func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n"
	for _, s := range []string{
		encode + "var terms = load()\nfunc main() { terms.n = 1; f() }",
		encode + "var terms, other T\nfunc main() { other = terms; terms = other; for { go f() } }",
		encode + "type x struct { y; sync.Mutex }\nvar terms = must(newT[int]())\n" +
			"func newT[K any]() *T { t := &T{a: b}; all = append(all, t); return t }",
		"func f(w int) {\nif t := &tallies[w]; ok {\nfor i := range n {\nt.hits++\n}\n}\n}",
		"func f() {\nfor w := range workers {\nt := &tallies[w]\n" +
			"wg.Go(func() (t T) {\nfor range n {\nt.hits++\n}\n})\n}\n}",
		"func (s *server) f() {\nb, _ := json.Marshal(s.a.b)\n}\nvar s = server{1}\nfunc g(s *server) { *s = x[0] }",
		"func f() bool {\nfor _, n := range t {\nif n == name {\nreturn true\n}\n}\nreturn false\n}",
		"func f() {\nselect {\ncase x, ok := <-c:\nx.n++\ndefault:\n}\nswitch y := z.(type) {\ncase int:\ny++\n}\n}",
		"func main() {\nx, y := load(), 1\nhttp.HandleFunc(y, func() {\njson.NewEncoder(w).Encode(x)\n})\n}",
		"var a = b.(*T)\nvar b = c[0][1:]\nvar c = d(a)\nfunc f() {\njson.Marshal(a)\n}",
		"func f(", "", "\x00",
	} {
		for line := range 8 {
			f.Add("package main\n"+s, uint8(line))
		}
	}
	f.Fuzz(func(t *testing.T, text string, line uint8) {
		count := 1 + strings.Count(text, "\n")
		n := 1 + int(line)%count
		at := fmt.Sprintf("main.f:%d", n)
		for _, stack := range [][]string{
			{"encoding/json.Marshal", at, "net/http.(*conn).serve"},
			{"reflect.DeepEqual", at, "main.f:1"},
			{"memeqbody", at, "main.worker:3"},
		} {
			c := wideCase()
			c.evidence.Profiles = nil
			c.evidence.Program.Source = sourceOf(text)
			c.cpu(90, stack...)
			c.cpu(108, "main.g:1", "main.worker:1")
			for _, found := range explainWith(nil, &c.evidence).Findings {
				if g := found.Gain; found.Claim == "" || g != nil && (g.Low > g.Estimate || g.Estimate > g.High) {
					t.Errorf("%v: %+v", stack, found)
				}
			}
			v := newAnalysis(&c.evidence)
			frame := evidence.Frame{Function: "main.f", File: "main.go", Line: n}
			if taken, ok := v.counterAround(frame); ok && (taken.Line < 1 || taken.Line > count) {
				t.Errorf("a counter of line %d", taken.Line)
			}
		}
	})
}

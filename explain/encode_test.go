package explain

import (
	"slices"
	"strings"
	"testing"
)

// TestEncodedAgain: a field or a variable that nothing changes, encoded in each call, is named; other values are not.
func TestEncodedAgain(t *testing.T) {
	for name, x := range map[string]struct{ source, value string }{
		"a field": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nfunc main() { (&server{}).f() }", "s.terms"},
		"by address": {"func (s *server) f() {\nb, _ := json.MarshalIndent(&s.site.terms, \"\", \" \")\nuse(b)\n}\n" +
			"type server struct{}\nfunc main() { (&server{}).f() }", "s.site.terms"},
		"a variable": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\nvar terms = load()", "terms"},
		"made by a constructor": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nfunc newServer() *server { s := &server{}; s.terms = load(); return s }\n" +
			"func main() { newServer().f() }", "s.terms"},
		"each has its own": {"func (e *event) f() {\nb, _ := json.Marshal(e.payload)\nuse(b)\n}\n" +
			"type event struct{}\n" +
			"func all() { for range 9 { send(&event{}) } }", ""},
		"a list of them": {"func (e event) f() {\nb, _ := json.Marshal(e.payload)\nuse(b)\n}\ntype event struct{}\n" +
			"var queue []event", ""},
		"one for each request": {"func (x *reply) f() {\nb, _ := json.Marshal(x.body)\nuse(b)\n}\n" +
			"type reply struct{}\n" +
			"func handle(w W) { x := &reply{}; x.f() }", ""},
		"by a constructor for each": {"func (c *client) f() {\nb, _ := json.Marshal(c.body)\nuse(b)\n}\n" +
			"type client struct{}\nfunc newClient() *client { return &client{} }\n" +
			"func main() { for { go newClient().f() } }", ""},
		"through an alias": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\n" +
			"var one = server{}\nfunc (s *server) tick() { p := &s.terms; p.n++ }", ""},
		"its elements": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\ntype server struct{}\n" +
			"var one = server{}\nfunc (s *server) tick() { for _, p := range s.terms { p.n++ } }", ""},
		"the whole receiver": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\n" +
			"var one = server{}\nfunc (s *server) reset() { *s = fresh() }", ""},
		"by a goroutine of main": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\nvar state T\n" +
			"func main() { go refresh(&state); f() }", ""},
		"of another file": {"func (e *event) f() {\nb, _ := json.Marshal(e.payload)\nuse(b)\n}", ""},
		"passed on": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\ntype server struct{}\n" +
			"func (s *server) more() { atomic.AddInt64(&s.terms.hits, 1) }\nvar one = server{}", ""},
		"the whole assigned": {"func (s *server) f() {\nb, _ := json.Marshal(s.site.terms)\nuse(b)\n}\n" +
			"type server struct{}\nfunc (s *server) reload() { s.site = load() }\nvar one = server{}", ""},
		"in a loop of main": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\nvar state T\n" +
			"func main() { for i := range 9 { state.n = i; f() } }", ""},
		"a shadow": {"func f(terms T) {\nb, _ := json.Marshal(terms)\nuse(b)\n}\nvar terms = load()", ""},
		"at the start of main": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\nvar terms T\n" +
			"func main() { terms.n = 1; f() }", "terms"},
		"a parameter":    {"func (s *server) f(terms T) {\nb, _ := json.Marshal(terms)\nuse(b)\n}", ""},
		"of a parameter": {"func (s *server) f(r *request) {\nb, _ := json.Marshal(r.terms)\nuse(b)\n}", ""},
		"an element": {"func (s *server) f(i int) {\nb, _ := json.Marshal(s.terms[i])\nuse(b)\n}\n" +
			"type server struct{}\nvar one = server{}", ""},
		"a call": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms())\nuse(b)\n}\n" +
			"type server struct{}\nvar one = server{}", ""},
		"assigned": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nfunc (s *server) set(t T) { s.terms = t }\nvar one = server{}", ""},
		"counted": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nfunc (s *server) more() { s.terms.count++ }\nvar one = server{}", ""},
		"a method of it": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nfunc (s *server) more() { s.terms.Add(1) }\nvar one = server{}", ""},
		"in a constructor": {"func newServer() *server {\nb, _ := json.Marshal(terms)\nuse(b)\n}\nvar terms = load()",
			""},
	} {
		c := wideCase()
		c.evidence.Profiles = nil
		lines := strings.Split("package main\n"+x.source, "\n")
		c.evidence.Program.Source = func(_ string, n int) string {
			if n < 1 || n > len(lines) {
				return ""
			}
			return lines[n-1]
		}
		c.cpu(90, "encoding/json.(*encodeState).marshal", "encoding/json.Marshal", "main.f:3", "main.worker:9")
		c.cpu(108, "main.g:9", "main.worker:9")
		found := Explain(&c.evidence).Findings
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == HotFunction })
		if (i >= 0) != (x.value != "") {
			t.Errorf("%s: %v", name, c.names())
			continue
		}
		if i >= 0 && (!strings.Contains(found[i].Claim, "encodes "+x.value+" again: that takes 45%") ||
			!slices.Equal(found[i].Where, []string{"main.go:3"}) || found[i].Gain == nil ||
			found[i].Gain.Estimate < 0.3 || found[i].Gain.Estimate > 0.45) {
			t.Errorf("%s: %+v %+v", name, found[i], found[i].Gain)
		}
	}
}

// TestLessBeforeMoreCPUs: an index for a search comes before more CPUs for it, unless these gain far more.
func TestLessBeforeMoreCPUs(t *testing.T) {
	search := func(gain float64) Finding { return Finding{Name: HotFunction, Gain: newGain(gain, 0, 0.5)} }
	single := Finding{Name: SingleThreaded, Gain: newGain(0.42, 0.2, 0.5)}
	other := Finding{Name: EscapePerOp, Gain: newGain(0.4, 0.2, 0.5)}
	for gain, first := range map[float64]Name{0.45: HotFunction, 0.3: HotFunction, 0.2: SingleThreaded} {
		if found := rank([]Finding{other, single, search(gain)}); len(found) != 3 || found[0].Name != first {
			t.Errorf("%v: %+v", gain, found)
		}
	}
	if found := rank([]Finding{search(0), single}); found[0].Name != SingleThreaded {
		t.Errorf("%+v", found)
	}
	none := Finding{Name: HotFunction}
	if found := rank([]Finding{none, single}); found[0].Name != SingleThreaded {
		t.Errorf("without a gain: %+v", found)
	}
}

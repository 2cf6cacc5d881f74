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
		"filled by init": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\nvar terms []Term\n" +
			"func init() { for _, w := range words { terms = append(terms, Term{w}) } }", "terms"},
		"filled by a constructor": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\n" +
			"func newServer() *server { s := new(server); for range words { s.terms.n++ }; return s }\n" +
			"var one = newServer()", "s.terms"},
		"by a goroutine of a constructor": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\n" +
			"func newServer() *server { s := &server{}; go func() { s.terms.n++ }(); return s }\n" +
			"var one = newServer()", ""},
		"a generic constructor": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nfunc newServer[T any]() *server { return &server{} }\n" +
			"var one = newServer[int]()", "s.terms"},
		"a constructor called New": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nfunc New() *server { return &server{} }\n" +
			"var one = New()\nfunc g() error { return errors.New(\"\") }", "s.terms"},
		"by a constructor of a constructor": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nfunc newServer() *server { return &server{} }\n" +
			"func newAll() { newServer() }\nfunc main() { newAll() }", ""},
		"two values": {"func (d dump) f() {\nb, _ := json.Marshal(d.rows)\nuse(b)\n}\n" +
			"type dump struct{}\nfunc main() { dump{}.f(); dump{}.f() }", ""},
		"in a function literal of main": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nfunc main() { handle(func() { s := server{}; s.f() }) }", ""},
		"a key": {"func (s server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nvar one = server{}\nvar all map[server]int", ""},
		"decoded": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nvar one = server{}\nfunc (s *server) load(b []byte) { json.Unmarshal(b, s) }", ""},
		"decoded by a reader": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nvar one = server{}\n" +
			"func (s *server) load(r R) { json.NewDecoder(r).Decode(s) }", ""},
		"scanned": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nvar one = server{}\nfunc (s *server) load(r *R) { r.Scan(s) }", ""},
		"of two types": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nfunc newServer[K, V any]() *server { return &server{} }\n" +
			"var one = newServer[int, int]()", "s.terms"},
		"a goroutine that loads": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\nvar terms []T\n" +
			"func loadLoop() { for range tick { terms = read() } }\nfunc main() { go loadLoop(); serve() }", ""},
		"loaded by others": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\nvar terms []T\n" +
			"func loadTerms() { terms = read() }\nfunc refresh() { loadTerms() }", ""},
		"loaded once": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\nvar terms []T\n" +
			"func loadTerms() { terms = read() }\nfunc main() { loadTerms(); serve() }", "terms"},
		"the whole through another": {"func (s *server) f() {\nb, _ := json.Marshal(s.site.terms)\nuse(b)\n}\n" +
			"type server struct{}\nvar one = server{}\nfunc (a *admin) reload() { a.server.site = load() }", ""},
		"a field through another": {"func f() {\nb, _ := json.Marshal(cfg.site.terms)\nuse(b)\n}\nvar cfg = load()\n" +
			"func (c *config) reload() { c.site = load() }", ""},
		"a pointer of the package": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\nvar state T\n" +
			"var current = &state\nfunc g() { current.n++ }", ""},
		"passed on by main": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\nvar state T\n" +
			"func main() { u := newUpdater(&state); go u.run() }", ""},
		"decoded by main": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\nvar state T\n" +
			"func main() { json.Unmarshal(in, &state); serve() }", "state"},
		"compared": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\ntype server struct{}\n" +
			"var one = server{}\nfunc (s *server) ready() bool { return s.terms.n > 0 }", "s.terms"},
		"a field of that name": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\nvar terms = load()\n" +
			"func g(x *page) { x.terms.n++ }", "terms"},
		"another is decoded": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nvar one = server{}\nfunc (s *server) read(r R) { json.NewDecoder(r).Decode(&x) }",
			"s.terms"},
		"of another type": {"func (s *server) f() {\nb, _ := json.Marshal(s.site.terms)\nuse(b)\n}\n" +
			"type server struct{}\nvar one = server{}\nfunc (x *site) add() { x.terms.n++ }", ""},
		"of an element": {"func (s *server) f() {\nb, _ := json.Marshal(s.site.terms)\nuse(b)\n}\n" +
			"type server struct{}\nvar one = server{}\nfunc (x *sites) add() { x.all[0].terms.n++ }", ""},
		"returned": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nvar one = server{}\nfunc (s *server) Terms() *T { return &s.terms }", ""},
		"declared again": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nvar one = server{}\nfunc (s *server) g() { var p = &s.terms; p.n++ }", ""},
		"sent": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nvar one = server{}\nfunc (s *server) g() { ch <- &s.terms }", ""},
		"another name in main": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\nvar state T\n" +
			"func main() { p := &state; handle(func() { p.n++ }) }", ""},
		"by a literal of main": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\nvar state T\n" +
			"func main() { handle(func() { state.n++ }) }", ""},
		"another pointer": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\nvar terms = load()\n" +
			"func g(p *int) { *p = 1 }", "terms"},
		"another field": {"func f() {\nb, _ := json.Marshal(cfg.terms)\nuse(b)\n}\nvar cfg = load()\n" +
			"func g() { d := cfg.timeout; use(d) }", "cfg.terms"},
		"its length": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\nvar terms = load()\n" +
			"func g() int { n := len(terms); return n }", "terms"},
		"its indexes": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\nvar terms = load()\n" +
			"func g() { for i := range terms { use(i) } }", "terms"},
		"a handler that loads": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms []T\nfunc loadTerms() { terms = read() }\n" +
			"func main() { loadTerms(); handle(loadTerms); serve() }", ""},
		"a timer that loads": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms []T\nfunc loadTerms() { terms = read() }\n" +
			"func main() { time.AfterFunc(d, loadTerms); serve() }", ""},
		"another load": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms []T\nfunc loadTerms() { terms = read() }\n" +
			"func main() { loadTerms(); data.loadTerms(); serve() }", "terms"},
		"a map passed on by main": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms = map[string]int{}\nfunc main() { a := newApp(terms); go a.run() }", ""},
		"a map of another name in main": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms = map[string]int{}\nfunc main() { m := terms; go use(m) }", ""},
		"started by main": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state T\nfunc main() { state.Start(); serve() }\nfunc (t *T) Start() { go t.loop() }", ""},
		"made with a goroutine": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state = newState()\nfunc newState() *T { t := &T{}; go t.run(); return t }\n" +
			"func (t *T) run() { t.n++ }", ""},
		"made without a goroutine": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state = newState()\nfunc newState() *T { t := &T{}; t.n = 1; return t }", "state"},
		"in a struct": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state T\nfunc main() { w := watcher{&state}; go w.run() }", ""},
		"in a list of the package": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state T\nvar all = []*T{&state}", ""},
		"in an argument of main": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state T\nfunc main() { start(config{p: &state}) }", ""},
		"in parentheses": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state T\nfunc main() { p := (&state); go use(p) }", ""},
		"appended by main": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms []T\nfunc main() { terms = append(terms, T{}); serve() }", "terms"},
		"appended from its begin": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms []T\nfunc main() { few := append(terms[:0], T{}); go use(few) }", ""},
		"embedded": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nvar one = server{}\ntype page struct { terms }\nfunc (p *page) hit() { p.n++ }", ""},
		"set by a range": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc watch() { for terms = range updates { notify() } }", ""},
		"another set by a range": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc watch() { for x = range updates { notify() } }", "terms"},
		"a variable of a range": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc watch() { for _, terms := range all { n += 1 } }", "terms"},
		"the second of a range": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc watch() { for _, terms = range updates { notify() } }", ""},
		"appended to another by main": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state T\nfunc main() { all = append(all, &state); run() }", ""},
		"in an appended literal": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc main() { hooks = append(hooks, func() { terms = reload() }); serve() }", ""},
		"made by main with a goroutine": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state *T\nfunc (t *T) start() { go t.run() }\n" +
			"func newState() *T { t := &T{}; t.start(); return t }\nfunc main() { state = newState(); serve() }", ""},
		"made by main": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state *T\nfunc main() { state = newState(); serve() }\nfunc newState() *T { return &T{} }", "state"},
		"a field with a goroutine": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nvar one = &server{terms: newTerms()}\n" +
			"func newTerms() *T { t := &T{}; go t.refresh(); return t }", ""},
		"a field made at once": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{}\nvar one = &server{terms: newTerms()}\n" +
			"func newTerms() *T { return &T{} }", "s.terms"},
		"of a generic with a goroutine": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state = newState[int]()\nfunc newState[K any]() *T { t := &T{}; go t.run(); return t }", ""},
		"nested with a goroutine": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state = must(newState())\n" +
			"func newState() (*T, error) { t := &T{}; go t.run(); return t, nil }", ""},
		"made by sorting": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state = newState()\n" +
			"func newState() *T { sort.Slice(x, func(i, j int) bool { return x[i] < x[j] }); return &T{x} }", "state"},
		"sent by main": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state T\nfunc main() { go worker(); jobs <- &state; serve() }", ""},
		"returned by init": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state T\nfunc initState() *T { return &state }\n" +
			"func main() { s := initState(); go s.run() }", ""},
		"in an index made by init": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state []*T\nfunc init() { for _, s := range state { byName[s.name] = s } }", ""},
		"sorted by main": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms []string\nfunc main() { terms = load(); sort.Strings(terms); serve() }", "terms"},
		"sorted later": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms []string\nfunc again() { sort.Strings(terms) }", ""},
		"printed": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc g() { log.Printf(\"%v\", terms) }", "terms"},
		"a condition": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc g() { if !terms.ready && terms.all[0].n > 0 { wait() } }", "terms"},
		"in a condition": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc g() { if add(&terms) == nil { wait() } }", ""},
		"after a condition": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc g() { if ok { wait() } else { terms.n++ } }", ""},
		"an element of main": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms []T\nfunc main() { terms[0] = T{1}; serve() }", "terms"},
		"in another loop of main": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state T\nfunc main() { for ok() { state.n++; f() } }", ""},
		"alone in a condition": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc g() { if terms.ready { wait() } }", "terms"},
		"a key of a literal": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc g() { show(page{terms: 1}) }", "terms"},
		"decodes itself": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state T\nfunc main() { state.Decode(r); serve() }", ""},
		"in an argument of len": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc g() { n += len(keep(&terms)) }", ""},
		"inserted by main": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms []T\nfunc main() { few := slices.Insert(terms, 0, T{}); go use(few) }", ""},
		"printed by another": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc g(p *printer) { p.Print(terms) }", ""},
		"loaded and a field": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms []T\nfunc loadTerms() { terms = read() }\ntype hooks struct{ loadTerms func() }\n" +
			"func main() { loadTerms(); serve() }", "terms"},
		"of a variable of main": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{ terms *T }\n" +
			"func main() { st := &T{}; go collect(st); s := &server{terms: st}; handle(s.f) }", ""},
		"of a variable of main alone": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{ terms *T }\n" +
			"func main() { st := load(); s := &server{terms: st}; handle(s.f) }", "s.terms"},
		"of a variable that main changes": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{ terms *T }\n" +
			"func main() { st := load(); s := &server{terms: st}; for range 9 { st.n++ } }", ""},
		"of a variable that starts": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{ terms *T }\n" +
			"func main() { st := newTerms(); s := &server{terms: st}; handle(s.f) }\n" +
			"func newTerms() *T { t := &T{}; go t.run(); return t }", ""},
		"made of a parameter": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{ terms *T }\n" +
			"func newServer(t *T) *server { return &server{terms: t} }\n" +
			"func main() { s := newServer(shared); handle(s.f) }", ""},
		"without names": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{ terms *T }\nfunc main() { s := &server{load()}; handle(s.f) }", ""},
		"of another variable": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var counts = map[string]int{}\nvar state = page{Counts: counts}\n" +
			"func hit(k string) { counts[k]++ }", ""},
		"of another variable alone": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var counts = map[string]int{}\nvar state = page{Counts: counts}", "state"},
		"with a timer": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state = newState()\n" +
			"func newState() *T { t := &T{}; time.AfterFunc(d, t.refresh); return t }", ""},
		"kept in a list": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var all []*T\nvar state = newState()\n" +
			"func newState() *T { t := &T{}; all = append(all, t); return t }", ""},
		"replaced by a method": {"func f() {\nb, _ := json.Marshal(state.terms)\nuse(b)\n}\n" +
			"var state T\nfunc (s *T) reload() { *s = read() }\nfunc g() { state.reload() }", ""},
		"replaced in parentheses": {"func f() {\nb, _ := json.Marshal(state.terms)\nuse(b)\n}\n" +
			"var state T\nfunc (s *T) reload() { (*s) = read() }\nfunc g() { state.reload() }", ""},
		"decoded by a method": {"func f() {\nb, _ := json.Marshal(state.terms)\nuse(b)\n}\n" +
			"var state T\nfunc (s *T) reload() { json.Unmarshal(b, s) }\nfunc g() { state.reload() }", ""},
		"decoded by a function": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{ terms *T }\nvar one = server{}\n" +
			"func load(s *server, b []byte) { json.Unmarshal(b, s) }\nfunc g() { load(s, b) }", ""},
		"an endless constructor": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state T\nfunc main() { loadTest() }\nfunc loadTest() { for { state.n++; report() } }", ""},
		"an embedded whole": {"func (s *server) f() {\nb, _ := json.Marshal(s.Items)\nuse(b)\n}\n" +
			"type server struct { mu sync.Mutex; snapshot }\nvar one = server{}\n" +
			"func (s *server) refresh() { s.snapshot = build() }", ""},
		"an embedded lock": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct { sync.Mutex; terms T }\nvar one = server{}", "s.terms"},
		"a marshaler": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state = T{up{now()}}\n" +
			"func (u up) MarshalJSON() ([]byte, error) { return json.Marshal(since(u.t)) }", ""},
		"a variable without a value": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{ terms *T }\nvar one server", "s.terms"},
		"a variable for each": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{ terms *T }\nvar none = server{}\nfunc g(r R) { var s server; s.f() }", ""},
		"a pointer without a value": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{ terms *T }\nvar one *server\nfunc main() { one = &server{} }", "s.terms"},
		"written by Fprintf": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms lines\nfunc g() { fmt.Fprintf(&terms, \"%v\", x) }", ""},
		"encoded by two": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc g() { b, _ := json.MarshalIndent(terms, \"\", \" \"); use(b) }", "terms"},
		"a local of the name of the field": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{ terms *T }\nvar one = server{}\n" +
			"func g() { var terms = newT(); terms.n++ }\nfunc newT() *T { go run(); return &T{} }", "s.terms"},
		"of a literal with a variable": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{ terms *T }\n" +
			"func main() { st := list(); go collect(st); s := &server{terms: &T{list: st}}; " +
			"handle(s.f) }", ""},
		"of each other": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state T\nvar other T\nfunc main() { other = state; state = other; serve() }", ""},
		"of a second name": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{ terms *T }\n" +
			"func main() { st := shared; s := &server{terms: st}; handle(s.f) }\nvar shared = &T{}\n" +
			"func hit() { shared.n++ }", ""},
		"kept in a map": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var registry = map[string]*T{}\nvar state = newState()\n" +
			"func newState() *T { t := &T{}; registry[t.n] = t; return t }", ""},
		"kept by a receiver": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state = newState()\nfunc newState() *T { t := &T{}; jobs <- t; return t }", ""},
		"in a list and an index": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state []*T\nvar byID = map[string]*T{}\n" +
			"func init() { for i := range 9 { p := &T{}; state = append(state, p); byID[p.ID] = p } }", ""},
		"with a literal": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var state = newState()\n" +
			"func newState() *T { t := &T{}; hooks.add(func() { t.n++ }); return t }", ""},
		"with a local of a name of the package": {"func f() {\nb, _ := json.Marshal(state)\nuse(b)\n}\n" +
			"var list []int\nvar state = newState()\n" +
			"func newState() *T { list := &T{}; list.n = 1; return list }", "state"},
		"decoded by a constructor": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{ terms *T }\n" +
			"func newServer() *server { s := &server{}; json.Unmarshal(b, s); return s }\n" +
			"var one = newServer()", "s.terms"},
		"another whole is decoded": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc g(x *page) { json.Unmarshal(b, x) }", "terms"},
		"printed to another": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\nfunc g() { fmt.Fprintf(w, \"%v\", terms) }", "terms"},
		"a variable of a type with a value": {"func (s *server) f() {\nb, _ := json.Marshal(s.terms)\nuse(b)\n}\n" +
			"type server struct{ terms *T }\nvar one server = newServer()\n" +
			"func newServer() server { return server{} }", "s.terms"},
		"another type embeds": {"func f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms T\ntype page struct { base }", "terms"},
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
		c.cpu(90, "encoding/json.(*encodeState).marshal", "encoding/json.Marshal", "main.f:3", "net/http.(*conn).serve")
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

// TestEncodedOnce: what is encoded outside of loops, by main or by a goroutine that no loop starts, is encoded once.
func TestEncodedOnce(t *testing.T) {
	for _, x := range []struct {
		body  string
		stack string // the callers of f, the innermost first
		found bool
	}{
		{"f()", "main.main:8", false},
		{"for range 9 {; f(); }", "main.main:9", true},
		{"handle(f)", "main.main.func1:8 net/http.(*conn).serve", true},
		{"go func() { f() }()", "main.main.func1:8", false},
		{"for {; go func() { f() }(); }", "main.main.func1:9", true},
		{"f()", "runtime.runFinalizers", false},
		{"go f()", "", false},
		{"wg.Go(f)", "", false},
		{"for {; go f(); }", "", true},
		{"for range n {; wg.Go(f); }", "", true},
		{"go s.f()", "main.(*server).f:2", false},
		{"for range n {; go s.f(); }", "main.(*server).f:2", true},
		{"for range n {; go s.g(f); }", "main.(*server).f:2", false},
	} {
		c := wideCase()
		c.evidence.Profiles = nil
		lines := strings.Split("package main\nfunc f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\nvar terms = load()\n"+
			"func main() {\n"+strings.ReplaceAll(x.body, "; ", "\n")+"\n}", "\n")
		c.evidence.Program.Source = func(_ string, n int) string {
			if n < 1 || n > len(lines) {
				return ""
			}
			return lines[n-1]
		}
		c.cpu(90, append([]string{"encoding/json.Marshal", "main.f:3"}, strings.Fields(x.stack)...)...)
		c.cpu(108, "main.g:9", "main.worker:9")
		if slices.Contains(c.names(), "hot-function") != x.found {
			t.Errorf("%s: %v", x.body, c.names())
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

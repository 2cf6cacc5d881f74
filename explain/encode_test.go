package explain

import (
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestEncodedAgain: a field or a variable that nothing changes, encoded in each call, is named; other values are not.
func TestEncodedAgain(t *testing.T) {
	sources, err := os.ReadFile("testdata/encoded.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range strings.Split(string(sources), "\n-- ")[1:] {
		header, code, _ := strings.Cut(source, " --\n")
		value, name, _ := strings.Cut(header, ": ")
		text := "package main\n" + code
		if _, err := parser.ParseFile(token.NewFileSet(), name, text, 0); err != nil {
			t.Error(err)
		}
		c := wideCase()
		c.evidence.Profiles = nil
		c.evidence.Program.Source = sourceOf(text)
		c.cpu(90, "encoding/json.(*encodeState).marshal", "encoding/json.Marshal", "main.f:3", "net/http.(*conn).serve")
		c.cpu(108, "main.g:9", "main.worker:9")
		found := explainWith(nil, &c.evidence).Findings
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == HotFunction })
		if (i >= 0) != (value != "none") {
			t.Errorf("%s: %v", name, c.names())
			continue
		}
		if i >= 0 && (!strings.Contains(found[i].Claim, "Calls that encode "+value+" take 45%") ||
			found[i].Confidence != Low ||
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
		{"f()", "main.TestF:8 testing.tRunner", false},
		{"for range 9 {; f(); }", "main.TestF:9 testing.tRunner", true},
		{"time.AfterFunc(t, func() { f() })", "main.main.func1:8", false},
		{"for range n {; go worker[int](); }", "main.worker[...]:2", true},
	} {
		c := wideCase()
		c.evidence.Profiles = nil
		c.evidence.Program.Source = sourceOf("package main\nfunc f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms = load()\nfunc main() {\n" + strings.ReplaceAll(x.body, "; ", "\n") + "\n}")
		c.cpu(90, append([]string{"encoding/json.Marshal", "main.f:3"}, strings.Fields(x.stack)...)...)
		c.cpu(108, "main.g:9", "main.worker:9")
		if slices.Contains(c.names(), "hot-function") != x.found {
			t.Errorf("%s: %v", x.body, c.names())
		}
	}
}

// TestEncodedAndWritten: what writes the bytes of an encoder is no part of the share of encoding. A Write method that
// calls the encoder does not matter.
func TestEncodedAndWritten(t *testing.T) {
	encode := []string{"encoding/json.(*Encoder).Encode", "main.f:3"}
	for _, x := range []struct {
		inner, outer []string
		found        bool
	}{
		{[]string{"encoding/json.(*encodeState).marshal"}, nil, true},
		{[]string{"bytes.(*Buffer).Write"}, nil, true},
		{[]string{"bufio.(*Writer).Write"}, nil, true},
		{[]string{"encoding/base64.(*encoder).Write"}, nil, true},
		{[]string{"syscall.write", "net/http.(*response).Write"}, nil, false},
		{[]string{"compress/gzip.(*Writer).Write"}, nil, false},
		{nil, []string{"main.(*log).Write:9"}, true},
	} {
		c := wideCase()
		c.evidence.Profiles = nil
		c.evidence.Program.Source = sourceOf("package main\nfunc f() {\njson.NewEncoder(w).Encode(terms)\n}\n" +
			"var terms = load()\n")
		c.cpu(90, append(slices.Concat(x.inner, encode, x.outer), "net/http.(*conn).serve")...)
		c.cpu(108, "main.g:9", "main.worker:9")
		if slices.Contains(c.names(), "hot-function") != x.found {
			t.Errorf("%v %v: %v", x.inner, x.outer, c.names())
		}
	}
}

// TestEncodedByMethod: a method of the program that encodes a part may add anything. A loop in what the encoder calls
// does not repeat the call.
func TestEncodedByMethod(t *testing.T) {
	for _, x := range []struct {
		inner, outer string
		found        bool
	}{
		{"main.Row.String:7", "net/http.(*conn).serve", true},
		{"main.Row.MarshalJSON:7", "net/http.(*conn).serve", false},
		{"main.(*Row[...]).MarshalText:7", "net/http.(*conn).serve", false},
		{"lib.Row.MarshalJSON:7", "net/http.(*conn).serve", true},
		{"main.Row.String:7", "main.main:8", false},
		{"main.Row.String:7", "main.main:9", true},
	} {
		c := wideCase()
		c.evidence.Profiles = nil
		c.evidence.Program.Source = sourceOf("package main\nfunc f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
			"var terms = load()\nfunc g() { for range 9 { h() } }\nfunc main() { f()\nfor range 9 { f() }\n}")
		c.cpu(10, "encoding/json.(*encodeState).marshal", "encoding/json.Marshal", "main.f:3", x.outer)
		c.cpu(80, x.inner, "encoding/json.(*encodeState).marshal", "encoding/json.Marshal", "main.f:3", x.outer)
		c.cpu(108, "main.h:9", "main.worker:9")
		if slices.Contains(c.names(), "hot-function") != x.found {
			t.Errorf("%v: %v", x, c.names())
		}
	}
}

// TestStartFunctions: other packages may call what a library exports.
func TestStartFunctions(t *testing.T) {
	for text, want := range map[string]string{
		"package main\nfunc main() { Run() }\nfunc Run() { serve() }": "Run init main serve",
		"package lib\nvar x = New()\nfunc New() T { return make2() }": "init main",
		"package lib\nvar x = newT()\nfunc newT() T { return T{} }":   "init main newT",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(startFunctions(file))), " "); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
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

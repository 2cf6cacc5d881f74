package hostile

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/brewput/brewput/internal/store"
)

// TestRaw: what a terminal could act on is found, and nothing else.
func TestRaw(t *testing.T) {
	for text, want := range map[string]int{"": -1, "µ 日本\t\n": -1, "a\x1bb": 1, "a\u202eb": 1, "日\xff": 3, "\ufffd": -1,
		"a\r\n": 1, "\x00": 0} {
		if got := Raw(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// TestFault: the faults of each format are found, and nothing else.
func TestFault(t *testing.T) {
	for _, c := range []struct{ format, text, want string }{
		{"json", "{}\n{}\n", ""}, {"json", "{} {", "broken JSON"}, {"json", "", ""},
		{"csv", "a,-1.5\nb,+2\n", ""}, {"csv", "a,=1\n", `"=1" is a formula`}, {"csv", "@a,1\n", "is a formula"},
		{"csv", "a,\"\t=1\"\n", "is a formula"},
		{"csv", "a,b\nc\n", "broken CSV"}, {"csv", "a,\"b\n", "broken CSV"},
		{"md", "[a] (http://x)", ""}, {"md", "[a](http://x)", "](http"}, {"md", "![a]", "![a]"},
		{"md", "<script>", "<script"}, {"md", "</text>", "</text"},
		{"svg", "<svg><text>a</text></svg>", ""}, {"svg", "<svg><text>a</svg>", "broken SVG"},
		{"table", "=1 [a](http://x) {", ""},
	} {
		if got := Fault(c.format, c.text); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %q: %q, want %q", c.format, c.text, got, c.want)
		}
	}
}

// TestPieces: each piece is there once, most are raw or markup, and mixtures repeat with the seed.
func TestPieces(t *testing.T) {
	all := Pieces()
	slices.Sort(all)
	if n := len(all); n < 50 || len(slices.Compact(all)) != n {
		t.Errorf("%d pieces, some of them twice", n)
	}
	draw, again := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	for range 100 {
		if name := Mixture(draw); name == "" || name != Mixture(again) {
			t.Fatalf("a mixture is %q", name)
		}
	}
}

// TestCarriers: what carries a name can be read, and has it.
func TestCarriers(t *testing.T) {
	names := []string{"\x1b[31m", "|a|b|"}
	dir := filepath.Join(t.TempDir(), "run")
	if err := StoreRun(dir, names, time.Unix(1700000000, 0)); err != nil {
		t.Fatal(err)
	}
	journal, err := store.Open(dir)
	if err != nil || len(journal.Trials) != 12 || !journal.Ended || !slices.Contains(names, journal.Trials[0].Design) {
		t.Errorf("%+v, %v", journal, err)
	}
	text, err := Profile("main."+names[0], "x.go", names[1])
	if err != nil {
		t.Fatal(err)
	}
	if p, err := profile.ParseData(text); err != nil || p.Function[0].Name != "main.\x1b[31m" ||
		p.Mapping[0].File != names[1] {
		t.Errorf("%+v, %v", p, err)
	}
	if w := Workload(names[0]); len(w.Designs) != 4 || w.Designs[0].Doc != names[0] {
		t.Errorf("%+v", w)
	}
}

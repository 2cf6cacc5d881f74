package hostile

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// TestRaw checks that Raw finds what a terminal could act on, and nothing else.
func TestRaw(t *testing.T) {
	for text, want := range map[string]int{"": -1, "µ 日本\t\n": -1, "a\x1bb": 1, "a\u202eb": 1, "日\xff": 3, "\ufffd": -1,
		"a\r\n": 1, "\x00": 0} {
		if got := Raw(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// TestFault checks that Fault finds the faults of each format, and nothing else.
func TestFault(t *testing.T) {
	for _, c := range []struct{ format, text, want string }{
		{"json", "{}\n{}\n", ""}, {"json", "{} {", "broken JSON"}, {"json", "", ""},
		{"csv", "a,-1.5\nb,+2\n", ""}, {"csv", "a,=1\n", `"=1" is a formula`}, {"csv", "@a,1\n", "is a formula"},
		{"csv", "a,\"\t=1\"\n", "is a formula"}, {"csv", "a,\"\r=1\"\n", "is a formula"},
		{"csv", "a,+b\n", "is a formula"}, {"csv", "a,-b\n", "is a formula"}, {"csv", "a,\n", ""},
		{"csv", "a,b\nc\n", "broken CSV"}, {"csv", "a,\"b\n", "broken CSV"},
		{"md", "[a] (http://x)", ""}, {"md", "[a](http://x)", "](http"}, {"md", "![a]", "![a]"},
		{"md", "<script>", "<script"}, {"md", "</text>", "</text"},
		{"svg", "<svg><text>a</text></svg>", ""}, {"svg", "<svg><text>a</svg>", "broken SVG"},
		{"svg", "", "broken SVG"}, {"svg", "<svg></svg><text>", "broken SVG"}, {"svg", "<svg></svg>a\n", "broken SVG"},
		{"svg", "<svg></svg><svg></svg>", "broken SVG"},
		{"svg", "<?xml version=\"1.0\"?>\n<svg><text>a</text></svg>\n", ""},
		{"table", "=1 [a](http://x) {", ""},
	} {
		if got := Fault(c.format, c.text); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %q: %q, want %q", c.format, c.text, got, c.want)
		}
	}
}

// TestPieces checks that each piece occurs once, among them a long one and a forged line, and that mixtures
// repeat with the seed.
func TestPieces(t *testing.T) {
	all := Pieces()
	slices.Sort(all)
	if n := len(all); n < 50 || len(slices.Compact(slices.Clone(all))) != n {
		t.Errorf("%d pieces, some of them twice", n)
	}
	forged := func(piece string) bool { return strings.Contains(piece, "\n"+ForgedLine+":") }
	long := func(piece string) bool { return len(piece) > 4096 }
	if !slices.ContainsFunc(all, forged) || !slices.ContainsFunc(all, long) {
		t.Errorf("no piece is a forged line, or none is long")
	}
	if all[0] = "changed"; slices.Contains(Pieces(), all[0]) {
		t.Error("the list can be changed")
	}

	draw, again := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	several, apart := 0, 0
	for range 100 {
		name := Mixture(draw)
		if name == "" || name != Mixture(again) {
			t.Fatalf("a mixture is %q", name)
		}
		several += one(!slices.Contains(Pieces(), strings.TrimRight(name, "x")))
		apart += one(strings.HasSuffix(name, "x"))
	}
	if several < 50 || apart < 50 {
		t.Errorf("of 100 mixtures %d have several pieces, and %d end with a letter", several, apart)
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// TestStoreRun checks that a stored run has the names everywhere a run has names.
func TestStoreRun(t *testing.T) {
	names := []string{"\x1b[31m", "|a|b|"}
	dir := filepath.Join(t.TempDir(), "run")
	if err := StoreRun(dir, names, time.Unix(1700000000, 0)); err != nil {
		t.Fatal(err)
	}
	journal, err := store.Open(dir)
	if err != nil || len(journal.Trials) != 12 || !journal.Ended {
		t.Fatalf("%+v, %v", journal, err)
	}
	for _, trial := range journal.Trials {
		name, failed := trial.Design, trial.Block == 5
		if !slices.Contains(names, name) || !slices.Equal(trial.Warnings, []string{name}) ||
			failed != (trial.Status == result.Failed && trial.Error == name) ||
			failed == trial.Metrics.Get("x"+name).Known() {
			t.Errorf("%+v", trial)
		}
	}
	var h sweep.Header
	var x gobench.Experiment
	if err := errors.Join(json.Unmarshal(journal.Header, &h), json.Unmarshal(h.Bench, &x)); err != nil {
		t.Fatal(err)
	}
	if h.Environment.CPUModel == nil || *h.Environment.CPUModel != names[0] || !slices.Equal(h.Warnings, names) ||
		h.Workload != "p"+names[0] || x.Unprobed != names[0] {
		t.Errorf("%+v", h)
	}
	for i, name := range names {
		b, s := x.Broken[i], x.Skipped[i]
		if x.Benchmarks[i].Name != name || b.Name != name || b.Error != name || !strings.Contains(b.Text, name) ||
			s.Name != name || s.Reason != name || h.Cases[i].Design != name {
			t.Errorf("%q: %+v, %+v", name, b, s)
		}
	}
}

// TestProfile checks that a profile has the names of a function, of its file and of a program.
func TestProfile(t *testing.T) {
	text, err := Profile("main.\x1b[31m", "x.go", "|a|b|")
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(text)
	if err != nil {
		t.Fatal(err)
	}
	var stack []string
	for _, at := range p.Sample[0].Location {
		f := at.Line[0].Function
		stack = append(stack, f.Name, f.Filename, at.Mapping.File, at.Mapping.BuildID)
	}
	if want := []string{"main.\x1b[31m", "x.go", "|a|b|", "|a|b|", "main.main", "|a|b|", "|a|b|",
		"|a|b|"}; !slices.Equal(stack, want) {
		t.Errorf("%q", stack)
	}
}

// TestWorkload checks that the designs have the name in their locks, answers, panics, reports and output.
func TestWorkload(t *testing.T) {
	const name = "\x1b[31m"
	w := Workload(name)
	if !strings.Contains(w.Doc, name) || len(w.Designs) != 4 {
		t.Fatalf("%+v", w)
	}
	streams := map[string]workload.Stream{}
	world := live.New(live.Config{BurnRate: 1, Instrument: true})
	if err := world.Run("test", func(e env.Env) {
		for _, d := range w.Designs {
			stream, err := d.Stream(e, plan.Point{})
			if streams[d.Name] = stream; err != nil || d.Doc != name {
				t.Errorf("%s: %q, %v", d.Name, d.Doc, err)
			}
		}
		streams["lock"].Op(e, 0)
		if os.Getenv("HOSTILE_PRINTS") != "" {
			streams["prints"].Op(e, 0)
		}
	}); err != nil {
		t.Fatal(err)
	}
	var kinds []env.ResourceKind
	for _, m := range world.Meters() {
		if m.Name() == name {
			kinds = append(kinds, m.Kind())
		}
	}
	answer, err := streams["lock"].Check(1)
	if _, ok := answer[name]; !ok || err != nil || len(kinds) != 2 || kinds[0] == kinds[1] {
		t.Errorf("lock: %v, %v, %v", answer, err, kinds)
	}
	if _, err := streams["wrong"].Check(1); err == nil || err.Error() != name {
		t.Errorf("wrong: %v", err)
	}
	func() {
		defer func() {
			if p := recover(); p != name {
				t.Errorf("panic: %v", p)
			}
		}()
		streams["panic"].Op(env.Env{}, 0)
	}()
	cmd := exec.Command(os.Args[0], "-test.run=^TestWorkload$")
	cmd.Env = append(os.Environ(), "HOSTILE_PRINTS=1")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 3 || !strings.Contains(string(out), name) {
		t.Errorf("prints: %q, %v", out, err)
	}
}

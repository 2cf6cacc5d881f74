package corpus

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func families(t *testing.T) []*Family {
	t.Helper()
	all, err := Families()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCorpus(t *testing.T) {
	all := families(t)
	if len(all) < 40 {
		t.Errorf("%d families, want at least 40", len(all))
	}
	cases, healthy := 0, 0
	support := map[string]int{}
	for _, f := range all {
		for _, c := range f.Cases() {
			cases++
			if c.Label().Class == Healthy {
				healthy++
			}
			if c.Form == Sick {
				support[c.Label().Class]++
			}
			source, sites, err := c.Source()
			if err != nil {
				t.Error(err)
				continue
			}
			if bytes.Contains(source, []byte(mark)) {
				t.Errorf("%s shows where its trouble is", c.Name())
			}
			if c.Form == Sick && len(sites) == 0 && c.Label().Class != "too-few-samples" && !f.Diagnosis {
				t.Errorf("%s does not say which function is to be changed", c.Name())
			}
		}
	}
	if 4*healthy < cases {
		t.Errorf("%d of %d programs are healthy, want at least a quarter", healthy, cases)
	}
	well := 0
	for _, n := range support {
		if n >= 5 {
			well++
		}
	}
	if well < 12 {
		t.Errorf("%d classes have 5 cases or more, want at least 12: %v", well, support)
	}
}

// Nothing in a program's source may show its form or its class.
func TestNothingTells(t *testing.T) {
	for _, f := range families(t) {
		for _, c := range f.Cases() {
			source, _, err := c.Source()
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{"sick", "decoy", c.Label().Class, f.About} {
				if word != Healthy && bytes.Contains(bytes.ToLower(source), []byte(strings.ToLower(word))) {
					t.Errorf("%s: its source says %q", c.Name(), word)
				}
			}
		}
	}
}

// The folds were drawn before any rule was tuned: new families are allowed, but none may change its fold.
func TestFolds(t *testing.T) {
	for name, want := range map[string]int{"accesslog": 1, "bakery": 0, "quotes": 3, "grep": 2, "fetch": 3} {
		if got := Fold(name); got != want {
			t.Errorf("%s is in fold %d, want %d", name, got, want)
		}
	}
	var count [Folds]int
	for _, f := range families(t) {
		count[Fold(f.Name)]++
	}
	for fold, n := range count {
		if n < 10 {
			t.Errorf("fold %d has %d families", fold, n)
		}
	}
}

func TestParse(t *testing.T) {
	f, err := parse("x", "// about: an example\n// sick: coarse-lock lock-convoy\n// fixed: healthy\n// case: "+
		"n=3\n// case: n=5\n\npackage main\n\nfunc main() {\n\t[[if .sick]]println([[.n]]) "+
		"//@\n\t[[else]]print([[.n]])\n\t[[end]]\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	cases := f.Cases()
	if len(cases) != 4 || cases[2].Name() != "x/sick2" {
		t.Fatalf("cases are %v", cases)
	}
	source, sites, err := cases[2].Source()
	if err != nil || string(source) != "package main\n\nfunc main() {\n\tprintln(5)\n\n}\n" {
		t.Errorf("source is %q, %v", source, err)
	}
	if len(sites) != 1 || sites[0] != (Site{"main", 3, 6}) {
		t.Errorf("sites are %v", sites)
	}
	for _, text := range []string{"// about: x\n", "// about: x\n// nothing: y\n// case: n=1\n\npackage main",
		"// about: x\n\npackage main", "about\n\npackage main"} {
		if _, err := parse("x", text); err == nil {
			t.Errorf("%q is a family", text)
		}
	}
}

// A few programs, drawn by a fixed seed, compile. The campaign compiles all.
func TestCompiles(t *testing.T) {
	var cases []Case
	for _, f := range families(t) {
		cases = append(cases, f.Cases()...)
	}
	r := rand.New(rand.NewPCG(8, 0))
	for range 4 {
		c := cases[r.IntN(len(cases))]
		dir := filepath.Join(t.TempDir(), c.Family.Name)
		if err := c.Write(dir); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", "build", "-o", os.DevNull, ".")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", c.Name(), err, out)
		}
	}
}

func TestLabels(t *testing.T) {
	l, err := Measured()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parse("x", "// about: an example\n// sick: coarse-lock\n// fixed: healthy\n// case: n=3\n\npackage "+
		"main\n\nfunc main() { print([[.n]]) }\n")
	if err != nil {
		t.Fatal(err)
	}
	c := f.Cases()[0]
	hash, err := c.Hash()
	if err != nil {
		t.Fatal(err)
	}
	l.Interventions = append(l.Interventions, Intervention{Case: c.Name(), Source: hash, Gain: 0.2, Low: 0.1})
	if i, ok := l.Find(c); !ok || !i.Positive() {
		t.Errorf("the label is %+v, %v", i, ok)
	}
	f.Points[0]["n"] = "4"
	if _, ok := l.Find(c); ok {
		t.Error("a label of another source counts")
	}
	for _, i := range []Intervention{{Gain: 0.09, Low: 0.05}, {Gain: 0.3, Low: -0.01}} {
		if i.Positive() {
			t.Errorf("%+v is positive", i)
		}
	}
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/proof/findings"
	"github.com/brewput/brewput/proof/findings/corpus"
	"github.com/brewput/brewput/proof/record"
)

// TestStored checks that load returns the evidence that save wrote, with the source, unless the program has changed.
func TestStored(t *testing.T) {
	families, err := corpus.Families()
	if err != nil {
		t.Fatal(err)
	}
	c, dir := families[0].Cases()[0], t.TempDir()
	source, _, err := c.Source()
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "evidence"), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := stored{Source: source, Took: time.Second, Evidence: evidence.Evidence{Program: evidence.Program{Name: "x"}}}
	if err := save(evidenceFile(dir, c), s); err != nil {
		t.Fatal(err)
	}
	if e, err := load(dir, c); err != nil || e.Program.Name != "x" || e.Program.Source("main.go", 1) != "package main" {
		t.Errorf("%+v, %v", e, err)
	}

	s.Source = []byte("another")
	if err := save(evidenceFile(dir, c), s); err != nil {
		t.Fatal(err)
	}
	if _, err := load(dir, c); err != errChanged {
		t.Errorf("of another program: %v", err)
	}
}

// TestStoreLabels checks that labels are written to a new file, so that a kill leaves the old ones.
func TestStoreLabels(t *testing.T) {
	families, err := corpus.Families()
	if err != nil {
		t.Fatal(err)
	}
	cases, dir := families[0].Cases(), t.TempDir()
	file, old := filepath.Join(dir, "labels.json"), filepath.Join(dir, "old.json")
	err = os.WriteFile(file, []byte("{}"), 0o644)
	if err == nil {
		err = os.Link(file, old)
	}
	if err != nil {
		t.Fatal(err)
	}
	labels := corpus.Labels{Machine: "a CPU", CPUs: 2}
	kept := map[string]corpus.Intervention{cases[0].Name(): {Case: cases[0].Name(), Gain: 0.5}}
	if err := storeLabels(file, labels, cases, kept); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(old); err != nil || string(text) != "{}" {
		t.Errorf("the old file holds %q, %v", text, err)
	}
	var got corpus.Labels
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &got)
	}
	if err != nil || got.Machine != "a CPU" || len(got.Interventions) != 1 || got.Interventions[0].Gain != 0.5 {
		t.Errorf("%s, %v", text, err)
	}
}

// TestFailed checks that a program that cannot be explained is counted and reported, and that its case is not scored.
func TestFailed(t *testing.T) {
	families, err := corpus.Families()
	if err != nil {
		t.Fatal(err)
	}
	f := *families[0]
	f.Points = []map[string]string{{}} // the program lacks its parameters
	cases, dir := []corpus.Case{{Family: &f, Form: corpus.Fixed}}, t.TempDir()
	var out strings.Builder
	left, failed, err := collectAll(t.Context(), dir, cases, record.Piece{}, &out)
	if left != 0 || failed != 1 || err != nil || !strings.Contains(out.String(), "failed: ") {
		t.Errorf("%d left, %d failed, %v: %s", left, failed, err, &out)
	}
	out.Reset()
	all, missing, err := judge(dir, cases, corpus.Labels{}, &out)
	if err != nil || missing != 1 || len(all[0].Verdicts) != 0 ||
		!strings.Contains(out.String(), "it has no evidence") {
		t.Errorf("%v, %d missing, %v: %s", all, missing, err, &out)
	}

	sick := slices.IndexFunc(families, func(f *corpus.Family) bool { return !f.Diagnosis })
	cases = []corpus.Case{{Family: families[sick], Form: corpus.Sick}}
	out.Reset()
	if _, missing, err = judge(dir, cases, corpus.Labels{}, &out); err != nil || missing != 1 {
		t.Errorf("without a label: %d missing, %v: %s", missing, err, &out)
	}
}

// TestExitCodes checks that the campaign fails if a target is missed, and decides nothing while programs are left or
// have no evidence.
func TestExitCodes(t *testing.T) {
	o := options{dir: t.TempDir(), families: "linkwalk", points: 1, limit: 1}
	families, err := corpus.Families()
	if err == nil {
		families, err = only(families, []string{o.families})
	}
	if err != nil {
		t.Fatal(err)
	}
	exits := func(want int, when string) {
		t.Helper()
		if code, err := campaign(t.Context(), o); code != want || err != nil {
			t.Errorf("%s: exit %d, %v", when, code, err)
		}
	}
	exits(record.ExitUndecided, "without time")
	o.score = true
	exits(record.ExitUndecided, "without evidence")
	for _, c := range families[0].Cases() {
		source, _, err := c.Source()
		if err == nil {
			err = save(evidenceFile(o.dir, c), stored{Source: source})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	exits(record.ExitBroken, "with evidence that shows no problem")
}

// TestDecide checks the exit code of targets that are met, missed or without programs.
func TestDecide(t *testing.T) {
	met, missed, unknown := findings.Target{Met: true, Known: true}, findings.Target{Known: true}, findings.Target{}
	for _, x := range []struct {
		targets []findings.Target
		missing int
		code    int
	}{
		{[]findings.Target{met, met}, 0, 0},
		{[]findings.Target{unknown, missed, met}, 0, record.ExitBroken},
		{[]findings.Target{met, unknown, met}, 0, record.ExitUndecided},
		{[]findings.Target{met, met}, 1, record.ExitUndecided},
		{[]findings.Target{missed, met}, 1, record.ExitUndecided},
	} {
		var out strings.Builder
		if code := decide(x.targets, x.missing, &out); code != x.code ||
			strings.Contains(out.String(), "no evidence or label: 1\n") != (x.missing > 0) {
			t.Errorf("%+v, %d missing: exit %d\n%s", x.targets, x.missing, code, &out)
		}
	}
}

// TestSome checks that the same seed draws the same cases.
func TestSome(t *testing.T) {
	families, err := corpus.Families()
	if err != nil {
		t.Fatal(err)
	}
	all := families[0].Cases()
	a, b := some(all, 2, 1), some(all, 2, 1)
	if len(a) != 2 || a[0].Name() != b[0].Name() || a[1].Name() != b[1].Name() || len(some(all, 99, 1)) != len(all) {
		t.Errorf("%v and %v", a, b)
	}
}

// TestValidate checks that a directory to score must exist.
func TestValidate(t *testing.T) {
	o := options{runs: 2, points: 1, score: true, dir: t.TempDir()}
	if err := o.validate(0); err != nil {
		t.Error(err)
	}
	if o.validate(1) == nil {
		t.Error("an argument is accepted")
	}
	o.dir = filepath.Join(o.dir, "none")
	if err := o.validate(0); err == nil || !strings.Contains(err.Error(), "none: no such file or directory") {
		t.Error(err)
	}
}

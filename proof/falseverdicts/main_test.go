package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/catalog/null"
	"github.com/brewput/brewput/internal/aa"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

func TestMain(m *testing.M) {
	trial.Main(catalog.All()...)
	os.Exit(m.Run())
}

// TestRun compares the harness with itself in real trials of a few operations.
func TestRun(t *testing.T) {
	cases, err := aa.Cases(null.Workload(), []string{"stream"}, map[string]string{"cpus": "1", "workers": "1,2"})
	if err != nil {
		t.Fatal(err)
	}
	like := aa.Comparison{Blocks: 6, Operations: 1000, Seed: 1, BurnRate: 1, Run: trial.Runner{}.Run}
	var out, progress bytes.Buffer
	if _, err := run(t.Context(), like, cases, 3, &out, &progress); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`(?m)^design beside itself +n +faster +slower +equivalent +undecided +p <= 5 % +half-width$`,
		`(?m)^null/.*\) +2 +\d +\d +\d +\d +\d +\d+\.\d\d %$`, `(?m)^null/.*\) +1 +\d`, `(?m)^all +3 +\d`,
		`(?m)^\d of 3 verdicts are false`, `(?m)^\d have a p-value of at most 5 %`,
		`(?m)^Lag-1 correlation of the ratios of 3 comparisons: mean -?\d\.\d\d \(-0\.17 if`,
		`(?m)^\d+\.\d % lie above the bound .* widens \d of 3 intervals\.$`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("does not print %s:\n%s", want, out.String())
		}
	}
}

// TestGuilty: a harness that sees a difference twice in two comparisons is found guilty.
func TestGuilty(t *testing.T) {
	cases, err := chosen(catalog.All())
	if err != nil {
		t.Fatal(err)
	}
	// Whose first trial of each block is faster sees a difference where the same arm is always the first:
	// seldom, so that a seed must be looked for.
	like := aa.Comparison{Blocks: 6, Operations: 1, Seed: 1, BurnRate: 1}
	for !(sameFirst(like.Seed, like.Blocks) && sameFirst(like.Seed+1, like.Blocks)) {
		like.Seed++
	}
	for _, x := range []struct {
		faster float64
		broken bool
		says   string
	}{
		{1.5, true, "2 of 2 verdicts are false (100.0 %). If 5 % were, so many or more would come with probability " +
			"0.0025: the harness gives more false verdicts than it promises."},
		{1, false, "0 of 2 verdicts are false (0.0 %). If 5 % were, so many or more would come with probability 1: " +
			"nothing says that the harness breaks its promise."},
	} {
		like.Run = func(_ context.Context, s trial.Spec) (trial.Outcome, error) {
			tr := trial.Blank(s)
			tr.Status, tr.Type, tr.Operations = result.OK, result.Stream, 1_000_000
			tr.Metrics[result.Throughput] = 1000
			if s.Order == 0 {
				tr.Metrics[result.Throughput] = result.Value(1000 * x.faster)
			}
			return trial.Outcome{Trial: tr}, nil
		}
		var out, progress bytes.Buffer
		broken, err := run(t.Context(), like, cases[:1], 2, &out, &progress)
		if err != nil || broken != x.broken || !strings.Contains(out.String(), x.says) {
			t.Errorf("broken %v, %v:\n%s", broken, err, out.String())
		}
		if told := strings.Count(progress.String(), "than itself"); told != map[bool]int{true: 2}[x.broken] {
			t.Errorf("told of %d false verdicts: %s", told, progress.String())
		}
	}
	like.Run = func(context.Context, trial.Spec) (trial.Outcome, error) {
		return trial.Outcome{}, errors.New("no child")
	}
	if _, err := run(t.Context(), like, cases, 2, new(bytes.Buffer), new(bytes.Buffer)); err == nil ||
		!strings.Contains(err.Error(), "comparison 1 of 2: no child") {
		t.Error(err)
	}
}

// sameFirst reports whether all blocks of a sweep of two cases begin with the same one.
func sameFirst(seed uint64, blocks int) bool {
	p := plan.Plan{Seed: seed, Blocks: blocks, Cases: []plan.Case{{Design: "a"}, {Design: "b"}}}
	for b := range blocks {
		if p.Block(b)[0].Case != p.Block(0)[0].Case {
			return false
		}
	}
	return true
}

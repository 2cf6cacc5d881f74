package main

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/brewput/brewput/catalog/null"
	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/proof/aatest"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/result"
)

func TestMain(m *testing.M) {
	lab.Main(aatest.Double(null.Workload()))
	os.Exit(m.Run())
}

// small is a campaign of n comparisons of a few operations each.
func small(t *testing.T, n int) (c *campaign, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return &campaign{stdout: stdout, stderr: stderr, n: n, record: filepath.Join(t.TempDir(), "record"),
		cases: []testCase{
			{null.Workload(), "stream", map[string]string{"cpus": "1", "workers": "1"}},
			{null.Workload(), "stream", map[string]string{"cpus": "1", "workers": "2"}},
		}, options: lab.DesignOptions{Count: leastBlocks, Operations: 1000, Warmup: -1}, seed: 1}, stdout, stderr
}

// TestRun makes two comparisons in two calls, and finds both in the table.
func TestRun(t *testing.T) {
	c, out, _ := small(t, 1)
	if _, err := c.run(t.Context(), record.Piece{}); err != nil {
		t.Fatal(err)
	}
	c.n = 2
	over := record.NewPiece(1)
	if code, err := c.run(t.Context(), over); code != record.ExitUndecided || err != nil ||
		!strings.HasSuffix(out.String(), "1 comparisons are left: run the same command again.\n") {
		t.Errorf("exit %d, %v\n%s", code, err, out)
	}
	out.Reset()
	if _, err := c.run(t.Context(), record.Piece{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`(?m)^design compared with itself +n +faster +slower +equivalent +undecided +p <= 5% +half-width$`,
		`(?m)^null/stream \(cpus=1 workers=1\) +1 +\d +\d +\d +\d +\d +\d+\.\d\d%$`,
		`(?m)^null/stream \(cpus=1 workers=2\) +1 +\d`, `(?m)^all +2 +\d`,
		`(?m)^\d of 2 verdicts are false`, `(?m)^\d have a p-value of at most 5%`,
		`(?m)^Lag-1 correlation of the ratios of 2 comparisons: mean -?\d\.\d\d \(-0\.17 if`,
		`(?m)^\d+\.\d% exceed the bound .* widens \d of 2 intervals\.$`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("does not print %s:\n%s", want, out)
		}
	}

	c.seed = 2
	if _, err := c.run(t.Context(), record.Piece{}); err == nil || !strings.Contains(err.Error(), "remove the file") {
		t.Errorf("another seed: %v", err)
	}
}

// TestFailure checks that a comparison that cannot be made ends the campaign, and that nothing of it is recorded.
func TestFailure(t *testing.T) {
	c, _, _ := small(t, 2)
	c.cases = []testCase{{null.Workload(), "loop", map[string]string{"cpus": "1"}}} // a bound
	c.options.Count = 1
	if _, err := c.run(t.Context(), record.Piece{}); err == nil ||
		!strings.Contains(err.Error(), "comparison 1 of 2: a run of null gives 0 verdicts") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.run(ctx, record.Piece{}); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Error(err)
	}
	if _, err := os.Stat(c.record); err == nil {
		t.Error("a failed comparison is recorded")
	}
}

// TestBroken checks that two differences in two recorded comparisons are too many, and that none is not.
func TestBroken(t *testing.T) {
	program, err := os.Executable()
	if err == nil {
		program, err = record.Hash(program)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		verdict string
		code    int
		prints  string
	}{
		{compare.Faster, record.ExitBroken,
			"2 of 2 verdicts are false (100.0%). If 5% were false on average, at least this " +
				"many would occur with probability 0.0025: more than 5% of verdicts are false."},
		{compare.Equivalent, 0, "0 of 2 verdicts are false (0.0%). If 5% were false on average, at least this " +
			"many would occur with probability 1: no sign of more than 5% false verdicts."},
	} {
		c, out, _ := small(t, 2)
		e := entry{settings: settings{program, c.seed, c.options.Count}, Case: "case", Verdict: x.verdict, N: 6,
			Ratio: 1, Low: 0.99, High: 1.01, P: 0.5}
		if err := errors.Join(record.Append(c.record, e), record.Append(c.record, e)); err != nil {
			t.Fatal(err)
		}
		if code, err := c.run(t.Context(), record.Piece{}); code != x.code || err != nil ||
			!strings.Contains(out.String(), x.prints) {
			t.Errorf("exit %d, %v:\n%s", code, err, out)
		}
	}
}

// TestCases checks that each case is measured on one CPU at least, in a workload that main registers.
func TestCases(t *testing.T) {
	for _, x := range cases() {
		o := lab.MeasureOptions{DesignOptions: lab.DesignOptions{Designs: aatest.Arms(x.design), Levels: x.levels}}
		if list, err := o.Cases(aatest.Double(x.workload)); err != nil || len(list) != 2 {
			t.Errorf("%s %v: %v, %v", x.design, x.levels, list, err)
		}
	}
}

func TestTally(t *testing.T) {
	var all tally
	if all.n() != 0 || !math.IsNaN(all.halfWidth()) {
		t.Errorf("empty: %+v", all)
	}
	add := func(verdict string, n int, high result.Value) {
		for i := range n {
			all.add(entry{Verdict: verdict, Low: 1 / high, High: high, P: result.Value(float64(i) / 100),
				Lag1: result.Unavailable})
		}
	}
	add(compare.Equivalent, 80, 1.01)
	add(compare.Undecided, 102, 1.03)
	add(compare.Faster, 11, 1.02)
	add(compare.Slower, 7, 1.02)
	if all.n() != 200 || all.falseVerdicts() != 18 || all.broken() || math.Abs(all.p()-0.012089443730889564) > 1e-12 {
		t.Errorf("18 of 200: p %v, broken %v", all.p(), all.broken())
	}
	if all.significant != 6+6+6+6 { // six of each verdict, the equivalent ones included
		t.Errorf("%d have a p-value of at most 5%%", all.significant)
	}
	if w := all.halfWidth(); math.Abs(w-0.03) > 1e-12 {
		t.Errorf("median half-width %v", w)
	}
	add(compare.Slower, 2, 1.02)
	if !all.broken() {
		t.Errorf("20 of 202: p %v", all.p())
	}
}

// TestCorrelation checks the quantiles of the lag-1 correlations, and how many are beyond the 5% bounds.
func TestCorrelation(t *testing.T) {
	var all tally
	if x := all.correlation(); x.n != 0 {
		t.Errorf("empty: %+v", x)
	}
	for _, r := range []float64{-0.9, -0.1, 0.1, 0.2, 0.7} {
		all.add(entry{Verdict: compare.Undecided, N: 10, Lag1: result.Value(r),
			Widened: map[bool]float64{true: 3}[r > 0.5]})
	}
	x := all.correlation()
	if x.n != 5 || math.Abs(x.mean) > 1e-12 || x.median != 0.1 || x.shareAbove != 0.2 || x.shareBelow != 0.2 ||
		all.widened != 1 {
		t.Errorf("%+v, %d widened", x, all.widened)
	}
}

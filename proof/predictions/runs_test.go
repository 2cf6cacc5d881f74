package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/proof/record"
)

func TestMain(m *testing.M) {
	lab.Main(workloads()...)
	os.Exit(m.Run())
}

// TestMeasure checks that a complete run is not measured again, that an interrupted one continues, and that nothing
// begins without time. A directory of another campaign is refused.
func TestMeasure(t *testing.T) {
	var progress bytes.Buffer
	c := &campaign{stdout: &bytes.Buffer{}, stderr: &progress, dir: t.TempDir(),
		settings: settings{Blocks: 2, Duration: 20 * time.Millisecond, Every: 1, Cost: "none"}}
	two := c.runsOf(shapes(), shapesGrid()[:16])
	for i := range two {
		two[i].options.CaseList, two[i].options.Warmup = two[i].options.CaseList[:1], 0
	}

	c.limit = time.Nanosecond
	if runs, err := c.measure(t.Context(), two); err != nil || len(runs) != 0 {
		t.Fatalf("without time: %d runs, %v", len(runs), err)
	}
	c.limit = 0
	ctx, cancel := context.WithCancel(t.Context())
	c.stderr = writerFunc(func([]byte) { // called after the first of two blocks
		cancel()
	})
	if _, err := c.measure(ctx, two[:1]); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("interrupted: %v", err)
	}
	c.stderr = &progress
	if runs, err := c.measure(t.Context(), two[:1]); err != nil || len(runs) != 1 {
		t.Fatalf("the first run: %d runs, %v", len(runs), err)
	}
	runs, err := c.measure(t.Context(), two)
	if err != nil || len(runs) != 2 {
		t.Fatalf("both runs: %d runs, %v", len(runs), err)
	}
	for name, run := range runs {
		if len(run.Trials) != 4 || len(run.Predictions) != 2 || run.Complete != (name == two[0].name) {
			t.Errorf("%s: %d trials, %d predictions, complete %v", name, len(run.Trials), len(run.Predictions),
				run.Complete)
		}
	}
	if n := strings.Count(progress.String(), "done\n"); n != 4+2 { // a complete run reports its blocks again
		t.Errorf("%d blocks:\n%s", n, &progress)
	}

	c.Seed = 2
	if _, err := c.measure(t.Context(), two); err == nil || !strings.Contains(err.Error(), "other settings") {
		t.Errorf("another seed: %v", err)
	}
	c.scoreOnly = true
	if runs, err := c.measure(t.Context(), two); err != nil || len(runs) != 2 {
		t.Errorf("only scored: %d runs, %v", len(runs), err)
	}
}

// TestValidate checks that flags are refused before anything runs, also a directory to score that does not exist.
func TestValidate(t *testing.T) {
	here := t.TempDir()
	for _, c := range []struct {
		change func(c *campaign)
		want   string
	}{
		{func(*campaign) {}, ""},
		{func(c *campaign) { c.Blocks = 1 }, "-blocks 2 or more"},
		{func(c *campaign) { c.Cost = "wale=1us" }, "-cost wale=1us: "},
		{func(c *campaign) { c.dir = filepath.Join(here, "none") }, "none: no such file or directory"},
	} {
		x := &campaign{settings: settings{Blocks: 2, Duration: 1, Every: 1}, dir: here, scoreOnly: true}
		c.change(x)
		err := x.validate(0)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if x.validate(1) == nil {
			t.Error("an argument is accepted")
		}
	}
}

// TestScoreOnly checks that a call that only scores does not ask to be repeated, because that would measure nothing.
func TestScoreOnly(t *testing.T) {
	for _, real := range []bool{false, true} {
		var out bytes.Buffer
		c := &campaign{stdout: &out, stderr: &out, dir: t.TempDir(), scoreOnly: true,
			settings: settings{Real: real, Every: 1, Blocks: 5}}
		code, err := c.run(t.Context())
		if code != record.ExitUndecided || err != nil || strings.Contains(out.String(), "same command") ||
			!strings.Contains(out.String(), "missing or incomplete: run the command without -score.\n") {
			t.Errorf("real %v: exit %d, %v\n%s", real, code, err, &out)
		}
	}
}

// writerFunc is a writer that calls a function.
type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

// TestRealRuns checks that the options of every run of real code are possible.
func TestRealRuns(t *testing.T) {
	for _, p := range realRuns() {
		if cases, err := p.options.Cases(p.workload); err != nil || len(cases) == 0 {
			t.Errorf("%s: %d cases, %v", p.name, len(cases), err)
		}
	}
}

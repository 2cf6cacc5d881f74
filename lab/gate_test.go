package lab

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// fivePercent is a gate of at most so many blocks.
func fivePercent(blocks int) compare.Gate {
	return compare.Gate{MaxRegression: 0.05, Alpha: 0.05, Layouts: 1, InterimBlocks: compare.GateInterimBlocks(blocks)}
}

// TestGateDecides: a gate measures until all is decided, with an interim analysis after each planned number of blocks,
// and stores what it decided.
func TestGateDecides(t *testing.T) {
	for _, c := range []struct {
		name      string
		head      float64 // allocations of the head; the base has 10
		blocks    int     // at most
		budget    time.Duration
		allowed   []gobench.Exception
		decision  string
		trials    int
		analyses  []Interim
		shortened int // blocks that the budget sufficed for
	}{
		{name: "no cost", head: 10, blocks: 20, decision: compare.Pass, trials: 20, analyses: []Interim{{10, 1, 0}}},
		{name: "a cost", head: 11, blocks: 20, decision: compare.Fail, trials: 20, analyses: []Interim{{10, 1, 0}}},
		{name: "allowed", head: 11, blocks: 20, allowed: []gobench.Exception{
			{Line: 1, Name: "A*", Metric: "allocs/op", Until: "2999-01-01", Reason: "why"}},
			decision: compare.Pass, trials: 20, analyses: []Interim{{10, 1, 0}}},
		{name: "one block", head: 11, blocks: 1, decision: compare.Undecided, trials: 2,
			analyses: []Interim{{1, 1, 1}}},
		{name: "budget", head: 11, blocks: 20, budget: 1, decision: compare.Undecided, trials: 2,
			analyses: []Interim{{1, 1, 1}}, shortened: 1},
		{name: "nothing to judge", head: -1, blocks: 20, decision: compare.Error, trials: 2,
			analyses: []Interim{{1, 0, 0}}},
	} {
		r, m := fakeBench(t, func(rev string) result.Trial {
			n := map[string]float64{gobench.Base: 10, gobench.Head: c.head}[rev]
			if n < 0 {
				return result.Trial{Status: result.Failed}
			}
			return result.Trial{Status: result.OK, Expected: true,
				Metrics: result.Metrics{result.AllocsPerOp: result.Value(n)}}
		})
		g := &gateRun{benchRun: r, allowed: c.allowed, today: "2026-01-02"}
		g.decideBy(fivePercent(c.blocks), []string{result.AllocsPerOp}, c.budget)
		res, err := g.execute(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if res.Decision != c.decision || len(res.Trials) != c.trials || len(m.trials) != c.trials || !m.ended ||
			!m.closed {
			t.Errorf("%s: %s by %d trials, stored %d, ended %v, closed %v", c.name, res.Decision, len(res.Trials),
				len(m.trials), m.ended, m.closed)
		}
		if got := eventsOf[Interim](m.events); !slices.Equal(got, c.analyses) || len(m.looks) != len(c.analyses) {
			t.Errorf("%s: analyses %v, stored %d; want %v", c.name, got, len(m.looks), c.analyses)
		}
		if res.BlockTime <= 0 {
			t.Errorf("%s: a block took %v", c.name, res.BlockTime)
		}
		if short := res.BudgetEnded != nil; short != (c.shortened > 0) ||
			short && res.BudgetEnded.Blocks != c.shortened {
			t.Errorf("%s: the budget ended: %+v", c.name, res.BudgetEnded)
		}
	}
}

// TestGateInterrupted: what was measured is returned with the context's error, and nothing is decided.
func TestGateInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	r, m := fakeBench(t, func(string) result.Trial {
		if n++; n == 5 {
			cancel()
		}
		return result.Trial{Status: result.OK, Expected: true, Metrics: result.Metrics{result.AllocsPerOp: 1}}
	})
	g := &gateRun{benchRun: r}
	g.decideBy(fivePercent(80), []string{result.AllocsPerOp}, 0)
	res, err := g.execute(ctx)
	if !errors.Is(err, context.Canceled) || !res.Interrupted || res.Decision != "" || len(res.Trials) != 4 ||
		!m.closed {
		t.Errorf("%d trials, interrupted %v, decision %q, %v", len(res.Trials), res.Interrupted, res.Decision, err)
	}
}

// TestDefaultCPUs: the default is never more than the CPUs of the machine, which would be refused as an option.
func TestDefaultCPUs(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.NumCPU() + 1))
	levels, err := (&BenchOptions{}).levels()
	if err != nil || levels[len(levels)-1] != plan.IntLevel(runtime.NumCPU()) {
		t.Errorf("%v, %v", levels, err)
	}

	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var canceled *CanceledError
	if r, err := Gate(ctx, GateOptions{BenchOptions: BenchOptions{Base: "main"}}); r != nil ||
		!errors.As(err, &canceled) || !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted gate: %v", err)
	}
	if r, err := Bench(ctx, BenchOptions{}); r != nil || !errors.As(err, &canceled) {
		t.Errorf("an interrupted build: %v", err)
	}
}

// TestReported: a metric that cannot be judged is refused before anything is measured, or is an error if the head
// breaks a benchmark.
func TestReported(t *testing.T) {
	both := gobench.Benchmark{Name: "A", Revs: []string{gobench.Base, gobench.Head},
		Metrics: []string{result.TimePerOp, "cups", "froth"}}
	b := &gobench.Bench{Experiment: &gobench.Experiment{BaseCommit: "1", Benchmarks: []gobench.Benchmark{both}},
		Better: map[string]string{"cups": "higher"}}
	for metric, want := range map[string]string{
		"sec/op": "", "cups": "",
		"froth": `metric froth: it is unknown whether higher or lower is better; ` +
			`let the benchmark print a line "Unit froth better=lower"`,
		"milk": "metric milk: no benchmark of both revisions reports it; they report ns/op, cups, froth",
	} {
		err := reported(b, []string{metric})
		if got := fmt.Sprint(err); err == nil && want != "" || err != nil && got != want {
			t.Errorf("%s: %v", metric, err)
		}
	}
	b.Broken = []result.Broken{{Rev: gobench.Head, Name: "B", Error: "it fails: sour", Text: "more\nsour\n"}}
	var broken *BrokenError
	if err := reported(b, []string{"milk"}); !errors.As(err, &broken) {
		t.Fatalf("%v is no BrokenError", err)
	}
	want := "--metric milk: no benchmark that can be measured in both revisions reports it:\nhead: B: it " +
		"fails: sour\n    more"
	if got := broken.Text(func(field string) string { return "--" + field }); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestGateDefaults: a gate has the command's budget and count, and a negative budget is none.
func TestGateDefaults(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{0: 5 * time.Minute, -1: 0, time.Hour: time.Hour} {
		o := GateOptions{BenchOptions: BenchOptions{Base: "main", Budget: given, Env: []string{"GOGC=abc"}}}
		_, err := prepareGate(t.Context(), &o)
		if r := (*Refusal)(nil); !errors.As(err, &r) || o.Budget != want || o.Count != 80 ||
			o.Duration != 500*time.Millisecond {
			t.Errorf("given %v: %+v, %v", given, o, err)
		}
	}
}

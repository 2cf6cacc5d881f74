package lab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/catalog/null"
	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// short are options of a simulation that is over at once.
func short(t *testing.T) SimulateOptions {
	return SimulateOptions{Cost: "none", FixedWarmup: true, DesignOptions: DesignOptions{
		Designs: []string{"locking", "finelocking"}, Levels: map[string]string{"cpus": "2", "jitter": "1ms"}, Count: 6,
		Duration: 100 * time.Millisecond, Warmup: -1, Output: filepath.Join(t.TempDir(), "run")}}
}

// TestSimulate: a simulation returns what it stored, reports all of it as events, and is the same when it is shown
// again; a run of nothing that was asked for is refused.
func TestSimulate(t *testing.T) {
	o := short(t)
	var started []Started
	blocks := 0
	o.Notify = func(e Event) {
		switch e := e.(type) {
		case Started:
			started = append(started, e)
		case Progress:
			if e.Trials != nil {
				blocks++
			}
		}
	}
	r, err := Simulate(t.Context(), coffee.Workload(), o)
	if err != nil || len(r.Trials) != 12 || r.Outcome != result.Sound || r.Interrupted || r.Complete {
		t.Fatalf("%+v, %v", r, err)
	}
	if len(started) != 1 || started[0].Complete || started[0].Dir != o.Output || blocks != 6 {
		t.Errorf("%d blocks, started %+v", blocks, started)
	}
	x := r.Analyze()
	if len(x.Rows) != 2 || len(x.Verdicts) != 1 {
		t.Errorf("%d rows, %d verdicts", len(x.Rows), len(x.Verdicts))
	}
	if _, err := r.Timelines(t.Context(), 0); !errors.As(err, new(*Refusal)) {
		t.Errorf("timelines of no time: %v", err)
	}
	x.Warnings = append(x.Warnings, compare.NewWarning("coffee", compare.WarnCosts, "the costs are typical"))
	if text, answer := x.String(), strings.Join(x.Answer.Text, "\n"); answer == "" ||
		!strings.HasPrefix(text, answer+"\nvirtual, cpus=2 workers=2") ||
		!strings.HasSuffix(text, "]\nwarning: the costs are typical\n") {
		t.Errorf("as text: %q", text)
	}

	all := []*workload.Workload{null.Workload(), coffee.Workload()}
	again, err := Resume(t.Context(), all, o.Output, ResumeOptions{Notify: o.Notify})
	if err != nil || !again.Complete || len(again.Trials) != 12 || len(started) != 2 || !started[1].Complete {
		t.Errorf("shown again: %+v, %v", again, err)
	}
	if list, err := again.Timelines(t.Context(), 10*time.Millisecond); err != nil || len(list) != 2 ||
		!strings.HasPrefix(list[1].Title, "finelocking ") {
		t.Errorf("%d timelines, %v", len(list), err)
	}
}

// TestDefaults: the zero value of an option is the default of the command, and a negative warm-up is none.
func TestDefaults(t *testing.T) {
	w := &workload.Workload{Name: "shop", Designs: []workload.Design{{Name: "serve",
		Stream: func(env.Env, plan.Point) (workload.Stream, error) {
			return workload.Stream{Op: func(e env.Env, _ uint64) { e.Burn(time.Second) }}, nil
		}}}}
	for _, c := range []struct {
		warmup, want time.Duration
		seed         *uint64
		wantSeed     string
	}{
		{0, time.Second, nil, "1"}, {-1, 0, new(uint64(0)), "0"}, {time.Minute, time.Minute, new(uint64(7)), "7"},
	} {
		r, err := Simulate(t.Context(), w, SimulateOptions{FixedWarmup: true, Cost: "none",
			DesignOptions: DesignOptions{Warmup: c.warmup, Seed: c.seed, Output: filepath.Join(t.TempDir(), "run")}})
		if err != nil {
			t.Fatal(err)
		}
		h := &r.Header
		if time.Duration(h.Settings.Warmup) != c.want || time.Duration(h.Settings.Duration) != 10*time.Second ||
			h.Seed != c.wantSeed || h.Blocks != 1 || len(r.Trials) != 1 || r.Trials[0].Seed != c.wantSeed {
			t.Errorf("%v: %+v, seed %s, %d blocks", c.warmup, h.Settings, h.Seed, h.Blocks)
		}
	}
	for name, o := range map[string]interface{ Validate() error }{"measure": MeasureOptions{},
		"simulate": SimulateOptions{}, "bench": BenchOptions{}, "gate": GateOptions{}} {
		if err := o.Validate(); err != nil {
			t.Errorf("the zero options of %s: %v", name, err)
		}
	}
	limited := MeasureOptions{DesignOptions: DesignOptions{TimeLimit: 50 * time.Millisecond, Duration: time.Millisecond,
		Warmup: -1}}
	if err := limited.Validate(); err != nil {
		t.Errorf("without a warm-up: %v", err)
	}
	if cases, err := (MeasureOptions{}).Cases(w); err != nil || len(cases) != 1 {
		t.Errorf("cases of the zero options: %v, %v", cases, err)
	}
	m := MeasureOptions{}.withDefaults()
	if m.Warmup != 100*time.Millisecond || m.Duration != time.Second || m.Count != 10 || m.Sample != 1 {
		t.Errorf("%+v", m)
	}
}

// TestDesignRefusals: what cannot be carried out is refused by the name of the option, and leaves no directory.
func TestDesignRefusals(t *testing.T) {
	nobody := "nobody"
	for _, c := range []struct {
		change func(o *SimulateOptions)
		field  string
		text   string
	}{
		{func(o *SimulateOptions) { o.Count = -1 }, "count", "at least one replication"},
		{func(o *SimulateOptions) { o.Designs = []string{"lokking"} }, "", `did you mean "locking"?`},
		{func(o *SimulateOptions) { o.Levels = map[string]string{"beans": "3"} }, "levels", "is no factor of coffee"},
		{func(o *SimulateOptions) { o.Levels["buffer"] = "3" }, "buffer", "has no effect: none of the designs locking"},
		{func(o *SimulateOptions) { o.Levels["load"] = "0" }, "load", "sends no request"},
		{func(o *SimulateOptions) { o.Levels["cpus"] = "100000" }, "cpus", "at most"},
		{func(o *SimulateOptions) { o.Baseline = nobody }, "", "has no design"},
		{func(o *SimulateOptions) { o.Baseline = "multi" }, "baseline", "is not measured"},
		{func(o *SimulateOptions) { o.Cost = "wale=1us" }, "cost", "wale"},
		{func(o *SimulateOptions) { o.Count, o.Precision = 0, 2 }, "precision", "out of range"},
		{func(o *SimulateOptions) { o.Precision = 0.01 }, "", "count and precision both set"},
		{func(o *SimulateOptions) { o.AllPairs = true; o.Count = 1 }, "compare", "use count 10"},
	} {
		o := short(t)
		c.change(&o)
		_, err := Simulate(t.Context(), coffee.Workload(), o)
		var r *Refusal
		if !errors.As(err, &r) || r.Field != c.field || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v, want %s: %s", err, c.field, c.text)
		}
		if _, err := os.Stat(o.Output); err == nil {
			t.Errorf("%s: a refused run has a directory", c.text)
		}
	}
	if _, err := Measure(t.Context(), coffee.Workload(), MeasureOptions{Budget: time.Second,
		DesignOptions: DesignOptions{Count: 3}}); err == nil {
		t.Error("a budget and a count")
	}
}

// TestCaseList: cases that are given are those of the run, with defaults for factors that they lack.
func TestCaseList(t *testing.T) {
	o := short(t)
	o.Designs, o.Levels = nil, nil
	o.CaseList = []plan.Case{
		{Design: "locking", Point: plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(3)})},
		{Design: "linearpipe", Point: plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)},
			plan.Setting{Factor: "workers", Level: plan.IntLevel(5)})},
	}
	got, err := o.DesignOptions.cases(coffee.Workload())
	if err != nil || len(got) != 2 || got[0].Point.String() != "cpus=3 workers=3 stage=1ms jitter=0s" ||
		got[1].Point.String() != "cpus=2 workers=5 buffer=1 stage=1ms jitter=0s" {
		t.Errorf("%v, %v", got, err)
	}

	for text, change := range map[string]func(o *DesignOptions){
		"leave out":     func(o *DesignOptions) { o.Designs = []string{"locking"} },
		"has no design": func(o *DesignOptions) { o.CaseList[0].Design = "nobody" },
		"does not use it": func(o *DesignOptions) {
			o.CaseList[0].Point = o.CaseList[0].Point.With("pipes", plan.IntLevel(1))
		},
	} {
		bad := o.DesignOptions
		bad.CaseList = append([]plan.Case(nil), o.CaseList...)
		change(&bad)
		var r *Refusal
		if _, err := bad.cases(coffee.Workload()); !errors.As(err, &r) || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want: %s", err, text)
		}
	}
}

// TestSimulateInterrupted: an interrupted run has the trials so far, and goes on to what it would have been.
func TestSimulateInterrupted(t *testing.T) {
	whole, err := Simulate(t.Context(), coffee.Workload(), short(t))
	if err != nil {
		t.Fatal(err)
	}
	o := short(t)
	ctx, cancel := context.WithCancel(t.Context())
	o.Notify = func(e Event) {
		if p, ok := e.(Progress); ok && p.Trials != nil && p.Step.Block == 2 {
			cancel()
		}
	}
	part, err := Simulate(ctx, coffee.Workload(), o)
	if !errors.Is(err, context.Canceled) || !part.Interrupted || len(part.Trials) != 6 {
		t.Fatalf("interrupted %v with %d trials, %v", part.Interrupted, len(part.Trials), err)
	}
	rest, err := Resume(t.Context(), []*workload.Workload{coffee.Workload()}, o.Output, ResumeOptions{})
	if err != nil || rest.Interrupted || len(rest.Trials) != len(whole.Trials) {
		t.Fatalf("%+v, %v", rest, err)
	}
	for i := range rest.Trials {
		a, b := rest.Trials[i], whole.Trials[i]
		if a.Design != b.Design || a.Seed != b.Seed || a.Metrics[result.Throughput] != b.Metrics[result.Throughput] ||
			!(a.Metrics[result.Throughput] > 0) {
			t.Errorf("trial %d: %+v, want %+v", i, a, b)
		}
	}
}

// TestSimulateSettles: a warm-up that pilots found is the run's, and nothing is left where they are interrupted.
func TestSimulateSettles(t *testing.T) {
	opening := func(e env.Env, _ plan.Point) (workload.Stream, error) { // what comes first takes ten times as long
		return workload.Stream{Op: func(e env.Env, op uint64) {
			e.Burn(time.Duration(10-min(op/2, 9)) * time.Millisecond)
		}}, nil
	}
	w := &workload.Workload{Name: "shop", Designs: []workload.Design{{Name: "opening", Stream: opening}}}
	o := short(t)
	o.FixedWarmup, o.Designs, o.Levels, o.Duration = false, nil, map[string]string{"cpus": "1"}, time.Second
	r, err := Simulate(t.Context(), w, o)
	if err != nil || r.Header.Settings.Warmup == 0 || r.Header.WarmupReason == "" {
		t.Errorf("a warm-up of %v, %q, %v", r.Header.Settings.Warmup, r.Header.WarmupReason, err)
	}

	o.Output += "-2"
	ctx, cancel := context.WithCancel(t.Context())
	o.Notify = func(Event) { cancel() }
	_, err = Simulate(ctx, w, o)
	var u *CanceledError
	if !errors.As(err, &u) || !u.Pilots || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted pilots: %v", err)
	}
	if _, err := os.Stat(o.Output); err == nil {
		t.Error("interrupted pilots have a directory")
	}
}

// TestMeasureBudget: a budget that not one block fits in is refused, and so is one with nothing to compare.
func TestMeasureBudget(t *testing.T) {
	for text, o := range map[string]MeasureOptions{
		"not even one block fits": {Budget: 10 * time.Millisecond},
		"here is nothing to comp": {Budget: time.Hour, DesignOptions: DesignOptions{Designs: []string{"locking"}}},
	} {
		o.Output = filepath.Join(t.TempDir(), "run")
		_, err := Measure(t.Context(), coffee.Workload(), o)
		if r := (*Refusal)(nil); !errors.As(err, &r) || r.Field != "budget" || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %s", err, text)
		}
	}
}

// TestReadOnly: a stored run is read as it is. There is no run with an error.
func TestReadOnly(t *testing.T) {
	o := short(t)
	if _, err := Simulate(t.Context(), coffee.Workload(), o); err != nil {
		t.Fatal(err)
	}
	read := ResumeOptions{ReadOnly: true}
	r, err := Resume(t.Context(), []*workload.Workload{coffee.Workload()}, o.Output, read)
	if err != nil || !r.Complete || len(r.Trials) != 12 || len(r.Analyze().Verdicts) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, dir := range []string{o.Output, filepath.Join(o.Output, "none")} {
		var refusal *Refusal
		if r, err := Resume(t.Context(), nil, dir, read); r != nil || !errors.As(err, &refusal) {
			t.Errorf("%s: %+v, %v", dir, r, err)
		}
	}
}

// TestResumeLimitTwice: a new time limit is also that of later resumptions, until another one is given.
func TestResumeLimitTwice(t *testing.T) {
	o := short(t)
	interrupted := func(trials int, run func(ctx context.Context, notify func(Event)) error) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		err := run(ctx, func(e Event) {
			if p, ok := e.(Progress); ok && p.Done >= trials {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	interrupted(1, func(ctx context.Context, notify func(Event)) error {
		o.Notify = notify
		_, err := Simulate(ctx, coffee.Workload(), o)
		return err
	})

	all := []*workload.Workload{coffee.Workload()}
	check := func(r *Run, want time.Duration) {
		t.Helper()
		if set := r.Header.Settings; time.Duration(set.TimeLimit) != want || set.Limited != (want != 10*time.Minute) {
			t.Errorf("a limit of %v, set: %t; want %v", time.Duration(set.TimeLimit), set.Limited, want)
		}
	}
	for _, c := range []struct{ given, want time.Duration }{{0, 10 * time.Minute}, {time.Hour, time.Hour},
		{0, time.Hour}, {30 * time.Minute, 30 * time.Minute}, {0, 30 * time.Minute}} {
		interrupted(0, func(ctx context.Context, notify func(Event)) error {
			r, err := Resume(ctx, all, o.Output, ResumeOptions{TimeLimit: c.given, Notify: notify})
			check(r, c.want)
			retried := map[bool]int{false: len(r.Trials), true: math.MaxInt}[c.given > 0]
			if c.want == 10*time.Minute {
				retried = 0
			}
			if s := r.sweep; s.RetryLimited != retried || s.LimitChanged != (c.want != 10*time.Minute) ||
				len(r.Trials) == 0 {
				t.Errorf("%v: cases that reached the limit in %d of %d trials run again, changed: %t", c.given,
					s.RetryLimited, len(r.Trials), s.LimitChanged)
			}
			return err
		})
	}
	for _, read := range []bool{true, false, true} {
		r, err := Resume(t.Context(), all, o.Output, ResumeOptions{ReadOnly: read})
		if err != nil {
			t.Fatal(err)
		}
		check(r, 30*time.Minute)
	}
}

// TestResumeLimit: a run that goes on takes the time limit that it is given, and keeps its own without one.
func TestResumeLimit(t *testing.T) {
	o := short(t)
	if _, err := Simulate(t.Context(), coffee.Workload(), o); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[time.Duration]time.Duration{0: 10 * time.Minute, time.Minute: time.Minute} {
		all := []*workload.Workload{coffee.Workload()}
		r, err := Resume(t.Context(), all, o.Output, ResumeOptions{TimeLimit: given})
		if set := r.Header.Settings; err != nil || time.Duration(set.TimeLimit) != want || set.Limited != (given > 0) {
			t.Errorf("given %v: %v, limited %t, %v", given, time.Duration(set.TimeLimit), set.Limited, err)
		}
	}
	var refusal *Refusal
	_, err := Resume(t.Context(), []*workload.Workload{coffee.Workload()}, o.Output, ResumeOptions{TimeLimit: -1})
	if !errors.As(err, &refusal) || refusal.Field != "time-limit" {
		t.Errorf("a negative limit: %v", err)
	}
}

// TestUnstored: an error of the disk is not hidden by an interrupt that comes with it.
func TestUnstored(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	full := fmt.Errorf("head.test: %w", syscall.ENOSPC)
	for _, err := range []error{full, errors.New("signal: killed")} {
		if got := unstored(ctx, err, "the benchmarks were stored", false); got != err {
			t.Errorf("%v became %v without an interrupt", err, got)
		}
	}
	cancel()
	var canceled *CanceledError
	if got := unstored(ctx, full, "the benchmarks were stored", false); got != full {
		t.Errorf("a full disk became %v", got)
	}
	if got := unstored(ctx, errors.New("signal: killed"), "", false); !errors.As(got, &canceled) {
		t.Errorf("the end of a killed child became %v", got)
	}
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/trial"
)

func simSpecs(n int) []trial.Spec {
	var specs []trial.Spec
	for i := range n {
		point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1 + i%3)},
			plan.Setting{Factor: "workers", Level: plan.IntLevel(2)},
			plan.Setting{Factor: "stage", Level: plan.DurationLevel(time.Millisecond)},
			plan.Setting{Factor: "jitter", Level: plan.DurationLevel(time.Millisecond)})
		specs = append(specs, trial.Spec{Workload: "coffee", Design: "finelocking", Point: point, Block: i,
			Seed: uint64(i), Duration: 50 * time.Millisecond, Sample: 1})
	}
	return specs
}

// TestSimulatorRunsAhead: what is run ahead of its being asked for, beside others, is what it would be alone;
// trials that are never asked for are in nobody's way.
func TestSimulatorRunsAhead(t *testing.T) {
	w, specs := coffee.Workload(), simSpecs(30)
	d, _ := w.Find("finelocking")
	m := newSimulator(w, sweep.Header{Costs: "wake=60us"})
	costs, err := sim.ParseCosts("wake=60us")
	if err != nil {
		t.Fatal(err)
	}
	m.Ahead(specs)
	for i, spec := range specs {
		if i%7 == 3 {
			continue // begun ahead, perhaps, and not wanted
		}
		if i == 15 {
			m.Ahead(specs[i:]) // told again
		}
		got, err := m.Run(t.Context(), spec)
		want, _ := json.Marshal(trial.Simulate(spec, w, d, costs))
		if got, _ := json.Marshal(got); err != nil || string(got) != string(want) {
			t.Errorf("trial %d: %s, %v, alone %s", i, got, err, want)
		}
	}
}

// TestSimulatorStops: nothing begins once the run is interrupted, and what has begun is not waited for.
func TestSimulatorStops(t *testing.T) {
	m := newSimulator(coffee.Workload(), sweep.Header{Costs: "none"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	specs := simSpecs(5)
	m.Ahead(specs)
	if _, err := m.Run(ctx, specs[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interruption: %v", err)
	}
	m, end := newSimulator(coffee.Workload(), sweep.Header{Costs: "none"}), make(chan bool)
	defer close(end)
	ctx, cancel = context.WithCancel(t.Context())
	m.run = func(context.Context, trial.Spec) (trial.Outcome, error) {
		cancel()
		<-end
		return trial.Outcome{}, nil
	}
	if _, err := m.Run(ctx, specs[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted while a trial runs: %v", err)
	}
}

func TestParsePrecision(t *testing.T) {
	for text, want := range map[string]float64{"1%": 0.01, "0.5 %": 0.005, "0.02": 0.02, "50%": 0.5, "0.01%": 0.0001} {
		if got, err := parsePrecision(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "%", "x", "0", "0%", "-1%", "51%", "NaN", "Inf", "1%%", strconv.Itoa(1)} {
		if got, err := parsePrecision(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// TestAskedTimeline is what a message tells to type after an interrupt: the same timeline again.
func TestAskedTimeline(t *testing.T) {
	for _, c := range []struct {
		file string
		span time.Duration
		want string
	}{
		{"k.svg", defaultTimeline, "--timeline k.svg"},
		{"my k.svg", 20 * time.Millisecond, "--timeline 'my k.svg' --timeline-span 20ms"},
	} {
		if got := (&runOptions{timeline: c.file, timelineSpan: c.span}).askedTimeline(); got != c.want {
			t.Errorf("asked for again by %q, want %q", got, c.want)
		}
	}
}

// TestSimulatorMeasuresAlone: a trial that comes to real code is run again when no other runs, and then by itself.
func TestSimulatorMeasuresAlone(t *testing.T) {
	m := newSimulator(coffee.Workload(), sweep.Header{Costs: "none"})
	m.slots = make(chan struct{}, 4)
	var running, crowded, alone atomic.Int64
	m.run = func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
		beside := running.Add(1)
		defer running.Add(-1)
		real := spec.Design == "real"
		if real && spec.Crowded {
			crowded.Add(1)
			return trial.Outcome{Crowded: true}, nil
		}
		for range 100 {
			runtime.Gosched()
			if real && (beside != 1 || running.Load() != 1) {
				t.Error("real code is measured while others run")
				break
			}
		}
		if real {
			alone.Add(1)
		}
		return trial.Outcome{Trial: result.Trial{Block: spec.Block}}, nil
	}
	specs := simSpecs(40)
	for i := range specs {
		if i%2 == 0 {
			specs[i].Design = "real"
		}
	}
	m.Ahead(specs)
	for i, spec := range specs {
		if o, err := m.Run(t.Context(), spec); err != nil || o.Crowded || o.Trial.Block != i {
			t.Errorf("trial %d: %+v, %v", i, o, err)
		}
	}
	if alone.Load() != 20 || crowded.Load() < 3 || crowded.Load() == 20 {
		t.Errorf("%d trials measured alone, %d found out that they must", alone.Load(), crowded.Load())
	}
}

// TestSimulatorCrowded: what could not run beside others is not tried there again, at that point; and where no other
// runs it is not tried as if some did.
func TestSimulatorCrowded(t *testing.T) {
	specs := simSpecs(6) // at three points
	for slots, want := range map[int][]bool{1: {false, false, false, false, false, false},
		2: {true, false, true, true, false, true, true}} {
		m := newSimulator(coffee.Workload(), sweep.Header{Costs: "none"})
		m.slots = make(chan struct{}, slots)
		var crowded []bool
		m.run = func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
			crowded = append(crowded, spec.Crowded)
			return trial.Outcome{Crowded: spec.Crowded && spec.Point.Int("cpus") == 1}, nil
		}
		for _, spec := range specs {
			if s := m.inTurn(t.Context(), spec, false, func() {}); s.err != nil || s.outcome.Crowded {
				t.Errorf("%+v, %v", s.outcome, s.err)
			}
		}
		if !slices.Equal(crowded, want) {
			t.Errorf("%d slots: runs beside others %v, want %v", slots, crowded, want)
		}
		crowded = nil
		if o, err := m.Run(t.Context(), specs[1]); err != nil || o.Crowded || !slices.Equal(crowded, []bool{false}) {
			t.Errorf("%d slots: %+v, %v: the only trial runs beside others: %v", slots, o, err, crowded)
		}
	}
}

// TestIntent: what is going to be done is counted by designs and by cases, and one of a thing is not plural.
func TestIntent(t *testing.T) {
	point := func(cpus int) plan.Point {
		return plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)})
	}
	one := []plan.Case{{Design: "locking", Point: point(1)}}
	three := []plan.Case{{Design: "locking", Point: point(1)}, {Design: "locking", Point: point(2)},
		{Design: "multi", Point: point(1)}}
	for _, c := range []struct {
		world     string
		cases     []plan.Case
		blocks    int
		precision *sweep.Precision
		want      string
	}{
		{result.Virtual, one, 1, nil, "coffee, in virtual time: 1 design, 1 with its points, x 1 replication"},
		{result.Virtual, three[:2], 2, nil, "coffee, in virtual time: 1 design, 2 with its points, x 2 replications"},
		{result.Virtual, three, 1, nil, "coffee, in virtual time: 2 designs, 3 with their points, x 1 replication"},
		{result.Virtual, one, 1000, sweep.UpTo(0.01), "coffee, in virtual time: 1 design, 1 with its points, x 10 to " +
			"1000 replications, until every mean is within 1 %"},
		{result.Live, one, 1, nil, "coffee: 1 design, 1 with its points, x 1 block, each also observed: 2 " +
			"trials, about 90ms"},
		{result.Live, three, 6, nil, "coffee: 2 designs, 3 with their points, x 6 blocks, each also observed: 36 " +
			"trials, about 1.6s"},
	} {
		s := &sweep.Sweep{Workload: coffee.Workload(), Header: sweep.Header{World: c.world, Precision: c.precision},
			Plan: plan.Plan{Cases: c.cases, Blocks: c.blocks, Observed: c.world == result.Live}}
		if got := (&app{}).intent(s); got != c.want {
			t.Errorf("%q\nwant %q", got, c.want)
		}
	}
}

package trial

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
)

func poolSpecs(n int) []Spec {
	var specs []Spec
	for i := range n {
		point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1 + i%3)},
			plan.Setting{Factor: "workers", Level: plan.IntLevel(2)},
			plan.Setting{Factor: "stage", Level: plan.DurationLevel(time.Millisecond)},
			plan.Setting{Factor: "jitter", Level: plan.DurationLevel(time.Millisecond)})
		specs = append(specs, Spec{Workload: "coffee", Design: "finelocking", Point: point, Block: i,
			Seed: uint64(i), Duration: 50 * time.Millisecond, Sample: 1})
	}
	return specs
}

// TestPoolRunsAhead checks that a trial that ran ahead, beside others, has the same result as alone. Trials
// that are never asked for do no harm.
func TestPoolRunsAhead(t *testing.T) {
	w, specs := coffee.Workload(), poolSpecs(30)
	d, _ := w.Find("finelocking")
	costs, err := sim.ParseCosts("wake=60us")
	if err != nil {
		t.Fatal(err)
	}
	m := NewSimulations(w, costs, 0)
	m.Ahead(specs)
	for i, spec := range specs {
		if i%7 == 3 {
			continue // perhaps started ahead and not needed
		}
		if i == 15 {
			m.Ahead(specs[i:]) // set again
		}
		got, err := m.Run(t.Context(), spec)
		want, _ := json.Marshal(Simulate(spec, w, d, costs))
		if got, _ := json.Marshal(got); err != nil || string(got) != string(want) {
			t.Errorf("trial %d: %s, %v, alone %s", i, got, err, want)
		}
	}
}

// TestPoolForgets checks that trials that were started ahead are ended, and started again when they are asked
// for.
func TestPoolForgets(t *testing.T) {
	var forgotten atomic.Bool
	m := NewPool(func(ctx context.Context, spec Spec) (Outcome, error) {
		if spec.Block > 0 && !forgotten.Load() {
			<-ctx.Done()
			return Outcome{}, ctx.Err()
		}
		return Outcome{Trial: result.Trial{Block: spec.Block}}, nil
	})
	m.slots = make(chan struct{}, 2)
	specs := poolSpecs(2)
	m.Ahead(specs)
	for i, spec := range specs {
		if o, err := m.Run(t.Context(), spec); err != nil || o.Trial.Block != i {
			t.Errorf("trial %d: %+v, %v", i, o.Trial, err)
		}
		forgotten.Store(true)
		m.Forget()
		if len(m.running)+len(m.cases)+len(m.started)+len(m.next) > 0 {
			t.Error("it remembers what was begun")
		}
	}
}

// TestPoolStops checks that nothing starts after an interrupt, and that running trials are not waited for.
func TestPoolStops(t *testing.T) {
	m := NewSimulations(coffee.Workload(), sim.Costs{}, 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	specs := poolSpecs(5)
	m.Ahead(specs)
	if _, err := m.Run(ctx, specs[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interruption: %v", err)
	}
	m, end := NewSimulations(coffee.Workload(), sim.Costs{}, 0), make(chan bool)
	defer close(end)
	ctx, cancel = context.WithCancel(t.Context())
	m.run = func(context.Context, Spec) (Outcome, error) {
		cancel()
		<-end
		return Outcome{}, nil
	}
	if _, err := m.Run(ctx, specs[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted while a trial runs: %v", err)
	}
}

// TestPoolMeasuresAlone checks that a trial that comes to real code runs again while no other runs.
func TestPoolMeasuresAlone(t *testing.T) {
	m := NewSimulations(coffee.Workload(), sim.Costs{}, 0)
	m.slots = make(chan struct{}, 4)
	var running, crowded, alone atomic.Int64
	m.run = func(_ context.Context, spec Spec) (Outcome, error) {
		beside := running.Add(1)
		defer running.Add(-1)
		real := spec.Design == "real"
		if real && spec.Concurrent {
			crowded.Add(1)
			return Outcome{MustRunAlone: true}, nil
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
		return Outcome{Trial: result.Trial{Block: spec.Block}}, nil
	}
	specs := poolSpecs(40)
	for i := range specs {
		if i%2 == 0 {
			specs[i].Design = "real"
		}
	}
	m.Ahead(specs)
	for i, spec := range specs {
		if o, err := m.Run(t.Context(), spec); err != nil || o.MustRunAlone || o.Trial.Block != i {
			t.Errorf("trial %d: %+v, %v", i, o, err)
		}
	}
	if alone.Load() != 20 || crowded.Load() < 3 || crowded.Load() == 20 {
		t.Errorf("%d trials measured alone, %d found out that they must", alone.Load(), crowded.Load())
	}
}

// TestPoolMustRunAlone checks that a case that could not run beside others is not tried beside others again. A
// trial without others is not marked as concurrent.
func TestPoolMustRunAlone(t *testing.T) {
	specs := poolSpecs(6) // at three points
	for slots, want := range map[int][]bool{1: {false, false, false, false, false, false},
		2: {true, false, true, true, false, true, true}} {
		m := NewSimulations(coffee.Workload(), sim.Costs{}, 0)
		m.slots = make(chan struct{}, slots)
		var crowded []bool
		m.run = func(_ context.Context, spec Spec) (Outcome, error) {
			crowded = append(crowded, spec.Concurrent)
			return Outcome{MustRunAlone: spec.Concurrent && spec.Point.Int("cpus") == 1}, nil
		}
		for _, spec := range specs {
			if s := m.schedule(t.Context(), spec, false, func() {}); s.err != nil || s.outcome.MustRunAlone {
				t.Errorf("%+v, %v", s.outcome, s.err)
			}
		}
		if !slices.Equal(crowded, want) {
			t.Errorf("%d slots: runs beside others %v, want %v", slots, crowded, want)
		}
		crowded = nil
		if o, err := m.Run(t.Context(), specs[1]); err != nil || o.MustRunAlone ||
			!slices.Equal(crowded, []bool{false}) {
			t.Errorf("%d slots: %+v, %v: the only trial runs beside others: %v", slots, o, err, crowded)
		}
	}
}

// TestPoolDropsCase checks that trials of a case that reached the limit are ended if they were started ahead.
// Trials of other cases continue.
func TestPoolDropsCase(t *testing.T) {
	m := NewPool(func(ctx context.Context, spec Spec) (Outcome, error) {
		if spec.Design == "slow" && spec.Block > 0 {
			<-ctx.Done()
			return Outcome{}, ctx.Err()
		}
		return Outcome{Limited: spec.Design == "slow", Trial: result.Trial{Design: spec.Design}}, nil
	})
	m.slots = make(chan struct{}, 2)
	spec := func(design string, block int) Spec { return Spec{Design: design, Block: block} }
	m.Ahead([]Spec{spec("slow", 0), spec("slow", 1), spec("slow", 2), spec("fast", 0), spec("slow", 3)})
	for _, s := range []Spec{spec("slow", 0), spec("fast", 0)} {
		if o, err := m.Run(t.Context(), s); err != nil || o.Trial.Design != s.Design {
			t.Errorf("%s: %+v, %v", s.Design, o.Trial, err)
		}
	}
	if len(m.running) > 0 || len(m.next) > 0 {
		t.Errorf("%d trials are left, and %d are still to begin", len(m.running), len(m.next))
	}
}

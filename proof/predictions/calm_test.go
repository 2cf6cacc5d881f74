package main

import (
	"context"
	"math"
	"testing"

	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// quiet are the counters of 0.8 s on two CPUs that nobody disturbed, changed by name and value.
func quiet(changes ...any) result.Metrics {
	m := result.Metrics{result.CPUSeconds: 1.2, result.Parallelism: 1.5, "machine_cpu_seconds": 1.25,
		"steal_seconds": 0.01, "burn_probe_before": 1.02, "burn_probe_after": 1.03}
	for i := 0; i < len(changes); i += 2 {
		m[changes[i].(string)] = result.Value(changes[i+1].(float64))
	}
	return m
}

func TestDisturbed(t *testing.T) {
	for i, c := range []struct {
		m    result.Metrics
		want bool
	}{
		{quiet(), false},
		{quiet("machine_cpu_seconds", 1.27), false},
		{quiet("machine_cpu_seconds", 1.29), true},
		{quiet("steal_seconds", 0.02), false},
		{quiet("steal_seconds", 0.04), true},
		{quiet("burn_probe_before", 1.06), true},
		{quiet("burn_probe_before", 0.98, "burn_probe_after", 1.06), false},
		{quiet("burn_probe_after", 1.1), true}, // it changed meanwhile
		{quiet("burn_probe_before", 0.9, "burn_probe_after", 0.94), true},
		{quiet("machine_cpu_seconds", math.NaN(), "steal_seconds", math.NaN(), "burn_probe_after", math.NaN()), false},
	} {
		if got := disturbed(c.m); got != c.want {
			t.Errorf("%d: %v", i, got)
		}
	}
}

// TestCalm: what is disturbed is measured again, so often and no more; predictions never are.
func TestCalm(t *testing.T) {
	for i, c := range []struct {
		noisy, most, runs, again, left int
		costs                          string
	}{{0, 9, 1, 0, 0, ""}, {2, 9, 3, 2, 0, ""}, {99, 9, 5, 4, 1, ""}, {99, 3, 4, 3, 1, ""},
		{2, 9, 1, 0, 0, "wake=1us"}} {
		runs := 0
		x := calm{most: c.most, live: func(context.Context, trial.Spec) (o trial.Outcome, err error) {
			o.Trial.Metrics = quiet()
			if runs++; runs <= c.noisy {
				o.Trial.Metrics = quiet("steal_seconds", 1.0)
			}
			return o, nil
		}}
		o, err := x.run(t.Context(), trial.Spec{Costs: c.costs})
		if err != nil || runs != c.runs || x.again != c.again || x.left != c.left ||
			disturbed(o.Trial.Metrics) != (c.noisy >= runs) {
			t.Errorf("%d: %d runs, %d again, %d left, %v", i, runs, x.again, x.left, err)
		}
	}
}

// TestPace: burns are as long as they are meant to be when the trial begins, each time anew.
func TestPace(t *testing.T) {
	slower := 0.0
	var rates []float64
	x := calm{most: 9, ratio: func(rate float64) float64 {
		slower++
		return 1 + slower/20*rate/2
	}, live: func(_ context.Context, s trial.Spec) (o trial.Outcome, err error) {
		rates = append(rates, s.BurnRate)
		o.Trial.Metrics = quiet()
		if len(rates) == 1 {
			o.Trial.Metrics = quiet("steal_seconds", 1.0)
		}
		return o, nil
	}}
	if _, err := x.run(t.Context(), trial.Spec{BurnRate: 2}); err != nil || len(rates) != 2 || rates[0] != 2/1.05 ||
		rates[1] != 2/1.1 {
		t.Errorf("%v, %v", rates, err)
	}
}

package main

import (
	"math"
	"testing"

	"github.com/brewput/brewput/result"
)

// quiet are the metrics of 0.8 s on two CPUs that nobody disturbed, with changes by name and value.
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
		{quiet("steal_seconds", 0.04), true},
		{quiet("burn_probe_before", 1.06), true},
		{quiet("burn_probe_before", 0.98, "burn_probe_after", 1.06), false},
		{quiet("burn_probe_after", 1.1), true}, // the clock rate changed during the trial
		{quiet("burn_probe_before", 0.9, "burn_probe_after", 0.94), true},
		{quiet("machine_cpu_seconds", math.NaN(), "steal_seconds", math.NaN(), "burn_probe_after", math.NaN()), false},
	} {
		if got := disturbed(&result.Trial{Kind: result.KindTrial, Metrics: c.m}); got != c.want {
			t.Errorf("%d: %v", i, got)
		}
	}
}

// TestUndisturbed checks that disturbed trials of a design are left out if enough others are there.
func TestUndisturbed(t *testing.T) {
	var trials []result.Trial
	add := func(design, kind string, quietOnes, disturbedOnes int) {
		for i := range quietOnes + disturbedOnes {
			m := quiet()
			if i >= quietOnes {
				m = quiet("steal_seconds", 1.0)
			}
			trials = append(trials, result.Trial{Kind: kind, Design: design, Metrics: m})
		}
	}
	add("enough", result.KindTrial, leastScored, 2)
	add("enough", "observed", 0, 1) // instrumented trials are not scored
	add("too few", result.KindTrial, leastScored-1, 3)
	scored, left, kept := undisturbed(trials)
	if left != 2 || kept != 3 || len(scored) != len(trials)-2 {
		t.Errorf("%d of %d scored, %d left out, %d kept", len(scored), len(trials), left, kept)
	}
}

// TestUndisturbedBlocks checks that the noise floor leaves out a block with a disturbed trial, if enough blocks
// remain.
func TestUndisturbedBlocks(t *testing.T) {
	for disturbedOnes, want := range map[int]int{0: 3 * 8, 1: 3 * 7, 2: 3 * 6, 3: 3 * 8} {
		var trials []result.Trial
		for block := range 8 {
			m := quiet()
			if block < disturbedOnes {
				m = quiet("steal_seconds", 1.0)
			}
			trials = append(trials, result.Trial{Kind: result.KindTrial, Design: "a", Block: block, Metrics: quiet()},
				result.Trial{Kind: result.KindTrial, Design: "b", Block: block, Metrics: m},
				result.Trial{Kind: result.KindInstrumented, Design: "b", Block: block,
					Metrics: quiet("steal_seconds", 1.0)})
		}
		kept, calm := undisturbedBlocks(trials)
		if len(kept) != want || calm != 8-disturbedOnes || want < len(trials) && kept[0].Block != disturbedOnes {
			t.Errorf("%d of 8 blocks disturbed: %d of %d trials", disturbedOnes, len(kept), len(trials))
		}
	}
}

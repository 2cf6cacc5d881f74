package main

import (
	"context"
	"math"

	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// What disturbs a trial so much that it is measured again: what others do, never what the trial shows.
const (
	mostOthers = 0.10 // of a CPU, taken by other processes
	mostStolen = 0.02 // of the CPU time that was wanted, taken by the hypervisor
	leastTicks = 0.03 // seconds below which either is nobody's: the system counts in steps of 10 ms
	// by which burns, in the mean of those before and after the trial, take longer or shorter than set
	mostClock = 0.03
	mostAgain = 4 // times that one trial is measured again
)

// calm measures trials again that others disturbed, each with burns as long as they are at that moment: a clock that is
// faster or slower for minutes is nothing that a prediction could know of.
type calm struct {
	ratio       func(rate float64) float64 // calibrate.BurnRatio, or nil
	live        func(context.Context, trial.Spec) (trial.Outcome, error)
	most        int // trials may be measured again in all: a machine may never be calm
	again, left int // trials measured again, and those that stayed disturbed
}

func (c *calm) run(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
	if spec.Costs != "" {
		return c.live(ctx, spec)
	}
	rate := spec.BurnRate
	for n := 0; ; n++ {
		if c.ratio != nil {
			spec.BurnRate = rate / c.ratio(rate)
		}
		o, err := c.live(ctx, spec)
		switch {
		case err != nil || !disturbed(o.Trial.Metrics):
			return o, err
		case n == mostAgain || c.again == c.most:
			c.left++
			return o, nil
		}
		c.again++
	}
}

// disturbed reports whether others took much of what a live trial wanted. What is not known is not held against them.
func disturbed(m result.Metrics) bool {
	of := func(name string) float64 { return float64(m.Get(name)) }
	own := of(result.CPUSeconds)
	others, stolen := of("machine_cpu_seconds")-own, of("steal_seconds")
	span := own / of(result.Parallelism)
	clock := (of("burn_probe_before")+of("burn_probe_after"))/2 - 1
	return others > leastTicks && others > mostOthers*span ||
		stolen > leastTicks && stolen > mostStolen*(own+stolen) ||
		math.Abs(clock) > mostClock
}

package aa

import (
	"context"
	"errors"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/doctor"
	"github.com/brewput/brewput/trial"
)

// Settings for measuring the noise floor. It takes about 6 seconds for each number of CPUs.
const (
	floorBlocks   = 10
	floorWarmup   = 30 * time.Millisecond
	floorDuration = 250 * time.Millisecond
)

// Floor measures the noise floor of this machine with the yardstick, for each number of CPUs. What does not fit
// into limit is reported as missing. The error is that of a cancelled ctx.
func Floor(ctx context.Context, cpus []int, limit time.Duration, burnRate float64,
	run func(context.Context, trial.Spec) (trial.Outcome, error)) ([]doctor.Noise, error) {
	end := time.Now().Add(limit)
	var all []doctor.Noise
	for i, n := range cpus {
		c := Comparison{
			Workload: Yardstick(), Design: Burn, Point: pointAt(n), Blocks: floorBlocks, Warmup: floorWarmup,
			Duration: floorDuration,
			Seed:     uint64(1 + i*floorBlocks), BurnRate: burnRate, Run: run,
		}
		// Each gets an equal part of the remaining time.
		share, stop := context.WithTimeout(ctx, time.Until(end)/time.Duration(len(cpus)-i))
		v, err := c.Compare(share)
		stop()
		if errors.Is(err, context.Canceled) {
			return nil, err
		}
		all = append(all, noiseOf(n, v, err))
	}
	return all, nil
}

func noiseOf(cpus int, v compare.Verdict, err error) doctor.Noise {
	if err != nil {
		return doctor.Noise{CPUs: cpus, Missing: err.Error()}
	}
	return doctor.Noise{CPUs: cpus, Blocks: v.N, HalfWidth: HalfWidth(v),
		Differs: v.Verdict == compare.Faster || v.Verdict == compare.Slower}
}

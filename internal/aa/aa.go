// Package aa compares a design with itself. There is no difference, so the half-width of the interval is the noise
// floor of the machine. [Examine] adds the noise floor to the other readings of the machine.
//
// The trials are real child processes, in the blocks and the order of a real sweep of two designs, and package
// compare decides the verdict. Only the parent knows the arms apart; their children get the same specification.
package aa

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// Comparison is an A/A comparison of one design at one point, with a sweep of its own.
type Comparison struct {
	Workload *workload.Workload
	Design   string
	Point    plan.Point
	Blocks   int

	// Each block has two trials. A trial lasts for Duration after Warmup, or for a number of Operations if that is
	// positive.
	Warmup, Duration time.Duration
	Operations       int64

	Seed     uint64
	BurnRate float64 // burn rate, in iterations of live.Spin per nanosecond
	// Run runs one trial. Tests replace it.
	Run func(context.Context, trial.Spec) (trial.Outcome, error)
}

// Names of the two arms, as designs.
const (
	armA = "a"
	armB = "b"
)

// Compare runs the sweep and returns the verdict on arm b compared with arm a. If the deadline of ctx ends the
// sweep, it compares the blocks so far if they are enough for a verdict. A cancelled ctx is always an error.
func (c Comparison) Compare(ctx context.Context) (compare.Verdict, error) {
	s, err := c.sweep()
	if err != nil {
		return compare.Verdict{}, err
	}

	criteria := compare.DefaultCriteria("", nil)
	trials, err := s.Execute(ctx)
	if err != nil {
		done := len(trials) / 2 // number of blocks; verdicts ignore an incomplete one
		if !errors.Is(err, context.DeadlineExceeded) {
			return compare.Verdict{}, err
		}
		if least := stat.MinBlocks(criteria.Alpha); done < least {
			return compare.Verdict{}, fmt.Errorf("the time was over after %d of %d blocks; at least %d are needed",
				done, c.Blocks, least)
		}
	}

	verdicts := criteria.Verdicts(compare.Rows(trials, s.Plan.Cases), trials)
	if len(verdicts) != 1 {
		return compare.Verdict{}, fmt.Errorf("%s/%s (%s) cannot be compared with itself: it is a bound, or has "+
			"no measure above 0", c.Workload.Name, c.Design, c.Point)
	}
	return verdicts[0], nil
}

// HalfWidth returns the half-width of the verdict's interval, as a relative value: 0.01 means that the ratio is
// known within 1%.
func HalfWidth(v compare.Verdict) result.Value {
	return result.Value(math.Sqrt(float64(v.High/v.Low)) - 1)
}

// sweep returns the sweep with the design under two names.
func (c Comparison) sweep() (*sweep.Sweep, error) {
	d, ok := c.Workload.Find(c.Design)
	if !ok {
		return nil, fmt.Errorf("workload %s has no design %q to compare with itself", c.Workload.Name, c.Design)
	}

	arms := *c.Workload
	arms.Designs = []workload.Design{d, d}
	arms.Designs[0].Name, arms.Designs[1].Name = armA, armB
	h := sweep.Header{
		Workload: arms.Name, World: result.Live, Seed: strconv.FormatUint(c.Seed, 10), Blocks: c.Blocks,
		Cases: []plan.Case{{Design: armA, Point: c.Point}, {Design: armB, Point: c.Point}},
		Settings: sweep.Settings{Duration: sweep.Duration(c.Duration), Warmup: sweep.Duration(c.Warmup),
			Operations: c.Operations, Sample: 1},
	}

	h.Burn.Rate = c.BurnRate
	s, err := sweep.New(&arms, h)
	if err != nil {
		return nil, err
	}

	s.Run, s.BurnRatio = c.runArm, nil
	return s, nil
}

// runArm gives the child the design's real name, so that it cannot distinguish the arms. A trial without a value
// ends the sweep, because the comparison needs all of them.
func (c Comparison) runArm(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
	arm := spec.Design
	spec.Design = c.Design
	o, err := c.Run(ctx, spec)
	if err == nil && !o.Trial.Good() {
		err = fmt.Errorf("a trial of %s/%s (%s) gave no result: %s: %s", c.Workload.Name, c.Design, c.Point,
			o.Trial.Status, o.Trial.Error)
	}
	o.Trial.Design = arm
	return o, err
}

// yardstick cannot be the name of a user's workload, because it contains a slash.
const yardstick = "brewput/yardstick"

// Yardstick returns the workload that measures a machine's noise floor. Its design Burn does 0.1 ms of CPU work per
// operation without any sharing between workers, so that all noise comes from the machine. A program that examines
// its machine must include it among the workloads of its trials.
func Yardstick() *workload.Workload {
	return &workload.Workload{Name: yardstick, Doc: "CPU work, to measure a machine by", Designs: []workload.Design{{
		Name: Burn, Doc: "a tenth of a millisecond of CPU work",
		Stream: func(env.Env, plan.Point) (workload.Stream, error) {
			return workload.Stream{Op: func(e env.Env, _ uint64) { e.Burn(100 * time.Microsecond) }}, nil
		},
	}}}
}

// Burn is the name of the yardstick's design.
const Burn = "burn"

// pointAt returns the point of a number of CPUs with as many workers.
func pointAt(cpus int) plan.Point {
	return plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)},
		plan.Setting{Factor: "workers", Level: plan.IntLevel(cpus)})
}

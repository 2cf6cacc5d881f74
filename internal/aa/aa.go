// Package aa compares a design with itself. There is no difference, so the half-width of the interval is the noise
// floor of the machine.
//
// Nothing is imitated: the trials are real child processes, in the blocks and the order of a real sweep of
// two designs, judged by package compare. Only the names of the two arms are told apart, by the parent;
// their children get the same specification.
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

// Comparison is one design at one point beside itself, a sweep of its own.
type Comparison struct {
	Workload *workload.Workload
	Design   string
	Point    plan.Point
	Blocks   int

	// Each trial, of which there are two for each block, lasts for Duration after Warmup, or for a number
	// of Operations if that is above 0.
	Warmup, Duration time.Duration
	Operations       int64

	Seed     uint64
	BurnRate float64 // turns of live.Spin per nanosecond
	// Run runs one trial; it is trial.Runner.Run but in tests.
	Run func(context.Context, trial.Spec) (trial.Outcome, error)
}

// The two arms, as designs.
const (
	armA = "a"
	armB = "b"
)

// Compare runs the sweep and returns the verdict on arm b beside arm a. When ctx ends before the sweep
// does, but after enough blocks for a verdict, those are compared; an interrupt is an error always.
func (c Comparison) Compare(ctx context.Context) (compare.Verdict, error) {
	s, err := c.sweep()
	if err != nil {
		return compare.Verdict{}, err
	}
	usual := compare.DefaultCriteria("", nil)
	trials, err := s.Execute(ctx)
	if err != nil {
		done := len(trials) / 2 // blocks; a verdict leaves out a broken one
		if !errors.Is(err, context.DeadlineExceeded) {
			return compare.Verdict{}, err
		}
		if least := stat.LeastBlocks(usual.Alpha); done < least {
			return compare.Verdict{}, fmt.Errorf("the time was over after %d of %d blocks; at least %d are needed",
				done, c.Blocks, least)
		}
	}
	verdicts := usual.Verdicts(compare.Rows(trials, s.Plan.Cases), trials)
	if len(verdicts) != 1 {
		return compare.Verdict{}, fmt.Errorf("%s/%s (%s) cannot be compared with itself: it is a bound, or has "+
			"no measure above 0", c.Workload.Name, c.Design, c.Point)
	}
	return verdicts[0], nil
}

// HalfWidth is half the width of the verdict's interval, as a ratio: 0.01 says that the ratio is known
// within 1 %.
func HalfWidth(v compare.Verdict) result.Value {
	return result.Value(math.Sqrt(float64(v.High/v.Low)) - 1)
}

// sweep is a sweep of two designs that are one.
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

// runArm gives the child the design's own name, so that the arms differ in nothing that it could know. A
// trial without a number ends the sweep: nothing can be said without it.
func (c Comparison) runArm(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
	arm := spec.Design
	spec.Design = c.Design
	o, err := c.Run(ctx, spec)
	if err == nil && !o.Trial.Good() {
		err = fmt.Errorf("a trial of %s/%s (%s) came to no number: %s: %s", c.Workload.Name, c.Design, c.Point,
			o.Trial.Status, o.Trial.Error)
	}
	o.Trial.Design = arm
	return o, err
}

// yardstick is a name that no workload of a user can have: it holds a slash.
const yardstick = "brewput/yardstick"

// Yardstick is what a machine's noise floor is measured with: its design Burn does CPU work of a tenth of a
// millisecond with nothing shared between workers, so that all noise is the machine's. A program whose
// machine is examined must know it in its trials.
func Yardstick() *workload.Workload {
	return &workload.Workload{Name: yardstick, Doc: "CPU work, to measure a machine by", Designs: []workload.Design{{
		Name: Burn, Doc: "a tenth of a millisecond of CPU work",
		Stream: func(env.Env, plan.Point) (workload.Stream, error) {
			return workload.Stream{Op: func(e env.Env, _ uint64) { e.Burn(100 * time.Microsecond) }}, nil
		},
	}}}
}

// Burn is the design of the yardstick.
const Burn = "burn"

// At is the point of so many CPUs with a worker each.
func At(cpus int) plan.Point {
	return plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)},
		plan.Setting{Factor: "workers", Level: plan.IntLevel(cpus)})
}

// Package costs measures the costs of Go's scheduler and its primitives on this machine, as sim charges them.
// Microprograms are written once, like any design. They run live in fresh processes and in virtual time. Each cost is
// the one with which a microprogram takes as long in virtual time as it took live. So calibration is the inverse of
// the simulation, and a cost has the meaning that the simulation gives it.
package costs

import (
	"context"
	"fmt"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
)

// rounds is how often every microprogram runs, in a process of its own. The round is the replicate.
const rounds = 16

// confidence is the level of all intervals.
const confidence = 0.95

// Run runs one trial: trial.Runner.Run, except in tests.
type Run func(context.Context, trial.Spec) (trial.Outcome, error)

// Counted returns r with a call of before at each trial, which gets the number of trials done.
func (r Run) Counted(before func(done int)) Run {
	done := 0
	return func(ctx context.Context, s trial.Spec) (trial.Outcome, error) {
		before(done)
		done++
		return r(ctx, s)
	}
}

// Measure calibrates this machine, which has the given number of CPUs. rate is the number of iterations of the burn
// loop per nanosecond. On one CPU, costs that need two keep their typical values. The caller records the machine and
// the program. The error is an [Unsteady] if the machine changed between halves of the rounds.
func Measure(ctx context.Context, rate float64, cpus int, run Run) (result.Calibration, error) {
	s, err := sample(ctx, rate, cpus, run)
	if err != nil {
		return result.Calibration{}, err
	}
	f := fitter{sample: s, costs: sim.Typical().Steady(), simulate: simulate, found: map[string][][]float64{}}
	if err := f.fit(); err != nil {
		return result.Calibration{}, err
	}
	c := result.Calibration{
		Kind: result.KindCalibration, SchemaVersion: result.SchemaVersion, Rounds: rounds, Costs: f.costs.String(),
		Prices: f.prices, HandOvers: f.handOvers, Ladder: s.ladder(), Warnings: []string{},
	}
	if cpus < 2 {
		c.Warnings = append(c.Warnings, "this machine has one CPU, so the costs of wake-ups and of work stealing "+
			"are typical ones")
	}
	return c, nil
}

// samples are the readings of all rounds, by program and reading: one list for each round.
type samples map[string][][]float64

// name returns the key of a reading of a program.
func name(program, reading string) string { return program + "/" + reading }

// sample runs all rounds. The order of the programs rotates from round to round.
func sample(ctx context.Context, rate float64, cpus int, run Run) (samples, error) {
	s := samples{}
	for round := range rounds {
		for i := range programs {
			p := programs[(i+round)%len(programs)]
			if p.cpus > cpus {
				continue
			}
			o, err := run(ctx, trial.Spec{Workload: microprograms, Design: p.name, Point: p.point(), Block: round,
				Order: i, Seed: uint64(round + 1), BurnRate: rate})
			if err != nil {
				return nil, err
			}
			r, err := readAnswer(o)
			if err != nil {
				return nil, err
			}
			for reading, values := range r {
				s[name(p.name, reading)] = append(s[name(p.name, reading)], values)
			}
		}
	}
	return s, nil
}

// simulate returns the readings of a microprogram in virtual time.
func simulate(program string, much setting, c sim.Costs) (readings, error) {
	w := much.workload()
	for _, p := range programs {
		if d, ok := w.Find(program); ok && p.name == program {
			return readAnswer(trial.Simulate(trial.Spec{Workload: microprograms, Design: program, Point: p.point(),
				Seed: 1, BurnRate: 1}, w, d, c))
		}
	}
	return nil, fmt.Errorf("there is no microprogram %q", program)
}

// estimate returns the median over the rounds of the medians within each.
func estimate(byRound [][]float64) result.Estimate {
	var medians []float64
	for _, values := range byRound {
		medians = append(medians, median(values))
	}
	m, low, high, _ := stat.MedianInterval(medians, confidence)
	return result.Estimate{Median: result.Value(m), Low: result.Value(low), High: result.Value(high)}
}

// rungs are the readings of the price ladder, from the programs operations and shared.
var rungs = []struct{ operation, reading string }{
	{"add to a word", "add"}, {"add atomically", "atomic"}, {"lock and unlock", "lock"},
	{"pass through a channel", "chan"},
}

func (s samples) ladder() []result.OperationCost {
	all := []result.OperationCost{}
	for _, r := range rungs {
		all = append(all, result.OperationCost{Operation: r.operation, Same: estimate(s[name("operations", r.reading)]),
			Other: estimate(s[name("shared", r.reading)])})
	}
	return all
}

package lab_test

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// Two designs run in virtual time on 64 CPUs, in six blocks, and Analyze compares them.
func ExampleAnalyze_simulated() {
	w := &workload.Workload{Name: "counter", Designs: []workload.Design{
		{Name: "coarse", Stream: counter(0, time.Millisecond)},
		{Name: "fine", Stream: counter(time.Millisecond, 50*time.Microsecond)},
	}}
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(64)},
		plan.Setting{Factor: "workers", Level: plan.IntLevel(64)})
	cases := []plan.Case{{Design: "coarse", Point: point}, {Design: "fine", Point: point}}
	p := plan.Plan{Seed: 1, Blocks: 6, Cases: cases}

	var trials []result.Trial
	for block := range p.Blocks {
		for _, s := range p.Block(block) {
			d, _ := w.Find(p.Cases[s.Case].Design)
			spec := trial.Spec{Workload: w.Name, Design: d.Name, Point: point, Block: block, Order: s.Order,
				Seed: p.BlockSeed(block), Warmup: 100 * time.Millisecond, Duration: time.Second}
			trials = append(trials, trial.Simulate(spec, w, d, sim.Typical()).Trial)
		}
	}
	for _, v := range lab.Analyze(trials, lab.AnalyzeOptions{Workload: w, Cases: p.Cases}).Verdicts {
		fmt.Printf("%s is %s: %.1fx the throughput of %s\n", v.A, v.Verdict, float64(v.Ratio), v.B)
	}
	// Output:
	// fine is faster: 20.0x the throughput of coarse
}

// counter is a design that works for some time before it takes the lock, and for some time while it holds it.
func counter(before, locked time.Duration) func(env.Env, plan.Point) (workload.Stream, error) {
	return func(e env.Env, _ plan.Point) (workload.Stream, error) {
		lock := e.Mutex("counter")
		return workload.Stream{Op: func(e env.Env, _ uint64) {
			e.Burn(before)
			lock.Lock()
			e.Burn(locked)
			lock.Unlock()
		}}, nil
	}
}

// Command library compares two designs with package lab: measured on this machine and simulated on 64 CPUs. It stores
// both runs in the directory brewput-runs.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// design works for some time before it takes a lock, and for some time while it holds the lock.
func design(name string, unlocked, locked time.Duration) workload.Design {
	return workload.Design{Name: name, Stream: func(e env.Env, _ plan.Point) (workload.Stream, error) {
		lock := e.Mutex("counter")
		return workload.Stream{Op: func(e env.Env, _ uint64) {
			e.Burn(unlocked)
			lock.Lock()
			e.Burn(locked)
			lock.Unlock()
		}}, nil
	}}
}

func main() {
	const us = time.Microsecond
	designs := []workload.Design{design("coarse", 0, 100*us), design("fine", 90*us, 10*us)}
	w := &workload.Workload{Name: "counter", Designs: designs}
	lab.Main(w) // in the child process of a trial, this runs the trial

	o := lab.DesignOptions{Count: 6, Duration: 100 * time.Millisecond}
	report(lab.Measure(context.Background(), w, lab.MeasureOptions{DesignOptions: o}))
	o.Levels = map[string]string{"cpus": "64"}
	report(lab.Simulate(context.Background(), w, lab.SimulateOptions{DesignOptions: o}))
}

func report(r *lab.Run, err error) {
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range r.Analyze(nil).Verdicts {
		fmt.Printf("%s, %s: %s compared with %s: %s, %.3gx [%.3g, %.3g]\n", v.World, v.Point, v.A, v.B, v.Verdict, v.Ratio,
			v.Low, v.High)
	}
}

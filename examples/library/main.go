// Command library uses package lab from a module of its own: it simulates two designs on 64 CPUs, measures them on this
// machine, and prints who is faster.
//
//	go run .
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

// design works for some time before it takes a lock, and for some time while it holds it.
func design(before, locked time.Duration) func(env.Env, plan.Point) (workload.Stream, error) {
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

func main() {
	w := &workload.Workload{Name: "counter", Designs: []workload.Design{
		{Name: "coarse", Stream: design(0, 100*time.Microsecond)},
		{Name: "fine", Stream: design(90*time.Microsecond, 10*time.Microsecond)},
	}}
	lab.Main(w) // each trial runs in a process of its own
	short := lab.DesignOptions{Count: 6, Duration: 100 * time.Millisecond}
	virtual := short
	virtual.Levels = map[string]string{"cpus": "64"}
	report(lab.Simulate(context.Background(), w, lab.SimulateOptions{DesignOptions: virtual}))
	report(lab.Measure(context.Background(), w, lab.MeasureOptions{DesignOptions: short}))
}

func report(r *lab.Run, err error) {
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range r.Analyze(nil).Verdicts {
		fmt.Printf("%s: %s is %s than %s: %.2f [%.2f, %.2f]\n", v.Point, v.A, v.Verdict, v.B, v.Ratio, v.Low, v.High)
	}
}

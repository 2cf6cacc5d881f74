// Command library compares two designs with package lab: measured on two CPUs of this machine, and predicted for 64 by
// a simulation. It stores the run in the directory brewput-runs.
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

// design works for 100 us, and holds a lock for some of them.
func design(name string, locked time.Duration) workload.Design {
	return workload.Design{Name: name, Stream: func(e env.Env, _ plan.Point) (workload.Stream, error) {
		lock := e.Mutex("counter")
		return workload.Stream{Op: func(e env.Env, _ uint64) {
			e.Burn((100 - locked) * time.Microsecond)
			lock.Lock()
			e.Burn(locked * time.Microsecond)
			lock.Unlock()
		}}, nil
	}}
}

func main() {
	w := &workload.Workload{Name: "counter", Designs: []workload.Design{design("coarse", 100), design("fine", 10)}}
	lab.Main(w) // in the child process of a trial, this runs the trial
	o := lab.DesignOptions{Levels: map[string]string{"cpus": "2,64"}}
	r, err := lab.Measure(context.Background(), w, lab.MeasureOptions{DesignOptions: o})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(r.Analyze())
}

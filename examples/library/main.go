// Command library compares two designs with package lab: measured on two CPUs of this machine, and predicted for 64 by
// a simulation. It stores the run in the directory brewput-runs.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// design serves each request in 100 us of CPU time, with a connection from a pool.
func design(name string, connections int) workload.Design {
	return workload.Design{Name: name, Stream: func(e env.Env, _ plan.Point) (workload.Stream, error) {
		pool := env.NewChan[int](e, "pool", connections)
		return workload.Stream{Op: func(e env.Env, _ uint64) {
			pool.Send(0)    // take a connection, or wait for one
			e.Burn(100_000) // ns
			pool.Recv()
		}}, nil
	}}
}

func main() {
	w := &workload.Workload{Name: "service", Designs: []workload.Design{design("single", 1), design("pool", 16)}}
	lab.Main(w) // in the child process of a trial, this runs the trial
	o := lab.DesignOptions{Levels: map[string]string{"cpus": "2,64"}}
	r, err := lab.Measure(context.Background(), w, lab.MeasureOptions{DesignOptions: o})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(r.Analyze())
}

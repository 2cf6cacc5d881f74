package lab_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/lab"
)

// Two designs of the coffee shop on 64 CPUs, which this machine need not have: one lock for the whole kitchen, and one
// for each machine.
func ExampleSimulate() {
	dir, err := os.MkdirTemp("", "brewput")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	run, err := lab.Simulate(context.Background(), coffee.Workload(), lab.SimulateOptions{
		DesignOptions: lab.DesignOptions{
			Designs:  []string{"locking", "finelocking"},
			Levels:   map[string]string{"cpus": "64", "jitter": "1ms"},
			Count:    6,
			Duration: time.Second,
			Output:   filepath.Join(dir, "run"),
		},
		Cost: "none",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range run.Analyze().Verdicts {
		fmt.Printf("%s is %s than %s: %.2f [%.2f, %.2f]\n", v.A, v.Verdict, v.B, v.Ratio, v.Low, v.High)
	}
	// Output:
	// finelocking is faster than locking: 3.95 [3.89, 4.01]
}

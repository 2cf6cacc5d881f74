package lab_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/workload"
)

// simulated are options of a short simulation that is stored in the directory dir.
func simulated(dir, cost string) lab.SimulateOptions {
	return lab.SimulateOptions{Cost: cost, DesignOptions: lab.DesignOptions{
		Designs: []string{"linearpipe"}, Levels: map[string]string{"cpus": "4", "jitter": "1ms"}, Count: 6,
		Duration: time.Second, Output: dir}}
}

// Two stored runs of one design are compared: how much does a wake-up latency of 1 ms cost?
func ExampleCompare() {
	dir, err := os.MkdirTemp("", "brewput")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	older, newer := filepath.Join(dir, "older"), filepath.Join(dir, "newer")
	for run, cost := range map[string]string{older: "none", newer: "wake=1ms"} {
		if _, err := lab.Simulate(context.Background(), coffee.Workload(), simulated(run, cost)); err != nil {
			fmt.Println(err)
			return
		}
	}

	c, err := lab.Compare(context.Background(), []string{older}, []string{newer}, lab.CompareOptions{
		Workloads: []*workload.Workload{coffee.Workload()}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range c.Differences {
		fmt.Printf("%s: %s, before %s\n", d.Name, d.A, d.B)
	}
	for _, v := range c.Designs.Verdicts() {
		fmt.Printf("%s is %s: %.3gx\n", v.A, v.Verdict, v.Ratio)
	}
	// Output:
	// costs: wake=1ms, before none
	// linearpipe is slower: 0.806x
}

// A cancelled run keeps the trials so far. Resume continues it.
func ExampleResume() {
	dir, err := os.MkdirTemp("", "brewput")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	o := simulated(filepath.Join(dir, "run"), "none")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o.Notify = func(e lab.Event) {
		if p, ok := e.(lab.Progress); ok && p.Trials != nil && p.Step.Block == 1 {
			cancel() // after the second block
		}
	}

	run, err := lab.Simulate(ctx, coffee.Workload(), o)
	fmt.Printf("%d of %d trials: %v\n", len(run.Trials), run.Total(), err)
	run, err = lab.Resume(context.Background(), []*workload.Workload{coffee.Workload()}, run.Dir, lab.ResumeOptions{})
	fmt.Printf("%d of %d trials: %v\n", len(run.Trials), run.Total(), err)
	// Output:
	// 2 of 6 trials: context canceled
	// 6 of 6 trials: <nil>
}

// The costs of the scheduler on this machine are measured and stored for later simulations.
func ExampleCalibrate() {
	c, err := lab.Calibrate(context.Background(), func(e lab.Event) {
		if n, ok := e.(lab.Note); ok {
			fmt.Println(n.Text)
		}
	})
	if err != nil { // an *UnfitError if other processes load the machine
		fmt.Println(err)
		return
	}
	for _, cost := range c.Prices {
		fmt.Printf("%s: %.0f ns [%.0f, %.0f]\n", cost.Cost, cost.Median, cost.Low, cost.High)
	}
}

// The machine is examined before a measurement: is it fit, and how small a difference can it show?
func ExampleExamine() {
	x, err := lab.Examine(context.Background(), lab.ExamineOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range x.Checks {
		if c.Fix != "" {
			fmt.Println(c.Name, c.Status, c.Claim, c.Fix)
		}
	}
	fmt.Println(x.Report.Verdict, x.Report.LeastDifference)
}

package main

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// on returns every shape on that many CPUs with that many workers.
func on(cpus, workers int) (cases []plan.Case) {
	for _, d := range shapes().Designs {
		cases = append(cases, newCase(d.Name, cpus, workers))
	}
	return cases
}

// TestShapesLive checks that each shape serves every request in real trials.
func TestShapesLive(t *testing.T) {
	run, err := lab.Measure(t.Context(), shapes(), lab.MeasureOptions{NoPredictions: true,
		DesignOptions: lab.DesignOptions{
			CaseList: on(2, 4), Count: 1, Operations: 50, Warmup: -1, Output: filepath.Join(t.TempDir(), "run")}})
	if err != nil || run.Outcome != result.Sound {
		t.Errorf("%+v, %v", run, err)
	}
}

// TestShapesVirtual compares the throughput of each shape without scheduling costs with one worked out by hand.
func TestShapesVirtual(t *testing.T) {
	run, err := lab.Simulate(t.Context(), shapes(), lab.SimulateOptions{Cost: "none", DesignOptions: lab.DesignOptions{
		CaseList: on(2, 4), Duration: 2 * time.Second, Output: filepath.Join(t.TempDir(), "run")}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		fanout: 2 / 800e-6,          // eight tasks of 100 us each, on two CPUs
		cache:  2 / 133e-6,          // 0.9 of 130 us and 0.1 of 160, and a little waiting for writers
		pool:   2 / (1.5e-3 + 3e-4), // two connections
		loop:   2 / 3.2e-4,          // 100 us in the loop, 200 us outside, and 6% of a CPU for the timer
		belt:   2 / 40e-6,           // 20 us to make and 20 us to use
	}
	for _, v := range run.Trials {
		if got := float64(v.Metrics.Get(result.Throughput)); !(math.Abs(got/want[v.Design]-1) < 0.06) {
			t.Errorf("%s (%s): %v a second, by hand %v", v.Design, v.Status, got, want[v.Design])
		}
	}
	if len(run.Trials) != len(want) {
		t.Errorf("%d trials", len(run.Trials))
	}
}

// TestShapesCheck checks that a shape that loses a request has a wrong answer.
func TestShapesCheck(t *testing.T) {
	w := shapes()
	for i, d := range w.Designs {
		w.Designs[i].Stream = func(e env.Env, p plan.Point) (workload.Stream, error) {
			stream, err := d.Stream(e, p)
			op := stream.Op
			stream.Op = func(e env.Env, request uint64) {
				if request != 3 {
					op(e, request)
				}
			}
			return stream, err
		}
	}
	run, err := lab.Simulate(t.Context(), w, lab.SimulateOptions{Cost: "none", DesignOptions: lab.DesignOptions{
		CaseList: on(1, 2), Operations: 8, Warmup: -1, Output: filepath.Join(t.TempDir(), "run")}})
	if err != nil || len(run.Trials) != len(w.Designs) {
		t.Fatalf("%+v, %v", run, err)
	}
	for _, v := range run.Trials {
		if v.Status != result.Wrong {
			t.Errorf("%s: %s", v.Design, v.Status)
		}
	}
}

// TestUnmodelled checks that each shape and coffee list what is not modelled.
func TestUnmodelled(t *testing.T) {
	for _, d := range append(shapes().Designs, workload.Design{Name: "coffee"}) {
		if unmodelled[d.Name] == "" {
			t.Error(d.Name)
		}
	}
}

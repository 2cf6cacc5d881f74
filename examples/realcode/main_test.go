package main

import (
	"hash/fnv"
	"testing"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// TestDesigns checks that every design does all of its work on several CPUs, and that its real code takes time.
func TestDesigns(t *testing.T) {
	for _, w := range []*workload.Workload{pixels(), chunks()} {
		if err := w.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, d := range w.Designs {
			point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(3)},
				plan.Setting{Factor: "workers", Level: plan.IntLevel(3)},
				plan.Setting{Factor: "pixels", Level: plan.IntLevel(5000)},
				plan.Setting{Factor: "chunk", Level: plan.IntLevel(500_000)})
			o := trial.Simulate(trial.Spec{Workload: w.Name, Design: d.Name, Point: point, Seed: 1, Limit: time.Minute},
				w, d, sim.Costs{})
			x := o.Trial
			if x.Status != result.OK || x.RealCode != result.RealMeasured || x.Metrics["real_sections"] < 50 ||
				!(x.Metrics[result.Parallelism] > 1) {
				t.Errorf("%s/%s: %+v", w.Name, d.Name, x)
			}
		}
	}
}

func TestFNV1a(t *testing.T) {
	want := fnv.New64a()
	want.Write([]byte("a tale of two pots"))
	if got := fnv1a([]byte("a tale of two pots")); got != want.Sum64() {
		t.Errorf("%x, want %x", got, want.Sum64())
	}
}

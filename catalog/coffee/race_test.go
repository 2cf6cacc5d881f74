//go:build race

package coffee_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// TestRaceDetector runs every design with two workers in child processes with the race detector. It must report ideal,
// even if no two users were in a station at the same time, because nothing orders them. It must report no other design.
func TestRaceDetector(t *testing.T) {
	t.Setenv("GORACE", "atexit_sleep_ms=0") // it would wait a second for late reports
	w := coffee.Workload()
	for _, d := range w.Designs {
		for _, cpus := range []int{1, 2} {
			tr, failure := raced(t, w, d, cpus)
			if d.Name != "ideal" {
				if tr.Status != result.OK {
					t.Errorf("%s on %d CPUs: %s: %s\n%s", d.Name, cpus, tr.Status, tr.Error, failure)
				}
				continue
			}
			// On one CPU and with short stages users do not meet, unless the machine is so busy that the runtime
			// interrupts one: then this is no test of users that do not overlap, and it is made again.
			for n := 0; cpus == 1 && tr.Metrics.Get("violations") != 0 && n < 20; n++ {
				tr, failure = raced(t, w, d, cpus)
			}
			if tr.Status != result.Violated || !strings.Contains(failure, "DATA RACE") {
				t.Errorf("ideal on %d CPUs: %s: %s", cpus, tr.Status, tr.Error)
			}
			if n := tr.Metrics.Get("violations"); cpus == 1 && n != 0 {
				t.Errorf("ideal on one CPU: %v violations each time", n)
			}
		}
	}
}

// raced is the trial of a design, with the output of its process.
func raced(t *testing.T, w *workload.Workload, d workload.Design, cpus int) (result.Trial, string) {
	p := point(t, w, d).With("cpus", plan.IntLevel(cpus)).With("workers", plan.IntLevel(2))
	o, err := trial.Runner{TimeLimit: time.Minute}.Run(t.Context(), trial.Spec{
		Workload: w.Name, Design: d.Name, Point: p, Seed: 1, Operations: 40, BurnRate: 0.1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return o.Trial, o.Failure
}

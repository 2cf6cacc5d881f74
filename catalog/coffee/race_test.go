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
)

// TestRaceDetector runs every design with two workers in children that have the race detector. On one
// CPU and with short stages no two users ever meet in a station (no violation is counted), and still
// ideal must be reported: nothing orders them. No other design may be.
func TestRaceDetector(t *testing.T) {
	t.Setenv("GORACE", "atexit_sleep_ms=0") // it would wait a second for late reports
	w := coffee.Workload()
	for _, d := range w.Designs {
		for _, cpus := range []int{1, 2} {
			p := point(t, w, d).With("cpus", plan.IntLevel(cpus)).With("workers", plan.IntLevel(2))
			o, err := trial.Runner{TimeLimit: time.Minute}.Run(t.Context(), trial.Spec{
				Workload: w.Name, Design: d.Name, Point: p, Seed: 1, Operations: 40, BurnRate: 0.1,
			})
			if err != nil {
				t.Fatal(err)
			}
			tr := o.Trial
			if d.Name != "ideal" {
				if tr.Status != result.OK {
					t.Errorf("%s on %d CPUs: %s: %s\n%s", d.Name, cpus, tr.Status, tr.Error, o.Failure)
				}
				continue
			}
			if tr.Status != result.Violated || !strings.Contains(o.Failure, "DATA RACE") {
				t.Errorf("ideal on %d CPUs: %s: %s", cpus, tr.Status, tr.Error)
			}
			if n := tr.Metrics.Get("violations"); cpus == 1 && n != 0 {
				t.Errorf("ideal on one CPU: %v violations, so this is no test of users that do not overlap", n)
			}
		}
	}
}

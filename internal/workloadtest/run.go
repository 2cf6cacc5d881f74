package workloadtest

import (
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// spec describes a trial of a design at the factors of p that it uses.
func spec(w *workload.Workload, d workload.Design, p plan.Point, seed uint64) trial.Spec {
	return trial.Spec{Workload: w.Name, Design: d.Name, Point: p.Only(w.FactorsOf(d)), Seed: seed, BurnRate: 1,
		Limit: time.Minute}
}

// Live runs a trial of a design in a process of its own. TestMain must call [trial.Main]. It fails the test only if the
// process cannot run.
func Live(t *testing.T, w *workload.Workload, d workload.Design, p plan.Point) trial.Outcome {
	t.Helper()
	t.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise the race detector waits a second for late reports
	o, err := trial.Runner{TimeLimit: time.Minute}.Run(t.Context(), spec(w, d, p, 1))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Virtual runs a trial of a design in virtual time.
func Virtual(w *workload.Workload, d workload.Design, p plan.Point, seed uint64, costs sim.Costs) result.Trial {
	return trial.Simulate(spec(w, d, p, seed), w, d, costs).Trial
}

// Answer runs the job of a design by the method Run of a world, and returns the result of its check, or the error of
// the job. It fails the test if the world reports an error.
func Answer(t T, run func(string, func(env.Env)) error, d workload.Design, p plan.Point) (answer workload.Answer,
	err error) {
	t.Helper()
	left := run("test", func(e env.Env) {
		var j workload.Job
		if j, err = d.Job(e, p); err != nil {
			return
		}
		if err = j.Run(e); err == nil && j.Check != nil {
			answer, err = j.Check()
		}
	})
	if left != nil {
		t.Fatal(d.Name, p, left)
	}
	return answer, err
}

package trial

import (
	"runtime/debug"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// TestGOGC checks that a design runs at the GOGC of its point, and that the process then gets its own back.
func TestGOGC(t *testing.T) {
	seen := 0
	job := func(env.Env, plan.Point) (workload.Job, error) {
		return workload.Job{Run: func(env.Env) error {
			seen = debug.SetGCPercent(100)
			debug.SetGCPercent(seen)
			return nil
		}}, nil
	}
	d := workload.Design{Name: "litter", Uses: []string{workload.GOGC}, Job: job}
	w := &workload.Workload{Name: "test", Factors: []plan.Factor{workload.GOGCFactor()}, Designs: []workload.Design{d}}
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)},
		plan.Setting{Factor: workload.GOGC, Level: plan.IntLevel(777)})
	was := debug.SetGCPercent(123)
	defer debug.SetGCPercent(was)
	if o := measure(Spec{Workload: "test", Design: "litter", Point: point, BurnRate: 1}, w, d); !o.Trial.Good() ||
		seen != 777 {
		t.Errorf("GOGC was %d, want 777: %+v", seen, o.Trial)
	}
	if now := debug.SetGCPercent(123); now != 123 {
		t.Errorf("GOGC stays %d", now)
	}
	seen = 0
	if o, err := try(Spec{Workload: "test", Design: "litter", Point: point, Costs: "none"}, w, d); err != nil ||
		!o.Trial.Good() || seen != 777 {
		t.Errorf("in virtual time GOGC was %d, want 777: %+v %v", seen, o.Trial, err)
	}
	if now := debug.SetGCPercent(123); now != 123 {
		t.Errorf("after virtual time GOGC stays %d", now)
	}
}

package trial

import (
	"errors"
	"runtime/debug"
	"testing"
	"time"

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

// TestClientGC: only clients of open loops to servers collect garbage rarely, and neither the factor gogc nor the
// environment nor the program is overridden.
func TestClientGC(t *testing.T) {
	former := debug.SetGCPercent(100)
	defer debug.SetGCPercent(former)
	open, none := &OpenLoad{Rate: 500}, plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
	for _, c := range []struct {
		remote      bool
		open        *OpenLoad
		point       plan.Point
		environment string
		want        int
	}{
		{true, open, none, "", clientGC},
		{false, open, none, "", 100},
		{true, nil, none, "", 100},
		{true, open, none, "100", 100},
		{true, open, none.With(workload.GOGC, plan.IntLevel(50)), "", 50},
		{true, open, none.With(workload.GOGC, plan.IntLevel(50)), "100", 50},
	} {
		t.Setenv("GOGC", c.environment)
		got := 0
		measure(Spec{Seed: 1, Duration: time.Millisecond, BurnRate: 1, Open: c.open, Point: c.point},
			&workload.Workload{Name: "test"}, workload.Design{Name: "d", Remote: c.remote,
				Stream: func(env.Env, plan.Point) (workload.Stream, error) {
					got = debug.SetGCPercent(100)
					debug.SetGCPercent(got)
					return workload.Stream{}, errors.New("enough")
				}})
		if after := debug.SetGCPercent(100); got != c.want || after != 100 {
			t.Errorf("%+v: %d%%, and %d%% after it", c, got, after)
		}
	}
	t.Setenv("GOGC", "")
	debug.SetGCPercent(80)
	undo := setGC(none, true)
	if got := debug.SetGCPercent(80); got != 80 {
		t.Errorf("the program chose 80%%, and has %d%%", got)
	}
	undo()
}

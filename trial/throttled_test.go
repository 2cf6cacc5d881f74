package trial

import (
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/hook"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Only trials that collect evidence have the time that a quota stopped them.
func TestEvidenceThrottled(t *testing.T) {
	job := func(env.Env, plan.Point) (workload.Job, error) {
		return workload.Job{Run: func(env.Env) error { return nil }}, nil
	}
	d := workload.Design{Name: "idle", Job: job}
	w := &workload.Workload{Name: "test", Designs: []workload.Design{d}}
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
	for _, evidence := range []*hook.Request{nil, {Kind: hook.Undisturbed, Dir: t.TempDir()}} {
		o := measure(Spec{Workload: "test", Design: "idle", Point: point, BurnRate: 1, Evidence: evidence}, w, d)
		x, ok := o.Trial.Metrics[host.ThrottledSeconds]
		if !o.Trial.Good() || ok != (evidence != nil) || ok && !x.Known() {
			t.Errorf("evidence %+v: %v, %t: %+v", evidence, x, ok, o.Trial)
		}
	}
}

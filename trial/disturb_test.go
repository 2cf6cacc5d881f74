package trial

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

// inLine is a workload with two locks in sequence, and work outside of locks.
func inLine() *workload.Workload {
	design := func(name string, work func(env.Env)) workload.Design {
		return workload.Design{Name: name, Stream: func(e env.Env, _ plan.Point) (workload.Stream, error) {
			first, second := e.Mutex("first"), e.Mutex("second")
			return workload.Stream{Op: func(e env.Env, _ uint64) {
				for _, m := range []*env.Mutex{first, second} {
					m.Lock()
					work(e)
					m.Unlock()
				}
				work(e)
			}}, nil
		}}
	}
	return &workload.Workload{Name: "inline", Designs: []workload.Design{
		design("burns", func(e env.Env) { e.Burn(time.Millisecond) }),
		design("sleeps", func(e env.Env) { e.Sleep(time.Millisecond) }),
		design("draws", func(e env.Env) {
			draws := e.Rand().At(1, 1)
			e.Burn(time.Millisecond + time.Duration(draws.IntN(2)))
		}),
	}}
}

func disturbed(t *testing.T, design, costs string, workers int) result.Trial {
	t.Helper()
	c, err := sim.ParseCosts(costs)
	if err != nil {
		t.Fatal(err)
	}
	w := inLine()
	d, _ := w.Find(design)
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(8)},
		plan.Setting{Factor: "workers", Level: plan.IntLevel(workers)})
	o := Simulate(Spec{Workload: w.Name, Design: design, Point: point, Seed: 1, Warmup: time.Second,
		Duration: 5 * time.Second, Sample: 1, Disturb: true}, w, d, c)
	if o.Trial.Status != result.OK {
		t.Fatalf("%+v", o.Trial)
	}
	return o.Trial
}

const stealing = "wake=15us,spin=1us,steal=90us,switch=120ns,chan=20ns,lock=5ns"

// TestDisturbed checks that both steady states of two locks in sequence are found: one in which each hand-over
// is stolen, and one in which none is. The result is the same each time, and the trial itself does not change.
func TestDisturbed(t *testing.T) {
	trial := disturbed(t, "burns", stealing, 8)
	d := trial.Disturbed
	if d == nil || d.Count < walks || len(d.States) < 2 || !d.Changes(result.Throughput) || d.Error != "" {
		t.Fatalf("%+v", d)
	}
	own := trial.Metrics[result.Throughput]
	if own < 904 || own > 906 || d.States[0].Metrics[result.Throughput] != own || d.Range[result.Throughput][0] > own ||
		d.Range[result.Throughput][1] < 999 {
		t.Errorf("it has %v, states from %v", own, d.Range[result.Throughput])
	}
	share, phases := 0.0, map[string]bool{}
	for _, s := range d.States {
		share += s.Share
		for _, p := range s.Phases {
			if p < 0 || p > 1 {
				t.Errorf("a phase of %v", p)
			}
			phases[fmt.Sprint(p)] = true
		}
	}
	if share < 0.999 || share > 1.001 || len(phases) < walks {
		t.Errorf("shares add up to %v, %d phases", share, len(phases))
	}
	a, _ := json.Marshal(trial)
	if b, _ := json.Marshal(disturbed(t, "burns", stealing, 8)); string(a) != string(b) {
		t.Errorf("again it is\n%s\nnot\n%s", b, a)
	}
}

// TestUndisturbed checks that a load with one steady state keeps it, that a load without burns cannot be
// disturbed, and that a load with random draws has no period.
func TestUndisturbed(t *testing.T) {
	if d := disturbed(t, "burns", "none", 8).Disturbed; d == nil || d.Count < walks || d.Changes(result.Throughput) ||
		d.Changes(result.LatencyMean) {
		t.Errorf("without costs: %+v", d)
	}
	if d := disturbed(t, "burns", "none", 500).Disturbed; d == nil || d.Count < 1 || d.Changes(result.Throughput) {
		t.Errorf("a long queue: %+v", d)
	}
	if d := disturbed(t, "sleeps", stealing, 8).Disturbed; d == nil || d.Count != 0 || d.Changes(result.Throughput) {
		t.Errorf("nothing burns: %+v", d)
	}
	if d := disturbed(t, "draws", stealing, 8).Disturbed; d != nil {
		t.Errorf("drawn: %+v", d)
	}
	if d := disturbed(t, "burns", stealing+",outlier=100%/200%", 8).Disturbed; d != nil {
		t.Errorf("scattered: %+v", d)
	}
}

// TestDisturbedFails checks that a design that fails after a disturbance is not exact.
func TestDisturbedFails(t *testing.T) {
	w := &workload.Workload{Name: "brittle",
		Designs: []workload.Design{{Name: "brittle", Stream: func(e env.Env, _ plan.Point) (workload.Stream, error) {
			return workload.Stream{Op: func(e env.Env, _ uint64) {
				from := e.Now()
				if e.Burn(time.Millisecond); e.Now()-from > time.Millisecond {
					panic("too late")
				}
			}}, nil
		}}}}
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)},
		plan.Setting{Factor: "workers", Level: plan.IntLevel(1)})
	trial := Simulate(Spec{Workload: w.Name, Design: "brittle", Point: point, Seed: 1, Warmup: time.Second,
		Duration: time.Second, Sample: 1, Disturb: true}, w, w.Designs[0], sim.Costs{}).Trial
	if d := trial.Disturbed; d == nil || !strings.Contains(d.Error, "too late") || !d.Changes(result.Throughput) ||
		len(trial.Warnings) != 1 || trial.Status != result.OK {
		t.Errorf("%+v, %q", trial.Disturbed, trial.Warnings)
	}
}

// TestDisturbance checks that exactly one burn lasts longer.
func TestDisturbance(t *testing.T) {
	w := inLine()
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)},
		plan.Setting{Factor: "workers", Level: plan.IntLevel(1)})
	took := func(late *Disturbance) result.Value {
		return Simulate(Spec{Workload: w.Name, Design: "burns", Point: point, Seed: 1, Operations: 10, Sample: 1,
			Disturbance: late}, w, w.Designs[0], sim.Costs{}).Trial.Metrics[result.LatencyMean]
	}
	d := &Disturbance{At: 5 * time.Millisecond, Delay: 50 * time.Microsecond}
	if base, late := took(nil), took(d); base != 3e6 ||
		late != 3_005_000 {
		t.Errorf("10 requests take %v, and %v with one burn 50 us longer", base, late)
	}
}

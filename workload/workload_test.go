package workload_test

import (
	"strings"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

func stream(env.Env, plan.Point) (workload.Stream, error) { return workload.Stream{}, nil }
func job(env.Env, plan.Point) (workload.Job, error)       { return workload.Job{}, nil }

func formula() *workload.Formula {
	return &workload.Formula{Text: "of cup", Source: "a law",
		Seconds: func(p plan.Point, m workload.Measured) float64 { return m.Wall("cup", p) }}
}

// TestMeasured checks that a wall time that was not measured is NaN, and that a formula with it is NaN too.
func TestMeasured(t *testing.T) {
	m := workload.Measured(func(design, metric string, p plan.Point) (float64, bool) {
		return 3, design == "cup" && metric == "wall_seconds" && p.Int("cpus") == 2
	})
	p := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)})
	if x := formula().Seconds(p, m); x != 3 {
		t.Errorf("%v", x)
	}
	if x, ok := m.Metric("pot", "wall_seconds", p); ok {
		t.Errorf("%v", x)
	}
	if x := m.Wall("pot", p) / 2; x == x {
		t.Errorf("%v", x)
	}
}

func TestValidate(t *testing.T) {
	good := func() *workload.Workload {
		return &workload.Workload{
			Name:    "tea",
			Factors: []plan.Factor{{Name: "leaves", Default: "3"}},
			Designs: []workload.Design{{Name: "pot", Stream: stream, Uses: []string{"leaves"}},
				{Name: "cup", Job: job, Reference: true, Formula: formula()}},
			Quick: map[string]string{"leaves": "1,2"},
		}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for says, spoil := range map[string]func(*workload.Workload){
		"a name must not be empty":        func(w *workload.Workload) { w.Name = "" },
		"no design":                       func(w *workload.Workload) { w.Designs = nil },
		"two designs":                     func(w *workload.Workload) { w.Designs[1].Name = "pot" },
		"exactly one of Stream and Job":   func(w *workload.Workload) { w.Designs[0].Job = job },
		"two factors":                     func(w *workload.Workload) { w.Factors = append(w.Factors, w.Factors[0]) },
		`cannot be called "count"`:        func(w *workload.Workload) { w.Factors[0].Name = "count" },
		`cannot be called "world"`:        func(w *workload.Workload) { w.Factors[0].Name = "world" },
		`uses the factor "leaves"`:        func(w *workload.Workload) { w.Factors = nil },
		"design \"a/b\": a name must not": func(w *workload.Workload) { w.Designs[0].Name = "a/b" },
		`Quick has a level of "milk"`:     func(w *workload.Workload) { w.Quick = map[string]string{"milk": "1"} },
		"Quick: ":                         func(w *workload.Workload) { w.Quick = map[string]string{"leaves": "many"} },
		"it can be one of them": func(w *workload.Workload) {
			w.Designs[1].Reference, w.Designs[1].Expect = true,
				workload.Bound
		},
		"and this is a stream":  func(w *workload.Workload) { w.Designs[0].Formula = formula() },
		"a few printable words": func(w *workload.Workload) { w.Designs[0].Guarantee = "survives\nkill" },
		"needs its text": func(w *workload.Workload) {
			w.Designs[1].Formula = formula()
			w.Designs[1].Formula.Source = ""
		},
		"Seconds or Value, not both": func(w *workload.Workload) {
			f := formula()
			f.Value, f.Metric = f.Seconds, "drinks"
			w.Designs[1].Formula = f
		},
		"and a Metric its Value": func(w *workload.Workload) {
			f := formula()
			f.Metric = "drinks"
			w.Designs[1].Formula = f
		},
		"needs the name of its Metric": func(w *workload.Workload) {
			f := formula()
			f.Value, f.Seconds = f.Seconds, nil
			w.Designs[1].Formula = f
		},
	} {
		w := good()
		spoil(w)
		if err := w.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want %q, got %v", says, err)
		}
	}
}

func TestFactorsOf(t *testing.T) {
	w := &workload.Workload{Name: "tea", Factors: []plan.Factor{{Name: "leaves"}, {Name: "sugar"}}}
	d := workload.Design{Name: "pot", Stream: stream, Uses: []string{"sugar"}}
	if got := strings.Join(w.FactorsOf(d), " "); got != "cpus workers rate load arrivals queue-limit patience sugar" {
		t.Errorf("a stream's factors are %q", got)
	}
	d.Stream, d.Job = nil, job
	if got := strings.Join(w.FactorsOf(d), " "); got != "cpus sugar" {
		t.Errorf("a job's factors are %q", got)
	}
	if _, err := w.Recast(plan.NewPoint(plan.Setting{Factor: "milk"})); err == nil {
		t.Error("an unknown factor is recast")
	}
}

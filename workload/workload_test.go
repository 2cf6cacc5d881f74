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

func TestValidate(t *testing.T) {
	good := func() *workload.Workload {
		return &workload.Workload{
			Name:    "tea",
			Factors: []plan.Factor{{Name: "leaves", Default: "3"}},
			Designs: []workload.Design{{Name: "pot", Stream: stream, Uses: []string{"leaves"}}, {Name: "cup", Job: job}},
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

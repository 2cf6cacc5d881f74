package extra

import (
	"strings"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// point returns the point of a design with the given settings, such as "calls=64". Other factors have their defaults.
func point(t *testing.T, w *workload.Workload, d workload.Design, settings string) plan.Point {
	choices := map[string]plan.Choice{"cpus": {Levels: []plan.Level{plan.IntLevel(2)}}}
	for s := range strings.FieldsSeq(settings) {
		name, expr, _ := strings.Cut(s, "=")
		f, ok := w.Factor(name)
		if !ok {
			t.Fatal("no factor", name)
		}
		c, err := f.Parse(expr, nil)
		if err != nil {
			t.Fatal(err)
		}
		choices[name] = c
	}
	points, err := plan.Points(w.AllFactors(), choices)
	if err != nil {
		t.Fatal(err)
	}
	return points[0].Only(w.FactorsOf(d))
}

// TestJobs runs each design at several points. The checks of the workloads verify the answers.
func TestJobs(t *testing.T) {
	points := map[string][]string{
		"identity": {"calls=1 callers=1", "calls=100 callers=3 reply=1us", "calls=5000 callers=16",
			"calls=2000 callers=200 reply=2us"}, // calls come while others begin
		"set": {"calls=1 goroutines=1", "calls=2000 goroutines=4 keys=2 read=0", "calls=20000 read=0.5 skew=zipf",
			"calls=5000 keys=100000 read=1"},
		"journal": {"appends=1 callers=1 entry=0", "appends=300 callers=16 gets=2", "appends=20 callers=2 entry=200000"},
	}
	for _, w := range Workloads() {
		for _, d := range w.Designs {
			for _, settings := range points[w.Name] {
				t.Run(w.Name+"/"+d.Name+" "+settings, func(t *testing.T) { run(t, d, point(t, w, d, settings)) })
			}
		}
	}
}

// run runs a design in the live world and checks its answer.
func run(t *testing.T, d workload.Design, p plan.Point) {
	world := live.New(live.Config{Seed: 1, BurnRate: 1})
	if err := world.Run("test", func(e env.Env) {
		j, err := d.Job(e, p)
		if err != nil {
			t.Error(err)
			return
		}
		if err := j.Run(e); err != nil {
			t.Error(err)
			return
		}
		if _, err := j.Check(); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Error(err)
	}
}

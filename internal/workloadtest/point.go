// Package workloadtest makes points of workloads and runs their designs, for tests.
package workloadtest

import (
	"strings"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// T is what the functions need of a *testing.T, a *testing.B or a *rapid.T.
type T interface {
	Helper()
	Fatal(args ...any)
}

// settingsOf splits settings at spaces before a NAME=. The path of a temporary directory may have spaces.
func settingsOf(settings []string) (list []string) {
	for _, s := range strings.Split(strings.Join(settings, " "), " ") {
		switch {
		case strings.Contains(s, "="):
			list = append(list, s)
		case len(list) > 0 && s != "":
			list[len(list)-1] += " " + s
		}
	}
	return list
}

// Point returns the point of a workload with these settings, and the defaults of all other factors; cpus is 2 by
// default. A setting is NAME=LEVEL as on the command line, and may hold several, separated by spaces. It fails the test
// at an unknown factor, and at a level that the factor refuses.
//
// The point has all factors of the workload. Those of a design are Point(...).Only(w.FactorsOf(d)).
func Point(t T, w *workload.Workload, settings ...string) plan.Point {
	t.Helper()
	choices := map[string]plan.Choice{"cpus": {Levels: []plan.Level{plan.IntLevel(2)}}}
	for _, s := range settingsOf(settings) {
		name, text, _ := strings.Cut(s, "=")
		f, ok := w.Factor(name)
		if !ok {
			t.Fatal("workload", w.Name, "has no factor", name)
		}
		c, err := f.Parse(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Levels) != 1 {
			t.Fatal(s, "has several levels: a point needs one")
		}
		choices[name] = c
	}
	points, err := plan.Points(w.AllFactors(), choices)
	if err != nil {
		t.Fatal(err)
	}
	return points[0]
}

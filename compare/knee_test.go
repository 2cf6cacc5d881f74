package compare_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// TestKnees: the knee has the levels that cost at most a tenth more than the best, measured and by the formula.
// Inputs, CPUs and factors with two levels have none.
func TestKnees(t *testing.T) {
	var trials []result.Trial
	var cases []plan.Case
	add := func(design string, cpus int, factor string, level int, seconds float64) {
		p := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)},
			plan.Setting{Factor: factor, Level: plan.IntLevel(level)})
		trials = append(trials, result.Trial{Kind: result.KindTrial, Type: result.Job, Workload: "w", Design: design,
			World: result.Live, Point: p,
			Status: result.OK, Operations: 1, WallSeconds: seconds,
			Metrics: result.Metrics{result.WallSeconds: result.Value(seconds)}})
		cases = append(cases, plan.Case{Design: design, Point: p})
	}
	for _, cpus := range []int{1, 2, 4} {
		f := 1 / float64(cpus)
		for level, seconds := range map[int]float64{1: 8, 2: 4, 4: 2, 8: 1.05, 16: 1, 32: 1.09, 64: 1.2, 128: 1.0} {
			add("grained", cpus, "grain", level, f*seconds)
		}
		add("few", cpus, "grain", 1, 1)
		add("few", cpus, "grain", 2, 2)
		for n := range 4 {
			add("large", cpus, "n", n, 1+float64(n))
		}
	}
	rows := compare.Rows(trials, cases)
	compare.AddFormulas(rows, trials, &workload.Workload{Designs: []workload.Design{{Name: "grained",
		Formula: &workload.Formula{Text: "8/grain", Source: "a test",
			Seconds: func(p plan.Point, _ workload.Measured) float64 {
				return math.Max(8/float64(p.Int("grain")), 2) / float64(p.Int("cpus"))
			}}}}})
	compare.AddKnees(rows, []string{"n"})
	found := 0
	for _, r := range rows {
		for _, k := range r.Knees {
			found++
			got := fmt.Sprintf("%s %s %s to %s, best %s, below %s %.2f, above %s %.2f, formula %s to %s", k.Design,
				k.Factor, k.First, k.Last, r.Point.String(),
				k.Below, float64(k.BelowRatio), k.Above, float64(k.AboveRatio), k.FormulaFirst, k.FormulaLast)
			want := fmt.Sprintf("grained grain 8 to 32, best cpus=%d grain=16, below 4 2.00, above 64 "+
				"1.20, formula 4 to 128", r.Point.Int("cpus"))
			if got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
		}
	}
	if found != 3 {
		t.Errorf("%d knees instead of 3", found)
	}
}

// TestKneesOfWorlds: each world has its own knees, in virtual time by means. Rows without values are left out, as
// are formulas that lack a level. Streams have none.
func TestKneesOfWorlds(t *testing.T) {
	var rows []compare.Row
	add := func(design, world string, job bool, median, mean, predicted []float64) {
		for i := range median {
			s := result.Summary{Metric: result.WallSeconds, Median: result.Value(median[i])}
			if mean != nil {
				s.Mean = &result.Interval{Mean: result.Value(mean[i])}
			}
			r := compare.Row{Workload: "w", Design: design, World: world, Job: job,
				Metrics: map[string]result.Summary{result.WallSeconds: s},
				Point:   plan.NewPoint(plan.Setting{Factor: "grain", Level: plan.IntLevel(i)})}
			if predicted != nil && predicted[i] > 0 {
				r.Formula = &compare.Formula{PredictedSeconds: result.Value(predicted[i])}
			}
			rows = append(rows, r)
		}
	}
	add("a", result.Live, true, []float64{5, 1, 1}, nil, nil)
	add("a", result.Virtual, true, []float64{1, 1, 1}, []float64{1, 2, 3}, nil)
	add("failed", result.Live, true, []float64{1, math.NaN(), 1.05, 2}, nil, nil)
	add("formula", result.Live, true, []float64{2, 2, 1}, nil, []float64{1, 0, 1})
	add("stream", result.Live, false, []float64{5, 1, 1}, nil, nil)
	compare.AddKnees(rows, nil)
	got := ""
	for _, r := range rows {
		for _, k := range r.Knees {
			got += fmt.Sprintf("%s %s %s to %s, formula %t; ", k.Design, k.World, k.First, k.Last,
				k.FormulaFirst != nil)
		}
	}
	if want := "a live 1 to 2, formula false; a virtual 0 to 0, formula false; failed live 0 to 2, formula false; " +
		"formula live 2 to 2, formula false; "; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

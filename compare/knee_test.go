package compare_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// TestKnees: of a sweep over a factor the levels around the best that cost at most a tenth are named, measured and by the
// formula; an input, CPUs, and two levels have no knee.
func TestKnees(t *testing.T) {
	var trials []result.Trial
	var cases []plan.Case
	kind, world := result.Job, result.Live
	add := func(design string, cpus int, factor string, level int, seconds float64) {
		p := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)}, plan.Setting{Factor: factor, Level: plan.IntLevel(level)})
		trials = append(trials, result.Trial{Kind: result.KindTrial, Type: kind, Workload: "w", Design: design, World: world, Point: p,
			Status: result.OK, Operations: 1, WallSeconds: seconds, Metrics: result.Metrics{result.WallSeconds: result.Value(seconds)}})
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
	compare.WithFormulas(rows, trials, map[string]compare.ClosedForm{"grained": {Text: "8/grain", Source: "a test",
		Seconds: func(p plan.Point, _ func(string, string, plan.Point) (float64, bool)) float64 {
			return math.Max(8/float64(p.Int("grain")), 2) / float64(p.Int("cpus"))
		}}})
	compare.WithKnees(rows, []string{"n"})
	found := 0
	for _, r := range rows {
		for _, k := range r.Knees {
			found++
			got := fmt.Sprintf("%s %s %s to %s, best %s, below %s %.2f, above %s %.2f, formula %s to %s", k.Design, k.Factor, k.First, k.Last, r.Point.String(),
				k.Below, float64(k.BelowRatio), k.Above, float64(k.AboveRatio), k.FormulaFirst, k.FormulaLast)
			want := fmt.Sprintf("grained grain 8 to 32, best cpus=%d grain=16, below 4 2.00, above 64 1.20, formula 4 to 128", r.Point.Int("cpus"))
			if got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
		}
	}
	if found != 3 {
		t.Errorf("%d knees instead of 3", found)
	}
}

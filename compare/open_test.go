package compare

import (
	"math"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// crowd is a trial of an open loop.
func crowd(design string, block int, load, rate, response float64, unstable bool) result.Trial {
	p := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)}, plan.Setting{Factor: "load", Level: plan.FloatLevel(load)})
	return result.Trial{Kind: result.KindTrial, Workload: "w", Design: design, World: "live", Point: p, Block: block, Status: result.OK,
		Type: result.Stream, Expected: true, Open: true, Unstable: unstable, Operations: 1000,
		Metrics: result.Metrics{result.Throughput: 500, "rate_per_s": result.Value(rate), result.ResponseP50: result.Value(response), result.OfferedLoad: result.Value(load)}}
}

// TestOpenLoopVerdicts: responses are compared, at equal rates only, and not beyond capacity.
func TestOpenLoopVerdicts(t *testing.T) {
	var trials []result.Trial
	var cases []plan.Case
	add := func(design string, load, rate, response float64, unstable bool) {
		for b := range 10 {
			trials = append(trials, crowd(design, b, load, rate, response*(1+0.001*float64(b%3)), unstable))
		}
		cases = append(cases, plan.Case{Design: design, Point: trials[len(trials)-1].Point})
	}
	add("slow", 0.3, 100, 8e6, false)
	add("slow", 0.5, 200, 8e6, false)
	add("slow", 1.2, 400, math.NaN(), true)
	add("fast", 0.3, 100, 6e6, false)
	add("fast", 0.5, 300, 6e6, false) // at another rate than slow
	add("fast", 1.2, 400, 7e6, false) // slow is unstable there
	for _, spoil := range []func(*result.Trial){
		func(t *result.Trial) { t.Design, t.Bound, t.Status = "bound", true, result.StatusBound },
		func(t *result.Trial) { t.Design, t.Status = "wrong", result.Wrong },
	} { // neither is in a verdict
		x := crowd("", 0, 1.2, 400, math.NaN(), true)
		spoil(&x)
		trials, cases = append(trials, x), append(cases, plan.Case{Design: x.Design, Point: x.Point})
	}
	verdicts := Usual("", []string{"cpus", "load"}).Verdicts(Rows(trials, cases), trials)
	if len(verdicts) != 2 {
		t.Fatalf("%d verdicts: %+v", len(verdicts), verdicts)
	}
	v := verdicts[0]
	if v.A != "fast" || v.B != "slow" || v.Verdict != Faster || v.Metric != result.ResponseP50 || math.Abs(float64(v.Ratio)-0.75) > 0.01 || v.Point.Float("load") != 0.3 {
		t.Errorf("%+v", v)
	}
	if v = verdicts[1]; v.A != "slow" || v.Verdict != Unstable || v.Ratio != 1.2 || v.N != 10 {
		t.Errorf("%+v", v)
	}
}

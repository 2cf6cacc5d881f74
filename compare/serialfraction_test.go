package compare_test

import (
	"math"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// TestSerialFraction: a job that takes 1 s on one CPU and 0.6 s on two has a serial fraction of 0.2. A job whose
// workers stay two has no counterpart, nor has one that was not measured on one CPU.
func TestSerialFraction(t *testing.T) {
	at := func(design string, cpus, workers, block int, seconds float64) result.Trial {
		settings := []plan.Setting{{Factor: "cpus", Level: plan.IntLevel(cpus)}}
		if workers > 0 {
			settings = append(settings, plan.Setting{Factor: "workers", Level: plan.IntLevel(workers)})
		}
		return result.Trial{Kind: result.KindTrial, Type: result.Job, Workload: "w", Design: design, World: result.Live,
			Point: plan.NewPoint(settings...), Block: block,
			Status: result.OK, Operations: 1, WallSeconds: seconds,
			Metrics: result.Metrics{result.WallSeconds: result.Value(seconds)}}
	}
	var trials []result.Trial
	for block := range 2 {
		slow := 1 + float64(block) // a block on a slower machine
		trials = append(trials, at("plain", 1, 0, block, slow), at("plain", 2, 0, block, 0.6*slow),
			at("pool", 1, 1, block, slow), at("pool", 2, 2, block, 0.5*slow), at("pool", 2, 3, block, 0.5*slow),
			at("late", 2, 0, block, slow))
	}
	var cases []plan.Case
	for _, x := range trials[:6] {
		cases = append(cases, plan.Case{Design: x.Design, Point: x.Point})
	}
	rows := compare.Rows(trials, cases)
	compare.AddSerialFractions(rows, trials)
	want := map[int]float64{1: 0.2, 3: 0} // by row
	for i, r := range rows {
		share, has := want[i]
		if (r.SerialFraction != nil) != has {
			t.Errorf("%s at %s: serial %v", r.Design, r.Point, r.SerialFraction)
		} else if has && (math.Abs(float64(r.SerialFraction.Share)-share) > 1e-9 || r.SerialFraction.N != 2) {
			t.Errorf("%s at %s: %+v", r.Design, r.Point, r.SerialFraction)
		}
	}
}

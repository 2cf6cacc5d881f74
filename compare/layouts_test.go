package compare

import (
	"math"
	"testing"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// TestLayoutsHaveNoOrder: layouts are interleaved, so the order of their means is irrelevant. Neither the interval
// of a ratio nor that of a geometric mean is widened for it.
func TestLayoutsHaveNoOrder(t *testing.T) {
	const layouts = 15
	logs := make([]float64, layouts)
	for l := range logs {
		logs[l] = 0.002 * float64(l)
	}
	ordered, _ := stat.ComparePaired(logs, ratioConfidence)
	want, _ := stat.ComparePairedUnordered(logs, ratioConfidence)
	if !ordered.Order().Dependent {
		t.Fatal("these means have no order")
	}
	var trials []result.Trial
	for b := range 4 * layouts {
		trials = append(trials, benchTrial("base", b, takes(100)),
			benchTrial("head", b, takes(100*math.Exp(logs[b%layouts]))))
	}
	j := levelCriteria()
	j.Layouts = layouts
	is := func(low, high result.Value) bool {
		return math.Abs(float64(low)/want.Low-1) < 1e-9 && math.Abs(float64(high)/want.High-1) < 1e-9
	}
	sides := levels(trials)
	if v := j.MetricVerdicts(sides, result.TimePerOp, -1)[0]; !is(v.Low, v.High) || v.Layouts != layouts ||
		v.Widened != 0 {
		t.Errorf("%v to %v, want %v to %v: %+v", v.Low, v.High, want.Low, want.High, v)
	}
	if _, low, high, n := j.Geomean(sides, result.TimePerOp); n != 1 || !is(low, high) {
		t.Errorf("the geometric mean of %d: %v to %v, want %v to %v", n, low, high, want.Low, want.High)
	}
	// Blocks do have an order.
	if v := levelCriteria().MetricVerdicts(sides, result.TimePerOp, -1)[0]; !(v.Widened > 1) {
		t.Errorf("blocks without layouts: %+v", v)
	}
}

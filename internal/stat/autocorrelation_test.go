package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestOrderTest is worked by hand: 1 1 1 1 1 0 0 0 0 0 has the lag-1 correlation 7/10 and, corrected, 7/10 +
// 3.8/10, which is limited to 0.85. The standard error is widened by the root of 1.85/0.15.
func TestOrderTest(t *testing.T) {
	o := TestOrder([]float64{1, 1, 1, 1, 1, 0, 0, 0, 0, 0})
	if !o.Dependent || o.Correlation != 1 || !near(o.Widened, math.Sqrt(1.85/0.15), 1e-12) {
		t.Errorf("one step: %+v", o)
	}
	o = TestOrder([]float64{1, 0, 1, 0, 1, 0, 1, 0, 1, 0})
	if o.Dependent || o.Widened != 1 || !near(o.Correlation, -1, 1e-12) {
		t.Errorf("alternating: %+v", o)
	}
	for _, xs := range [][]float64{nil, {1}, {1, 2}, {3, 3, 3, 3, 3, 3, 3, 3, 3, 3}, {0, 0, 0}} {
		if o := TestOrder(xs); o.Dependent || o.Widened != 1 || o.Correlation != 0 {
			t.Errorf("%v: %+v", xs, o)
		}
	}
	// The scale and the level of the values do not matter.
	a := TestOrder([]float64{0.3, 0.1, 0.2, 0.5, 0.4, 0.6, 0.9, 0.8})
	b := TestOrder([]float64{103, 101, 102, 105, 104, 106, 109, 108})
	if !near(a.Correlation, b.Correlation, 1e-9) {
		t.Errorf("%+v and %+v", a, b)
	}
}

// TestOrderLevel: the rate of false alarms for independent samples is the intended one.
func TestOrderLevel(t *testing.T) {
	const sets = 20_000
	r := rand.New(rand.NewPCG(22, 0))
	for _, n := range []int{6, 10, 15, 20, 40} {
		found := 0
		for range sets {
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = r.NormFloat64()
			}
			if TestOrder(xs).Dependent {
				found++
			}
		}
		if got, want := float64(found)/sets, orderLevel(n); math.Abs(got-want) > 0.01 {
			t.Errorf("%d values: %.3f are called dependent, %.3f are meant", n, got, want)
		}
	}
}

// TestNeverNarrower: for any order, no interval is narrower and no p-value smaller than for the same blocks without
// order, so that the levels of interim analyses hold.
func TestNeverNarrower(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 0))
	for range 2000 {
		xs, last := make([]float64, 2+r.IntN(40)), 0.0
		for i := range xs {
			last = (2*r.Float64()-1)*last + r.NormFloat64()
			xs[i] = last + 0.3
		}
		ordered, _ := ComparePaired(xs, 0.95)
		plain, _ := ComparePairedUnordered(xs, 0.95)
		if ordered.Low > plain.Low || ordered.High < plain.High || ordered.P() < plain.P() ||
			ordered.EquivalenceP(1) < plain.EquivalenceP(1) {
			t.Fatalf("%v: %+v, without order %+v", xs, ordered, plain)
		}
		if w := ordered.Widened(0.95); w < 1 || (w > 1) != ordered.Order().Dependent {
			t.Fatalf("%v: widened by %v", xs, w)
		}
	}
}

package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// exponentialQuantiles returns n values distributed as an exponential distribution.
func exponentialQuantiles(n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = -math.Log((float64(i) + 0.5) / float64(n))
	}
	return xs
}

// TestTailSkewness: a tail is found on either side, for any level and scale. One outlier or a few values are no
// tail.
func TestTailSkewness(t *testing.T) {
	up := exponentialQuantiles(20)
	down, moved, outlier := make([]float64, 20), make([]float64, 20), make([]float64, 20)
	for i, x := range up {
		down[i], moved[i], outlier[i] = -x, 3+x/100, float64(2*(i%2)-1)
	}
	outlier[4] = 100
	g := TailSkewness(up)
	if g < 0.9 || g > 1.2 || !near(TailSkewness(down), -g, 1e-12) || !near(TailSkewness(moved), g, 1e-9) {
		t.Errorf("tails: %v, %v, %v", g, TailSkewness(down), TailSkewness(moved))
	}
	// Without the extreme value the moments of the rest count: 0, 0, 0, 3 four times has 2/sqrt(3), by hand.
	steps := []float64{0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3, 9}
	if g := TailSkewness(steps); !near(g, 2/math.Sqrt(3), 1e-12) {
		t.Errorf("steps: %v", g)
	}
	away := append(exponentialQuantiles(19), -100) // hides a tail on the other side
	for _, xs := range [][]float64{nil, {1}, make([]float64, 20), outlier, away,
		exponentialQuantiles(minTailValues - 1)} {
		if g := TailSkewness(xs); g != 0 {
			t.Errorf("%v: %v", xs, g)
		}
	}
}

// TestTailFactors: the interval extends farther only on the side of the tail, and p-values agree with it.
func TestTailFactors(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 0))
	tails := 0
	for range 3000 {
		xs, side := make([]float64, 15+r.IntN(20)), float64(2*r.IntN(2)-1)
		for i := range xs {
			xs[i] = side*(r.ExpFloat64()-1) + 0.2
		}
		c, _ := PairedEstimate(xs)
		plain := c
		plain.tail = 0
		low, high := c.Interval(0.95)
		plainLow, plainHigh := plain.Interval(0.95)
		if (low < plainLow) != (c.Tail() < 0) || (high > plainHigh) != (c.Tail() > 0) || low > plainLow ||
			high < plainHigh {
			t.Fatalf("tail %v: %v to %v, without it %v to %v", c.Tail(), low, high, plainLow, plainHigh)
		}
		if c.P() < plain.P() || c.EquivalenceP(0.5) < plain.EquivalenceP(0.5) {
			t.Fatalf("tail %v: smaller p-values", c.Tail())
		}
		if (c.P() <= 0.05) != (low > 1 || high < 1) {
			t.Fatalf("p = %v, interval %v to %v", c.P(), low, high)
		}
		const margin = 0.5
		inside := low > 1/(1+margin) && high < 1+margin
		if (c.EquivalenceP(margin) <= 0.05) != inside || c.Within(c.N, margin, 0.95) != inside && !c.Order().Dependent {
			t.Fatalf("outside the margin: p = %v, interval %v to %v", c.EquivalenceP(margin), low, high)
		}
		if c.Tail() != 0 {
			tails++
		}
	}
	if tails < 1000 {
		t.Errorf("%d tails", tails)
	}
}

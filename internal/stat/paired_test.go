package stat

import (
	"math"
	"testing"
)

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*math.Abs(b) }

// TestComparePaired is worked by hand: logarithms 0.1 0.2 0.3 have mean 0.2 and standard deviation 0.1, and
// Student's t with 2 degrees of freedom has the quantiles 4.302653 at 0.975 and 1.060660 at 0.8.
func TestComparePaired(t *testing.T) {
	p, ok := ComparePaired([]float64{0.1, 0.2, 0.3}, 0.95)
	half := 4.302652729696144 * 0.1 / math.Sqrt(3)
	if !ok || p.N != 3 || !near(p.Ratio, math.Exp(0.2), 1e-12) || !near(p.Low, math.Exp(0.2-half), 1e-9) ||
		!near(p.High, math.Exp(0.2+half), 1e-9) {
		t.Errorf("%+v", p)
	}
	if d := p.Detectable(1, 0.05); !near(math.Log(d), (4.302652729696144+1.0606601717798212)*0.1/math.Sqrt(3), 1e-9) {
		t.Errorf("detectable %v", d)
	}
	// t = 0.2 / (0.1 / sqrt 3) = 3.4641; with 2 degrees of freedom p = 1 - t / sqrt(2 + t^2).
	if want := 1 - 3.4641016151377544/math.Sqrt(14); !near(p.P(), want, 1e-9) {
		t.Errorf("p %v, want %v", p.P(), want)
	}
	if low, high := p.Interval(0.95); !near(low, p.Low, 1e-12) || !near(high, p.High, 1e-12) {
		t.Errorf("interval %v to %v", low, high)
	}
	if _, ok := ComparePaired([]float64{0.1}, 0.95); ok {
		t.Error("one block has an interval")
	}
	same, _ := ComparePaired([]float64{0.1, 0.1}, 0.95)
	none, _ := ComparePaired([]float64{0, 0}, 0.95)
	if same.P() != 0 || none.P() != 1 {
		t.Errorf("without spread: p %v of a difference, %v of none", same.P(), none.P())
	}
}

// TestBlocks: the numbers of blocks are the first at which the two rules are met.
func TestBlocks(t *testing.T) {
	p, _ := ComparePaired([]float64{0.02, 0.05, 0.08, 0.05}, 0.95)
	n := p.Blocks(1.03, 2, 0.05, 1000)
	if p.DetectableBy(n, 2, 0.05) > 1.03 || p.DetectableBy(n-1, 2, 0.05) <= 1.03 {
		t.Errorf("%d blocks detect %v, one less %v", n, p.DetectableBy(n, 2, 0.05), p.DetectableBy(n-1, 2, 0.05))
	}
	if got := p.Blocks(1.0000001, 1, 0.05, 50); got != 50 {
		t.Errorf("the limit is 50, got %d", got)
	}
	q, _ := ComparePaired([]float64{-0.03, 0.01, 0.03, -0.01}, 0.95)
	n = q.BlocksWithin(0.02, 0.95, 1000)
	half := func(n int) float64 {
		return tQuantile(0.975, float64(n-1)) * q.groups[0].residual / math.Sqrt(float64(n))
	}
	if half(n) > math.Log(1.02) || half(n-1) <= math.Log(1.02) {
		t.Errorf("%d blocks have a half-width of %v, one less %v", n, half(n), half(n-1))
	}
	if got := p.BlocksWithin(0.02, 0.95, 60); got != 60 {
		t.Errorf("a ratio outside the margin is never within it, got %d blocks", got)
	}
}

func TestSignFlip(t *testing.T) {
	for _, c := range []struct {
		logs []float64
		want float64
	}{
		{[]float64{1, 1, 1}, 2.0 / 8},         // only +++ and ---
		{[]float64{1, 1, 1, 1, 1}, 2.0 / 32},  //
		{[]float64{0, 1, 2, 0}, 2.0 * 4 / 16}, // zeros have either sign
		{make([]float64, 4), 1},               //
		{[]float64{3, 1, -1}, 6.0 / 8},        // sums 5, 3, 3, 1 and their opposites: 3 or more six times
		{[]float64{1, -1}, 1},                 // the observed sum is 0
		{[]float64{0.1, 0.2, -0.3}, 1},        // the same, except for rounding
		{[]float64{1, 2, 4, 8}, 2.0 / 16},     // the extremes
		{[]float64{-1, -2, -4, -8}, 2.0 / 16}, // of either sign
	} {
		if got := signFlip(c.logs); got != c.want {
			t.Errorf("%v: p %v, want %v", c.logs, got, c.want)
		}
	}
}

// TestSignFlipSampled: beyond the exact limit the sampled value is near the exact one.
func TestSignFlipSampled(t *testing.T) {
	logs := make([]float64, exactLimit+2)
	for i := range logs {
		logs[i] = float64(i%5) - 1.2
	}
	bound := 0.0
	for _, x := range logs {
		bound += x
	}
	exact := exactFlips(logs, math.Abs(bound)*(1-1e-12))
	if got := signFlip(logs); math.Abs(got-exact) > 0.01 {
		t.Errorf("sampled %v, exact %v", got, exact)
	}
	for i := range logs {
		logs[i] = 1 + float64(i)
	}
	if got, want := signFlip(logs), math.Ldexp(2, -len(logs)); got != want {
		t.Errorf("%d of one sign: p %v, want %v", len(logs), got, want)
	}
	if again := signFlip(logs); again != signFlip(logs) {
		t.Errorf("two calls differ: %v", again)
	}
}

// TestHolmWithEquivalence is worked by hand for four p-values: factors 4, 3/(7/8), 2/(6/8), 1/(5/8).
func TestHolmWithEquivalence(t *testing.T) {
	got := HolmWithEquivalence([]float64{0.01, 0.04, 0.03, 0.005})
	want := []float64{0.01 * 24 / 7, 0.03 * 8 / 3, 0.03 * 8 / 3, 0.02}
	for i := range want {
		if !near(got[i], want[i], 1e-12) {
			t.Errorf("adjusted %v, want %v", got, want)
			break
		}
	}
	if got := HolmWithEquivalence([]float64{0.05}); got[0] != 0.05 {
		t.Errorf("a single p-value becomes %v", got)
	}
	if got := HolmWithEquivalence([]float64{0.9, 0.8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("adjusted %v, want 1, 1", got)
	}
	if len(HolmWithEquivalence(nil)) != 0 {
		t.Error("no hypotheses have p-values")
	}
}

// TestEquivalenceP: at the p-value the interval touches the margin.
func TestEquivalenceP(t *testing.T) {
	p, _ := ComparePaired([]float64{-0.003, 0.011, 0.002, 0.007, 0.004}, 0.95)
	x := p.EquivalenceP(0.02)
	if low, high := p.Interval(1 - x); !near(high, 1.02, 1e-6) || low < 1/1.02 {
		t.Errorf("at p %v the interval is %v to %v", x, low, high)
	}
	far, _ := ComparePaired([]float64{0.1, 0.2}, 0.95)
	same, _ := ComparePaired([]float64{0, 0}, 0.95)
	if far.EquivalenceP(0.02) != 1 || same.EquivalenceP(0.02) != 0 {
		t.Errorf("p %v of a ratio outside, %v of one that is surely 1", far.EquivalenceP(0.02), same.EquivalenceP(0.02))
	}
}

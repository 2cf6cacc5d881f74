package sim

import (
	"math"
	"testing"
)

// TestStream: the times are distributed as they should be, in bins as likely as each other (chi-square), with the tail
// among them; the same stream draws the same, and another one others.
func TestStream(t *testing.T) {
	const n, bins, mean = 5_000_000, 2000, 1 << 40
	s, same, other := NewStream(1, 2), NewStream(1, 2), NewStream(1, 3)
	var seen [bins]int
	equal, tail, sum, beyond := 0, 0, 0.0, 0.0
	for range n {
		got := s.Exp(mean)
		if same.Exp(mean) != got {
			t.Fatal("the same stream draws otherwise")
		}
		if other.Exp(mean) == got {
			equal++
		}
		x := float64(got) / mean
		seen[int(bins*-math.Expm1(-x))]++
		sum += x
		if x > 7.697117470131049 {
			tail++
			beyond += x - 7.697117470131049
		}
	}
	if equal > 10 { // of 2^40 times
		t.Errorf("another stream draws %d times the same", equal)
	}
	square := 0.0
	for _, k := range seen {
		d := float64(k) - n/bins
		square += d * d / (n / bins)
	}
	if z := (square - (bins - 1)) / math.Sqrt(2*(bins-1)); math.Abs(z) > 3.3 { // at a level of 0.001
		t.Errorf("the distribution is off: chi-square is %v standard deviations from its mean", z)
	}
	if z := (sum - n) / math.Sqrt(n); math.Abs(z) > 3.3 {
		t.Errorf("the mean is off by %v standard errors", z)
	}
	if want := n * math.Exp(-7.697117470131049); math.Abs(float64(tail)-want) > 3.3*math.Sqrt(want) {
		t.Errorf("%d times are in the tail, want %.0f", tail, want)
	}
	// the tail is the distribution again
	if z := (beyond/float64(tail) - 1) * math.Sqrt(float64(tail)); math.Abs(z) > 3.3 {
		t.Errorf("the mean of the tail beyond its beginning is off by %v standard errors", z)
	}
}

// TestZiggurat: the tables are those of the logarithm, and of layers of equal area under the curve.
func TestZiggurat(t *testing.T) {
	for i, got := range logs {
		if want := math.Log1p(float64(i)/256) * (1 << 57); math.Abs(float64(got)-want) > 64 {
			t.Errorf("logs[%d] is %d, want %.0f", i, got, want)
		}
	}
	const area = 0.0039496598225815572
	for i := range 256 {
		x, low, high := float64(edges[i])/(1<<57), float64(heights[i])/(1<<64), float64(heights[i+1])/(1<<64)
		if want := math.Exp(-x); math.Abs(low/want-1) > 1e-13 {
			t.Errorf("heights[%d] is %v, want %v", i, low, want)
		}
		if i == 0 {
			low = 0 // the lowest reaches down to the axis
		}
		if got := x * (high - low); math.Abs(got/area-1) > 1e-10 {
			t.Errorf("layer %d has an area of %v, want %v", i, got, area)
		}
	}
	if edges[256] != 0 || heights[256] != math.MaxUint64 {
		t.Errorf("the layers end at %d, height %d", edges[256], heights[256])
	}
	for u := uint64(1); u < 1<<63; u += u/2 + 1 {
		want := -math.Log(float64(u) / (1 << 64))
		if got := float64(minusLog(u)) / (1 << 57); math.Abs(got-want) > 2e-9+1/float64(u) {
			t.Errorf("-ln(%d/2^64) is %v, want %v", u, got, want)
		}
	}
}

package sim

import (
	"math"
	"slices"
	"testing"
)

// TestStream: the times are those of the logarithm, and distributed as they should be (Kolmogorov and Smirnov).
func TestStream(t *testing.T) {
	const n, mean = 200_000, 1 << 40
	s, same, other := NewStream(1, 2), NewStream(1, 2), NewStream(1, 3)
	var all []float64
	equal := 0
	for range n {
		d := draws{s.key, s.n - 1}
		want := -math.Log(float64(d.next()) / (1 << 64))
		got := s.Exp(mean)
		if math.Abs(float64(got)/mean-want) > 2e-9 {
			t.Fatalf("draw %d is %v, want %v", d.n, float64(got)/mean, want)
		}
		if same.Exp(mean) != got {
			t.Fatal("the same stream draws otherwise")
		}
		if other.Exp(mean) == got {
			equal++
		}
		all = append(all, float64(got)/mean)
	}
	if equal > 0 {
		t.Errorf("another stream draws %d times the same", equal)
	}
	slices.Sort(all)
	worst := 0.0
	for i, x := range all {
		p := 1 - math.Exp(-x)
		worst = max(worst, math.Abs(p-float64(i)/n), math.Abs(p-float64(i+1)/n))
	}
	if worst*math.Sqrt(n) > 1.95 { // at a level of 0.001
		t.Errorf("the distribution is off by %v", worst)
	}
	for i, got := range logs {
		if want := math.Log1p(float64(i)/256) * (1 << 57); math.Abs(float64(got)-want) > 64 {
			t.Errorf("logs[%d] is %d, want %.0f", i, got, want)
		}
	}
}

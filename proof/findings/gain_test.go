package findings

import (
	"math"
	"testing"
)

func TestGained(t *testing.T) {
	gain, low, high := Gained([]float64{2, 2.2, 1.8, 2}, []float64{1, 1.2, 0.9, 0.9})
	if math.Abs(gain-0.5) > 0.02 || low >= gain || high <= gain || low < 0.3 || high > 0.7 {
		t.Errorf("half the time saves %.3f [%.3f, %.3f]", gain, low, high)
	}
	if gain, _, _ := Gained([]float64{1, 1}, []float64{2, 2}); math.Abs(gain+1) > 1e-9 {
		t.Errorf("twice the time saves %.3f, not -1", gain)
	}
}

func TestKept(t *testing.T) {
	for _, c := range []struct {
		estimate, gain, low, high float64
		want                      bool
	}{
		{0.5, 0.5, 0.45, 0.55, true},
		{0.36, 0.5, 0.45, 0.55, true},
		{0.34, 0.5, 0.45, 0.55, false},
		{0.64, 0.5, 0.45, 0.55, true},
		{0.66, 0.5, 0.45, 0.55, false},
		{0.1, 0.2, 0.05, 0.35, true}, // within the interval of the measurement
		{0.1, -0.1, -0.2, 0, false},
	} {
		if got := Kept(c.estimate, c.gain, c.low, c.high); got != c.want {
			t.Errorf("%.2f of %.2f [%.2f, %.2f]: %v", c.estimate, c.gain, c.low, c.high, got)
		}
	}
}

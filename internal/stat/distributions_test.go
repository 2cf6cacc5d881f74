package stat

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// alike reports whether two numbers are equal, or agree to 12 digits.
func alike(x, y float64) bool { return x == y || math.Abs(x-y) <= 1e-12*math.Abs(y) }

// TestDistributions compares the distributions with those of gonum.
func TestDistributions(t *testing.T) {
	for _, x := range []float64{math.Inf(-1), -40, -9, -3, -0.5, 0, 1e-3, 0.7, 2, 9, 40, math.Inf(1)} {
		if got, want := normalCDF(x), distuv.UnitNormal.CDF(x); !alike(got, want) {
			t.Errorf("normal distribution at %v: %v, want %v", x, got, want)
		}
		for _, df := range []float64{1, 2.5, 9, 200} {
			if got, want := tSurvival(x, df), (distuv.StudentsT{Sigma: 1, Nu: df}).Survival(x); !alike(got, want) {
				t.Errorf("t of %v above %v: %v, want %v", df, x, got, want)
			}
		}
	}
	for _, p := range []float64{0, 1e-12, 1e-6, 0.025, 0.4, 0.5, 0.6, 0.95, 0.9999, 1} {
		for _, df := range []float64{1, 2.5, 9, 200} {
			if got, want := tQuantile(p, df), (distuv.StudentsT{Sigma: 1, Nu: df}).Quantile(p); !alike(got, want) {
				t.Errorf("quantile %v of t of %v: %v, want %v", p, df, got, want)
			}
		}
	}
}

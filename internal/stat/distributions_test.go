package stat

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/interp"
	"gonum.org/v1/gonum/stat/distuv"
)

// alike reports whether two numbers agree to 12 digits.
func alike(x, y float64) bool { return math.Abs(x-y) <= 1e-12*math.Max(1, math.Abs(y)) }

// TestDistributions compares the distributions with those of gonum.
func TestDistributions(t *testing.T) {
	for _, x := range []float64{-40, -3, -0.5, 0, 1e-3, 0.7, 2, 9} {
		if got, want := normalCDF(x), distuv.UnitNormal.CDF(x); !alike(got, want) {
			t.Errorf("normal distribution at %v: %v, want %v", x, got, want)
		}
		for _, df := range []float64{1, 2.5, 9, 200} {
			if got, want := tSurvival(x, df), (distuv.StudentsT{Sigma: 1, Nu: df}).Survival(x); !alike(got, want) {
				t.Errorf("t of %v above %v: %v, want %v", df, x, got, want)
			}
		}
	}
	for _, p := range []float64{1e-6, 0.025, 0.4, 0.5, 0.6, 0.95, 0.9999} {
		for _, df := range []float64{1, 2.5, 9, 200} {
			if got, want := tQuantile(p, df), (distuv.StudentsT{Sigma: 1, Nu: df}).Quantile(p); !alike(got, want) {
				t.Errorf("quantile %v of t of %v: %v, want %v", p, df, got, want)
			}
		}
	}
}

// TestCurve compares the curve with that of gonum: inside and outside its points, with extrema and uneven steps.
func TestCurve(t *testing.T) {
	x := []float64{-3, -2.5, 0, 1, 1.25, 4}
	for _, y := range [][]float64{{1, 2, 4, 8, 9, 9.5}, {0, 5, 5, -2, -1, 30}, {9, 1, 0.5, 0.4, -8, -8.1},
		{0, 1, -9, 0, 2, -7}} {
		var want interp.FritschButland
		if err := want.Fit(x, y); err != nil {
			t.Fatal(err)
		}
		c := newCurve(x, y)
		for at := -4.0; at < 5; at += 1.0 / 64 {
			if got, want := c.at(at), want.Predict(at); !alike(got, want) {
				t.Fatalf("%v at %v: %v, want %v", y, at, got, want)
			}
		}
	}
}

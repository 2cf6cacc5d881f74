package stat

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/interp"
)

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
			if got, want := c.at(at), want.Predict(at); math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
				t.Fatalf("%v at %v: %v, want %v", y, at, got, want)
			}
		}
	}
}

// TestCurveMustIncrease checks that points without an order are refused, because their curve would be wrong.
func TestCurveMustIncrease(t *testing.T) {
	for _, x := range [][]float64{{0, 1, 1, 2}, {0, 2, 1, 3}, {0, math.NaN(), 1, 2}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v is accepted", x)
				}
			}()
			newCurve(x, []float64{0, 1, 2, 3})
		}()
	}
}

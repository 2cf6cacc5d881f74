package stat

import (
	"math"
	"testing"
)

// TestCompareRuns: the interval is Student's t with 2 degrees of freedom, 4.302653, by hand.
func TestCompareRuns(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b [][]float64
		se   float64
	}{
		// The variance between runs is (0.08+0.08)/2, and that of the difference of two means of two the same.
		{"apart", [][]float64{{0, 0.2}, {0.4, 0.6}}, [][]float64{{1, 1.2}, nil, {1.4, 1.6}}, math.Sqrt(0.08)},
		// The means are equal, and each has the variance 0.02/2 of its blocks.
		{"alike", [][]float64{{0, 0.2}, {0, 0.2}}, [][]float64{{1, 1.2}, {1, 1.2}}, 0.1},
	} {
		r, ok := CompareRuns(c.a, c.b, 0.95)
		half := 4.302652729911 * c.se
		if !ok || r.N != 2 || !near(math.Log(r.Ratio), -1, 1e-12) || !near(math.Log(r.Low), -1-half, 1e-9) ||
			!near(math.Log(r.High), -1+half, 1e-9) {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	if _, ok := CompareRuns([][]float64{{0, 1}}, [][]float64{{1, 2}, nil}, 0.95); ok {
		t.Error("two runs have no spread")
	}
}

// TestEnoughRuns: a verdict needs two runs of each side, however many the other side has.
func TestEnoughRuns(t *testing.T) {
	all := [][]float64{{0, 0.1}, {0.2, 0.3}, {0.4, 0.5}}
	for n, enough := range map[int]bool{1: false, 2: true, 3: true} {
		a, okA := CompareRuns(all[:n], all, 0.95)
		b, okB := CompareRuns(all, all[:n], 0.95)
		if !okA || !okB || a.Enough(0.05) != enough || b.Enough(0.05) != enough {
			t.Errorf("%d and 3 runs: enough %v and %v, want %v", n, a.Enough(0.05), b.Enough(0.05), enough)
		}
	}
}

package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRankTails: the first values are counted by hand and are in every published table: of 6 values the sum of the ranks
// is at most 0 in 1 of 64 cases and at most 3 in 5; 4 and 4 values lie apart in 1 of 70.
func TestRankTails(t *testing.T) {
	for k, want := range []float64{1, 2, 3, 5, 7, 10} {
		if got := 64 * signedRankTail(6)[k]; !near(got, want, 1e-12) {
			t.Errorf("signed ranks of 6, at most %d: %v of 64, want %v", k, got, want)
		}
	}
	for k, want := range []float64{1, 2, 4, 7, 12} {
		if got := 70 * mannWhitneyTail(4, 4)[k]; !near(got, want, 1e-12) {
			t.Errorf("4 and 4, at most %d: %v of 70, want %v", k, got, want)
		}
	}
	if a, b := mannWhitneyTail(7, 3), mannWhitneyTail(3, 7); !near(a[9], b[9], 1e-12) {
		t.Errorf("7 and 3: %v, 3 and 7: %v", a[9], b[9])
	}
	// Beyond the exact numbers of values the normal distribution takes over without a step.
	exact, normal := signedRankTail(50), normalTail(637.5, math.Sqrt(50*51*101/24.0))
	for _, k := range []int{434, 500, 600} {
		if math.Abs(exact[k]-normal[k]) > 2e-3 {
			t.Errorf("50 values, at most %d: exact %v, normal %v", k, exact[k], normal[k])
		}
	}
}

// TestRank: one value that is far off moves the mean, and hardly the ranks. Of the 21 averages of 6 values the 11th is 0.035.
func TestRank(t *testing.T) {
	c, _ := Pair([]float64{0.01, 0.02, 0.03, 0.04, 0.05, 5}, 0.95)
	if r := c.Rank(0.95); !near(r.Ratio, math.Exp(0.035), 1e-9) || !near(r.Low, math.Exp(0.01), 1e-9) || !near(r.High, math.Exp(5), 1e-9) {
		t.Errorf("of 6: %+v", r)
	}
	if r := c.Rank(0.99); !math.IsNaN(r.Low) || !math.IsNaN(r.High) {
		t.Errorf("6 values have no rank interval of 99 %%: %+v", r)
	}
	c, _ = TwoSample([]float64{1, 2, 3, 40}, []float64{0, 0.1, 0.2, 0.3}, 0.95)
	if r := c.Rank(0.95); !near(r.Ratio, math.Exp(2.35), 1e-9) || !near(r.Low, math.Exp(0.7), 1e-9) || !near(r.High, math.Exp(40), 1e-9) {
		t.Errorf("of 4 and 4: %+v", r)
	}
}

// TestRankIntervals: they hold the shift with at least their confidence, whatever the distribution.
func TestRankIntervals(t *testing.T) {
	const sets = 4000
	r := rand.New(rand.NewPCG(21, 0))
	draw := func(n int) []float64 {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = r.NormFloat64() / math.Sqrt(r.ExpFloat64()) // t with 2 degrees of freedom
		}
		return xs
	}
	for _, n := range []int{6, 10, 20, 60} {
		paired, apart := 0, 0
		for range sets {
			p, _ := PairUnordered(draw(n), 0.95)
			u, _ := TwoSample(draw(n), draw(n), 0.95)
			if x := p.Rank(0.95); x.Low <= 1 && 1 <= x.High {
				paired++
			}
			if x := u.Rank(0.95); x.Low <= 1 && 1 <= x.High {
				apart++
			}
		}
		for name, k := range map[string]int{"paired": paired, "apart": apart} {
			if share := float64(k) / sets; share < 0.95-3*math.Sqrt(0.95*0.05/sets) {
				t.Errorf("%d blocks, %s: the interval holds the shift in %.1f %%", n, name, 100*share)
			}
		}
	}
}

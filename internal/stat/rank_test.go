package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRankTails: the first values are counted by hand and are in published tables. The sum of the ranks of 6 values
// is at most 0 in 1 of 64 cases and at most 3 in 5; groups of 4 and 4 values do not overlap in 1 of 70.
func TestRankTails(t *testing.T) {
	for k, want := range []float64{1, 2, 3, 5, 7, 10} {
		if got := 64 * signedRankTail(6)(k); !near(got, want, 1e-12) {
			t.Errorf("signed ranks of 6, at most %d: %v of 64, want %v", k, got, want)
		}
	}
	for k, want := range []float64{1, 2, 4, 7, 12} {
		if got := 70 * mannWhitneyTail(4, 4)(k); !near(got, want, 1e-12) {
			t.Errorf("4 and 4, at most %d: %v of 70, want %v", k, got, want)
		}
	}
	if a, b := mannWhitneyTail(7, 3), mannWhitneyTail(3, 7); !near(a(9), b(9), 1e-12) {
		t.Errorf("7 and 3: %v, 3 and 7: %v", a(9), b(9))
	}
	// The normal approximation continues the exact distribution without a step.
	exact, normal := signedRankTail(50), normalTail(637.5, math.Sqrt(50*51*101/24.0))
	for _, k := range []int{434, 500, 600} {
		if math.Abs(exact(k)-normal(k)) > 2e-3 {
			t.Errorf("50 values, at most %d: exact %v, normal %v", k, exact(k), normal(k))
		}
	}
}

// TestRank: one extreme value shifts the mean, but hardly the ranks. Of the 21 averages of 6 values the 11th is
// 0.035.
func TestRank(t *testing.T) {
	c, _ := ComparePaired([]float64{0.01, 0.02, 0.03, 0.04, 0.05, 5}, 0.95)
	if r := c.Rank(0.95); !near(r.Ratio, math.Exp(0.035), 1e-9) || !near(r.Low, math.Exp(0.01), 1e-9) ||
		!near(r.High, math.Exp(5), 1e-9) {
		t.Errorf("of 6: %+v", r)
	}
	if r := c.Rank(0.99); !math.IsNaN(r.Low) || !math.IsNaN(r.High) {
		t.Errorf("6 values have no rank interval of 99%%: %+v", r)
	}
	c, _ = CompareUnpaired([]float64{1, 2, 3, 40}, []float64{0, 0.1, 0.2, 0.3}, 0.95)
	if r := c.Rank(0.95); !near(r.Ratio, math.Exp(2.35), 1e-9) || !near(r.Low, math.Exp(0.7), 1e-9) ||
		!near(r.High, math.Exp(40), 1e-9) {
		t.Errorf("of 4 and 4: %+v", r)
	}
}

// TestRankWidened: if autocorrelation widens Student's interval, that of the ranks is widened by the same factor
// about its estimate.
func TestRankWidened(t *testing.T) {
	var rising []float64
	for i := range 20 {
		rising = append(rising, 0.01*float64(i))
	}
	ordered, _ := ComparePaired(rising, 0.95)
	plain, _ := ComparePairedUnordered(rising, 0.95)
	wider, a, b := ordered.Widened(0.95), ordered.Rank(0.95), plain.Rank(0.95)
	if !(wider > 1.5) || a.Ratio != b.Ratio || !near(math.Log(a.Low/a.Ratio), wider*math.Log(b.Low/b.Ratio), 1e-9) ||
		!near(math.Log(a.High/a.Ratio), wider*math.Log(b.High/b.Ratio), 1e-9) {
		t.Errorf("%v times as wide: %+v, without an order %+v", wider, a, b)
	}
}

// listed lists the shifts of one or two groups.
func listed(groups ...[]float64) []float64 {
	var list []float64
	if len(groups) == 2 {
		for _, x := range groups[0] {
			for _, y := range groups[1] {
				list = append(list, x-y)
			}
		}
	} else {
		for i, x := range groups[0] {
			for _, y := range groups[0][i:] {
				list = append(list, (x+y)/2)
			}
		}
	}
	slices.Sort(list)
	return list
}

// TestShifts: bisection finds the listed shifts to the last bit, with ties, zeros and both signs.
func TestShifts(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 0))
	draw := func(n int, ties bool) []float64 {
		xs := make([]float64, n)
		for i := range xs {
			if xs[i] = r.NormFloat64() * math.Exp(4*r.NormFloat64()); ties {
				xs[i] = 0.1 * float64(r.IntN(7)-3)
			}
		}
		return xs
	}
	for n := 1; n <= 40; n++ {
		for _, ties := range []bool{false, true} {
			a, b := draw(n, ties), draw(1+r.IntN(40), ties)
			for _, groups := range [][][]float64{{a}, {a, b}} {
				var all []group
				for _, xs := range groups {
					all = append(all, group{logs: xs})
				}
				got, _ := shiftsOf(all)
				want := listed(groups...)
				if got.n != len(want) || got.median() != Quantile(want, 0.5) {
					t.Fatalf("%v: %d shifts about %v, want %d about %v", groups, got.n, got.median(), len(want),
						Quantile(want, 0.5))
				}
				for _, k := range []int{0, 1, len(want) / 4, len(want) / 2, len(want) - 2, len(want) - 1} {
					if k >= 0 && k < len(want) && got.at(k) != want[k] {
						t.Errorf("%v: shift %d is %v, want %v", groups, k, got.at(k), want[k])
					}
				}
			}
		}
	}
}

// BenchmarkRank: 10,000 values in each of two groups have 100 million shifts.
func BenchmarkRank(b *testing.B) {
	r := rand.New(rand.NewPCG(23, 0))
	draw := func() []float64 {
		xs := make([]float64, 10_000)
		for i := range xs {
			xs[i] = r.NormFloat64()
		}
		return xs
	}
	paired, _ := ComparePairedUnordered(draw(), 0.95)
	apart, _ := CompareUnpaired(draw(), draw(), 0.95)
	for name, c := range map[string]Comparison{"paired": paired, "apart": apart} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c.Rank(0.95)
			}
		})
	}
}

// TestRankIntervals: they contain the shift with at least their confidence, for any distribution.
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
			p, _ := ComparePairedUnordered(draw(n), 0.95)
			u, _ := CompareUnpaired(draw(n), draw(n), 0.95)
			if x := p.Rank(0.95); x.Low <= 1 && 1 <= x.High {
				paired++
			}
			if x := u.Rank(0.95); x.Low <= 1 && 1 <= x.High {
				apart++
			}
		}
		for name, k := range map[string]int{"paired": paired, "apart": apart} {
			if share := float64(k) / sets; share < 0.95-3*math.Sqrt(0.95*0.05/sets) {
				t.Errorf("%d blocks, %s: the interval holds the shift in %.1f%%", n, name, 100*share)
			}
		}
	}
}

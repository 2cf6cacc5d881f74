package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// obrien and pocock are the spending functions of Lan and DeMets (1983) that approximate the two-sided bounds of
// O'Brien and Fleming and of Pocock.
func tail(z float64) float64 { return distuv.UnitNormal.Survival(z) }

func bound(p float64) float64 { return -distuv.UnitNormal.Quantile(p / 2) }

func obrien(alpha, t float64) float64 { return 4 * tail(bound(alpha/2)/math.Sqrt(t)) }

func pocock(alpha, t float64) float64 { return alpha * math.Log(1+(math.E-1)*t) }

// TestPublishedBounds: the bounds of five equally spaced analyses at 5% two-sided, as published (Reboussin, DeMets,
// Kim and Lan: Computations for group sequential boundaries using the Lan-DeMets spending function method,
// Controlled Clinical Trials 21(3), 2000).
func TestPublishedBounds(t *testing.T) {
	fifths := []int{20_000, 40_000, 60_000, 80_000, 100_000} // so many blocks that t is normal
	for name, c := range map[string]struct {
		spend Spending
		want  []float64
	}{
		"O'Brien-Fleming": {obrien, []float64{4.8769, 3.3569, 2.6803, 2.2898, 2.0310}},
		"Pocock":          {pocock, []float64{2.4380, 2.4268, 2.4101, 2.3966, 2.3859}},
	} {
		for k, level := range nominalLevels(c.spend, 0.05, fifths) {
			if got := bound(level); math.Abs(got-c.want[k]) > 0.00015 {
				t.Errorf("%s, look %d: bound %.4f, published %.4f", name, k+1, got, c.want[k])
			}
		}
	}
}

func BenchmarkNewLooks(b *testing.B) {
	for b.Loop() {
		NewInterimAnalyses(SquareSpending, []int{10, 15, 20, 30, 40})
	}
}

// crossings returns the rate at which t tests of normal values reject at one of the levels.
func crossings(r *rand.Rand, blocks []int, levels []float64, tests int) float64 {
	edges := make([]float64, len(blocks))
	for k, n := range blocks {
		edges[k] = cosineOf(levels[k], n)
	}
	crossed := 0
	for range tests {
		sum, squares, n := 0.0, 0.0, 0
		for k, until := range blocks {
			for ; n < until; n++ {
				x := r.NormFloat64()
				sum, squares = sum+x, squares+x*x
			}
			if math.Abs(sum) >= edges[k]*math.Sqrt(float64(n)*squares) {
				crossed++
				break
			}
		}
	}
	return float64(crossed) / float64(tests)
}

// TestLevelsSpend: t tests of normal values reject as often as is to be spent, at the analyses of a run with a
// budget and at others. The standard error is 0.01 points at 5%.
func TestLevelsSpend(t *testing.T) {
	const tests = 1_000_000
	for i, blocks := range [][]int{{10, 15, 20, 30, 40}, {6, 9, 12, 15, 18, 21}, {5, 40}, {12}} {
		for _, alpha := range []float64{0.05, 0.05 / 7} {
			levels := nominalLevels(SquareSpending, alpha, blocks)
			got := crossings(rand.New(rand.NewPCG(1, uint64(i))), blocks, levels, tests)
			if se := math.Sqrt(alpha / tests); math.Abs(got-alpha) > 3*se {
				t.Errorf("looks at %v: %.4f%% rejected, %.4f%% was to be spent", blocks, 100*got, 100*alpha)
			}
		}
	}
}

// TestInterimAnalyses: the table agrees with nominalLevels. Levels increase with alpha, so that P is their inverse.
func TestInterimAnalyses(t *testing.T) {
	blocks := []int{10, 15, 20, 30, 40}
	l := NewInterimAnalyses(SquareSpending, blocks)
	rapid.Check(t, func(t *rapid.T) {
		alpha := math.Exp(rapid.Float64Range(math.Log(1e-9), math.Log(0.8)).Draw(t, "log alpha"))
		for k := range blocks {
			level := l.Level(alpha, k)
			if least := alpha * (l.shares[k]*l.shares[k] - before(l.shares, k)); level < least*0.99 || level > alpha {
				t.Fatalf("alpha %v, look %d: level %v is not between %v and alpha", alpha, k, level, least)
			}
			if got := l.P(level, k); !near(got, alpha, 0.01) {
				t.Fatalf("alpha %v, look %d: p %v", alpha, k, got)
			}
			if l.Level(alpha*1.05, k) <= level {
				t.Fatalf("alpha %v, look %d: a larger alpha has no higher level", alpha, k)
			}
		}
	})
	for alpha, off := range map[float64]float64{0.05: 5e-4, 0.05 / 7: 2e-3, 0.05 / 40: 2e-3, 1e-5: 1e-2} {
		for k, want := range nominalLevels(SquareSpending, alpha, blocks) {
			if got := l.Level(alpha, k); !near(got, want, off) {
				t.Errorf("alpha %v, look %d: level %v, want %v", alpha, k, got, want)
			}
		}
	}
}

// before is the square of the fraction at the analysis before.
func before(shares []float64, k int) float64 {
	if k == 0 {
		return 0
	}
	return shares[k-1] * shares[k-1]
}

func TestLooksP(t *testing.T) {
	l := NewInterimAnalyses(SquareSpending, []int{10, 20, 40})
	apart := NewSeparateAnalyses(SquareSpending, []int{9, 20}, 40)
	for _, c := range []struct {
		l    *InterimAnalyses
		p    float64
		k    int
		want float64
	}{
		{l, 0.95, 1, 1}, {l, 0, 0, 0}, {apart, 0.5, 0, 1},
		{l, 1e-20, 0, 1e-20 / 0.0625}, // the first analysis has t^2 of alpha
		{l, 0.002, 0, 0.002 / 0.0625},
		{apart, 0.03, 1, 0.03 / (0.25 - 9.0*9/1600)},
		{apart, 0.001, 0, 0.001 * 1600 / 81},
	} {
		if got := c.l.P(c.p, c.k); !near(got, c.want, 1e-3) && got != c.want {
			t.Errorf("p-value %v at look %d: %v, want %v", c.p, c.k, got, c.want)
		}
	}
	if got := apart.Level(0.05, 1); !near(got, 0.05*(0.25-81.0/1600), 1e-12) {
		t.Errorf("the second of looks apart has the level %v", got)
	}
	if got := l.Spent(0.05, 1); got != 0.0125 {
		t.Errorf("spent %v at the second look", got)
	}
}

package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// ascendingTo returns 1, 2, ... n, so that a value is its own rank.
func ascendingTo(n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = float64(i + 1)
	}
	return xs
}

// The ranks at 95% are those of published tables (for instance Conover: Practical Nonparametric Statistics). At
// other confidences they follow from the binomial by hand.
func TestMedianIntervalRanks(t *testing.T) {
	for _, c := range []struct {
		n          int
		confidence float64
		low, high  float64
	}{
		{6, 0.95, 1, 6}, {7, 0.95, 1, 7}, {8, 0.95, 1, 8}, {9, 0.95, 2, 8}, {10, 0.95, 2, 9}, {11, 0.95, 2, 10},
		{12, 0.95, 3, 10}, {15, 0.95, 4, 12}, {20, 0.95, 6, 15}, {25, 0.95, 8, 18}, {30, 0.95, 10, 21},
		{40, 0.95, 14, 27}, {50, 0.95, 18, 33}, {100, 0.95, 40, 61},
		{5, 0.90, 1, 5}, {8, 0.99, 1, 8}, {10, 0.99, 1, 10}, {20, 0.99, 4, 17},
		{5, 0.9375, 1, 5}, // 1 - 2/32, met exactly
		{2, 0.5, 1, 2}, {4, 0.001, 2, 3},
	} {
		xs := ascendingTo(c.n)
		slices.Reverse(xs)
		median, low, high, ok := MedianInterval(xs, c.confidence)
		if !ok || low != c.low || high != c.high || median != float64(c.n+1)/2 {
			t.Errorf("n=%d at %v: %v in [%v, %v], %v; want [%v, %v]", c.n, c.confidence, median, low, high, ok, c.low,
				c.high)
		}
		if xs[0] != float64(c.n) {
			t.Errorf("n=%d: the sample was sorted in place", c.n)
		}
	}
}

func TestMedianIntervalTooFew(t *testing.T) {
	for _, c := range []struct {
		n          int
		confidence float64
	}{{1, 0.95}, {2, 0.95}, {5, 0.95}, {7, 0.99}, {5, 0.93751}, {20, 1}, {20, 0}, {20, math.NaN()}} {
		median, low, high, ok := MedianInterval(ascendingTo(c.n), c.confidence)
		if ok || !math.IsNaN(low) || !math.IsNaN(high) || median != float64(c.n+1)/2 {
			t.Errorf("n=%d at %v: %v in [%v, %v], %v", c.n, c.confidence, median, low, high, ok)
		}
	}
	for _, xs := range [][]float64{nil, {1, 2, 3, math.NaN(), 5, 6, 7}} {
		if median, _, _, ok := MedianInterval(xs, 0.95); ok || !math.IsNaN(median) {
			t.Errorf("%v: %v, %v", xs, median, ok)
		}
	}
	inf := math.Inf(1)
	if median, low, high, ok := MedianInterval([]float64{1, 2, inf, inf, inf, inf}, 0.95); !ok || median != inf ||
		low != 1 || high != inf {
		t.Errorf("infinite values: %v in [%v, %v]", median, low, high)
	}
}

// coverage returns the probability that the order statistics r and n+1-r contain the median. It adds up the
// binomial in floating point, unlike the code.
func coverage(n, r int) float64 {
	tail := 0.0
	for k := range r {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		tail += math.Exp(a - b - c - float64(n)*math.Ln2)
	}
	return 1 - 2*tail
}

// The interval has the confidence, and the next narrower one does not.
func TestMedianIntervalIsNarrowest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 2000).Draw(t, "n")
		confidence := rapid.Float64Range(0.01, 0.9999).Draw(t, "confidence")
		r := medianRank(n, confidence)
		const slack = 1e-9 // of coverage, in floating point
		if r > n/2 || r > 0 && coverage(n, r) < confidence-slack {
			t.Fatalf("rank %d covers %v only", r, coverage(n, r))
		}
		if r < n/2 && coverage(n, r+1) > confidence+slack {
			t.Fatalf("rank %d covers %v, but %d would do with %v", r, coverage(n, r), r+1, coverage(n, r+1))
		}
	})
}

// Among 20,000 samples of a skewed distribution, the fraction whose interval contains the median is the exact
// coverage within 4 standard errors. The seed is fixed.
func TestMedianIntervalCovers(t *testing.T) {
	const samples = 20_000
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{6, 10, 21} {
		held := 0
		for range samples {
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = random.ExpFloat64()
			}
			if _, low, high, ok := MedianInterval(xs, 0.95); ok && low <= math.Ln2 && math.Ln2 <= high {
				held++
			}
		}
		want := coverage(n, medianRank(n, 0.95))
		got, stderr := float64(held)/samples, math.Sqrt(want*(1-want)/samples)
		if math.Abs(got-want) > 4*stderr {
			t.Errorf("n=%d: %.4f of the intervals hold the median, want %.4f", n, got, want)
		}
	}
}

func TestMeans(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		xs                []float64
		mean, geo, median float64
	}{
		{nil, nan, nan, nan},
		{[]float64{3}, 3, 3, 3},
		{[]float64{8, 1, 27}, 12, 6, 8},
		{[]float64{4, 1, 2, 0.5}, 1.875, math.Sqrt2, 1.5},
		{[]float64{-1, 3}, 1, nan, 1},
		{[]float64{0, 3}, 1.5, nan, 1.5},
		{[]float64{1, nan, 2}, nan, nan, nan},
	} {
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-14*math.Abs(b) || a != a && b != b }
		if m, g, d := Mean(c.xs), GeoMean(c.xs), Median(c.xs); !near(m, c.mean) || !near(g, c.geo) ||
			!near(d, c.median) {
			t.Errorf("%v: mean %v, geometric %v, median %v; want %v, %v, %v", c.xs, m, g, d, c.mean, c.geo, c.median)
		}
	}
}

func TestQuantile(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		xs      []float64
		q, want float64
	}{
		{[]float64{7}, 0.3, 7},
		{[]float64{1, 2, 3, 4, 5}, 0, 1},
		{[]float64{1, 2, 3, 4, 5}, 1, 5},
		{[]float64{1, 2, 3, 4, 5}, 0.25, 2},
		{[]float64{10, 20, 40}, 0.75, 30}, // 1 + 2*0.75 = 2.5
		{[]float64{1, 2, 3, 4}, 0.5, 2.5},
		{[]float64{1, inf, inf}, 0.75, inf},
		{[]float64{1, inf}, 0, 1},
	} {
		if got := Quantile(c.xs, c.q); got != c.want {
			t.Errorf("Quantile(%v, %v) = %v, want %v", c.xs, c.q, got, c.want)
		}
	}
	for i := range 100 {
		if got := Quantile([]float64{0.1, 0.1}, float64(i)/100); got != 0.1 {
			t.Errorf("a quantile of equal values is %v", got)
		}
	}
	for _, q := range []float64{-0.1, 1.1, math.NaN()} {
		if got := Quantile([]float64{1, 2}, q); !math.IsNaN(got) {
			t.Errorf("the quantile %v is %v", q, got)
		}
	}
	if got := Quantile(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("the quantile of nothing is %v", got)
	}
}

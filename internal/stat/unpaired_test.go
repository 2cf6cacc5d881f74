package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCompareUnpaired is worked by hand: both groups have the same variance, so there are 4 degrees of freedom.
func TestCompareUnpaired(t *testing.T) {
	a, b := []float64{0.4, 0.5, 0.6}, []float64{0.1, 0.2, 0.3}
	c, ok := CompareUnpaired(a, b, 0.95)
	se := 0.1 * math.Sqrt(2.0/3)
	half := 2.7764451051977987 * se
	if !ok || c.N != 3 || !near(c.Ratio, math.Exp(0.3), 1e-12) || !near(c.Low, math.Exp(0.3-half), 1e-9) ||
		!near(c.High, math.Exp(0.3+half), 1e-9) {
		t.Errorf("%+v", c)
	}
	// With 4 degrees of freedom p = 1 - sin x (1 + cos^2 x / 2), tan x = t / 2.
	x := math.Atan(0.3 / se / 2)
	if want := 1 - math.Sin(x)*(1+math.Cos(x)*math.Cos(x)/2); !near(c.P(), want, 1e-9) {
		t.Errorf("p %v, want %v", c.P(), want)
	}
	// Satterthwaite: variances 0.01 of 3 and 0.02 of 2.
	c, _ = CompareUnpaired(a, []float64{0, 0.2}, 0.95)
	if se, df := c.spread(asMeasured); !near(se*se, 0.01/3+0.02/2, 1e-12) || !near(df, 1.6842105263157894, 1e-12) {
		t.Errorf("standard error %v with %v degrees of freedom", se, df)
	}
	if c.N != 2 {
		t.Errorf("%d blocks, want those of the smaller group", c.N)
	}
	if _, ok := CompareUnpaired(a, []float64{1}, 0.95); ok {
		t.Error("one block has an interval")
	}
	flat := []float64{0.2, 0.2}
	if same, _ := CompareUnpaired(flat, flat, 0.95); same.P() != 1 {
		t.Errorf("the same without spread: p %v", same.P())
	}
	if apart, _ := CompareUnpaired(flat, []float64{0.1, 0.1}, 0.95); apart.P() != 0 {
		t.Errorf("apart without spread: p %v", apart.P())
	}
}

// TestUnpairedBlocks: the numbers of blocks are the first at which the rules are met, and 5 blocks each are the
// fewest that decide.
func TestUnpairedBlocks(t *testing.T) {
	c, _ := CompareUnpaired([]float64{0.05, 0.08, 0.11, 0.08}, []float64{0, 0.02, 0.01, 0.02, 0}, 0.95)
	n := c.Blocks(1.02, 2, 0.05, 1000)
	if c.DetectableBy(n, 2, 0.05) > 1.02 || c.DetectableBy(n-1, 2, 0.05) <= 1.02 {
		t.Errorf("%d blocks detect %v, one less %v", n, c.DetectableBy(n, 2, 0.05), c.DetectableBy(n-1, 2, 0.05))
	}
	if c.Enough(0.05) || c.MinBlocks(0.05) != 5 {
		t.Errorf("4 and 5 blocks: enough %v, least %d", c.Enough(0.05), c.MinBlocks(0.05))
	}
	for few, enough := range map[int]bool{2: false, 3: false, 4: false, 5: true} { // however many the other group has
		if c, _ = CompareUnpaired(make([]float64, few), make([]float64, 40), 0.95); c.Enough(0.05) != enough {
			t.Errorf("%d and 40 blocks: enough %v", few, !enough)
		}
	}
}

func TestRelabel(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{3, 4}, []float64{1, 2}, 2.0 / 6},
		{[]float64{4, 5, 6}, []float64{1, 2, 3}, 2.0 / 20},
		{[]float64{1, 4}, []float64{2, 3}, 1},
		{[]float64{0.1, 0.1}, []float64{0.1, 0.1, 0.1}, 1},
		{[]float64{9}, []float64{1, 2, 3}, 1.0 / 4}, // the mean of 3 others is never as extreme
	} {
		a, b := slices.Clone(c.a), slices.Clone(c.b)
		if got := LabelPermutation(a, b); !near(got, c.want, 1e-12) {
			t.Errorf("%v and %v: p %v, want %v", c.a, c.b, got, c.want)
		}
		if !slices.Equal(a, c.a) || !slices.Equal(b, c.b) {
			t.Errorf("%v and %v were changed to %v and %v", c.a, c.b, a, b)
		}
	}
}

// TestLabelPermutationSampled: beyond the exact limit the sampled value is near the exact one.
func TestLabelPermutationSampled(t *testing.T) {
	a, b := make([]float64, 10), make([]float64, 9) // 92,378 ways
	for i := range a {
		a[i] = float64(i%5) + 0.9
	}
	for i := range b {
		b[i] = float64(i * i % 7)
	}
	all := append(slices.Clone(a), b...)
	mean, sum := Mean(all), 0.0
	for i := range all {
		all[i] -= mean
		if i < len(a) {
			sum += all[i]
		}
	}
	exact := float64(countLabellings(all, len(a), 0, math.Abs(sum)-1e-9)) / binomial(19, 10)
	if got := LabelPermutation(a, b); math.Abs(got-exact) > 0.01 || got != LabelPermutation(a, b) {
		t.Errorf("sampled %v, exact %v", got, exact)
	}
}

// TestTrend: of the 120 orders of 5 steps two have the slope 1; the sampled p-value is near the exact one.
func TestTrend(t *testing.T) {
	if slope, p := Trend([]float64{1, 2, 3, 4, 5}); !near(slope, 1, 1e-12) || !near(p, 2.0/120, 1e-12) {
		t.Errorf("slope %v, p %v", slope, p)
	}
	if slope, p := Trend([]float64{3, 3, 3, 3}); slope != 0 || p != 1 {
		t.Errorf("level: slope %v, p %v", slope, p)
	}
	if slope, p := Trend([]float64{1}); slope != 0 || p != 1 {
		t.Errorf("one value: slope %v, p %v", slope, p)
	}
	xs := []float64{0, 2, 1, 4, 2, 3, 1, 3}
	_, p := Trend(xs)
	hits := 0
	slopeOf := func(order []int) float64 {
		s := 0.0
		for i, at := range order {
			s += float64(2*i-7) * xs[at]
		}
		return math.Abs(s)
	}
	order := identity(8)
	observed := slopeOf(order)
	permute(order, 8, func() {
		if slopeOf(order) >= observed-1e-9 {
			hits++
		}
	})
	if exact := float64(hits) / 40320; math.Abs(p-exact) > 0.05 { // 200 hits have a standard error of 6% of p
		t.Errorf("sampled %v, exact %v", p, exact)
	}
}

// TestSerialCorrelation: 1 1 1 -1 -1 -1 has four products of 1 and one of -1; of its 720 orders, 72 have as many.
func TestSerialCorrelation(t *testing.T) {
	if r, p := SerialCorrelation([][]float64{{1, 1, 1, -1, -1, -1}}); !near(r, 3.0/6, 1e-12) ||
		!near(p, 72.0/720, 1e-12) {
		t.Errorf("correlation %v, p %v", r, p)
	}
	if r, p := SerialCorrelation([][]float64{{1, -1, 1, -1, 1, -1}}); !near(r, -5.0/6, 1e-12) || p != 1 {
		t.Errorf("alternating: correlation %v, p %v", r, p)
	}
	for _, rows := range [][][]float64{nil, {{0, 0, 0}}, {{1, -1}}} {
		if r, p := SerialCorrelation(rows); r != 0 || p != 1 {
			t.Errorf("%v: correlation %v, p %v", rows, r, p)
		}
	}
}

func TestPermute(t *testing.T) {
	for n, want := range []int{1, 1, 2, 6, 24, 120} {
		order, seen := identity(n), map[string]bool{}
		permute(order, n, func() {
			key := ""
			for _, x := range order {
				key += string(rune('a' + x))
			}
			seen[key] = true
		})
		if len(seen) != want || !slices.Equal(order, identity(n)) {
			t.Errorf("%d: %d orders, want %d; left as %v", n, len(seen), want, order)
		}
	}
}

// TestRunsOfUnequalSpread: a common standard deviation is wrong if the side with fewer runs varies more; the manual
// has the figures. It matters less with equal numbers of runs.
func TestRunsOfUnequalSpread(t *testing.T) {
	const sets = 20_000
	for _, c := range []struct {
		a, b      int
		low, high float64 // false differences at 5%, in percent
	}{{2, 8, 41, 43.5}, {8, 2, 0, 0.5}, {5, 5, 6.6, 8.2}} {
		r := rand.New(rand.NewPCG(25, uint64(c.a)))
		side := func(runs int, spread float64) (list [][]float64) {
			for range runs {
				level := spread * r.NormFloat64()
				list = append(list, []float64{level + 0.002*r.NormFloat64(), level + 0.002*r.NormFloat64()})
			}
			return list
		}
		wrong := 0
		for range sets {
			x, _ := CompareRuns(side(c.a, 0.03), side(c.b, 0.003), 0.95)
			if x.P() <= 0.05 && x.Permutation() <= max(0.05, x.MinPermutationP()) {
				wrong++
			}
		}
		got := 100 * float64(wrong) / sets
		t.Logf("%d runs that vary by 3%% and %d by 0.3%%: %.1f%%", c.a, c.b, got)
		if got < c.low || got > c.high {
			t.Errorf("%d runs that vary by 3%% and %d by 0.3%%: false differences in %.1f%%, not within %v and %v",
				c.a, c.b, got, c.low, c.high)
		}
	}
}

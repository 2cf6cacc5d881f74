package stat

import "math"

// Comparison is the estimated ratio of two designs a and b, with its uncertainty. A paired comparison has one
// group, the ratios of the blocks that hold both. An unpaired one has two groups, the values of each design. The
// two kinds differ only in the variance estimator, spread.
type Comparison struct {
	N      int     // number of blocks; of two groups, the smaller number
	Ratio  float64 // geometric mean of a / b
	Low    float64 // confidence interval: Student's t on the logarithms
	High   float64
	groups []group
	runs   bool    // groups hold means of runs, with a common standard deviation; see [CompareRuns]
	tail   float64 // skewness of paired logarithms; see [TailSkewness]
}

// group is a sample of logarithms with its standard deviation.
type group struct {
	logs     []float64
	residual float64
	order    OrderTest // test of the order of the blocks; zero if they have no order
}

// widened returns the factor by which autocorrelation increases the standard error.
func (g *group) widened() float64 { return max(1, g.order.Widened) }

// ComparePaired compares by blocks that hold both designs. logs are the logarithms of the ratios a / b, in the
// order of the blocks. The interval has the given confidence. ok is false below 2 blocks.
//
// A block covers a short time on one machine, so disturbances of both designs cancel in its ratio. If neighbouring
// blocks are correlated, the interval is wider and p-values are larger; see [TestOrder]. The same holds for a tail
// on one side; see [TailSkewness].
func ComparePaired(logs []float64, confidence float64) (c Comparison, ok bool) {
	if c, ok = PairedEstimate(logs); ok {
		c.Low, c.High = c.Interval(confidence)
	}
	return c, ok
}

// PairedEstimate is ComparePaired without the interval, which takes most of the time.
func PairedEstimate(logs []float64) (c Comparison, ok bool) {
	if len(logs) < 2 {
		return Comparison{N: len(logs)}, false
	}
	c = newComparison(Mean(logs), newGroup(logs))
	c.tail = TailSkewness(logs)
	return c, true
}

// ComparePairedUnordered is ComparePaired without the tests of order and tail. It is for values without an order,
// such as means of interleaved groups of blocks.
func ComparePairedUnordered(logs []float64, confidence float64) (c Comparison, ok bool) {
	if c, ok = PairedEstimate(logs); ok {
		c.groups[0].order, c.tail = OrderTest{}, 0
		c.Low, c.High = c.Interval(confidence)
	}
	return c, ok
}

// CompareUnpaired compares by blocks that hold one of the two designs each. a and b are the logarithms of their
// values, in the order of the blocks; see [ComparePaired]. Disturbances do not cancel and variances may differ, so
// it uses Welch's t (The significance of the difference between two means when the population variances are
// unequal, Biometrika 29, 1938). ok is false if either has fewer than 2 blocks.
func CompareUnpaired(a, b []float64, confidence float64) (c Comparison, ok bool) {
	if n := min(len(a), len(b)); n < 2 {
		return Comparison{N: n}, false
	}
	c = newComparison(Mean(a)-Mean(b), newGroup(a), newGroup(b))
	c.Low, c.High = c.Interval(confidence)
	return c, true
}

func newGroup(logs []float64) group {
	mean, squares := Mean(logs), 0.0
	for _, x := range logs {
		squares += (x - mean) * (x - mean)
	}
	return group{logs, math.Sqrt(squares / float64(len(logs)-1)), TestOrder(logs)}
}

// Order returns the result of the order test; of two groups, that with the larger effect on the standard error.
func (c Comparison) Order() OrderTest {
	var most OrderTest
	for i := range c.groups {
		if g := &c.groups[i]; i == 0 || g.widened() > max(1, most.Widened) {
			most = g.order
		}
	}
	return most
}

// Widened returns the factor by which autocorrelation widens the interval of the given confidence; 1 if it does
// not.
func (c Comparison) Widened(confidence float64) float64 {
	if !c.Order().Dependent {
		return 1
	}
	plain := c
	plain.groups = make([]group, len(c.groups))
	for i, g := range c.groups {
		plain.groups[i] = group{logs: g.logs, residual: g.residual}
	}
	half := func(c Comparison) float64 {
		se, df := c.spread(asMeasured)
		return tQuantile(0.5+confidence/2, df) * se
	}
	return half(c) / half(plain)
}

func newComparison(mean float64, groups ...group) Comparison {
	c := Comparison{N: math.MaxInt, Ratio: math.Exp(mean), groups: groups}
	for _, g := range groups {
		c.N = min(c.N, len(g.logs))
	}
	return c
}

// asMeasured, as an argument of spread, stands for the present numbers of blocks.
const asMeasured = 0

// spread returns the standard error of the logarithm of the ratio and its degrees of freedom, if each group had n
// blocks. One group has n-1 degrees; two groups follow Satterthwaite (An approximate distribution of estimates of
// variance components, Biometrics Bulletin 2(6), 1946). With autocorrelation, n is the effective number of blocks.
// The degrees of freedom are then at least minDegrees, if there are as many blocks.
func (c Comparison) spread(n int) (se, df float64) {
	variance, uncertainty, total := 0.0, 0.0, 0.0
	for _, g := range c.groups {
		size := float64(n)
		if n == asMeasured {
			size = float64(len(g.logs))
		}
		effective := size / (g.widened() * g.widened())
		v, degrees := g.residual*g.residual/effective, max(effective-1, min(size-1, minDegrees))
		variance += v
		uncertainty += v * v / degrees
		total += degrees
	}

	if uncertainty == 0 || c.runs { // no variance in any group
		return math.Sqrt(variance), total
	}
	return math.Sqrt(variance), variance * variance / uncertainty
}

// P returns the two-sided p-value of Student's t for a ratio of 1. It is at most x exactly if the interval of
// confidence 1-x excludes 1. It is 0 if nothing varies and the ratio is not 1.
func (c Comparison) P() float64 {
	mean := math.Log(c.Ratio)
	se, df := c.spread(asMeasured)
	switch {
	case mean == 0:
		return 1
	case se == 0:
		return 0
	}
	below, above := c.tailFactors()
	return 2 * tSurvival(max(mean/below, -mean/above)/se, df)
}

// EquivalenceP returns twice the larger p-value of the two one-sided t tests (TOST) for a ratio outside
// 1/(1+margin) to 1+margin, at most 1 (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15(6), 1987).
// It is at most x exactly if the interval of confidence 1-x lies within the margin.
func (c Comparison) EquivalenceP(margin float64) float64 {
	room := c.marginRoom(margin)
	se, df := c.spread(asMeasured)
	switch {
	case room <= 0:
		return 1
	case se == 0:
		return 0
	}
	return 2 * tSurvival(room/se, df)
}

// Permutation returns the two-sided permutation p-value for a ratio of 1, which assumes less than P: [signFlip], or
// [LabelPermutation] if unpaired.
func (c Comparison) Permutation() float64 {
	if len(c.groups) == 1 {
		return signFlip(c.groups[0].logs)
	}
	return LabelPermutation(c.groups[0].logs, c.groups[1].logs)
}

// MinPermutationP returns the smallest possible value of [Comparison.Permutation].
func (c Comparison) MinPermutationP() float64 {
	if len(c.groups) == 1 {
		return math.Ldexp(2, -c.N)
	}
	return minLabelP(len(c.groups[0].logs), len(c.groups[1].logs))
}

// minGroup is the least number of blocks in each of two groups. A permutation of 2 against 40 blocks can reach
// p-values below 1%, but the variance of the 2 is practically unknown. Welch's t does not hold its confidence even
// for 4 against 40.
const minGroup = 5

// minRuns is the least number of runs of each side.
const minRuns = 2

// Enough reports whether there are enough blocks for a verdict: the permutation p-value can be at most alpha, and
// each of two groups has minGroup blocks. Runs are too few for permutations; two on each side are enough.
func (c Comparison) Enough(alpha float64) bool {
	if c.runs {
		return c.N >= minRuns
	}
	return c.MinPermutationP() <= alpha && (len(c.groups) == 1 || c.N >= minGroup)
}

// MinBlocks returns the least number of blocks of each group that is enough.
func (c Comparison) MinBlocks(alpha float64) int {
	if c.runs {
		return minRuns
	}
	if len(c.groups) == 1 {
		return MinBlocks(alpha)
	}
	return MinGroupBlocks(alpha)
}

// MinGroupBlocks returns the least number of blocks of each of two groups that is enough.
func MinGroupBlocks(alpha float64) int {
	n := minGroup
	for minLabelP(n, n) > alpha {
		n++
	}
	return n
}

// Interval returns the interval of the ratio at another confidence.
func (c Comparison) Interval(confidence float64) (low, high float64) {
	se, df := c.spread(asMeasured)
	half := tQuantile(0.5+confidence/2, df) * se
	below, above := c.tailFactors()
	return c.Ratio * math.Exp(-half*below), c.Ratio * math.Exp(half*above)
}

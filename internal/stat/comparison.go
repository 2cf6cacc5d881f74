package stat

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// tQuantile is the p-quantile of Student's t with df degrees of freedom.
func tQuantile(p, df float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(p)
}

// Comparison is the ratio of two designs a and b with its doubt. It is paired where both were measured
// in the same blocks, and then made of one group, the blocks' ratios; or unpaired, and then made of two,
// what the blocks of each measured. All that follows from spread serves both.
type Comparison struct {
	N      int     // blocks; of two groups, those of the smaller
	Ratio  float64 // geometric mean of a / b
	Low    float64 // interval of the ratio: Student's t on the logarithms
	High   float64
	groups []group
	runs   bool    // the groups are the means of runs, with one standard deviation: see [Runs]
	tail   float64 // of the logarithms of a pair: see [TailSkewness]
}

// group is a sample with the standard deviation of its logarithms.
type group struct {
	logs     []float64
	residual float64
	order    OrderTest // of the logarithms, whose order is that of their blocks; its zero value: they have none
}

// widened is the factor of the standard error of the group's mean.
func (g *group) widened() float64 { return max(1, g.order.Widened) }

// Pair compares by blocks that hold both, of which these are the logarithms of the ratios a / b. The interval has
// the given confidence. ok is false below 2 blocks, where there is no spread to judge by.
//
// A block is one stretch of time on one machine, so what slowed both designs cancels in its ratio. The logarithms are
// in the order of their blocks: where that shows that neighbours depend on each other, the interval is wider, and
// p-values are larger; see [TestOrder]. The same holds for a tail on one side; see [TailSkewness].
func ComparePaired(logs []float64, confidence float64) (c Comparison, ok bool) {
	if c, ok = PairedEstimate(logs); ok {
		c.Low, c.High = c.Interval(confidence)
	}
	return c, ok
}

// PairedEstimate is Pair without the interval, which takes longer than all the rest.
func PairedEstimate(logs []float64) (c Comparison, ok bool) {
	if len(logs) < 2 {
		return Comparison{N: len(logs)}, false
	}
	c = newComparison(Mean(logs), newGroup(logs))
	c.tail = TailSkewness(logs)
	return c, true
}

// ComparePairedUnordered is Student's t alone, for logarithms whose order means nothing, such as the means of groups of blocks
// that were measured in turn.
func ComparePairedUnordered(logs []float64, confidence float64) (c Comparison, ok bool) {
	if c, ok = PairedEstimate(logs); ok {
		c.groups[0].order, c.tail = OrderTest{}, 0
		c.Low, c.High = c.Interval(confidence)
	}
	return c, ok
}

// CompareUnpaired compares by blocks that hold one of the two each: a and b have the logarithms of what they
// measured, in the order of the blocks, which counts for each as it does in [Pair]. Nothing cancels, and the two may
// scatter differently: Welch's t (The significance of the difference between two means when the population variances
// are unequal, Biometrika 29, 1938). ok is false where either has fewer than 2 blocks.
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

// Order is what the order of the blocks says: of two groups that of the one whose part of the standard error it widens
// more.
func (c Comparison) Order() OrderTest {
	var most OrderTest
	for i := range c.groups {
		if g := &c.groups[i]; i == 0 || g.widened() > max(1, most.Widened) {
			most = g.order
		}
	}
	return most
}

// Widened is the factor by which the order of the blocks widens the interval of the given confidence, 1 where it does
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

// asMeasured asks spread for the numbers of blocks that there are.
const asMeasured = 0

// spread is the standard error of the logarithm of the ratio and its degrees of freedom, if each group
// had n blocks. One group has n-1 degrees; the formula is that of Satterthwaite (An approximate
// distribution of estimates of variance components, Biometrics Bulletin 2(6), 1946). Where the order of a group's
// blocks counts, n is its effective number of blocks, but for
// the degrees of freedom at least 1 + minDegrees.
func (c Comparison) spread(n int) (se, df float64) {
	variance, doubt, total := 0.0, 0.0, 0.0
	for _, g := range c.groups {
		size := float64(n)
		if n == asMeasured {
			size = float64(len(g.logs))
		}
		effective := size / (g.widened() * g.widened())
		v, degrees := g.residual*g.residual/effective, max(effective-1, min(size-1, minDegrees))
		variance += v
		doubt += v * v / degrees
		total += degrees
	}
	if doubt == 0 || c.runs { // no group scatters
		return math.Sqrt(variance), total
	}
	return math.Sqrt(variance), variance * variance / doubt
}

// P is the two-sided p-value of Student's t for the hypothesis that the ratio is 1: at most x exactly if the interval
// of confidence 1-x excludes 1. It is 0 where nothing scatters and the ratio is not 1.
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
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(max(mean/below, -mean/above)/se)
}

// Outside is twice the larger p-value of the two one-sided t tests for the hypothesis that the ratio is
// outside 1/(1+margin) .. 1+margin (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15(6),
// 1987), at most 1. It is at most x exactly where the interval of confidence 1-x lies within the margin.
func (c Comparison) EquivalenceP(margin float64) float64 {
	room := c.marginRoom(margin)
	se, df := c.spread(asMeasured)
	switch {
	case room <= 0:
		return 1
	case se == 0:
		return 0
	}
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(room/se)
}

// Permutation is the two-sided p-value of the same hypothesis by [SignFlip] or, unpaired, [LabelPermutation],
// which assume less.
func (c Comparison) Permutation() float64 {
	if len(c.groups) == 1 {
		return SignFlip(c.groups[0].logs)
	}
	return LabelPermutation(c.groups[0].logs, c.groups[1].logs)
}

// MinPermutationP is the least p-value that [Comparison.Permutation] can have.
func (c Comparison) MinPermutationP() float64 {
	if len(c.groups) == 1 {
		return math.Ldexp(2, -c.N)
	}
	return minLabelP(len(c.groups[0].logs), len(c.groups[1].logs))
}

// minGroup is the fewest blocks of each of two groups. A permutation of 2 beside 40 can have a p-value below
// 1 %, but how those 2 scatter is all but unknown, and Welch's t holds its confidence of 4 beside 40 no more.
const minGroup = 5

// minRuns is the fewest runs of each side by which it is judged.
const minRuns = 2

// Enough reports whether the permutation p-value of so many blocks can be at most alpha, and unpaired whether
// each group has minGroup. Of runs there are too few for permutations: two of each side are enough.
func (c Comparison) Enough(alpha float64) bool {
	if c.runs {
		return c.N >= minRuns
	}
	return c.MinPermutationP() <= alpha && (len(c.groups) == 1 || c.N >= minGroup)
}

// Least is the fewest blocks, of each group, that are enough.
func (c Comparison) MinBlocks(alpha float64) int {
	if c.runs {
		return minRuns
	}
	if len(c.groups) == 1 {
		return MinBlocks(alpha)
	}
	n := minGroup
	for minLabelP(n, n) > alpha {
		n++
	}
	return n
}

// Interval is the interval of the ratio at another confidence.
func (c Comparison) Interval(confidence float64) (low, high float64) {
	se, df := c.spread(asMeasured)
	half := tQuantile(0.5+confidence/2, df) * se
	below, above := c.tailFactors()
	return c.Ratio * math.Exp(-half*below), c.Ratio * math.Exp(half*above)
}

// Detectable is the least ratio above 1 that a comparison of so many blocks with this spread finds with
// power 0.8 when it is one of m at familywise error alpha:
//
//	exp((t(1-alpha/2m) + t(0.8)) standard error)
//
// with quantiles of Student's t. What the test for order costs on average is part of it; see [TestOrder].
func (c Comparison) Detectable(m int, alpha float64) float64 {
	return c.DetectableBy(asMeasured, m, alpha)
}

// DetectableBy is Detectable of n blocks, of each group.
func (c Comparison) DetectableBy(n, m int, alpha float64) float64 {
	se, df := c.spread(n)
	return math.Exp((tQuantile(1-alpha/2/float64(m), df) + tQuantile(0.8, df)) * se * c.orderCost(n))
}

// price is what the test for order costs on average if each group had n blocks: nothing where order means nothing, or
// has widened the interval already.
func (c Comparison) orderCost(n int) float64 {
	if o := c.Order(); o.Dependent || o.Widened == 0 {
		return 1
	}
	if n == asMeasured {
		n = c.N
	}
	return orderTestCost(float64(n))
}

// BlocksWithin is the number of blocks, of each group, at which the interval of the ratio, at that
// confidence, would lie within 1/(1+margin) and 1+margin if the ratio stays the one seen; at most limit.
// Whether they are enough for a verdict is another question: see Least.
func (c Comparison) BlocksWithin(margin, confidence float64, limit int) int {
	const least = 2
	return least + sort.Search(limit-least, func(i int) bool { return c.Within(least+i, margin, confidence) })
}

// Within reports whether it would with n blocks.
func (c Comparison) Within(n int, margin, confidence float64) bool {
	se, df := c.spread(n)
	return tQuantile(0.5+confidence/2, df)*se <= c.marginRoom(margin)
}

// Blocks is the number of blocks, of each group, at which a ratio becomes detectable, at most limit.
func (c Comparison) Blocks(ratio float64, m int, alpha float64, limit int) int {
	target := math.Exp(math.Abs(math.Log(ratio)))
	// The detectable ratio falls with every block.
	const least = 2
	return least + sort.Search(limit-least, func(i int) bool { return c.DetectableBy(least+i, m, alpha) <= target })
}

// BlocksForFamily is the number of blocks by which a paired comparison that is one of more finds what so many
// blocks find when it is one of few, 1 <= few <= more: the detectable ratio is the same.
func BlocksForFamily(blocks, few, more int, alpha float64) int {
	ratio := func(n, m int) float64 {
		return Comparison{Ratio: 1, groups: []group{{residual: 1, order: OrderTest{Widened: 1}}}}.DetectableBy(n, m, alpha)
	}
	n := blocks
	for target := ratio(blocks, max(few, 1)); ratio(n, max(more, 1)) > target; {
		n++
	}
	return n
}

package stat

import (
	"math"
	"sort"
)

// Detectable returns the smallest ratio above 1 that a comparison with this spread detects with power 0.8, if it is
// one of m at family-wise error alpha:
//
//	exp((t(1-alpha/2m) + t(0.8)) standard error)
//
// t are quantiles of Student's t. The result includes the mean cost of the order test; see [TestOrder].
func (c Comparison) Detectable(m int, alpha float64) float64 {
	return c.DetectableBy(asMeasured, m, alpha)
}

// DetectableBy is Detectable with n blocks in each group.
func (c Comparison) DetectableBy(n, m int, alpha float64) float64 {
	se, df := c.spread(n)
	return math.Exp((tQuantile(1-alpha/2/float64(m), df) + tQuantile(0.8, df)) * se * c.orderCost(n))
}

// orderCost returns the mean cost of the order test with n blocks in each group; 1 if the blocks have no order, or
// the interval is already widened.
func (c Comparison) orderCost(n int) float64 {
	if o := c.Order(); o.Dependent || o.Widened == 0 {
		return 1
	}
	if n == asMeasured {
		n = c.N
	}
	return orderTestCost(float64(n))
}

// BlocksWithin returns the number of blocks of each group at which the interval would lie within the margin if the
// ratio stays as estimated; at most limit. A verdict may need more; see MinBlocks.
func (c Comparison) BlocksWithin(margin, confidence float64, limit int) int {
	const least = 2
	return least + sort.Search(limit-least, func(i int) bool { return c.Within(least+i, margin, confidence) })
}

// Within reports whether the interval would lie within the margin with n blocks.
func (c Comparison) Within(n int, margin, confidence float64) bool {
	se, df := c.spread(n)
	return tQuantile(0.5+confidence/2, df)*se <= c.marginRoom(margin)
}

// Blocks returns the number of blocks of each group at which a ratio becomes detectable; at most limit.
func (c Comparison) Blocks(ratio float64, m int, alpha float64, limit int) int {
	target := math.Exp(math.Abs(math.Log(ratio)))
	// The detectable ratio decreases with every block.
	const least = 2
	return least + sort.Search(limit-least, func(i int) bool { return c.DetectableBy(least+i, m, alpha) <= target })
}

// BlocksForFamily returns the number of blocks at which a paired comparison, one of more, has the detectable ratio
// that it has with the given blocks as one of few; 1 <= few <= more.
func BlocksForFamily(blocks, few, more int, alpha float64) int {
	ratio := func(n, m int) float64 {
		unit := group{residual: 1, order: OrderTest{Widened: 1}}
		return Comparison{Ratio: 1, groups: []group{unit}}.DetectableBy(n, m, alpha)
	}
	n := blocks
	for target := ratio(blocks, max(few, 1)); ratio(n, max(more, 1)) > target; {
		n++
	}
	return n
}

package compare

import (
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// Reasons why two sides have no ratio. They are compared by their difference instead.
const (
	ZeroDivisor   = "the divisor is 0"                          // the median of side B, and not that of side A
	ZeroValue     = "a value is 0, which has no logarithm"      // the median of side A, and not that of side B
	SomeZeros     = "some values are 0, which has no logarithm" // both medians, or neither
	NegativeValue = "a value is below 0"
	OutOfRange    = "the values are too far apart, or too small, for a ratio"
)

// AbsoluteDifference replaces the ratio of two sides that have none. Its JSON is a contract.
type AbsoluteDifference struct {
	// difference of the medians, A - B or head - base; nil if there is a ratio
	Difference *result.Value `json:"difference,omitempty"`
	NoRatio    string        `json:"no_ratio,omitempty"` // why there is no ratio
}

// Larger ratios, and values below the smallest normal number, are not meaningful measurements of one program. Their
// digits would be noise.
const (
	largestRatio = 1e12
	minMeasured  = 0x1p-1022
)

// noRatio returns why values have no geometric mean of ratios; "" if they have one. Values are finite.
func noRatio(xs, ys []float64) string {
	least := min(slices.Min(xs), slices.Min(ys))
	most := max(slices.Max(xs), slices.Max(ys))
	switch {
	case least < 0:
		return NegativeValue
	case least == 0:
		switch x, y := stat.Median(xs), stat.Median(ys); {
		case y == 0 && x != 0:
			return ZeroDivisor
		case x == 0 && y != 0:
			return ZeroValue
		}
		return SomeZeros
	case least < minMeasured || most/least > largestRatio:
		return OutOfRange
	}
	return ""
}

// judgeable reports whether a gate can decide by a ratio, or by a test of counts in its place. A limit in percent
// is meaningless between 0 and fractions of unknown size. Ratios of negative values have no order, even if they
// never vary.
func (c *metricComparison) judgeable() bool {
	return c.NoRatio == "" || c.Exact && c.NoRatio != NegativeValue || hasZero(c.NoRatio) && c.counts
}

// hasZero reports whether zeros are the reason. Then a test for a difference is still possible.
func hasZero(why string) bool { return why == ZeroDivisor || why == ZeroValue || why == SomeZeros }

// zeroOffset returns what is added to values before taking logarithms if some are 0: 1 for counts, otherwise the
// smallest positive value. A test for a difference stays valid under any increasing function of the values; a ratio
// does not.
func zeroOffset(xs, ys []float64) float64 {
	if whole(xs) && whole(ys) {
		return 1
	}
	least := math.Inf(1)
	for _, x := range slices.Concat(xs, ys) {
		if x > 0 {
			least = min(least, x)
		}
	}
	return least
}

// difference returns the difference of the medians, A - B.
func difference(xs, ys []float64) float64 { return stat.Median(xs) - stat.Median(ys) }

// withoutRatio removes the ratio from a verdict, and everything that follows from it. Equivalence within a margin
// then does not exist.
func (v *Verdict) withoutRatio(c metricComparison) {
	d := result.Value(c.Difference)
	if !c.Exact || c.NoRatio == NegativeValue { // the ratio to zero is infinite
		v.Ratio, v.Low, v.High = result.Unavailable, result.Unavailable, result.Unavailable
	}
	v.Detectable, v.NoRatio, v.Difference = result.Unavailable, c.NoRatio, &d
	v.RankComparison, v.Correlation, v.Widened, v.Tail = nil, 0, 0, 0
	v.forgetNeeded()
	if v.Verdict == Equivalent || v.Verdict == "" {
		v.Verdict = Undecided
	}
}

// forgetNeeded removes how many blocks or runs would decide a verdict, and why.
func (v *Verdict) forgetNeeded() {
	v.MoreBlocks, v.MoreRuns, v.MostBlocks, v.EnoughBlocks = nil, nil, 0, 0
	v.Nearly, v.Vetoed, v.Ended = "", false, false
}

// withoutRatio does the same for a gate. Any cost above zero exceeds every limit. A test for a difference cannot
// show that the cost is not above zero.
func (d *GateDecision) withoutRatio(c metricComparison) {
	difference := result.Value(c.Difference)
	d.Cost, d.Low, d.High = result.Unavailable, result.Unavailable, result.Unavailable
	d.NoRatio, d.Difference, d.MoreBlocks, d.MoreLayouts = c.NoRatio, &difference, nil, nil
	if d.Decision == Pass && !d.Exact {
		d.Decision = Undecided
	}
}

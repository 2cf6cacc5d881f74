package compare

import (
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// Reasons why two sides have no ratio. They have a difference all the same.
const (
	ZeroDivisor   = "a value to divide by is 0"            // some of side B's
	ZeroValue     = "a value is 0, which has no logarithm" // some of side A's
	NegativeValue = "a value is below 0"
	OutOfRange    = "the values are too far apart, or too small, for a ratio"
)

// Unrelated is what is said of two sides in place of a ratio. Its JSON is a contract.
type AbsoluteDifference struct {
	// of the medians, A - B, or head - base; nil if there is a ratio
	Difference *result.Value `json:"difference,omitempty"`
	NoRatio    string        `json:"no_ratio,omitempty"` // why there is none, as of a value that came of nothing
}

// Ratios beyond mostApart, and values below the smallest normal number, which have few digits, are no measurements of
// one program: printed, they would be digits without a meaning.
const (
	largestRatio = 1e12
	minMeasured  = 0x1p-1022
)

// noRatio is why values have no geometric mean of ratios; "" if they have one. Values are finite.
func noRatio(xs, ys []float64) string {
	least := min(slices.Min(xs), slices.Min(ys))
	most := max(slices.Max(xs), slices.Max(ys))
	switch {
	case least < 0:
		return NegativeValue
	case slices.Min(ys) == 0:
		return ZeroDivisor
	case least == 0:
		return ZeroValue
	case least < minMeasured || most/least > largestRatio:
		return OutOfRange
	}
	return ""
}

// counted reports whether a contrast has a ratio that gates may judge by, or a test of counts in its place: between 0
// and fractions of unknown size a limit in per cent says nothing.
// A quotient of negative values has no order, even where they never vary.
func (c *MetricComparison) judgeable() bool {
	return c.NoRatio == "" || c.Exact && c.NoRatio != NegativeValue || hasZero(c.NoRatio) && c.counts
}

// zero reports whether zeros are the reason: whether there is a difference can be tested then.
func hasZero(why string) bool { return why == ZeroDivisor || why == ZeroValue }

// offset is what is added to values of which some are 0 before logarithms are taken: one count, or of fractions the
// smallest. A test of a difference holds under any rising function of the values; a ratio does not.
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

// difference is that of the medians, A - B.
func difference(xs, ys []float64) float64 { return stat.Median(xs) - stat.Median(ys) }

// withoutRatio takes the ratio out of a verdict, and all that follows from one. Without it nothing is equivalent within
// a margin.
func (v *Verdict) withoutRatio(c MetricComparison) {
	d := result.Value(c.Difference)
	if !c.Exact || c.NoRatio == NegativeValue { // something of nothing is infinitely more
		v.Ratio, v.Low, v.High = result.Unavailable, result.Unavailable, result.Unavailable
	}
	v.Detectable, v.NoRatio, v.Difference, v.MoreBlocks, v.Nearly = result.Unavailable, c.NoRatio, &d, nil, ""
	v.RankComparison, v.MoreRuns, v.Correlation, v.Widened, v.Tail, v.Vetoed = nil, nil, 0, 0, 0, false
	if v.Verdict == Equivalent || v.Verdict == "" {
		v.Verdict = Undecided
	}
}

// withoutRatio does the same for a gate. What costs more than nothing is over any limit; that something costs no more
// than that is not shown by a test of a difference.
func (v *GateResult) withoutRatio(c MetricComparison) {
	d := result.Value(c.Difference)
	v.Cost, v.Low, v.High = result.Unavailable, result.Unavailable, result.Unavailable
	v.NoRatio, v.Difference, v.MoreBlocks, v.MoreLayouts = c.NoRatio, &d, nil, nil
	if v.Decision == Pass && !v.Exact {
		v.Decision = Undecided
	}
}

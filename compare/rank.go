package compare

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// Ranked is a second opinion on a comparison, by ranks. The verdict is by the mean, which is what many operations cost
// together; ranks say how the typical block compares, however far off a few blocks are. See [stat.Comparison.Rank].
type RankComparison struct {
	RankRatio result.Value `json:"rank_ratio"` // the Hodges-Lehmann estimate of A / B
	// its interval, of the confidence of Low and High; null where there are too few blocks
	RankLow  result.Value `json:"rank_low"`
	RankHigh result.Value `json:"rank_high"`
	Note     string       `json:"note,omitempty"` // where mean and ranks disagree: a sentence
}

// The sentences on a disagreement begin with one of these.
const (
	outliersOnly = "outliers, not level: "               // the means differ, and the typical blocks do not
	outliersHide = "the level differs, under outliers: " // the typical blocks differ, and the means say nothing
)

// narrower is how much narrower than the half-width of the mean's interval the distance of the ranks' estimate from the
// end of its interval that is nearer to 1 must be, for outliers to hide a difference from the mean. Without outliers
// the two are about the same.
const rankWidthLimit = 0.8

// ranked is the second opinion on a comparison, one of m.
func (j Criteria) ranked(s *sequentialState, m int) *RankComparison {
	confidence := 1 - s.level(1-ratioConfidence)
	r := s.ratio.Rank(confidence)
	o := &RankComparison{RankRatio: result.Value(r.Ratio), RankLow: result.Value(r.Low), RankHigh: result.Value(r.High)}
	low, high := s.ratio.Interval(confidence)
	near := math.Log(r.Ratio / r.Low)
	if r.Ratio < 1 {
		near = math.Log(r.High / r.Ratio)
	}
	width := 2 * near / math.Log(high/low)
	sure := s.ratio.Rank(1 - s.level(j.Alpha/float64(m))) // as sure as a verdict among m
	o.Note = j.disagreement(s, r, sure, width)
	return o
}

// disagreement says how the ranks contradict a verdict; "" where they do not. r is their interval, sure the one that a
// verdict asks for, and width is how wide r is towards 1, as a share of the mean's.
func (j Criteria) disagreement(s *sequentialState, r, sure stat.RankEstimate, width float64) string {
	mean, middle := math.Log(s.ratio.Ratio), math.Log(r.Ratio)
	differ := sure.Low > 1 || sure.High < 1
	interval := fmt.Sprintf("(%.4gx, %.4g to %.4g)", r.Ratio, r.Low, r.High)
	switch {
	case math.IsNaN(r.Low):
		return ""
	case s.verdict == differs && differ && mean*middle < 0:
		return outliersOnly + "the means differ, but by rank the typical block differs the other way " + interval
	case s.verdict == differs && !differ && math.Abs(middle) < math.Abs(mean)/2:
		return outliersOnly + "the means differ, but by rank the typical block does not " + interval
	case s.verdict != differs && s.enough && differ && width <= rankWidthLimit && max(r.Ratio, 1/r.Ratio) > 1+j.Margin:
		return outliersHide + "by rank the typical block differs " + interval + "; a few blocks are so far off that " +
			"the mean does not show it"
	}
	return ""
}

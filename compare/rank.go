package compare

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// RankComparison is a second, rank-based estimate of a comparison. Verdicts use the mean, which is the cost of many
// operations together. Ranks describe the typical block and ignore how far off a few blocks are. See
// [stat.Comparison.Rank].
type RankComparison struct {
	RankRatio result.Value `json:"rank_ratio"` // the Hodges-Lehmann estimate of A / B
	// interval of the same confidence as Low and High; null with too few blocks
	RankLow  result.Value `json:"rank_low"`
	RankHigh result.Value `json:"rank_high"`
	Note     string       `json:"note,omitempty"` // a sentence if mean and ranks disagree
}

// Prefixes of the notes on disagreements.
const (
	outliersOnly = "outliers only: "              // the means differ, the typical blocks do not
	outliersHide = "outliers hide a difference: " // the typical blocks differ, the means do not show it
)

// rankWidthLimit is the largest ratio of two half-widths, rank interval (towards 1) to mean interval, at which
// outliers can hide a difference. Without outliers the two are about equal.
const rankWidthLimit = 0.8

// ranked returns the rank-based estimate of a comparison, one of m.
func (c Criteria) ranked(s *sequentialState, m int) *RankComparison {
	confidence := 1 - s.level(1-ratioConfidence)
	r := s.ratio.Rank(confidence)
	o := &RankComparison{RankRatio: result.Value(r.Ratio), RankLow: result.Value(r.Low), RankHigh: result.Value(r.High)}
	low, high := s.ratio.Interval(confidence)
	near := math.Log(r.Ratio / r.Low)
	if r.Ratio < 1 {
		near = math.Log(r.High / r.Ratio)
	}
	width := 2 * near / math.Log(high/low)
	sure := s.ratio.Rank(1 - s.level(c.Alpha/float64(m))) // at the confidence of a verdict among m
	o.Note = c.disagreement(s, r, sure, width)
	return o
}

// disagreement says how ranks contradict a verdict; "" if they do not. r has the reported confidence and sure that
// of a verdict. width is the ratio of two half-widths; see rankWidthLimit.
func (c Criteria) disagreement(s *sequentialState, r, sure stat.RankEstimate, width float64) string {
	mean, middle := math.Log(s.ratio.Ratio), math.Log(r.Ratio)
	differ := sure.Low > 1 || sure.High < 1
	interval := fmt.Sprintf("(%.4gx, %.4g to %.4g)", r.Ratio, r.Low, r.High)
	switch {
	case math.IsNaN(r.Low):
		return ""
	case s.verdict == differs && differ && mean*middle < 0:
		return outliersOnly + "the means differ, but the typical block (by rank) differs the other way " + interval
	case s.verdict == differs && !differ && math.Abs(middle) < math.Abs(mean)/2:
		return outliersOnly + "the means differ, but the typical block (by rank) does not " + interval
	case s.verdict != differs && s.enough && differ && width <= rankWidthLimit && max(r.Ratio, 1/r.Ratio) > 1+c.Margin:
		return outliersHide + "the typical block (by rank) differs " + interval + "; a few outlying blocks hide this " +
			"in the mean"
	}
	return ""
}

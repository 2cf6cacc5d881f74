package explain

import "math"

// Coverage is the fraction of the measured gains that plausible ranges are to hold.
const Coverage = 0.8

// Range turns the estimate of a gain into a plausible range, by the errors of such estimates in programs of which the
// fix was measured: programs of a corpus on a machine with two CPUs, with a trace, in which the finding was right.
type Range struct {
	Below float64 `json:"-"` // errors in units of the spread of an estimate
	Above float64 `json:"-"`

	Programs int     `json:"programs"`     // number of these programs; 0: the range is unknown
	Held     float64 `json:"held"`         // fraction of their gains in the ranges that other programs give
	Width    float64 `json:"median_width"` // of these ranges, as a fraction of wall time
	Own      bool    `json:"own"`          // the programs have this finding; otherwise any
}

// RangeOf returns the range of the gains of a finding: one of its own, if enough programs have that finding, or that of
// all findings.
func RangeOf(name Name) Range { return rangeOf(calibrated, name) }

// rangeOf is RangeOf with some ranges.
func rangeOf(ranges map[Name]Range, name Name) Range {
	if r, ok := ranges[name]; ok {
		return r
	}
	return ranges[allFindings]
}

// allFindings is the key of the range for findings of which too few programs are known.
const allFindings Name = ""

// Spread is the unit of the errors of an estimate. Estimates near 0 or 1 have smaller errors than those near 0.5.
func Spread(estimate float64) float64 { return estimate*(1-estimate) + 0.05 }

// Of returns the plausible range of a gain, from 0 to 0.99. It contains the estimate.
func (r Range) Of(estimate float64) (low, high float64) {
	s := Spread(estimate)
	return math.Min(estimate, math.Max(0, estimate+r.Below*s)), math.Max(estimate, math.Min(0.99, estimate+r.Above*s))
}

// plausible returns the gain with a plausible range, or as it is if that is unknown. A nil gain remains nil.
func (g *Gain) plausible(r Range) *Gain {
	if g == nil || r.Programs == 0 {
		return g
	}
	low, high := r.Of(g.Estimate)
	return newGain(g.Estimate, low, high)
}

// rangeOf returns the range of a finding, or an unknown one without a trace: ranges come from programs with one.
func (a *analysis) rangeOf(name Name) Range {
	if a.trace == nil {
		return Range{}
	}
	return rangeOf(a.ranges, name)
}

package explain

import "math"

// Coverage is the fraction of the measured gains that plausible ranges are to hold.
const Coverage = 0.8

// Range turns the gain that a rule computes into an estimate and a plausible range, by the errors of such gains in
// programs of which the fix was measured: programs of a corpus on a machine with two CPUs, with a trace, in which the
// finding was right.
type Range struct {
	Shift float64 `json:"-"` // mean error of gains of this finding, in units of c(1-c) for a computed gain c
	Below float64 `json:"-"` // errors that remain, in units of Spread
	Above float64 `json:"-"`

	Programs int     `json:"programs"`      // number of these programs; 0: the range is unknown
	Held     float64 `json:"held"`          // fraction of their gains in the ranges that other programs give
	Width    float64 `json:"median_width"`  // of these ranges, as a fraction of wall time
	Distance float64 `json:"mean_distance"` // of these estimates from the gains, as a fraction of wall time
	Own      bool    `json:"own"`           // the programs have this finding; otherwise any
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

// Spread is the unit of the errors that remain. Gains near 0 or 1 have smaller errors than those near 0.5.
func Spread(computed float64) float64 { return computed*(1-computed) + 0.05 }

// mostError is by how much a gain may exceed the most that a rule says: that is measured, too.
const mostError = 0.05

// Of returns the estimate of a gain, and its plausible range, from what its rule computes. They are from 0 to 0.99. If
// the rule knows the most that the change can save, that limits the estimate, and with mostError the range. The range
// contains the estimate.
func (r Range) Of(g Gain) (estimate, low, high float64) {
	most, spread := g.most, Spread(g.Computed)
	if most == 0 {
		most = 0.99
	}
	estimate = math.Max(0, math.Min(most, g.Computed+r.Shift*g.Computed*(1-g.Computed)))
	most = math.Min(0.99, most+mostError)
	return estimate, math.Max(0, math.Min(estimate, estimate+r.Below*spread)),
		math.Max(estimate, math.Min(most, estimate+r.Above*spread))
}

// plausible returns the gain with the estimate and range of r, or as it is if that is unknown. A nil gain remains nil.
func (g *Gain) plausible(r Range) *Gain {
	if g == nil || r.Programs == 0 {
		return g
	}
	p := newGain(r.Of(*g))
	p.Computed, p.most = g.Computed, g.most
	return p
}

// correct returns the findings with the estimates and ranges that errors of other programs suggest, without those that
// then gain too little. Whether one is a symptom of another is decided by the gains that rules compute.
func (a *analysis) correct(found []Finding) []Finding {
	for i := range found {
		found[i].Gain = found[i].Gain.plausible(a.rangeOf(found[i].Name))
	}
	return worthwhile(found)
}

// rangeOf returns the range of a finding, or an unknown one without a trace: ranges come from programs with one.
func (a *analysis) rangeOf(name Name) Range {
	if a.trace == nil {
		return Range{}
	}
	return rangeOf(a.ranges, name)
}

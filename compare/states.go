package compare

import (
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// addStates adds to the summary of periodic trials their steady states, if disturbances change the metric. Low and
// High then span the states, and the summary is not exact. It reports whether there are several states.
func addStates(s *result.Summary, good []*result.Trial, xs []float64) bool {
	if len(xs) != len(good) || !slices.ContainsFunc(good,
		func(t *result.Trial) bool { return t.Disturbed.Changes(s.Metric) }) {
		return false
	}

	low, high := math.Inf(1), math.Inf(-1)
	for i, t := range good {
		if t.Period == nil {
			return false // a random sample
		}
		low, high = min(low, xs[i]), max(high, xs[i])
		alone := []result.SteadyState{{Share: 1, Phases: []float64{}, Metrics: t.Metrics}}
		if d := t.Disturbed; d != nil && len(d.States) > 0 {
			alone = d.States
			low, high = min(low, float64(d.Range[s.Metric][0])), max(high, float64(d.Range[s.Metric][1]))
		}
		for _, x := range alone {
			addState(s, result.State{Value: x.Metrics.Get(s.Metric), Share: x.Share / float64(len(good)),
				Phases: slices.Clone(x.Phases)})
		}
	}

	mean := result.Value(stat.Mean(xs))
	s.Low, s.High = result.Value(low), result.Value(high)
	s.Mean = &result.Interval{Mean: mean, Low: s.Low, High: s.High}
	return true
}

// addState adds a state, or merges it into an equal one.
func addState(s *result.Summary, x result.State) {
	for i := range s.States {
		o := &s.States[i]
		if math.Abs(float64(o.Value-x.Value)) <= result.SameState*math.Abs(float64(o.Value)) {
			o.Share += x.Share
			o.Phases = append(o.Phases, x.Phases...)
			return
		}
	}
	if x.Phases == nil {
		x.Phases = []float64{}
	}
	s.States = append(s.States, x)
}

// repeats reports whether a summary is of periodic trials only, in one steady state or several.
func repeats(s result.Summary) bool { return s.Exact || len(s.States) > 0 }

// repeatingPair reports whether the measures of both rows have no sampling error.
func repeatingPair(p [2]*Row) bool {
	return repeats(p[0].Metric(measureOf(p[0]))) && repeats(p[1].Metric(measureOf(p[1])))
}

// exactVerdicts returns the verdicts on pairs of periodic trials, whatever their number. The ratio is exact if each
// side has one steady state. Otherwise Low and High span the ratios of all states.
func (c Criteria) exactVerdicts(rows []Row) []Verdict {
	var list []Verdict
	for _, p := range c.pairs(rows, (*Row).excluded) {
		if !repeatingPair(p) {
			continue
		}
		sa, sb := p[0].Metric(measureOf(p[0])), p[1].Metric(measureOf(p[1]))
		a, b := sa.Median, sb.Median
		if a == b {
			a, b = 1, 1 // also if both take no time
		}
		if !(a > 0 && b > 0) {
			continue
		}
		v := newPairedVerdict(p[0], p[1], stat.Comparison{N: min(p[0].N, p[1].N), Ratio: float64(a / b)})
		v.Exact, v.Low, v.High, v.Margin = true, v.Ratio, v.Ratio, c.Margin
		v.P, v.Permutation, v.Detectable = result.Unavailable, result.Unavailable, result.Unavailable
		v.spanStates(sa, sb)
		v.Verdict = v.stateVerdict()
		list = append(list, v)
	}
	return list
}

// widenToStates adds the steady states of its rows to a verdict that was decided by samples. If the verdict does
// not hold in all of them it becomes undecided, and more blocks would not decide it.
func (v *Verdict) widenToStates(a, b *Row) {
	sa, sb := a.Metric(v.Metric), b.Metric(v.Metric)
	if len(sa.States)+len(sb.States) == 0 {
		return
	}
	v.spanStates(sa, sb)
	v.forgetNeeded()
	excludes := v.Low > 1 || v.High < 1
	if v.Verdict == Equivalent {
		excludes = v.stateVerdict() == Equivalent
	}
	if !excludes {
		v.Verdict = Undecided
	}
}

// spanStates extends Low and High to the ratios of all states, and lists these.
func (v *Verdict) spanStates(a, b result.Summary) {
	if len(a.States)+len(b.States) == 0 {
		return
	}

	v.Exact = false
	if !v.Low.Known() || !v.High.Known() {
		v.Low, v.High = v.Ratio, v.Ratio
	}

	if len(a.States) > 0 {
		v.Low, v.High = v.Low*a.Low/a.Median, v.High*a.High/a.Median
	}

	if len(b.States) > 0 {
		v.Low, v.High = v.Low*b.Median/b.High, v.High*b.Median/b.Low
	}

	for _, x := range statesOf(a) {
		for _, y := range statesOf(b) {
			s := result.State{Value: x.Value / y.Value, Share: x.Share * y.Share, Phases: x.Phases, A: &x.Value,
				B: &y.Value}
			if len(a.States) < 2 {
				s.Phases = y.Phases
			}
			v.States = append(v.States, s)
		}
	}
}

// statesOf returns the states of a summary; a single one if no others are known.
func statesOf(s result.Summary) []result.State {
	if len(s.States) > 0 {
		return s.States
	}
	return []result.State{{Value: s.Median, Share: 1, Phases: []float64{}}}
}

// stateVerdict returns the verdict on a ratio without sampling error: the one on which all steady states agree,
// otherwise undecided. A ratio within the margin is equivalent.
func (v *Verdict) stateVerdict() string {
	of := func(ratio float64) string {
		if ratio <= 1+v.Margin && 1/ratio <= 1+v.Margin {
			return Equivalent
		}
		return directedVerdict(differs, ratio, v.Metric)
	}
	if low := of(float64(v.Low)); low == of(float64(v.High)) {
		return low
	}
	return Undecided
}

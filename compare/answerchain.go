package compare

import (
	"math"

	"github.com/brewput/brewput/result"
)

// relationOf compares the best row with another one: by their verdict, by a chain of verdicts over other rows, or, if
// there is none, by whether the interval of the best is apart from the other one, on the faster side.
func (g *answerGroup) relationOf(c *contest, best, other *Row) (relation, *Verdict) {
	if v, flipped := g.verdict(best, other); v != nil {
		switch {
		case v.Verdict == Equivalent:
			return relationEqual, v
		case v.Verdict == Faster && !flipped || v.Verdict == Slower && flipped:
			return relationAhead, v
		}
		return relationUndecided, v // also if verdicts contradict each other
	}
	if low, equal := g.chain(c, best, other); low > 1 {
		return relationAhead, nil
	} else if equal && speedRatio(best, other) < 1.02*1.02 {
		return relationEqual, nil
	}

	more, less := best.interval(), other.interval()
	if !result.LargerIsBetter(measureOf(best)) {
		more, less = less, more
	}
	if known := more[0] > 0 && less[0] > 0; known && less[1] < more[0] {
		return relationAhead, nil
	}
	return relationUndecided, nil
}

// interval is the interval of the row's level; zeros if there is none.
func (r *Row) interval() [2]float64 {
	s := r.Measure()
	low, high := s.Low, s.High
	if s.Mean != nil {
		low, high = s.Mean.Low, s.Mean.High
	}
	if !low.Known() || !high.Known() {
		return [2]float64{}
	}
	return [2]float64{float64(low), float64(high)}
}

// chain follows verdicts from one row to another, over rows of which each is faster than the next or equivalent. low is
// the largest lower bound of the speed of from, relative to that of to, that follows from such a chain; 0 without one.
// Two rows that are equivalent may differ by more than two of which one is faster. equal means that a chain has no
// difference.
func (g *answerGroup) chain(c *contest, from, to *Row) (low float64, equal bool) {
	reached, alike := map[*Row]float64{from: 1}, map[*Row]bool{from: true}
	for range c.linked {
		for _, a := range c.linked {
			for _, b := range c.linked {
				step, ok := g.step(a, b)
				if !ok || b == from {
					continue
				}
				reached[b] = max(reached[b], reached[a]*step)
				alike[b] = alike[b] || alike[a] && step <= 1
			}
		}
	}
	return reached[to], alike[to]
}

// step is the lower bound of the speed of a, relative to that of b, if a verdict says that a is faster or equivalent.
// It is above 1 only if a is faster.
func (g *answerGroup) step(a, b *Row) (low float64, ok bool) {
	v, flipped := g.verdict(a, b)
	if v == nil || a == b {
		return 0, false
	}
	low, high := asSpeed(float64(v.Low), v.Metric), asSpeed(float64(v.High), v.Metric)
	if flipped {
		low, high = 1/low, 1/high
	}
	low = min(low, high) // NaN if one is unknown
	switch {
	case v.Verdict == Faster && !flipped || v.Verdict == Slower && flipped:
		if !(low > 1) {
			low = math.Nextafter(1, 2)
		}
		return low, true
	case v.Verdict == Equivalent && low > 0:
		return min(low, 1), true
	}
	return 0, false
}

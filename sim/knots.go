package sim

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Knot is a point of the quantile function of a cost: a draw is at most Ns nanoseconds (for [Costs.Burn], millionths)
// with a probability of At millionths.
type Knot struct{ At, Ns int64 }

// Knots returns a cost that is drawn from a piecewise linear quantile function through the knots. Both coordinates
// ascend, At strictly, from 0 to 1000000, and no Ns is negative; otherwise Knots panics. Unlike evenly spaced
// quantiles, knots separate a long tail from the body of the distribution. One knot is a fixed cost, and no knots are
// no cost.
func Knots(knots ...Knot) Cost {
	times, at := make([]int64, len(knots)), make([]int64, len(knots))
	for i, k := range knots {
		times[i], at[i] = k.Ns, k.At
		if i > 0 && k.At <= knots[i-1].At {
			panic("sim: probabilities of a cost must ascend")
		}
	}
	if n := len(knots); n > 1 && (at[0] != 0 || at[n-1] != whole) {
		panic("sim: probabilities of a cost must begin with 0 and end with 1000000 millionths")
	}
	c := Quantiles(times...)
	if c.quantiles != nil && !even(at) {
		c.at = at
	}
	return c
}

// between returns number i of n points that divide the interval evenly.
func between(from, to int64, i, n int) int64 { return from + (to-from)*int64(i)/int64(n) }

// even reports whether the points between the first and the last are evenly spaced.
func even(at []int64) bool {
	n := len(at) - 1
	for i, p := range at {
		if p != between(at[0], at[n], i, n) {
			return false
		}
	}
	return true
}

// quantile returns the value of the quantile function at x/2^64, for knots that are not evenly spaced.
func (c *Cost) quantile(x uint64) int64 {
	place, frac := bits.Mul64(x, whole)
	i, end := 0, len(c.at)-1
	for end-i > 1 { // at[i] <= place < at[end]
		if middle := int(uint(i+end) >> 1); c.at[middle] <= int64(place) {
			i = middle
		} else {
			end = middle
		}
	}
	rise, width := uint64(c.quantiles[end]-c.quantiles[i]), uint64(c.at[end]-c.at[i])
	hi, lo := bits.Mul64(rise, place-uint64(c.at[i]))
	below, _ := bits.Mul64(rise, frac)
	lo, carry := bits.Add64(lo, below, 0)
	part, _ := bits.Div64(hi+carry, lo, width) // the position is within the width, so the quotient is below the rise
	return c.quantiles[i] + int64(part)
}

// unplaced is the probability of a quantile without one in the text.
const unplaced = -1

// probability separates a quantile and its probability in a text, in millionths, or unplaced. before are those to its
// left.
func probability(part string, before []int64) (value string, at int64, err error) {
	value, text, is := strings.Cut(part, "@")
	if !is {
		return value, unplaced, nil
	}
	number, hasUnit := strings.CutSuffix(text, "%")
	at, ok := parsePercent(number)
	switch {
	case !hasUnit || !ok || at > whole:
		return value, 0, fmt.Errorf("%q is not a probability; write a quantile with one as in 60us@99.5%%, with at "+
			"most four digits after the point", text)
	case len(before) == 0 && at != 0:
		return value, 0, fmt.Errorf("%s is the first quantile, which is at 0%%, not at %s", part, text)
	case len(before) > 0 && at <= slices.Max(before):
		return value, 0, fmt.Errorf("%s does not come after the probability before it; write probabilities in rising "+
			"order, as in 5us/8us@90%%/60us", part)
	}
	return value, at, nil
}

// spaced returns the cost with these quantiles. Unplaced ones are evenly spaced between the others, with the first at
// 0 and the last at 1000000.
func spaced(times, at []int64) (Cost, error) {
	last := len(at) - 1
	switch {
	case !slices.ContainsFunc(at, func(p int64) bool { return p != unplaced }):
		return Quantiles(times...), nil
	case last == 0:
		return Cost{}, fmt.Errorf("a single time has no probability; write it without @")
	case at[last] != unplaced && at[last] != whole:
		return Cost{}, fmt.Errorf("the last quantile is at 100%%, not at %s", perCent(at[last]))
	}
	at[0], at[last] = 0, whole
	for a, i := 0, 1; i <= last; i++ {
		if at[i] == unplaced {
			continue
		}
		for j := a + 1; j < i; j++ {
			at[j] = between(at[a], at[i], j-a, i-a)
		}
		if at[a+1] == at[a] {
			return Cost{}, fmt.Errorf("there are more quantiles between %s and %s than millionths", perCent(at[a]),
				perCent(at[i]))
		}
		a = i
	}
	knots := make([]Knot, len(at))
	for i := range knots {
		knots[i] = Knot{at[i], times[i]}
	}
	return Knots(knots...), nil
}

// marked reports which quantiles need a probability in the text. The others are evenly spaced between those.
func (c *Cost) marked() []bool {
	marks := make([]bool, len(c.quantiles))
	if c.at == nil {
		return marks
	}
	last := len(c.at) - 1
	for a := 0; a < last; {
		b := last // the farthest one such that those before it follow
		for !even(c.at[a : b+1]) {
			b--
		}
		marks[b], a = b < last, b
	}
	return marks
}

package report

import (
	"math"
	"strconv"

	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/result"
)

// unavailable stands for a number that could not be measured. It is never 0. A narrow page shows notAvailable
// instead, with a footnote.
const (
	unavailable  = "unavailable"
	notAvailable = "n/a"
)

// scale is a unit with its prefix and the number of decimals. A median and the ends of its interval are printed in
// one scale.
type scale struct {
	divisor  float64 // in units of the metric
	suffix   string
	decimals int
}

// step is one prefix of a unit, for numbers below limit.
type step struct {
	divisor, limit float64
	suffix         string
}

// unitSteps returns the prefixes of a unit in increasing order. Rates keep four digits before they change to k, so
// that 249.6/s and 1498/s in one column are easy to compare.
func unitSteps(u result.Unit) []step {
	switch u {
	case result.Nanoseconds:
		return []step{{1, 1e3, "ns"}, {1e3, 1e6, "µs"}, {1e6, 1e9, "ms"}, {1e9, math.Inf(1), "s"}}
	case result.Seconds:
		return []step{{1e-9, 1e-6, "ns"}, {1e-6, 1e-3, "µs"}, {1e-3, 1, "ms"}, {1, math.Inf(1), "s"}}
	default:
		s := string(u)
		return []step{{1, 1e4, s}, {1e3, 1e6, "k" + s}, {1e6, 1e9, "M" + s}, {1e9, math.Inf(1), "G" + s}}
	}
}

// scaleFor returns the scale that prints v with that many significant digits.
func scaleFor(v float64, u result.Unit, digits int) scale {
	v = math.Abs(v)
	steps := unitSteps(u)
	if v == 0 {
		base := 0
		if u == result.Seconds {
			base = len(steps) - 1
		}
		return scale{steps[base].divisor, steps[base].suffix, 0}
	}
	for i, s := range steps {
		decimals := decimal.Places(v/s.divisor, digits)
		// Rounding may lift 999.96 to 1000, which the next prefix prints.
		if round(v/s.divisor, decimals)*s.divisor < s.limit*(1-1e-12) || i == len(steps)-1 {
			return scale{s.divisor, s.suffix, decimals}
		}
	}
	return scale{divisor: 1}
}

func round(x float64, decimals int) float64 {
	p := math.Pow10(decimals)
	return math.Round(x*p) / p
}

// number prints v without its unit.
func (s scale) number(v float64) string {
	if math.IsInf(v, 0) {
		return "∞"
	}
	x := v / s.divisor
	if size := math.Abs(x); size >= mostPlain || size > 0 && size < leastPlain {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	return strconv.FormatFloat(x, 'f', s.decimals, 64)
}

// Numbers outside of these limits are printed with an exponent: 1e+299 has hundreds of digits, and 1e-320 none that
// differ from 0.
const (
	mostPlain  = 1e7
	leastPlain = 1e-8
)

// number prints a value with its unit.
func number(v result.Value, u result.Unit, digits int) string {
	if !v.Known() {
		return unavailable
	}
	if math.IsInf(float64(v), 0) {
		return "∞"
	}
	s := scaleFor(float64(v), u, digits)
	return s.number(float64(v)) + s.suffix
}

// interval prints the interval of a summary in the scale of its median. ok is false if there is none.
func interval(s result.Summary, digits int) (text string, ok bool) {
	if !s.Low.Known() || !s.High.Known() || !s.Median.Known() || math.IsInf(float64(s.Median), 0) {
		return "", false
	}
	sc := scaleFor(float64(s.Median), result.UnitOf(s.Metric), digits)
	return "[" + sc.number(float64(s.Low)) + ", " + sc.number(float64(s.High)) + "]", true
}

// percentCell prints a share of 0 to 1 in a column of a table, which keeps one decimal. Sentences have
// [decimal.Percent].
func percentCell(x float64) string {
	if math.IsNaN(x) {
		return unavailable
	}
	return strconv.FormatFloat(100*x, 'f', 1, 64) + "%"
}

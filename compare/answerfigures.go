package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brewput/brewput/result"
)

// times prints a ratio with three significant digits, as in 1.99x, and close ratios with the digits that tell them
// from 1.
func times(x float64) string {
	switch {
	case math.Abs(x-1) < 0.0995:
		return strconv.FormatFloat(x, 'f', 3, 64) + "x"
	case x >= 1e6:
		return fmt.Sprintf("%.3gx", x)
	}
	return significant(x, 3) + "x"
}

// roughTimes prints a ratio with two significant digits.
func roughTimes(x float64) string {
	if x >= 10 && x < 1e6 {
		p := math.Pow10(int(math.Log10(x)) - 1)
		return fmt.Sprintf("%.0fx", math.Round(x/p)*p)
	}
	return significant(x, 2) + "x"
}

// significant prints x > 0 with that many significant digits and no exponent below 1e6.
func significant(x float64, digits int) string {
	if x <= 0 || x >= 1e6 || x < 1e-6 {
		return fmt.Sprintf("%.*g", digits, x)
	}
	decimals := max(digits-1-int(math.Floor(math.Log10(x))), 0)
	if p := math.Pow10(decimals); decimals > 0 && math.Round(x*p)/p >= math.Pow10(digits-decimals) {
		decimals-- // 99.99 is 100, not 100.0
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// Percent prints a relative change with its sign and three significant digits: -0.123 as -12.3%.
func Percent(change float64) string {
	x := 100 * change
	if math.Abs(x) < 0.005 {
		return "0%"
	}
	sign := "+"
	if x < 0 {
		sign = "-"
	}
	return sign + strings.TrimSuffix(significant(math.Abs(x), 3), ".") + "%"
}

// figure prints a value with its unit and three significant digits.
func figure(v result.Value, metric string) string {
	x, unit := float64(v), result.UnitOf(metric)
	var steps []string
	switch unit {
	case result.Nanoseconds:
		steps = []string{"ns", "µs", "ms", "s"}
	case result.Seconds:
		x *= 1e9
		steps = []string{"ns", "µs", "ms", "s"}
	default:
		steps = []string{string(unit), "k" + string(unit), "M" + string(unit), "G" + string(unit)}
	}
	i := 0
	limit := 999.5
	if steps[0] != "ns" {
		limit = 9999.5 // as tables print rates
	}
	for ; x >= limit && i < len(steps)-1; i++ {
		x, limit = x/1000, 999.5
	}
	return significant(x, 3) + steps[i]
}

// joined joins names as in "a, b and c".
func joined(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// capitalized begins a sentence, unless it begins with a name of a design, which keeps its spelling.
func capitalized(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if !slices.Contains([]string{"on", "at", "the", "more", "from"}, word) {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

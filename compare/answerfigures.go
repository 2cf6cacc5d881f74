package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/result"
)

// times prints a ratio, as in 1.99x.
func times(x float64) string { return decimal.Ratio(x) + "x" }

// roughTimes prints a ratio with two significant digits.
func roughTimes(x float64) string {
	if x >= 10 && x < 1e6 {
		p := math.Pow10(int(math.Log10(x)) - 1)
		return fmt.Sprintf("%.0fx", math.Round(x/p)*p)
	}
	return decimal.Digits(x, 2) + "x"
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
	return decimal.Digits(x, 3) + steps[i]
}

// JoinNames joins names as in "a, b and c".
func JoinNames(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// few joins names. Of more than most+1 it names most, and counts the others.
func few(names []string, most int) string {
	if len(names) > most+1 {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("%d others", len(names)-most))
	}
	return JoinNames(names)
}

// capitalized begins a sentence, unless it begins with a name of a design, which keeps its spelling.
func capitalized(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if !slices.Contains([]string{"on", "at", "the", "more", "from", "whether"}, word) {
		return s
	}
	return upperFirst(s)
}

package report

import (
	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/result"
)

// vague reports whether the interval of a ratio is too wide to be useful, as that of 2 very different blocks is.
func vague(low, high result.Value) bool { return high > 10*low }

// intervalText is the interval of a ratio in a sentence.
func intervalText(name string, low, high result.Value) string {
	if vague(low, high) {
		return "interval wider than 10x"
	}
	return name + ratio(low) + " to " + ratio(high)
}

// bracketed is the interval of a ratio in a table.
func bracketed(low, high result.Value) string {
	if vague(low, high) {
		return noInterval
	}
	return "[" + ratio(low) + ", " + ratio(high) + "]"
}

// vagueNote explains the sign of an interval that is too wide, if the columns show it.
func vagueNote(columns []column) []string {
	if !showsSign(columns, noInterval) {
		return nil
	}
	return []string{noInterval + " : the interval is wider than 10x"}
}

// ratioCell prints a ratio in a table. If there is none, for the reason why, it prints what replaces it.
func ratioCell(v result.Value, why string) string {
	switch why {
	case "":
		return ratio(v) + "x"
	case compare.ZeroDivisor:
		return "from 0"
	case compare.ZeroValue:
		return "to 0"
	}
	return "none"
}

// signedValue prints a difference of a metric's values with its sign.
func signedValue(v *result.Value, metric string) string {
	if v == nil || !v.Known() {
		return unavailable
	}
	if *v < 0 {
		return "-" + formatValue(-*v, metric)
	}
	return "+" + formatValue(*v, metric)
}

// ratio prints a ratio with enough digits to distinguish it from 1.
func ratio(v result.Value) string { return decimal.Ratio(float64(v)) }

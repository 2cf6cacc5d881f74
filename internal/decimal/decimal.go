// Package decimal formats numbers for people: with a number of significant digits, as ratios, as percentages, and as
// estimates of time.
package decimal

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Digits formats x with n significant digits, and with an exponent only outside of 1e-6 to 1e6.
func Digits(x float64, n int) string {
	switch {
	case x < 0:
		return "-" + Digits(-x, n)
	case !(x >= 1e-6 && x < 1e6):
		return strconv.FormatFloat(x, 'g', n, 64)
	}
	return strconv.FormatFloat(x, 'f', Places(x, n), 64)
}

// Places returns the number of decimals that show x > 0 with n significant digits, at most 9.
func Places(x float64, n int) int {
	decimals := min(max(n-1-int(math.Floor(math.Log10(x))), 0), 9)
	if p := math.Pow10(decimals); decimals > 0 && math.Round(x*p)/p >= math.Pow10(n-decimals) {
		decimals-- // 99.99 is 100, not 100.0
	}
	return decimals
}

// Ratio formats a ratio with enough digits to distinguish it from 1, as in 1.012, 1.99 and 43.0.
func Ratio(x float64) string {
	switch {
	case math.IsNaN(x):
		return "?"
	case math.IsInf(x, 0):
		return "∞"
	case math.Abs(x-1) < 0.0995:
		return strconv.FormatFloat(x, 'f', 3, 64)
	case x >= 0.0995 && x < 1:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return Digits(x, 3)
}

// Percent formats a fraction with at most n significant digits and no trailing zeros: 0.0203 with 2 is 2%.
func Percent(fraction float64, n int) string {
	if math.IsNaN(fraction) {
		return "unavailable"
	}
	text := Digits(100*fraction, n)
	if strings.Contains(text, ".") && !strings.Contains(text, "e") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + "%"
}

// WholePercent formats a fraction in whole percent, and below 1% with one decimal. It suits estimates.
func WholePercent(fraction float64) string {
	switch {
	case math.IsNaN(fraction):
		return "unavailable"
	case fraction > 0 && fraction < 0.01:
		return strconv.FormatFloat(100*fraction, 'f', 1, 64) + "%"
	}
	return strconv.FormatFloat(100*fraction, 'f', 0, 64) + "%"
}

// Change formats a relative change with its sign and three significant digits: -0.123 is -12.3%.
func Change(change float64) string {
	x := 100 * change
	switch {
	case math.Abs(x) < 0.005:
		return "0%"
	case x > 0:
		return "+" + Digits(x, 3) + "%"
	}
	return Digits(x, 3) + "%"
}

// RoundedUp prints an estimate of a duration, not below it: in whole seconds or, from two minutes on, minutes.
func RoundedUp(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%.0fs", math.Ceil(d.Seconds()))
	}
	return fmt.Sprintf("%.0fm", math.Ceil(d.Minutes()))
}

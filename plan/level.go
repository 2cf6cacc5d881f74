package plan

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// Kind is the type of a factor's levels. The zero Kind is Int.
type Kind int

// The kinds of level.
const (
	Int      Kind = iota // a whole number
	Duration             // a time such as 1ms
	Float                // a decimal number
	Text                 // a word
)

// String returns the kind in words, as in error messages.
func (k Kind) String() string { return [...]string{"whole number", "duration", "number", "word"}[k] }

// Level is one value of a factor. The zero Level is the whole number 0.
type Level struct {
	kind Kind
	n    int64   // of an Int; of a Duration, in nanoseconds
	f    float64 // of a Float
	s    string  // of a Text
}

// IntLevel returns the Int level n.
func IntLevel(n int) Level { return Level{kind: Int, n: int64(n)} }

// DurationLevel returns the Duration level d.
func DurationLevel(d time.Duration) Level { return Level{kind: Duration, n: int64(d)} }

// FloatLevel returns the Float level f.
func FloatLevel(f float64) Level { return Level{kind: Float, f: f} }

// TextLevel returns the Text level s.
func TextLevel(s string) Level { return Level{kind: Text, s: s} }

// String returns the level as a user would type it: "2", "1ms", "0.5" or a word.
func (l Level) String() string {
	switch l.kind {
	case Int:
		return strconv.FormatInt(l.n, 10)
	case Duration:
		return shortDuration(time.Duration(l.n))
	case Float:
		return plainFloat(l.f)
	default:
		return l.s
	}
}

// Kind returns the kind of the level.
func (l Level) Kind() Kind { return l.kind }

// Number returns the level as a number, a duration in seconds. For a word, ok is false.
func (l Level) Number() (x float64, ok bool) {
	switch l.kind {
	case Int:
		return float64(l.n), true
	case Duration:
		return time.Duration(l.n).Seconds(), true
	case Float:
		return l.f, true
	default:
		return 0, false
	}
}

// plainFloat formats 1000000 rather than 1e+06. It uses an exponent for the same numbers as encoding/json does, so that
// a point that was read from JSON has the same text even before its levels are recast.
func plainFloat(f float64) string {
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// shortDuration formats 1m rather than 1m0s, and us rather than µs, which not every keyboard has.
func shortDuration(d time.Duration) string {
	s := strings.Replace(d.String(), "µ", "u", 1)
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// MarshalJSON writes numbers as JSON numbers, and durations ("1ms") and words as strings.
func (l Level) MarshalJSON() ([]byte, error) {
	switch l.kind {
	case Int:
		return strconv.AppendInt(nil, l.n, 10), nil
	case Float:
		return json.Marshal(l.f)
	default:
		return json.Marshal(l.String())
	}
}

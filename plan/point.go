// Package plan says what is varied and in which order: factors, their levels, the points they span,
// and the blocks in which a sweep visits them. It is pure: no clock, no files, no global randomness.
package plan

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Kind is the type of a factor's levels.
type Kind int

// The kinds of level.
const (
	Int      Kind = iota // a whole number
	Duration             // a time such as 1ms
	Float                // a decimal number
	Text                 // a word
)

// String names the kind in messages.
func (k Kind) String() string { return [...]string{"whole number", "duration", "number", "word"}[k] }

// Factor is something a trial can vary.
type Factor struct {
	Name string // lower case, as its flag
	Doc  string // one line; no full stop
	Kind Kind

	// Default is the level where none is given: a value ("1ms"), the name of an earlier factor to
	// follow ("cpus"), or "" for a factor that is absent from a point unless given. The default "all"
	// of cpus is resolved by the caller before a plan is made.
	Default string

	// Input marks a factor that belongs to the job or its load: its levels are different jobs, not
	// choices between ways to do one, and get no verdict between them.
	Input bool

	Min, Max float64  // range of numbers and, in seconds, of durations; Max 0 means none
	Words    []string // the permitted words of a Text factor, or nil for any
	Path     bool     // a Text factor that names a file: it may hold spaces, and the command makes it absolute
}

// Level is one value of a factor. The zero Level is the whole number 0.
type Level struct {
	kind Kind
	n    int64 // Int, and nanoseconds of a Duration
	f    float64
	s    string
}

// IntLevel is the whole number n.
func IntLevel(n int) Level { return Level{kind: Int, n: int64(n)} }

// DurationLevel is the time d.
func DurationLevel(d time.Duration) Level { return Level{kind: Duration, n: int64(d)} }

// FloatLevel is the number f.
func FloatLevel(f float64) Level { return Level{kind: Float, f: f} }

// TextLevel is the word s.
func TextLevel(s string) Level { return Level{kind: Text, s: s} }

// String is the level as a user would type it.
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

// Kind is the level's type.
func (l Level) Kind() Kind { return l.kind }

// Number is the level on a numeric axis (durations in seconds); ok is false for words.
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

// plainFloat prints 1000000 rather than 1e+06. It uses an exponent where JSON does, so that a point
// that was read back from JSON has the same text even before its levels are recast.
func plainFloat(f float64) string {
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// shortDuration prints 1m rather than 1m0s, and us, which every keyboard has, rather than µs.
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

// MarshalJSON writes numbers as numbers, durations ("1ms") and words as strings.
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

// Setting is a factor at a level.
type Setting struct {
	Factor string
	Level  Level
}

// Point is one level for each factor that matters, in table order. The zero Point has none.
type Point struct{ settings []Setting }

// NewPoint is the point of these settings, in this order.
func NewPoint(settings ...Setting) Point { return Point{settings} }

// Settings are the point's factors and levels in order. The slice must not be changed.
func (p Point) Settings() []Setting { return p.settings }

// Get returns the level of a factor; ok is false where the point does not hold it.
func (p Point) Get(factor string) (Level, bool) {
	for _, s := range p.settings {
		if s.Factor == factor {
			return s.Level, true
		}
	}
	return Level{}, false
}

// With returns the point with the factor at that level, replaced or added at the end.
func (p Point) With(factor string, l Level) Point {
	settings := append([]Setting(nil), p.settings...)
	for i := range settings {
		if settings[i].Factor == factor {
			settings[i].Level = l
			return Point{settings}
		}
	}
	return Point{append(settings, Setting{factor, l})}
}

// Only returns the point restricted to the named factors.
func (p Point) Only(factors []string) Point {
	var kept []Setting
	for _, s := range p.settings {
		for _, f := range factors {
			if s.Factor == f {
				kept = append(kept, s)
				break
			}
		}
	}
	return Point{kept}
}

// Without returns the point without a factor.
func (p Point) Without(factor string) Point {
	var kept []Setting
	for _, s := range p.settings {
		if s.Factor != factor {
			kept = append(kept, s)
		}
	}
	return Point{kept}
}

// Has reports whether the point holds the factor.
func (p Point) Has(factor string) bool { _, ok := p.Get(factor); return ok }

// Int returns the level of an Int factor. It panics where the point does not hold it: a design reads
// only the factors it declares.
func (p Point) Int(factor string) int { return int(p.need(factor, Int).n) }

// Duration returns the level of a Duration factor; it panics as [Point.Int].
func (p Point) Duration(factor string) time.Duration {
	return time.Duration(p.need(factor, Duration).n)
}

// Float returns the level of a Float factor; it panics as [Point.Int].
func (p Point) Float(factor string) float64 { return p.need(factor, Float).f }

// Text returns the level of a Text factor; it panics as [Point.Int].
func (p Point) Text(factor string) string { return p.need(factor, Text).s }

func (p Point) need(factor string, k Kind) Level {
	l, ok := p.Get(factor)
	if !ok {
		panic(fmt.Sprintf("plan: the point (%s) has no factor %q: declare it in the design's Uses", p, factor))
	}
	if l.kind != k {
		panic(fmt.Sprintf("plan: the factor %q is a %v, not a %v", factor, l.kind, k))
	}
	return l
}

// String is the point as key=value words: "cpus=2 workers=2". It identifies the point.
func (p Point) String() string {
	var b strings.Builder
	for i, s := range p.settings {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s.Factor)
		b.WriteByte('=')
		b.WriteString(s.Level.String())
	}
	return b.String()
}

// MarshalJSON writes the point as an object in table order.
func (p Point) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, s := range p.settings {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, s.Factor)
		b = append(b, ':')
		l, err := s.Level.MarshalJSON()
		if err != nil {
			return nil, err
		}
		b = append(b, l...)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads an object. Whole numbers become Int, other numbers Float, strings such as
// [Level.String] writes for durations Duration, other strings Text. Levels that a factor declares
// otherwise are mended by [Factor.Recast].
func (p *Point) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	open, err := dec.Token()
	if err != nil {
		return err
	}
	if open != json.Delim('{') {
		return fmt.Errorf("a point is an object, not %v", open)
	}
	p.settings = nil
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var v any
		if err := dec.Decode(&v); err != nil {
			return err
		}
		l, err := levelOf(v)
		if err != nil {
			return fmt.Errorf("factor %v: %w", key, err)
		}
		p.settings = append(p.settings, Setting{key.(string), l})
	}
	return nil
}

func levelOf(v any) (Level, error) {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return Level{kind: Int, n: n}, nil
		}
		f, err := v.Float64()
		return FloatLevel(f), err
	case string:
		// Only as String writes it: "1000ms" may be a word, and Recast loses nothing either way.
		if d, err := time.ParseDuration(v); err == nil && shortDuration(d) == v {
			return DurationLevel(d), nil
		}
		return TextLevel(v), nil
	default:
		return Level{}, fmt.Errorf("%v is neither a number nor a string", v)
	}
}

// Package plan describes an experiment: which factors are varied, over which levels, and in which order.
//
// A [Factor] is an input that is varied, such as the number of workers. A [Level] is one of its values. The levels of
// several factors span [Point] values, and a [Case] is a design at a point. A [Plan] runs every case once in each
// block, in random order (a randomized complete block design: Box, Hunter and Hunter, Statistics for Experimenters,
// 2005).
//
// The package is pure: it uses no clock, no files and no global randomness. Its values may be used by several
// goroutines at once, as long as none changes them.
package plan

import (
	"encoding/json"
	"fmt"
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

// Factor is an input of a trial that can be varied.
type Factor struct {
	Name string // lower-case letters, digits and hyphens; also the name of the factor's flag
	Doc  string // one line without a full stop
	Kind Kind

	// Default is the level that is used if none is given, as Parse reads it: a level ("1ms") or the name of an
	// earlier factor to follow ("cpus"). A factor without a default is absent from a point unless it is given.
	// The caller resolves the default "all" of cpus before it makes points.
	Default string

	// Input marks a factor of the job or its load. Its levels are different jobs, so no verdict compares them.
	Input bool

	// Min and Max limit numbers, and durations in seconds, both inclusive. Max 0 means no upper limit.
	Min, Max float64
	Words    []string // the permitted words of a Text factor; nil permits any
	Path     bool     // a Text factor that names a file; it may contain spaces, and the command makes it absolute
}

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

// Setting is a factor at one of its levels.
type Setting struct {
	Factor string // name of the factor
	Level  Level
}

// Point is a combination of levels: one for each factor that it contains, in table order. The zero Point contains none.
// A Point is immutable.
type Point struct{ settings []Setting }

// NewPoint returns the point with these settings, in this order. No factor may occur twice. The point keeps the slice.
func NewPoint(settings ...Setting) Point { return Point{settings} }

// Settings returns the point's factors and levels in order. The caller must not change the slice.
func (p Point) Settings() []Setting { return p.settings }

// Get returns the level of a factor. The bool is false if the point does not contain the factor.
func (p Point) Get(factor string) (Level, bool) {
	for _, s := range p.settings {
		if s.Factor == factor {
			return s.Level, true
		}
	}
	return Level{}, false
}

// With returns a copy of the point with the factor at that level. A new factor is added at the end.
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

// Only returns a copy of the point that contains only the named factors.
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

// Without returns a copy of the point without the factor.
func (p Point) Without(factor string) Point {
	var kept []Setting
	for _, s := range p.settings {
		if s.Factor != factor {
			kept = append(kept, s)
		}
	}
	return Point{kept}
}

// Has reports whether the point contains the factor.
func (p Point) Has(factor string) bool { _, ok := p.Get(factor); return ok }

// Int returns the level of an Int factor. It panics if the point does not contain the factor, or if the factor has
// another kind: a design may read only the factors that it declares.
func (p Point) Int(factor string) int { return int(p.need(factor, Int).n) }

// Duration returns the level of a Duration factor. It panics as [Point.Int] does.
func (p Point) Duration(factor string) time.Duration {
	return time.Duration(p.need(factor, Duration).n)
}

// Float returns the level of a Float factor. It panics as [Point.Int] does.
func (p Point) Float(factor string) float64 { return p.need(factor, Float).f }

// Text returns the level of a Text factor. It panics as [Point.Int] does.
func (p Point) Text(factor string) string { return p.need(factor, Text).s }

// need returns the level of a factor of that kind, and panics if there is none.
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

// String returns the settings as "cpus=2 workers=2". Different points of the same factors have different strings.
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

// MarshalJSON writes the point as a JSON object whose members are in table order.
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

// UnmarshalJSON reads a JSON object. Whole numbers become Int levels and other numbers Float levels. A string becomes a
// Duration level if [Level.String] writes it like that, and otherwise a Text level. JSON does not keep the kind of a
// level, so call [Factor.Recast] afterwards.
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

// levelOf returns the level of a decoded JSON value.
func levelOf(v any) (Level, error) {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return Level{kind: Int, n: n}, nil
		}
		f, err := v.Float64()
		return FloatLevel(f), err
	case string:
		// A string that String does not write, such as "1000ms", may be a word. Recast turns it into a duration.
		if d, err := time.ParseDuration(v); err == nil && shortDuration(d) == v {
			return DurationLevel(d), nil
		}
		return TextLevel(v), nil
	default:
		return Level{}, fmt.Errorf("%v is neither a number nor a string", v)
	}
}

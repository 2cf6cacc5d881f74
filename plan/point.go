package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

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

// Equal reports whether both points have the same settings in the same order. Levels are the same if they print the
// same, so that a level that was read from text equals the level that was written.
func (p Point) Equal(q Point) bool {
	return slices.EqualFunc(p.settings, q.settings, func(a, b Setting) bool {
		return a.Factor == b.Factor && (a.Level == b.Level || a.Level.String() == b.Level.String())
	})
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

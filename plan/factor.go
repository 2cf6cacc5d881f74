package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

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

// Validate returns an error if the declaration of the factor is invalid. It does not check a default that is a name
// ("cpus", "all"), because only [Points] knows the other factors.
func (f Factor) Validate() error {
	if !isName(f.Name) {
		return fmt.Errorf("factor %q: a name is a lower-case letter, then letters, digits or hyphens", f.Name)
	}
	if f.Kind < Int || f.Kind > Text {
		return fmt.Errorf("factor %s: unknown kind %d", f.Name, int(f.Kind))
	}
	if strings.Contains(f.Doc, "\n") || strings.HasSuffix(f.Doc, ".") {
		return fmt.Errorf("factor %s: its doc must be one line without a full stop: %q", f.Name, f.Doc)
	}
	if err := f.validateRange(); err != nil {
		return fmt.Errorf("factor %s: %w", f.Name, err)
	}

	if f.Default == "" || f.Kind != Text && isName(f.Default) {
		return nil
	}
	if _, err := f.parse(f.Default, nil); err != nil {
		return fmt.Errorf("factor %s: default %q: %w", f.Name, f.Default, err)
	}
	return nil
}

// validateRange checks the limits and the list of words.
func (f Factor) validateRange() error {
	for _, x := range []float64{f.Min, f.Max} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("the limit %v is not finite", x)
		}
	}
	if f.Max != 0 && f.Max < f.Min {
		return fmt.Errorf("the limit Max %v is below Min %v", f.Max, f.Min)
	}
	if f.Kind == Duration && f.Min < 0 {
		return fmt.Errorf("the limit Min %v would allow a negative duration", f.Min)
	}
	if f.Kind == Text && (f.Min != 0 || f.Max != 0) {
		return errors.New("a word has no Min and Max")
	}
	if f.Path && (f.Kind != Text || f.Words != nil) {
		return errors.New("a path is a word, and any")
	}

	if f.Kind != Text && f.Words != nil {
		return fmt.Errorf("the list Words is for words, not for a %v", f.Kind)
	}
	for i, w := range f.Words {
		if err := checkWord(w); err != nil {
			return err
		}
		if slices.Contains(f.Words[:i], w) {
			return fmt.Errorf("the word %q is there twice", w)
		}
	}
	return nil
}

// Recast converts a level that was read from JSON to the factor's kind: JSON distinguishes neither 2.0 from 2 nor a
// duration from a word. A level of the factor that was written to JSON and read again is the same after Recast. The
// error is that of a level that cannot be converted or is out of the factor's range.
func (f Factor) Recast(l Level) (Level, error) {
	r, ok := recast(l, f.Kind)
	if !ok {
		return Level{}, fmt.Errorf("factor %s: %v is a %v, not a %v; give %s", f.Name, l, l.kind, f.Kind, f.example())
	}
	if err := f.check(r); err != nil {
		return Level{}, fmt.Errorf("factor %s: %w", f.Name, err)
	}
	return r, nil
}

// recast converts a level to a kind. The bool is false if the level has no exact equivalent.
func recast(l Level, k Kind) (Level, bool) {
	switch {
	case l.kind == k:
		return l, true
	case k == Float && l.kind == Int:
		// A whole number above 2^53 came from the shortest decimal of a float64, to which this conversion returns.
		return FloatLevel(float64(l.n)), true
	case k == Int && l.kind == Float: // 1e3
		exact := l.f == math.Trunc(l.f) && math.Abs(l.f) <= 1<<53
		return Level{kind: Int, n: int64(l.f)}, exact
	case k == Duration && l.kind == Int:
		return DurationLevel(0), l.n == 0
	case k == Duration && l.kind == Text: // "1000ms"
		d, err := time.ParseDuration(l.s)
		return DurationLevel(d), err == nil
	case k == Text && l.kind == Duration: // the word "1s"
		return TextLevel(l.String()), true
	default:
		return Level{}, false
	}
}

// check returns an error if a level of the factor's kind is not finite, out of range or not one of its words.
func (f Factor) check(l Level) error {
	low, high := f.Min, f.Max
	var x float64
	switch l.kind {
	case Text:
		return f.checkText(l.s)
	case Duration:
		if l.n < 0 {
			return fmt.Errorf("negative duration %v; give 0s or more", l)
		}
		// Compare nanoseconds, in which a limit such as 0.1 s is exact.
		x, low, high = float64(l.n), math.Round(low*1e9), math.Round(high*1e9)
	case Int:
		x = float64(l.n)
	case Float:
		x = l.f
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%v is not finite; give %s", l, f.example())
		}
	}
	if x < low || high != 0 && x > high {
		return fmt.Errorf("%v is out of range; give %s", l, f.span())
	}
	return nil
}

// checkText returns an error if s is no level of a Text factor.
func (f Factor) checkText(s string) error {
	switch {
	case f.Path:
		return checkPath(s)
	case f.Words == nil:
		return checkWord(s)
	}
	if slices.Contains(f.Words, s) {
		return nil
	}
	return fmt.Errorf("%q is not one of %s%s", s, strings.Join(f.Words, ", "), didYouMean(s, f.Words))
}

// checkWord returns an error if s would make [Point.String] or a list of levels ambiguous.
func checkWord(s string) error {
	bad := func(r rune) bool { return r == ',' || unicode.IsSpace(r) || !unicode.IsPrint(r) }
	if s == "" || !utf8.ValidString(s) || strings.ContainsFunc(s, bad) {
		return fmt.Errorf("%q is not a word; give one without spaces, commas and control characters", s)
	}
	return nil
}

// checkPath returns an error if a list of paths or a line of text cannot contain s.
func checkPath(s string) error {
	bad := func(r rune) bool { return r == ',' || r != ' ' && !unicode.IsPrint(r) }
	if s == "" || !utf8.ValidString(s) || strings.ContainsFunc(s, bad) {
		return fmt.Errorf("%q is not possible as a path; give one without commas and control characters", s)
	}
	return nil
}

// span returns the permitted range in words: "1 or more", "0 to 1".
func (f Factor) span() string {
	limit := func(x float64) Level {
		if f.Kind == Duration {
			return DurationLevel(time.Duration(math.Round(x * 1e9)))
		}
		return FloatLevel(x)
	}
	if f.Max == 0 {
		return fmt.Sprintf("%v or more", limit(f.Min))
	}
	return fmt.Sprintf("%v to %v", limit(f.Min), limit(f.Max))
}

// example describes what a user may type.
func (f Factor) example() string {
	switch f.Kind {
	case Int:
		return "whole numbers such as 1,2,4 or 1..6 or 1..1024:x2"
	case Duration:
		return "durations with their unit such as 500us,1ms or 0ms..2ms:+500us"
	case Float:
		return "numbers such as 0.5,0.9 or 0.4..1.1:+0.1"
	default:
		if f.Words != nil {
			return "one or more of " + strings.Join(f.Words, ",")
		}
		if f.Path {
			return "paths separated by commas"
		}
		return "words separated by commas"
	}
}

// isName reports whether s could be a factor's name. Numbers and durations are no names, because they start with a
// digit, a sign or a point.
func isName(s string) bool {
	for i, r := range s {
		letter := 'a' <= r && r <= 'z'
		if !letter && (i == 0 || r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}

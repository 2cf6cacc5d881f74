package gobench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/result"
)

// InvalidValue is an invalid value: NaN, infinite or negative.
type InvalidValue struct {
	Unit  string
	Trial int // index of the trial in the file
}

// maxNames is the largest number of benchmarks that a note names.
const maxNames = 5

// isInvalid reports whether a value is invalid: NaN, infinite, or negative in a unit of go test.
func isInvalid(unit string, x float64) bool {
	_, ours := metricOf[unit]
	return math.IsNaN(x) || math.IsInf(x, 0) || unit == "MB/s" && math.IsInf(x*1e6, 0) ||
		x < 0 && (ours || unit == "MB/s" || unit == "B/s")
}

// InvalidValues describes the invalid values that were omitted, by benchmark, and the benchmarks without any
// value left; "" if none was omitted.
func (f *File) InvalidValues() string {
	var units []string
	of := map[string][]int{} // trials by unit
	for _, b := range f.Invalid {
		if of[b.Unit] == nil {
			units = append(units, b.Unit)
		}
		of[b.Unit] = append(of[b.Unit], b.Trial)
	}
	slices.Sort(units)
	var parts []string
	for _, unit := range units {
		var designs, cases []string
		for _, i := range of[unit] {
			designs = append(designs, f.Trials[i].Design)
			cases = append(cases, caseOf(&f.Trials[i]))
		}
		text := fmt.Sprintf("left out %s of %s that are NaN, infinite or negative: %s",
			result.Count(len(designs), "value"), unit, firstNames(designs))
		if empty := f.casesWithout(unit, cases); len(empty) > 0 {
			text += fmt.Sprintf("; no %s is left of %s", unit, firstNames(empty))
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return f.Path + ": " + strings.Join(parts, "; ")
}

// casesWithout returns the given cases of which no trial has a value of the unit.
func (f *File) casesWithout(unit string, cases []string) []string {
	name := metricOf[unit]
	switch {
	case unit == "MB/s" || unit == "B/s":
		name = result.BytesRate
	case name == "":
		name = unit
	}
	has := map[string]bool{}
	for i := range f.Trials {
		if f.Trials[i].Metrics.Get(name).Known() {
			has[caseOf(&f.Trials[i])] = true
		}
	}
	return slices.DeleteFunc(cases, func(c string) bool { return has[c] })
}

// caseOf returns the name of a trial's benchmark with its point.
func caseOf(t *result.Trial) string {
	var at []string
	for _, s := range t.Point.Settings() {
		at = append(at, s.Factor+" "+s.Level.String())
	}
	return t.Design + " (" + strings.Join(at, ", ") + ")"
}

// firstNames joins the first few distinct names of a list.
func firstNames(names []string) string {
	seen := map[string]bool{}
	names = slices.DeleteFunc(names, func(n string) bool {
		again := seen[n]
		seen[n] = true
		return again
	})
	if more := len(names) - maxNames; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), more)
	}
	return strings.Join(names, ", ")
}

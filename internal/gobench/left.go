package gobench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/result"
)

// Bad is a value that no measurement has: NaN, infinite or negative.
type Bad struct {
	Unit  string
	Trial int // its place among the file's
}

// mostNames is how many benchmarks a note names.
const mostNames = 5

// impossible reports whether no measurement has that value: NaN and infinity, and of go test's own units what is below
// 0.
func impossible(unit string, x float64) bool {
	_, ours := metricOf[unit]
	return math.IsNaN(x) || math.IsInf(x, 0) || unit == "MB/s" && math.IsInf(x*1e6, 0) ||
		x < 0 && (ours || unit == "MB/s" || unit == "B/s")
}

// Left says which values were left out, of which benchmarks, and which of these have none left; "" if none was.
func (f *File) Left() string {
	var units []string
	of := map[string][]int{} // by unit, the trials
	for _, b := range f.Bad {
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
			result.Count(len(designs), "value"), unit, some(designs))
		if empty := f.without(unit, cases); len(empty) > 0 {
			text += fmt.Sprintf("; no %s is left of %s", unit, some(empty))
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return f.Path + ": " + strings.Join(parts, "; ")
}

// without are those of these cases no trial of which has a value of a unit.
func (f *File) without(unit string, cases []string) []string {
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

// caseOf names the benchmark of a trial with its point.
func caseOf(t *result.Trial) string {
	var at []string
	for _, s := range t.Point.Settings() {
		at = append(at, s.Factor+" "+s.Level.String())
	}
	return t.Design + " (" + strings.Join(at, ", ") + ")"
}

// some names the first few of a list, each once.
func some(names []string) string {
	seen := map[string]bool{}
	names = slices.DeleteFunc(names, func(n string) bool {
		again := seen[n]
		seen[n] = true
		return again
	})
	if more := len(names) - mostNames; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], ", "), more)
	}
	return strings.Join(names, ", ")
}

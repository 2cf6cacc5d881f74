package lab

import (
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/result"
)

// Suite is the Go benchmarks that a run is about.
type Suite struct {
	Title       string   // the package and its revisions
	Package     string   // import path
	Revisions   []string // "head", or "base" and "head"
	First       []string // levels such as GOGC=100 that others are compared with; nil if nothing else is compared
	Layouts     int      // links of each build in random function order; 1 leaves the order to the linker
	Broken      []Broken
	Skipped     []Skipped
	NotCompared []result.NotJudged // benchmarks that cannot be compared with the base
	Unprobed    string             // why the counters of Go's runtime could not be read; "" if they were
}

// Broken is a benchmark that fails when it runs once, before anything is measured.
type Broken struct {
	Rev   string // "head" or "base"
	Name  string
	Error string
	Text  string // the end of what it printed
}

// Skipped is a benchmark that calls b.Skip.
type Skipped struct {
	Rev    string // "head" or "base"; "" in runs of earlier versions
	Name   string
	Reason string // that it gives; "" if it gives none
}

func suiteOf(x *gobench.Experiment) *Suite {
	s := &Suite{Title: x.Title(), Package: x.Package, Revisions: x.Revs(), Layouts: max(1, x.Layouts),
		NotCompared: x.NotCompared(), Unprobed: x.Unprobed}
	if x.ByFirst && !s.HasBase() {
		s.First = x.FirstLevels()
	}
	for _, b := range x.Broken {
		s.Broken = append(s.Broken, Broken(b))
	}
	for _, b := range x.Skipped {
		s.Skipped = append(s.Skipped, Skipped(b))
	}
	return s
}

// HasBase reports whether a base revision is measured too.
func (s *Suite) HasBase() bool { return len(s.Revisions) == 2 }

// HeadFails reports whether the head alone breaks a benchmark.
func (s *Suite) HeadFails() bool {
	return slices.ContainsFunc(s.NotCompared, func(n result.NotJudged) bool { return n.Reason == result.HeadFails })
}

// SkippedText lists the benchmarks that skip themselves, in one line, grouped by reason.
func (s *Suite) SkippedText() string {
	var reasons []string
	of := map[string][]string{}
	for _, b := range s.Skipped {
		if of[b.Reason] == nil {
			reasons = append(reasons, b.Reason)
		}
		if !slices.Contains(of[b.Reason], b.Name) { // in both revisions
			of[b.Reason] = append(of[b.Reason], b.Name)
		}
	}
	var parts []string
	for _, reason := range reasons {
		text := strings.Join(of[reason], ", ")
		if reason != "" {
			text += " (" + reason + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// BrokenText lists the broken benchmarks, one a line. Printed adds what they printed, except the line that is their
// error.
func (s *Suite) BrokenText(printed bool) string {
	var lines []string
	for _, b := range s.Broken {
		line := b.Name + ": " + b.Error
		if s.HasBase() {
			line = b.Rev + ": " + line
		}
		lines = append(lines, quote.Line(line)) // names in a stored run may have ends of lines
		if !printed {
			continue
		}
		for text := range strings.Lines(b.Text) {
			if said := strings.TrimSpace(text); said == "" || !strings.HasSuffix(b.Error, ": "+said) {
				lines = append(lines, strings.TrimRight("    "+text, " \t\r\n"))
			}
		}
	}
	return strings.Join(lines, "\n")
}

// BrokenError is an error of benchmarks that fail, so that there is nothing to measure or to judge. It is no [Refusal]:
// the same options can be carried out once the benchmarks work.
type BrokenError struct {
	Suite *Suite // with the broken benchmarks
	text  template
}

// Error says what cannot be measured, and lists the broken benchmarks with what they printed.
func (e *BrokenError) Error() string { return e.Text(func(field string) string { return field }) }

// Text is the message in the caller's notation, as that of [Refusal.Text].
func (e *BrokenError) Text(name func(field string) string) string {
	return e.text.text(name) + ":\n" + e.Suite.BrokenText(true)
}

// none is the error of an experiment without benchmarks that can be measured.
func none(x *gobench.Experiment) error {
	s := suiteOf(x)
	switch {
	case len(s.Broken) > 0:
		return &BrokenError{s, template{"no benchmark of %s can be measured", []any{x.Package}}}
	case len(s.Skipped) > 0:
		return refuse("", nil, "the benchmarks of %s that match {bench} %s skip themselves: %s",
			x.Package, x.Pattern, s.SkippedText())
	}
	return refuse("", nil, "no benchmark of %s matches {bench} %s", x.Package, x.Pattern).
		suggest("go test -list Benchmark shows those there are")
}

// noneOfBoth is the error of an experiment none of whose benchmarks can be compared with the base. If the head breaks
// one, it lists the broken ones with what they printed.
func noneOfBoth(x *gobench.Experiment) error {
	s := suiteOf(x)
	if slices.ContainsFunc(s.Broken, func(b Broken) bool { return b.Rev == gobench.Head }) {
		why := "no benchmark that matches {bench} %s can be measured in both revisions"
		return &BrokenError{s, template{why, []any{x.Pattern}}}
	}
	var why []string
	for _, n := range s.NotCompared {
		why = append(why, n.String())
	}
	return refuse("", nil, "no benchmark that matches {bench} %s is in both revisions", x.Pattern).
		suggest("the base is %s:\n%s", x.BaseRev, strings.Join(why, "\n"))
}

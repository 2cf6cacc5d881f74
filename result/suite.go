package result

import (
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/quote"
)

// Suite describes the Go benchmarks of a run.
type Suite struct {
	Title      string            // the package and its revisions
	Package    string            // import path
	Packages   map[string]string // of several: their import paths, by what the names of their benchmarks begin with
	Revisions  []string          // "head", or "base" and "head"
	First      []string          // levels such as GOGC=100 that others are compared with; nil if none are
	Layouts    int               // links of each build in random function order; 1 leaves the order to the linker
	Broken     []Broken
	Skipped    []Skipped
	NotJudged  []NotJudged // benchmarks that cannot be compared with the base
	NoCounters string      // why the counters of Go's runtime could not be read; "" if they were
}

// Broken is a benchmark that fails when it runs once, before anything is measured.
type Broken struct {
	Rev   string `json:"rev"` // "head" or "base"
	Name  string `json:"name"`
	Error string `json:"error"`
	Text  string `json:"text,omitempty"` // the end of what it printed
}

// Skipped is a benchmark that calls b.Skip.
type Skipped struct {
	Rev    string `json:"rev,omitempty"` // "head" or "base"; "" in runs of earlier versions
	Name   string `json:"name"`
	Reason string `json:"reason"` // that it gives; "" if it gives none
}

// ByPackage returns the trials under the benchmarks' own names, each with the import path of its package, if there are
// several packages: those of "hist.Add" as "Add". Otherwise it returns the trials as they are.
func (s *Suite) ByPackage(trials []Trial) []Trial {
	if len(s.Packages) == 0 {
		return trials
	}
	trials = slices.Clone(trials)
	for i := range trials {
		t, longest := &trials[i], ""
		for name := range s.Packages {
			if len(name) > len(longest) && strings.HasPrefix(t.Design, name+".") {
				longest = name
			}
		}
		if longest != "" {
			t.Workload, t.Design = s.Packages[longest], strings.TrimPrefix(t.Design, longest+".")
		}
	}
	return trials
}

// HasBase reports whether a base revision is measured too.
func (s *Suite) HasBase() bool { return len(s.Revisions) == 2 }

// HeadFails reports whether the head alone breaks a benchmark.
func (s *Suite) HeadFails() bool {
	return slices.ContainsFunc(s.NotJudged, func(n NotJudged) bool { return n.Reason == HeadFails })
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

package gobench

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/result"
)

// Side is one side of a comparison: a file or a run of benchmarks, or several.
type Side struct {
	*File
	Name       string      // old or new; for one of several, with its path
	Experiment *Experiment // of a run; nil for a file
	// of a run: the machine, and the version of Brewput
	Environment result.Environment
	Version     string
	Partial     []compare.Warning // of runs that were stopped
	Unused      []string          // notes on omitted parts of files

	members []*Side     // files or runs of a side that has several; otherwise nil
	joint   compare.Run // members joined, with their blocks numbered consecutively
}

// Parts returns the files or runs of a side.
func (s *Side) Parts() []*Side {
	if s.members == nil {
		return []*Side{s}
	}
	return s.members
}

// Kind is the kind of a side, or of each of its parts: "file" or "run".
func (s *Side) Kind() string {
	if s.Experiment == nil {
		return "file"
	}
	return "run"
}

// asRun returns the side in the form that is compared.
func (s *Side) asRun() compare.Run {
	r := s.joint
	r.Name, r.Rows, r.Trials = s.Path, compare.Rows(s.Trials, s.Cases), s.Trials
	return r
}

// HasValues reports whether any trial has a metric.
func (f *File) HasValues() bool {
	return slices.ContainsFunc(f.Trials, func(t result.Trial) bool { return len(t.Metrics) > 0 })
}

// Omitted describes the parts of a file that are not used.
func (f *File) Omitted() (notes []string) {
	if text := f.InvalidValues(); text != "" {
		notes = append(notes, text)
	}
	if f.Long > 0 {
		notes = append(notes, fmt.Sprintf("%s: lines left out because they are longer than %d bytes and no results: %d",
			f.Path, maxLine, f.Long))
	}
	if f.Torn > 0 {
		notes = append(notes, fmt.Sprintf("%s: lines left out because they begin like results and cannot be read: %d",
			f.Path, f.Torn))
	}
	return notes
}

// oneMachine returns an error if files and runs are of several machines.
func oneMachine(all []*Side) error {
	for _, key := range machineKeys {
		var first *Side
		for _, s := range all {
			switch x := s.Config[key]; {
			case x == "":
			case first == nil:
				first = s
			case x != first.Config[key]:
				return fmt.Errorf("%s and %s are from two machines: %s is %s in the %s and %s in the %s; their "+
					"times say nothing about the programs: measure both on one machine",
					first.Path, s.Path, key, first.Config[key], first.Name, x, s.Name)
			}
		}
	}
	return nil
}

// unknownMachine reports that one file names its machine and another does not; "" if all do, or none.
func unknownMachine(all []*Side) string {
	var parts []string
	for _, key := range machineKeys {
		with := slices.IndexFunc(all, func(s *Side) bool { return s.Config[key] != "" })
		without := slices.IndexFunc(all, func(s *Side) bool { return s.Config[key] == "" })
		if with >= 0 && without >= 0 {
			parts = append(parts, fmt.Sprintf("the %s has a line %s: %s, and the %s has none", all[with].Name, key,
				all[with].Config[key], all[without].Name))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + ": if they are from two machines, the ratios say nothing about the programs"
}

// machineKeys are the lines of a file that describe the machine.
var machineKeys = []string{"goos", "goarch", "cpu"}

// describe records what a line says about the machine or the package. It refuses a second machine.
func (r *fileReader) describe(rec *benchfmt.Result, key, value string) error {
	was, known := r.Config[key]
	if known && was != value && slices.Contains(machineKeys, key) {
		_, at := rec.Pos()
		return input.Refuse("%s:%d: the results are from two machines: %s is %s, and %s before; give the results of "+
			"one machine", r.Path, at, key, value, was)
	}
	r.Config[key] = value
	return nil
}

// compareSides compares two sides that [align] made comparable. The warnings are reasons to doubt the verdicts.
func compareSides(older, newer *Side) (c *compare.BenchComparison, warnings []compare.Warning) {
	workload := oneWorkload(older.File, newer.File)
	j := compare.DefaultCriteria("", []string{"cpus"})
	j.LevelsOnly = true
	declared := maps.Clone(older.Better)
	maps.Copy(declared, newer.Better)
	c = j.CompareBenchmarks(newer.asRun(), older.asRun(), older.Run != "" && older.Run == newer.Run, declared)
	c.Workload = workload
	if nested, _ := c.Replicated(); !c.Paired && !nested && len(c.Metrics) > 0 {
		warnings = append(warnings, compare.OneRunWarning(workload,
			"measure both sides in the same blocks of one run, or compare groups of alternating files"))
	}
	for _, s := range slices.Concat(older.Parts(), newer.Parts()) {
		for _, w := range compare.DisturbanceWarnings(s.Trials) {
			w.Run, w.Text = s.Path, s.Path+": "+w.Text
			warnings = append(warnings, w)
		}
		if s.Budget && len(c.Pairs) > 0 {
			warnings = append(warnings, compare.BudgetWarning(c.Pairs[0].A.Workload, s.Path))
		}
	}
	return c, warnings
}

// oneWorkload sets the package of both sides to that of the newer, if each has one package, and returns it. So
// a package that was renamed is compared with itself.
func oneWorkload(older, newer *File) string {
	for _, f := range []*File{older, newer} {
		if len(f.Trials) == 0 || slices.ContainsFunc(f.Trials,
			func(t result.Trial) bool { return t.Workload != f.Trials[0].Workload }) {
			return ""
		}
	}
	for i := range older.Trials {
		older.Trials[i].Workload = newer.Trials[0].Workload
	}
	return newer.Trials[0].Workload
}

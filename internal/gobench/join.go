package gobench

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// warnCopies warns of files or runs of one side that hold the same results.
func warnCopies(all []*Side) (warnings []compare.Warning) {
	same := func(t, o result.Trial) bool { return t.Design == o.Design && maps.Equal(t.Metrics, o.Metrics) }
	for i, s := range all {
		for _, other := range all[:i] {
			if len(all) > 2 && slices.EqualFunc(s.Trials, other.Trials, same) {
				warnings = append(warnings, newWarning(s, "the results are the same as those of %s: a copy is not a "+
					"replicate; give each %s once",
					other.Path, s.Kind()))
			}
		}
	}
	return warnings
}

// newWarning returns a warning about a file or run.
func newWarning(s *Side, format string, args ...any) compare.Warning {
	workload := s.Config["pkg"] // a run that was stopped before its head was measured has no trial
	if len(s.Trials) > 0 {
		workload = s.Trials[0].Workload
	}
	w := compare.NewWarning(workload, compare.WarnSettings, s.Path+": "+fmt.Sprintf(format, args...))
	w.Run = s.Path
	return w
}

// join joins the files or runs of a side. Its points lack the factors that all have at one level. join changes
// the parts. They are replicates, so it warns of each that differs from the first.
func join(name string, parts []*Side) (s *Side, notes []string, warnings []compare.Warning) {
	first := parts[0]
	if len(parts) == 1 {
		return first, nil, nil
	}
	s = &Side{File: &File{Better: map[string]string{}, Config: first.Config, Common: map[string]string{}},
		Name: name, Experiment: first.Experiment, Environment: first.Environment, Version: first.Version,
		members: parts}
	unlike := make([][]result.Difference, len(parts))
	differ := func(i int, what, there, here string) {
		unlike[i] = append(unlike[i], result.Difference{Name: what, A: here, B: there})
	}
	for i, part := range parts {
		if note := part.keepHead(); note != "" {
			notes = append(notes, note)
		}
		for _, d := range differences(first, part) {
			differ(i, d.Name, d.B, d.A)
		}
	}
	for _, factor := range factorsOf(parts...) {
		varies := slices.ContainsFunc(parts, func(part *Side) bool { return len(part.levels(factor)) > 1 })
		var at fixedLevel
		for i, part := range parts {
			here := fixedLevel{text: strings.Join(part.levels(factor), ", ")}
			if !varies || here.text == "" {
				here = part.dropFixed(factor)
			}
			if i == 0 {
				at = here
			}
			if here.text != at.text && !sameLevel(factor, here.text, at.text) {
				differ(i, factor, at.word(), here.word())
			}
		}
		if at.given {
			s.Common[factor] = at.text
		}
	}
	var runs []compare.Run
	for i, part := range parts {
		runs = append(runs, compare.Run{Name: part.Path, Trials: part.Trials})
		s.Cases = compare.UniqueCases(s.Cases, part.Cases)
		maps.Copy(s.Better, part.Better)
		s.Partial, s.Unused = append(s.Partial, part.Partial...), append(s.Unused, part.Unused...)
		if text := compare.NonReplicateText(first.Path, unlike[i]); text != "" {
			warnings = append(warnings, newWarning(part, "%s", text))
		}
	}
	s.joint = compare.MergeRuns(runs, s.Cases)
	s.Path, s.Trials = s.joint.Name, s.joint.Trials
	return s, notes, warnings
}

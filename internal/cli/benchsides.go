package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// isBenchmarks reports whether a path is a file, or a run of benchmarks.
func isBenchmarks(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return err == nil // what is no file is refused when it is opened
	}
	journal, err := store.Open(path)
	if err != nil {
		return false
	}
	var h sweep.Header
	return json.Unmarshal(journal.Header, &h) == nil && h.Bench != nil
}

// benchSide is a file or a run of benchmarks, or several that are one side.
type benchSide struct {
	*gobench.File
	name       string              // old or new; of one among several with its path
	experiment *gobench.Experiment // of a run; nil of a file
	header     *sweep.Header       // the same
	partial    []compare.Warning   // of a run that was stopped
	unused     []string            // notes on what of a file is not used
	members    []*benchSide        // the files or runs of a side that has several; else nil
	joint      compare.Run         // of the members, with their blocks numbered one after the other
}

// parts are the files or runs of a side.
func (s *benchSide) parts() []*benchSide {
	if s.members == nil {
		return []*benchSide{s}
	}
	return s.members
}

// kind is what a side, or each of its parts, is.
func (s *benchSide) kind() string {
	if s.experiment == nil {
		return "file"
	}
	return "run"
}

// title names the files or runs of a side.
func (s *benchSide) title() string {
	if s.members == nil {
		return s.Path
	}
	var paths []string
	for _, part := range s.members {
		paths = append(paths, part.Path)
	}
	return fmt.Sprintf("%s (%s)", result.Count(len(paths), s.kind()), strings.Join(paths, ", "))
}

// run is the side as it is compared.
func (s *benchSide) run() compare.Run {
	r := s.joint
	r.Name, r.Rows, r.Trials = s.Path, compare.Rows(s.Trials, s.Cases), s.Trials
	return r
}

// readSide reads the files or runs of a side.
func (a *app) readSide(ctx context.Context, name string, paths []string) (side []*benchSide, err error) {
	for _, path := range paths {
		s, err := a.readBenchmarks(ctx, name, path)
		if err != nil {
			return nil, err
		}
		if side = append(side, s); s.kind() != side[0].kind() {
			return nil, usage("%s is a %s and %s a %s: give files alone or runs alone on a side",
				side[0].Path, side[0].kind(), path, s.kind())
		}
		if len(paths) > 1 {
			s.name += " " + s.kind() + " " + path
		}
	}
	return side, nil
}

// readBenchmarks reads a file in the Go benchmark format, or a run of benchmarks.
func (a *app) readBenchmarks(ctx context.Context, name, path string) (*benchSide, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		f, err := gobench.ReadFile(ctx, path)
		if err != nil {
			return nil, asUsage(err)
		}
		return &benchSide{File: f, name: name, unused: leftOut(f)}, nil
	}
	r, err := a.openRun(path)
	if err != nil {
		return nil, err
	}
	if r.Header.Bench == nil {
		return nil, usage("%s is not a run of benchmarks; give two runs of benchmarks, or files in the "+
			"Go benchmark format", path)
	}
	x := new(gobench.Experiment)
	if err := json.Unmarshal(r.Header.Bench, x); err != nil {
		return nil, usage("%s: what its header says of the benchmarks cannot be read: %w", path, err)
	}
	a.lostFailures(path, r.Trials)
	env := r.Header.Environment
	f := &gobench.File{Path: path, Trials: r.Trials, Better: compare.Declared(r.Trials), Budget: r.Header.Rule != nil,
		Config: map[string]string{"goos": env.GOOS, "goarch": env.GOARCH, "pkg": r.Header.Workload}}
	if env.CPUModel != nil {
		f.Config["cpu"] = *env.CPUModel
	}
	p, err := (&r.Header).Plan(x.Workload())
	if err != nil {
		return nil, asUsage(err)
	}
	f.Cases = p.Cases
	return &benchSide{File: f, name: name, experiment: x, header: &r.Header, partial: r.partial}, nil
}

// leftOut says what of a file is not used.
func leftOut(f *gobench.File) (notes []string) {
	if text := f.Left(); text != "" {
		notes = append(notes, text)
	}
	if f.Long > 0 {
		notes = append(notes, fmt.Sprintf("%s: lines left out, for they are longer than 65536 bytes and no results: %d",
			f.Path, f.Long))
	}
	if f.Torn > 0 {
		notes = append(notes, fmt.Sprintf("%s: %d lines look like results and cannot be read; they are left out",
			f.Path, f.Torn))
	}
	return notes
}

// copies warns of files or runs that hold the same results, where a side has several.
func copies(all []*benchSide) (doubts []compare.Warning) {
	same := func(t, o result.Trial) bool { return t.Design == o.Design && maps.Equal(t.Metrics, o.Metrics) }
	for i, s := range all {
		for _, other := range all[:i] {
			if len(all) > 2 && slices.EqualFunc(s.Trials, other.Trials, same) {
				doubts = append(doubts, doubt(s, "the results are those of %s: a copy is no "+
					"replicate; give each %s once",
					other.Path, s.kind()))
			}
		}
	}
	return doubts
}

// doubt is a warning of a file or run.
func doubt(s *benchSide, format string, args ...any) compare.Warning {
	workload := s.Config["pkg"] // of a run that was stopped before its head was measured no trial is left
	if len(s.Trials) > 0 {
		workload = s.Trials[0].Workload
	}
	w := compare.NewWarning(workload, compare.WarnSettings, s.Path+": "+fmt.Sprintf(format, args...))
	w.Run = s.Path
	return w
}

// join makes the files or runs of a side one, whose points lack the factors that all have at one level. It changes the
// parts. They are replicates, so there is a warning for each that differs from the first.
func join(name string, parts []*benchSide) (s *benchSide, notes []string, doubts []compare.Warning) {
	first := parts[0]
	if len(parts) == 1 {
		return first, nil, nil
	}
	s = &benchSide{File: &gobench.File{Better: map[string]string{}, Config: first.Config, Alike: map[string]string{}},
		name:       name,
		experiment: first.experiment, header: first.header, members: parts}
	unlike := make([][]compare.Difference, len(parts))
	differ := func(i int, what, there, here string) {
		unlike[i] = append(unlike[i], compare.Difference{Name: what, A: here, B: there})
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
		varies := slices.ContainsFunc(parts, func(part *benchSide) bool { return len(part.levels(factor)) > 1 })
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
			s.Alike[factor] = at.text
		}
	}
	var runs []compare.Run
	for i, part := range parts {
		runs = append(runs, compare.Run{Name: part.Path, Trials: part.Trials})
		s.Cases = compare.UniqueCases(s.Cases, part.Cases)
		maps.Copy(s.Better, part.Better)
		s.partial, s.unused = append(s.partial, part.partial...), append(s.unused, part.unused...)
		if text := compare.NotReplicate(first.Path, unlike[i]); text != "" {
			doubts = append(doubts, doubt(part, "%s", text))
		}
	}
	s.joint = compare.Together(runs, s.Cases)
	s.Path, s.Trials = s.joint.Name, s.joint.Trials
	return s, notes, doubts
}

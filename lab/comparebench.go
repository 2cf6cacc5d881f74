package lab

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/store"
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

// benchmarks compares files or runs of benchmarks.
func (c *comparing) benchmarks(ctx context.Context, oldPaths, newPaths []string) error {
	older, err := c.readSide(ctx, "old", oldPaths)
	if err != nil {
		return err
	}
	newer, err := c.readSide(ctx, "new", newPaths)
	if err != nil {
		return err
	}
	all := slices.Concat(older, newer)
	if err := gobench.OneMachine(all); err != nil {
		return refuse("", nil, "%w", err)
	}
	c.res.Older = ComparedSide{strings.Join(oldPaths, ","), oldPaths, older[0].Experiment == nil}
	c.res.Newer = ComparedSide{strings.Join(newPaths, ","), newPaths, newer[0].Experiment == nil}
	if c.Results {
		err = c.results(older, newer)
	} else {
		err = c.sides(ctx, older, newer)
	}
	if err != nil {
		return err
	}
	for _, s := range all {
		c.res.Unused = append(c.res.Unused, s.Unused...)
	}
	if text := gobench.UnknownMachine(all); text != "" {
		c.warn(compare.NewWarning(c.res.Workload, compare.WarnSettings, text))
	}
	return nil
}

// sides compares two sides, whose points it changes.
func (c *comparing) sides(ctx context.Context, oldParts, newParts []*gobench.Side) (err error) {
	copies := gobench.WarnCopies(slices.Concat(oldParts, newParts))
	older, oldNotes, oldDoubts := gobench.Join("old", oldParts)
	newer, newNotes, newDoubts := gobench.Join("new", newParts)
	differences, notes := gobench.Align(older, newer)
	c.res.Differences, c.res.Notes = differences, slices.Concat(oldNotes, newNotes, notes)
	type compared struct {
		contrast *compare.BenchContrast
		warnings []compare.Warning
	}
	of, err := unlessInterrupted(ctx, func() (x compared) {
		x.contrast, x.warnings = gobench.Compare(older, newer)
		return x
	})
	if err != nil {
		return err
	}
	c.res.Benchmarks, c.res.Workload = of.contrast, of.contrast.Workload
	c.warn(slices.Concat(of.warnings, older.Partial, newer.Partial, copies, oldDoubts, newDoubts)...)
	if len(of.contrast.Metrics) == 0 {
		return nothingCommon(older, newer)
	}
	return nil
}

// results returns the results of both sides, unless one has none.
func (c *comparing) results(older, newer []*gobench.Side) error {
	has := func(s *gobench.Side) bool { return s.HasValues() }
	if !slices.ContainsFunc(older, has) || !slices.ContainsFunc(newer, has) {
		x, _, _ := gobench.Join("old", older)
		y, _, _ := gobench.Join("new", newer)
		return nothingCommon(x, y)
	}
	for i, s := range slices.Concat(older, newer) {
		config := maps.Clone(s.Config)
		maps.Copy(config, s.Common)
		c.warn(s.Partial...)
		c.res.Results = append(c.res.Results, BenchResults{Newer: i >= len(older), Trials: s.Trials, Cases: s.Cases,
			Config: config, Better: s.Better})
	}
	return nil
}

// nothingCommon says why two sides have nothing to compare.
func nothingCommon(older, newer *gobench.Side) error {
	why := "the old has " + compare.CaseNames(compare.Rows(older.Trials, older.Cases)) + "; the new has " +
		compare.CaseNames(compare.Rows(newer.Trials, newer.Cases))
	why = strings.Join(slices.Concat([]string{why}, older.Unused, newer.Unused), "; ")
	return refuse("", nil, "%s and %s have no benchmark at the same point with at least 2 results each that can be "+
		"compared: %s", older.Path, newer.Path, why)
}

// readSide reads the files or runs of a side.
func (c *comparing) readSide(ctx context.Context, name string, paths []string) (side []*gobench.Side, err error) {
	for _, path := range paths {
		s, err := c.readBenchmarks(ctx, path)
		if err != nil {
			return nil, err
		}
		if side = append(side, s); s.Kind() != side[0].Kind() {
			return nil, refuse("", nil, "%s is a %s and %s a %s: give files alone or runs alone on a side",
				side[0].Path, side[0].Kind(), path, s.Kind())
		}
		if s.Name = name; len(paths) > 1 {
			s.Name += " " + s.Kind() + " " + path
		}
	}
	return side, nil
}

// readBenchmarks reads a file in the Go benchmark format, or a run of benchmarks.
func (c *comparing) readBenchmarks(ctx context.Context, path string) (*gobench.Side, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		f, err := gobench.ReadFile(ctx, path)
		if err != nil {
			return nil, asRefusal(ctx, err)
		}
		return &gobench.Side{File: f, Unused: f.Omitted()}, nil
	}
	r, err := c.open(path)
	if err != nil {
		return nil, err
	}
	h := &r.Header
	if h.Bench == nil {
		return nil, refuse("", nil, "%s is not a run of benchmarks", path).
			suggest("give two runs of benchmarks, or files in the Go benchmark format")
	}
	x := new(gobench.Experiment)
	if err := json.Unmarshal(h.Bench, x); err != nil {
		return nil, refuse("", nil, "%s: what its header says of the benchmarks cannot be read: %w", path, err)
	}
	c.lost(r)
	f := &gobench.File{Path: path, Trials: r.Trials, Better: compare.Declared(r.Trials), Budget: h.Rule != nil,
		Config: map[string]string{"goos": h.Environment.GOOS, "goarch": h.Environment.GOARCH, "pkg": h.Workload}}
	if h.Environment.CPUModel != nil {
		f.Config["cpu"] = *h.Environment.CPUModel
	}
	p, err := h.Plan(x.Workload())
	if err != nil {
		return nil, refuse("", nil, "%w", err)
	}
	f.Cases = p.Cases
	return &gobench.Side{File: f, Experiment: x, Environment: h.Environment, Version: h.Version,
		Partial: r.partial}, nil
}

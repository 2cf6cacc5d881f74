package lab

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/gobench"
)

// benchmarks compares files or runs of Go benchmarks.
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
	c.res.Older = compare.Side{Name: strings.Join(oldPaths, ","), Paths: oldPaths, Files: older[0].Experiment == nil}
	c.res.Newer = compare.Side{Name: strings.Join(newPaths, ","), Paths: newPaths, Files: newer[0].Experiment == nil}
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

// sides compares two sides. It changes their points to make them comparable.
func (c *comparing) sides(ctx context.Context, oldParts, newParts []*gobench.Side) (err error) {
	copies := gobench.WarnCopies(slices.Concat(oldParts, newParts))
	older, oldNotes, oldDoubts := gobench.Join("old", oldParts)
	newer, newNotes, newDoubts := gobench.Join("new", newParts)
	differences, notes := gobench.Align(older, newer)
	c.res.Differences, c.res.Notes = differences, slices.Concat(oldNotes, newNotes, notes)
	contrast, warnings, err := gobench.CompareUntil(ctx, older, newer)
	if err != nil {
		return err
	}
	c.res.Benchmarks, c.res.Workload = contrast, contrast.Workload
	c.warn(slices.Concat(warnings, older.Partial, newer.Partial, copies, oldDoubts, newDoubts)...)
	if len(contrast.Metrics) == 0 {
		return gobench.NothingCommon(older, newer)
	}
	return nil
}

// results returns the results of both sides. It is an error if one has none.
func (c *comparing) results(older, newer []*gobench.Side) error {
	has := func(s *gobench.Side) bool { return s.HasValues() }
	if !slices.ContainsFunc(older, has) || !slices.ContainsFunc(newer, has) {
		x, _, _ := gobench.Join("old", older)
		y, _, _ := gobench.Join("new", newer)
		return gobench.NothingCommon(x, y)
	}
	for i, s := range slices.Concat(older, newer) {
		config := maps.Clone(s.Config)
		maps.Copy(config, s.Common)
		c.warn(s.Partial...)
		c.res.Results = append(c.res.Results, compare.BenchResults{Newer: i >= len(older), Trials: s.Trials,
			Cases:  s.Cases,
			Config: config, Better: s.Better})
	}
	return nil
}

// readSide reads the files or runs of a side.
func (c *comparing) readSide(ctx context.Context, name string, paths []string) (side []*gobench.Side, err error) {
	for _, path := range paths {
		s, err := c.readBenchmarks(ctx, path)
		if err != nil {
			return nil, err
		}
		if side = append(side, s); s.Kind() != side[0].Kind() {
			return nil, refuse("", nil, "%s is a %s and %s is a %s: give only files or only runs on a side",
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
	if r.Header.Bench == nil {
		return nil, refuse("", nil, "%s is not a run of benchmarks", path).
			Suggest("give two runs of benchmarks, or files in the Go benchmark format")
	}
	if text := r.Lost(); text != "" {
		notifier(c.Notify).send(Warning{text})
	}
	side, err := gobench.SideOf(r)
	if err != nil {
		return nil, refuse("", nil, "%w", err)
	}
	side.Partial = c.partial(r)
	return side, nil
}

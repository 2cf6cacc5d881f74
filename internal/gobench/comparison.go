package gobench

import (
	"context"
	"maps"
	"os"
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
)

// Comparison is a comparison of files or runs of Go benchmarks.
type Comparison struct {
	Benchmarks  *compare.BenchComparison // nil if only the results were asked for
	Results     []compare.BenchResults   // if only they were asked for; the older side first
	Differences compare.Differences      // settings in which the sides differ
	Notes       []string                 // which parts of the sides are compared
	Unused      []string                 // lines of files that are not used
	Warnings    []compare.Warning        // reasons to distrust the verdicts
}

// Workload returns the package of the benchmarks; "" if they are of several, or not compared.
func (c *Comparison) Workload() string {
	if c.Benchmarks == nil {
		return ""
	}
	return c.Benchmarks.Workload
}

// ReadSide reads the files or runs of a side; open reads a run. A file that cannot be read, and files and runs on one
// side, are a [*plan.Refusal].
func ReadSide(ctx context.Context, name string, paths []string, open func(dir string) (*Side, error)) (side []*Side,
	err error) {
	for _, path := range paths {
		s, err := readPart(ctx, path, open)
		if err != nil {
			return nil, err
		}
		if side = append(side, s); s.Kind() != side[0].Kind() {
			return nil, plan.Refuse("", nil, "%s is a %s and %s is a %s: give only files or only runs on a side",
				side[0].Path, side[0].Kind(), path, s.Kind())
		}
		if s.Name = name; len(paths) > 1 {
			s.Name += " " + s.Kind() + " " + path
		}
	}
	return side, nil
}

// readPart reads a file in the Go benchmark format, or a run of benchmarks.
func readPart(ctx context.Context, path string, open func(dir string) (*Side, error)) (*Side, error) {
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return open(path)
	}
	f, err := ReadFile(ctx, path)
	switch {
	case err == nil:
		return &Side{File: f, Unused: f.Omitted()}, nil
	case ctx.Err() != nil:
		return nil, err
	}
	return nil, plan.AsRefusal(err)
}

// CompareParts compares two sides, each a list of files or of runs, or only collects their results. It changes the
// points of what it compares. Sides of two machines, or with nothing in common, are a [*plan.Refusal]; another error is
// that of ctx.
func CompareParts(ctx context.Context, older, newer []*Side, results bool) (*Comparison, error) {
	all := slices.Concat(older, newer)
	if err := oneMachine(all); err != nil {
		return nil, plan.AsRefusal(err)
	}
	c := &Comparison{}
	do := c.compare
	if results {
		do = c.collect
	}
	if err := do(ctx, older, newer); err != nil {
		return nil, err
	}
	for _, s := range all {
		c.Unused = append(c.Unused, s.Unused...)
	}
	if text := unknownMachine(all); text != "" {
		c.Warnings = append(c.Warnings, compare.NewWarning(c.Workload(), compare.WarnSettings, text))
	}
	return c, nil
}

// compare compares two sides.
func (c *Comparison) compare(ctx context.Context, oldParts, newParts []*Side) error {
	copies := warnCopies(slices.Concat(oldParts, newParts))
	older, oldNotes, oldWarnings := join("old", oldParts)
	newer, newNotes, newWarnings := join("new", newParts)
	differences, notes := align(older, newer)
	benchmarks, warnings, err := compareUntil(ctx, older, newer)
	if err != nil {
		return err
	}
	if len(benchmarks.Metrics) == 0 {
		return nothingCommon(older, newer)
	}
	c.Benchmarks, c.Differences, c.Notes = benchmarks, differences, slices.Concat(oldNotes, newNotes, notes)
	c.Warnings = slices.Concat(warnings, older.Partial, newer.Partial, copies, oldWarnings, newWarnings)
	return nil
}

// collect collects the results of both sides. It is an error if one has none.
func (c *Comparison) collect(_ context.Context, older, newer []*Side) error {
	has := func(s *Side) bool { return s.HasValues() }
	if !slices.ContainsFunc(older, has) || !slices.ContainsFunc(newer, has) {
		x, _, _ := join("old", older)
		y, _, _ := join("new", newer)
		return nothingCommon(x, y)
	}
	for i, s := range slices.Concat(older, newer) {
		config := maps.Clone(s.Config)
		maps.Copy(config, s.Common)
		c.Warnings = append(c.Warnings, s.Partial...)
		c.Results = append(c.Results, compare.BenchResults{Newer: i >= len(older), Trials: s.Trials, Cases: s.Cases,
			Config: config, Better: s.Better})
	}
	return nil
}

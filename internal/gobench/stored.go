package gobench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sweep"
)

// ErrDesigns is wrapped by the refusal of a run of designs that is continued as a run of benchmarks.
var ErrDesigns = errors.New("it is a run of designs")

// SideOf is a stored run of benchmarks as a side of a comparison.
func SideOf(r *sweep.StoredRun) (*Side, error) {
	h := &r.Header
	x, err := ExperimentOf(r.Name, h)
	if err != nil {
		return nil, err
	}
	p, err := h.Plan(x.Workload())
	if err != nil {
		return nil, err
	}
	f := &File{Path: r.Name, Trials: r.Trials, Cases: p.Cases, Better: compare.DeclaredDirections(r.Trials),
		Budget: h.Rule != nil,
		Config: map[string]string{"goos": h.Environment.GOOS, "goarch": h.Environment.GOARCH, "pkg": h.Workload}}
	if h.Environment.CPUModel != nil {
		f.Config["cpu"] = *h.Environment.CPUModel
	}
	return &Side{File: f, Experiment: x, Environment: h.Environment, Version: h.Version}, nil
}

// ExperimentOf reads the experiment in the header of the run in dir.
func ExperimentOf(dir string, h *sweep.Header) (*Experiment, error) {
	x := new(Experiment)
	if err := json.Unmarshal(h.Bench, x); err != nil {
		return nil, fmt.Errorf("%s: the benchmarks in its header cannot be read: %w", dir, err)
	}
	packages := map[string]bool{}
	for _, p := range x.packages() {
		packages[p.Name] = true
	}
	for _, b := range x.Benchmarks {
		if !packages[b.Package] {
			return nil, fmt.Errorf("%s: the benchmark %s in its header belongs to no package of the run: it was "+
				"changed, or another program wrote it", dir, b.Name)
		}
	}
	return x, nil
}

// Criteria compare the levels of the factors that are a choice, each with the first; if there is a base, only the
// revisions.
func (x *Experiment) Criteria() compare.Criteria {
	inputs := []string{"cpus"}
	if x.BaseCommit != "" {
		for _, f := range x.Factors() {
			if f.Name != FactorRev {
				inputs = append(inputs, f.Name)
			}
		}
	}
	c := compare.DefaultCriteria("", inputs)
	c.LevelsOnly, c.AgainstFirst, c.Layouts = true, x.ByFirst, max(1, x.Layouts)
	return c
}

// nothingCommon returns the [*plan.Refusal] of two sides that have nothing to compare, with the reason.
func nothingCommon(older, newer *Side) error {
	why := "the old has " + compare.CaseNames(compare.Rows(older.Trials, older.Cases)) + "; the new has " +
		compare.CaseNames(compare.Rows(newer.Trials, newer.Cases))
	why = strings.Join(slices.Concat([]string{why}, older.Unused, newer.Unused), "; ")
	return plan.Refuse("", nil, "%s and %s have no benchmark at the same point with at least 2 results each that can "+
		"be compared: %s", older.Path, newer.Path, why)
}

// compareUntil is [compareSides], which may take minutes. It does not wait for it after ctx is cancelled.
func compareUntil(ctx context.Context, older, newer *Side) (*compare.BenchComparison, []compare.Warning, error) {
	type compared struct {
		comparison *compare.BenchComparison
		warnings   []compare.Warning
	}
	c, err := unlessCancelled(ctx, func() (c compared) {
		c.comparison, c.warnings = compareSides(older, newer)
		return c
	})
	return c.comparison, c.warnings, err
}

// unlessCancelled computes what may take minutes. It does not wait for it after ctx is cancelled.
func unlessCancelled[T any](ctx context.Context, compute func() T) (T, error) {
	done := make(chan T, 1)
	go func() { done <- compute() }()
	select {
	case x := <-done:
		return x, nil
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

package lab

import (
	"context"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/gobench"
)

// benchmarks compares files or runs of Go benchmarks.
func (c *comparing) benchmarks(ctx context.Context, oldPaths, newPaths []string) error {
	older, err := gobench.ReadSide(ctx, "old", oldPaths, c.openBenchmarks)
	if err != nil {
		return err
	}
	newer, err := gobench.ReadSide(ctx, "new", newPaths, c.openBenchmarks)
	if err != nil {
		return err
	}
	x, err := gobench.CompareParts(ctx, older, newer, c.Results)
	if err != nil {
		return err
	}
	c.res.Older = compare.Side{Name: strings.Join(oldPaths, ","), Paths: oldPaths, Files: older[0].Experiment == nil}
	c.res.Newer = compare.Side{Name: strings.Join(newPaths, ","), Paths: newPaths, Files: newer[0].Experiment == nil}
	c.res.Workload, c.res.Benchmarks, c.res.Results = x.Workload(), x.Benchmarks, x.Results
	c.res.Differences, c.res.Notes, c.res.Unused = x.Differences, x.Notes, x.Unused
	c.warn(x.Warnings...)
	return nil
}

// openBenchmarks reads a run of benchmarks.
func (c *comparing) openBenchmarks(dir string) (*gobench.Side, error) {
	r, err := c.open(dir)
	if err != nil {
		return nil, err
	}
	if r.Header.Bench == nil {
		return nil, refuse("", nil, "%s is not a run of benchmarks", dir).
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

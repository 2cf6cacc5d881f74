package lab

import (
	"path/filepath"
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// comparing is a comparison in progress.
type comparing struct {
	*CompareOptions
	res *Comparison
}

// open reads a run directory and sends its notes. It refuses a run without trials.
func (c *comparing) open(dir string) (*sweep.StoredRun, error) {
	r, err := sweep.Open(dir)
	if r != nil {
		for _, note := range r.Notes {
			notifier(c.Notify).send(Warning{note})
		}
	}
	if err != nil {
		return nil, err
	}
	r.Rows = compare.Rows(r.Trials, r.Header.Cases)
	switch {
	case len(r.Trials) > 0:
		return r, nil
	case len(r.Header.Cases) == 0:
		return nil, refuse("", nil, "%s holds no measurement, only predictions for CPUs that the machine lacks; "+
			"they are a run of their own: give %s", dir, quote.Shell(filepath.Join(dir, predictionsName)))
	}
	return nil, refuse("", nil, "%s holds no trial yet: continue it with %s", dir,
		c.ResumeHint(r.Header, dir))
}

// partial returns a warning if the run was stopped.
func (c *comparing) partial(r *sweep.StoredRun) []compare.Warning {
	if r.Ended {
		return nil
	}
	h := &r.Header
	resume := c.ResumeHint(*h, r.Name)
	return []compare.Warning{compare.UnfinishedWarning(h.Workload, r.Name, resume, r.Blocks, h.Blocks)}
}

// openAll reads all runs, and refuses copies.
func (c *comparing) openAll(dirs []string) (all []*sweep.StoredRun, err error) {
	for _, dir := range dirs {
		r, err := c.open(dir)
		if err != nil {
			return nil, err
		}
		for _, other := range all {
			if other.CopyOf(r) {
				return nil, refuse("", nil, "%s and %s hold the same run, which began at %s: one is a copy", other.Name,
					dir, r.Header.Started.Format("2006-01-02 15:04:05")).Suggest("give two runs")
			}
		}
		if text := r.Lost(); text != "" {
			notifier(c.Notify).send(Warning{text})
		}
		all = append(all, r)
	}
	return all, nil
}

// designs compares runs of designs.
func (c *comparing) designs(oldDirs, newDirs []string) error {
	runs, err := c.openAll(slices.Concat(oldDirs, newDirs))
	if err != nil {
		return err
	}
	older, newer := runs[:len(oldDirs)], runs[len(oldDirs):]
	if c.res.Differences, c.res.Warnings, err = sweep.CompareHeaders(older, newer); err != nil {
		return refuse("", nil, "%w", err)
	}
	oldSide, newSide := sweep.MergeSide(older), sweep.MergeSide(newer)
	designs := compare.DefaultCriteria("", sweep.Inputs(c.Workloads, runs)).CompareRuns(newSide, oldSide)
	if len(designs.Matches) == 0 {
		return sweep.NothingCommon(oldSide, newSide)
	}
	h := &newer[0].Header
	c.res.Workload, c.res.Designs = h.Workload, &designs
	c.res.Older = compare.Side{Name: oldSide.Name, Paths: oldDirs}
	c.res.Newer = compare.Side{Name: newSide.Name, Paths: newDirs}
	if len(runs) == 2 && h.World == result.Live && len(designs.Verdicts()) > 0 {
		c.warn(compare.OneRunWarning(h.Workload, "measure several runs of each side, alternating, and compare "+
			"the groups"))
	}
	for _, r := range runs {
		for _, w := range slices.Concat(c.partial(r), r.Warnings()) {
			w.Run = r.Name
			c.warn(w)
		}
	}
	return nil
}

func (c *comparing) warn(list ...compare.Warning) { c.res.Warnings = append(c.res.Warnings, list...) }

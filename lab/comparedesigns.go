package lab

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// comparing is a comparison under way.
type comparing struct {
	*CompareOptions
	res *Comparison
}

// comparedRun is a run that was read back.
type comparedRun struct {
	sweep.StoredRun
	raw     []byte            // the header as the journal has it
	partial []compare.Warning // the run was stopped
}

// open reads a run directory.
func (c *comparing) open(dir string) (*comparedRun, error) {
	journal, err := store.Open(dir)
	if err != nil {
		return nil, storeError(err)
	}
	for _, note := range journal.Notes() {
		c.Notify.send(Warning{note})
	}
	r := &comparedRun{raw: journal.Header}
	r.Name, r.Trials = dir, journal.Trials
	if r.Header, err = readHeader(dir, journal); err != nil {
		return nil, refuse("", nil, "%w", err)
	}
	h := &r.Header
	resume := h.ResumeCommand(c.Program, dir)
	if len(r.Trials) == 0 && len(h.Cases) == 0 {
		return nil, refuse("", nil, "%s holds no measurement, only what is predicted of CPUs that were not there; "+
			"that is a run of its own: give %s", dir, quote.Shell(filepath.Join(dir, TwinName)))
	}
	if len(r.Trials) == 0 {
		return nil, refuse("", nil, "%s holds no trial yet: continue it with %s", dir, resume)
	}
	if !journal.Ended {
		r.partial = []compare.Warning{compare.Partial(h.Workload, dir, resume, len(journal.Blocks), h.Blocks)}
	}
	r.Rows = compare.Rows(journal.Trials, h.Cases)
	return r, nil
}

// openAll reads all runs, and refuses copies.
func (c *comparing) openAll(dirs []string) (all []*comparedRun, err error) {
	for _, dir := range dirs {
		r, err := c.open(dir)
		if err != nil {
			return nil, err
		}
		for _, other := range all {
			if bytes.Equal(other.raw, r.raw) {
				return nil, refuse("", nil, "%s and %s hold the same run, which began at %s: one is a copy", other.Name,
					dir, r.Header.Started.Format("2006-01-02 15:04:05")).suggest("give two runs")
			}
		}
		c.lost(r)
		all = append(all, r)
	}
	return all, nil
}

// lost warns of files that are no longer in the directory of a run.
func (c *comparing) lost(r *comparedRun) {
	if text := store.LostFailures(r.Name, r.Trials); text != "" {
		c.Notify.send(Warning{text})
	}
}

// designs compares runs of designs.
func (c *comparing) designs(oldDirs, newDirs []string) error {
	all, err := c.openAll(slices.Concat(oldDirs, newDirs))
	if err != nil {
		return err
	}
	var runs []*sweep.StoredRun
	for _, r := range all {
		runs = append(runs, &r.StoredRun)
	}
	older, newer := runs[:len(oldDirs)], runs[len(oldDirs):]
	if c.res.Differences, c.res.Warnings, err = sweep.Sides(older, newer); err != nil {
		return refuse("", nil, "%w", err)
	}
	oldSide, newSide := sweep.OneSide(older), sweep.OneSide(newer)
	contrast := compare.DefaultCriteria("", c.inputs(runs)).Between(newSide, oldSide)
	if len(contrast.Matches) == 0 {
		return nothingInCommon(oldSide, newSide)
	}
	h := &newer[0].Header
	c.res.Workload, c.res.Designs = h.Workload, &contrast
	c.res.Older, c.res.Newer = ComparedSide{oldSide.Name, oldDirs, false}, ComparedSide{newSide.Name, newDirs, false}
	if len(all) == 2 && h.World == result.Live && len(contrast.Verdicts()) > 0 {
		c.warn(compare.OneRun(h.Workload, "measure each side in several runs, in turn, and give them with commas: "+
			"compare OLD1,OLD2,OLD3 NEW1,NEW2,NEW3"))
	}
	for _, r := range all {
		c.warn(r.warnings()...)
	}
	return nil
}

func (c *comparing) warn(list ...compare.Warning) { c.res.Warnings = append(c.res.Warnings, list...) }

// inputs are the factors that make another job.
func (c *comparing) inputs(runs []*sweep.StoredRun) (all []string) {
	name := runs[0].Header.Workload
	i := slices.IndexFunc(c.Workloads, func(w *workload.Workload) bool { return w.Name == name })
	if i >= 0 {
		return c.Workloads[i].InputFactors()
	}
	for _, r := range runs {
		for _, row := range r.Rows {
			for _, s := range row.Point.Settings() {
				all = append(all, s.Factor)
			}
		}
	}
	return all
}

// nothingInCommon refuses sides that have no design at a common point.
func nothingInCommon(older, newer compare.Run) error {
	if slices.ContainsFunc(newer.Rows, func(r compare.Row) bool { return r.Open }) {
		return refuse("", nil, "%s and %s have no design at a common point and rate: an open loop's responses are "+
			"compared at equal rates only, and {load} is a fraction of what each run measured as capacity", older.Name,
			newer.Name).suggest("measure both with the same {rate}")
	}
	return refuse("", nil, "%s and %s have no design at a common point: the old run has %s; the new run has %s",
		older.Name, newer.Name, compare.CaseNames(older.Rows), compare.CaseNames(newer.Rows)).
		suggest("measure one of them at points of the other")
}

// warnings are a run's, with its directory.
func (r *comparedRun) warnings() []compare.Warning {
	list := r.partial
	for _, text := range r.Header.Warnings {
		list = append(list, compare.NewWarning(r.Header.Workload, compare.WarnSettings, text))
	}
	if r.Header.Rule != nil {
		list = append(list, compare.Budgeted(r.Header.Workload, r.Name))
	}
	list = append(list, compare.Warnings(r.Trials, r.Header.InterimBlocks())...)
	for i := range list {
		list[i].Run = r.Name
	}
	return list
}

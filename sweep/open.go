package sweep

import (
	"bytes"
	"runtime"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Open reads the run in the directory dir and checks it against the plan in its header. It does not compute the rows.
// Errors are a [*plan.Refusal] unless a disk failed; if the journal could be read, the result has its notes
// nevertheless.
func Open(dir string) (*StoredRun, error) {
	journal, err := store.Open(dir)
	if err != nil {
		return nil, StoreError(err)
	}
	r := &StoredRun{Notes: journal.Notes(), Ended: journal.Ended, Blocks: len(journal.Blocks), raw: journal.Header}
	r.Name, r.Trials = dir, journal.Trials
	if r.Header, err = HeaderOf(dir, journal); err != nil {
		return r, plan.AsRefusal(err)
	}
	return r, nil
}

// HeaderOf returns the header in the journal of the run directory dir. It returns an error if the stored trials do not
// fit the header.
func HeaderOf(dir string, j *store.Journal) (Header, error) {
	h, err := ReadHeader(dir, j.Header)
	if err != nil {
		return h, err
	}
	return h, h.checkStored(dir, j.Trials, j.Blocks, j.Interims, !j.Checked)
}

// StoreError converts an error about a run directory to a [*plan.Refusal], unless a disk failed or the directory was
// removed.
func StoreError(err error) error {
	if store.IsStorageFailure(err) {
		return err
	}
	return plan.AsRefusal(err)
}

// CopyOf reports whether both runs are the same, in two directories.
func (r *StoredRun) CopyOf(other *StoredRun) bool { return bytes.Equal(r.raw, other.raw) }

// Lost names the files that are no longer in the directory of the run; "" if all are there.
func (r *StoredRun) Lost() string { return store.LostFailures(r.Name, r.Trials) }

// Warnings returns the warnings about the trials of the run and its settings.
func (r *StoredRun) Warnings() (list []compare.Warning) {
	for _, text := range r.Header.Warnings {
		list = append(list, compare.NewWarning(r.Header.Workload, compare.WarnSettings, text))
	}
	if r.Header.Rule != nil {
		list = append(list, compare.BudgetWarning(r.Header.Workload, r.Name))
	}
	return append(list, compare.Warnings(r.Trials, r.Header.InterimBlocks())...)
}

// MostCPUs returns the case of a design with the most CPUs, up to those of this machine. The design may be "" if the
// run has only one. Errors are a [*plan.Refusal].
func (r *StoredRun) MostCPUs(design string) (best plan.Case, err error) {
	var names []string
	for _, c := range r.Header.Cases {
		if !slices.Contains(names, c.Design) {
			names = append(names, c.Design)
		}
	}
	if len(names) == 0 {
		return best, plan.Refuse("", nil, "%s holds no measurement, only predictions for CPUs that this machine lacks",
			r.Name)
	}
	if design == "" && len(names) == 1 {
		design = names[0]
	}

	most, found := 0.0, false
	for _, c := range r.Header.Cases {
		level, _ := c.Point.Get("cpus")
		cpus, isNumber := level.Number()
		if c.Design == design && isNumber && cpus <= float64(runtime.NumCPU()) && (!found || cpus > most) {
			best, most, found = c, cpus, true
		}
	}
	if !found && slices.Contains(names, design) {
		return best, plan.Refuse("", nil, "%s holds %s on more CPUs than this machine has, %d: explain it where it "+
			"was measured, or on fewer", r.Name, design, runtime.NumCPU())
	}
	if !found {
		return best, plan.Refuse("", nil, "explain takes one design of a run: select it with {designs}, from "+
			"%s", strings.Join(names, ", "))
	}
	return best, nil
}

// SameHere refuses to mix trials of two machines or two builds in the run in dir. Virtual time is the same everywhere.
func (h *Header) SameHere(dir string) error {
	here := host.Read()
	if h.World == result.Virtual {
		here.Machine = h.Environment.Machine
	}
	if err := here.SameMachine(h.Environment); err != nil {
		return plan.Refuse("", nil, "%s cannot be continued on this machine: %w", dir, err).
			Suggest("continue it there, or start a new run")
	}
	if err := here.SameBuild(h.Environment); err != nil {
		return plan.Refuse("", nil, "%s cannot be continued by this program: %w", dir, err).
			Suggest("continue with the program that began it, or start a new run")
	}
	return nil
}

package sweep

import (
	"bytes"
	"fmt"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
)

// StoredRun is a stored run, read by [Open]. Its name is its directory.
type StoredRun struct {
	compare.Run
	Header Header
	Notes  []string // remarks on the journal
	Blocks int      // complete ones
	Ended  bool     // the run was not stopped

	raw []byte // the header as the journal has it
}

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

// HeaderOf returns the header in the journal of the run directory dir, with the settings that the next trials use. It
// returns an error if the stored trials do not fit the header.
func HeaderOf(dir string, j *store.Journal) (Header, error) {
	h, err := ReadHeader(dir, j.Header)
	if err == nil {
		err = h.useSettings(dir, j)
	}
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

// Progress says how much of an incomplete run is stored.
func (r *StoredRun) Progress() string {
	blocks := fmt.Sprintf("%d of %d blocks", r.Blocks, r.Header.Blocks)
	if r.Header.Rule != nil {
		blocks = fmt.Sprintf("%d of at most %d blocks", r.Blocks, r.Header.Blocks)
	}
	return fmt.Sprintf("%s, %d trials", blocks, len(r.Trials))
}

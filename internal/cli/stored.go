package cli

import (
	"fmt"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// stored reads the header of a run directory, compares what the directory holds with the plan in it, and prints what is
// missing or cannot be known.
func (a *app) stored(dir string, j *store.Journal) (h sweep.Header, err error) {
	a.notes(j)
	if h, err = sweep.ReadHeader(dir, j.Header); err != nil {
		return h, asUsage(err)
	}
	return h, fitsPlan(dir, &h, j)
}

// notes prints what a journal says of itself.
func (a *app) notes(j *store.Journal) {
	for _, note := range j.Notes() {
		fmt.Fprintln(a.stderr, "warning:", note)
	}
}

// lostFailures says which files with what failed trials printed are no longer in a run directory.
func (a *app) lostFailures(dir string, trials []result.Trial) {
	if text := store.Lost(dir, trials); text != "" {
		fmt.Fprintln(a.stderr, "warning:", text)
	}
}

// fitsPlan refuses a run that holds what the plan in a header does not have.
func fitsPlan(dir string, h *sweep.Header, j *store.Journal) error {
	if err := h.Fits(dir, j.Trials, j.Blocks, j.Looks, !j.Checked); err != nil {
		return asUsage(err)
	}
	return nil
}

// storeError tells a directory that is the wrong one, which is a wrong use, from a disk that fails and a directory that
// was removed.
func storeError(err error) error {
	if store.Broken(err) {
		return exitError{err, exitFailed}
	}
	return asUsage(err)
}

package lab

import (
	"path/filepath"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/sweep"
)

// ReadHeader reads the header of the run in the run directory dir. What is wrong with dir is a [*Refusal].
func ReadHeader(dir string) (*sweep.Header, error) {
	journal, err := store.Open(dir)
	if err != nil {
		return nil, storeError(err)
	}
	h, err := readHeader(dir, journal)
	if err != nil {
		return nil, refuse("", nil, "%w", err)
	}
	return &h, nil
}

// readHeader reads the header of the run in dir, and refuses one that what is stored there does not fit.
func readHeader(dir string, j *store.Journal) (sweep.Header, error) {
	h, err := sweep.ReadHeader(dir, j.Header)
	if err != nil {
		return h, err
	}
	return h, h.Fits(dir, j.Trials, j.Blocks, j.Interims, !j.Checked)
}

// storeError makes a refusal of an error about a run directory, unless a disk failed or the directory was removed.
func storeError(err error) error {
	if store.IsStorageFailure(err) {
		return err
	}
	return refuse("", nil, "%w", err)
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/brewput/brewput/internal/lock"
	"github.com/brewput/brewput/result"
)

// opener opens a file for writing and creates it if it does not exist. Tests supply files that fail.
type opener func(path string) (file, error)

func openFile(path string) (file, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666) }

// Create begins a run in dir and creates dir and its parents if they do not exist. The directory must be empty,
// or hold only the beginning of a run that stopped before its header was written. The header is any JSON.
func Create(dir string, header any) (*Run, error) { return create(dir, header, openFile) }

func create(dir string, header any, open opener) (*Run, error) {
	line, err := encode(struct {
		Kind          string `json:"kind"`
		SchemaVersion int    `json:"schema_version"`
		Header        any    `json:"header"`
	}{kindRun, result.SchemaVersion, header})
	if err == nil {
		_, err = parse(line)
	}
	if err != nil {
		return nil, fmt.Errorf("the header of the run: %w", err)
	}
	if err := CheckVacant(dir); err != nil {
		return nil, err
	}
	_, before := os.Lstat(dir)
	if err := makeDir(dir); err != nil {
		return nil, fmt.Errorf("%s cannot hold a run: %w; give a directory that can be written", dir, err)
	}
	r, err := openRun(dir, open)
	if err != nil {
		return nil, err
	}
	r.made = errors.Is(before, fs.ErrNotExist)
	r.chain.checked = true
	if err := CheckVacant(dir); err != nil { // check again, because now no other process can begin a run here
		r.abandon()
		return nil, err
	}
	if err := r.begin(line); err != nil {
		if errors.Is(err, ErrGone) {
			r.abandon() // another directory may be in its place
		} else {
			r.Withdraw()
		}
		return nil, err
	}
	return r, nil
}

// begin writes the header of a run that was just opened.
func (r *Run) begin(line []byte) error {
	err := r.openFiles()
	if err == nil {
		err = errors.Join(r.journal.cut(), r.histograms.cut())
	}
	if err == nil {
		err = syncDir(r.dir)
	}
	if err == nil {
		line, _ = r.chain.sign(line, 0)
		err = errors.Join(r.chain.begin(line), r.journal.add(line))
	}
	if err == nil {
		err = r.sync()
	}

	if err != nil {
		if r.journal.file != nil {
			r.journal.end = 0
			err = errors.Join(err, r.journal.cut())
		}
		if _, at := os.Stat(r.dir); errors.Is(at, fs.ErrNotExist) || errors.Is(err, ErrGone) {
			return goneError(r.dir, journalName)
		}
		return fmt.Errorf("%w; nothing is measured yet; %s and start again", err, remedy(err))
	}
	return nil
}

// Resume opens a run to continue it, and returns its content. It removes a line that a crash tore. A block may
// have all its trials but no "block" record; the caller must end it. A run that has ended accepts no records:
// it is read as [Open] reads it, without a lock, so nothing of it needs to be writable.
func Resume(dir string) (*Run, *Journal, error) { return resume(dir, openFile) }

func resume(dir string, open opener) (*Run, *Journal, error) {
	j, err := Open(dir) // before the lock, so that a directory that is foreign, complete or damaged gets none
	if err != nil {
		return nil, nil, err
	}
	if j.Ended {
		return &Run{dir: dir, err: fmt.Errorf("%s: no record may come after the end of the run", dir)}, j, nil
	}
	r, err := openRun(dir, open)
	if err != nil {
		return nil, nil, err
	}
	j, err = Open(dir) // again, because now no other process writes it
	if err == nil && j.histogramsErr != nil {
		err = fmt.Errorf("%w: %s", j.histogramsErr, restoreHint)
	}
	if err == nil {
		err = r.openFiles()
	}
	if err == nil {
		r.journal.end, r.histograms.end = j.end, j.histogramsEnd
		err = errors.Join(r.journal.cut(), r.histograms.cut(), r.sync())
	}

	if err != nil {
		r.abandon()
		return nil, nil, err
	}

	r.state, r.chain = j.state.clone(), j.chain
	if n := len(j.Trials); n > 0 {
		r.last = keyOf(&j.Trials[n-1]).String()
		r.synced = r.last
	}
	return r, j, nil
}

// openRun locks an existing directory.
func openRun(dir string, open opener) (*Run, error) {
	l, err := lock.Lock(filepath.Join(dir, lockName))
	if errors.Is(err, lock.ErrLocked) {
		return nil, fmt.Errorf("%s is being written by another process: wait until it ends, or stop it", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot lock the run: %w", err)
	}
	return &Run{dir: dir, open: open, lock: l, state: newState()}, nil
}

// openFiles opens both files for writing.
func (r *Run) openFiles() (err error) {
	r.journal.path = filepath.Join(r.dir, journalName)
	r.histograms.path = filepath.Join(r.dir, histogramsName)
	if r.histograms.file, err = r.open(r.histograms.path); err != nil {
		r.histograms.file = nil
		return err
	}
	if r.journal.file, err = r.open(r.journal.path); err != nil {
		r.journal.file = nil
	}
	return err
}

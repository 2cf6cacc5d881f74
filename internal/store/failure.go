package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/brewput/brewput/result"
)

// ErrGone marks a run whose files are no longer in their place.
var ErrGone = errors.New("removed, moved or replaced during the run")

// goneError returns the error for a missing file of a run.
func goneError(dir, file string) error {
	return fmt.Errorf("%s: its %s was %w, so that nothing is stored: start the run again, and leave its directory "+
		"alone until it ends", dir, file, ErrGone)
}

// checkPresent returns an error if the open files are no longer those in the run directory. Writes to a removed
// file are lost without an error of the system.
func (r *Run) checkPresent() error {
	for _, a := range []*appended{&r.journal, &r.histograms} {
		info, err := a.Stat()
		if err != nil {
			return err
		}
		if at, err := os.Stat(a.path); err != nil || !os.SameFile(info, at) {
			return goneError(r.dir, filepath.Base(a.path))
		}
	}
	return nil
}

// failed adds to a write error what is kept and what to do.
func (r *Run) failed(err error) error {
	if errors.Is(err, ErrGone) {
		return err // nothing is kept
	}
	kept := "no trial was finished"
	if r.last != "" {
		kept = "everything up to " + r.last + " is kept"
	}
	return fmt.Errorf("%w; %s; %s and resume the run in %s", err, kept, remedy(err), r.dir)
}

// IsStorageFailure reports whether an error of this package means that a disk failed, or that a run directory
// was removed while in use. Any other error means a wrong directory, or one that cannot be used in this way.
func IsStorageFailure(err error) bool {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS, ErrGone} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// remedy returns the advice for a write that failed.
func remedy(err error) string {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return "free space"
	}
	return "see that the disk can be written"
}

// Failure stores the output of a failed trial and returns the path of the file. Call it before Append, so that
// no failed trial is without its output. A trial that is run again replaces the file.
func (r *Run) Failure(block, order int, text string) (path string, err error) {
	if r.err != nil {
		return "", r.err
	}
	if err := r.checkPresent(); err != nil { // otherwise it would create the directory again
		return "", r.stop(err)
	}
	dir := filepath.Join(r.dir, failuresName)
	path = filepath.Join(dir, fmt.Sprintf("%d-%d.txt", block, order))
	if err := makeDir(dir); err != nil {
		return "", r.failed(err)
	}
	if err := r.writeFile(path, text); err != nil {
		return "", r.failed(err)
	}
	return path, nil
}

// writeFile writes a file atomically.
func (r *Run) writeFile(path, text string) error {
	temporary := path + ".tmp"
	f, err := r.open(temporary)
	if err != nil {
		return err
	}
	a := appended{file: f, path: temporary}
	err = a.cut() // remove the rest of an earlier attempt
	if err == nil {
		err = a.add([]byte(text))
	}
	if err == nil {
		err = a.Sync()
	}
	if err = errors.Join(err, a.Close()); err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return syncDir(filepath.Dir(path))
}

// LostFailures names the files with the output of failed trials that are missing in the run directory dir; ""
// if none is missing.
func LostFailures(dir string, trials []result.Trial) string {
	var lost []string
	for _, t := range trials {
		if t.Failure == "" {
			continue
		}
		path := filepath.Join(dir, t.Failure)
		if _, err := os.Stat(path); err != nil {
			lost = append(lost, path)
		}
	}
	if lost == nil {
		return ""
	}
	return fmt.Sprintf("%s with the output of failed trials cannot be found, the first is %s: restore it, or run "+
		"the trial again in a new run", result.Count(len(lost), "file"), lost[0])
}

package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/plan"
)

// CheckVacant returns an error if no run can begin in dir.
func CheckVacant(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s cannot hold a run: %w; give another directory", dir, err)
	}
	if f, _, _, err := openJournal(dir); err == nil {
		f.Close()
		return plan.Refuse("", nil, "%s already holds a run: use {resume} %s, or give another directory", dir, dir)
	}
	if !isUnstarted(dir, entries) {
		return fmt.Errorf("%s is not empty: give a new directory", dir)
	}
	return nil
}

// HoldsRun reports whether a directory holds a run.
func HoldsRun(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, journalName))
	return err == nil && info.Mode().IsRegular()
}

// isUnstarted reports whether dir holds only a run that stopped before its header was written.
func isUnstarted(dir string, entries []fs.DirEntry) bool {
	for _, e := range entries {
		if !e.Type().IsRegular() || !slices.Contains([]string{journalName, histogramsName, lockName}, e.Name()) {
			return false
		}
		if info, err := e.Info(); err != nil || e.Name() != journalName && info.Size() > 0 {
			return false
		}
	}
	f, err := input.Open(context.Background(), filepath.Join(dir, journalName), input.Journal)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil {
		return false
	}
	defer f.Close()
	line, err := newLines(f).next()
	return err == io.EOF || err == nil && isTornHeader(line)
}

// isTornHeader reports whether b, the first line of a journal, is the beginning of a header without newline. A
// power cut may have left zeros in its place.
func isTornHeader(b []byte) bool {
	const start = `{"kind":"run",`
	torn := !isWhole(b)
	b = bytes.Trim(b, "\x00")
	n := min(len(b), len(start))
	return torn && string(b[:n]) == start[:n]
}

// noHeader returns the error of a journal without a complete line. Histograms are written after the header.
func noHeader(dir string) error {
	if info, err := os.Stat(filepath.Join(dir, histogramsName)); err == nil && info.Size() > 0 {
		return fmt.Errorf("%s holds no whole line, though %s has %d bytes: it was emptied or changed; %s",
			filepath.Join(dir, journalName), histogramsName, info.Size(), restoreHint)
	}
	return fmt.Errorf("%s: the run was stopped before its header was written, so it holds no trial: start "+
		"it again in that directory", dir)
}

// notRun returns the error of a directory whose journal cannot be opened.
func notRun(dir string, err error) error {
	const advice = "give the directory that a run was stored in, such as one in brewput-runs"
	info, statErr := os.Stat(dir)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return fmt.Errorf("%s is not a run directory: it does not exist; %s", dir, advice)
	case statErr == nil && !info.IsDir():
		return fmt.Errorf("%s is not a run directory: it is a file; %s", dir, advice)
	case statErr == nil && errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is not a run directory: it has no %s; %s", dir, journalName, advice)
	}
	return fmt.Errorf("%s is not a run directory: %w", dir, err)
}

// makeDir creates a directory and its parents, and syncs their names.
func makeDir(dir string) error {
	var changed []string
	if filepath.Dir(dir) == RunsDir { // Directory may have created it
		changed = []string{RunsDir, "."}
	}
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d) {
			break // MkdirAll reports any other error
		}
		changed = append(changed, filepath.Dir(d))
	}
	makeRunsDir(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, d := range changed {
		if err := syncDir(d); err != nil {
			return err
		}
	}
	return nil
}

// syncDir syncs the names in a directory, if the system can. Windows and some network file systems cannot, and
// a directory may be writable without being readable.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

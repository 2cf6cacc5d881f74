package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/brewput/brewput/internal/tempdir"
	"github.com/brewput/brewput/plan"
)

// check returns an error for a directory that does not exist.
func check(p plan.Point) error {
	if !p.Has("dir") {
		return nil
	}
	info, err := os.Stat(p.Text("dir"))
	switch {
	case err != nil:
		return &plan.Refusal{Field: "dir", Reason: err.Error(), Err: err}
	case !info.IsDir():
		return &plan.Refusal{Field: "dir", Value: p.Text("dir"), Reason: "not a directory; name one to write logs in"}
	}
	return nil
}

// newDir creates the directory of a log, and removes the directories that killed trials left.
func newDir(p plan.Point) (dir string, remove func() error, err error) {
	parent := ""
	if p.Has("dir") {
		parent = p.Text("dir")
	}
	d, err := tempdir.Kind{Prefix: "brewput-journal"}.Make(parent, "log")
	if err != nil {
		return "", nil, err
	}
	dir = filepath.Join(d.Path, "log")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", nil, errors.Join(err, d.Close())
	}
	return dir, d.Close, nil
}

// isEmpty reports whether a directory has no file.
func isEmpty(dir string) (bool, error) {
	found, err := os.ReadDir(dir)
	return len(found) == 0, err
}

// disk is a directory of the file system.
type disk string

func (d disk) create(name string) (file, error) {
	return openDisk(filepath.Join(string(d), name), os.O_CREATE|os.O_EXCL)
}

func (d disk) open(name string) (file, bool, error) {
	f, err := openDisk(filepath.Join(string(d), name), 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, false, nil
	}
	return f, err == nil, err
}

func (d disk) rename(from, to string) error {
	return os.Rename(filepath.Join(string(d), from), filepath.Join(string(d), to))
}

func (d disk) sync() error { return SyncDirs(string(d)) }

// SyncDirs makes the names in directories survive power loss.
func SyncDirs(dirs ...string) error {
	if runtime.GOOS == "windows" {
		return nil // directories cannot be synced
	}
	for _, dir := range dirs {
		f, err := os.Open(dir)
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if errors.Is(err, syscall.EINVAL) || errors.Is(err, os.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
			return fmt.Errorf("the directory of the log cannot be synced, so that power loss may remove its files: "+
				"%w; set dir to a directory that you can read, on another file system", err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// diskFile is a file of the file system.
type diskFile struct{ *os.File }

func openDisk(path string, flag int) (file, error) {
	f, err := os.OpenFile(path, os.O_RDWR|flag, 0o644)
	if err != nil {
		return nil, err
	}
	return diskFile{f}, nil
}

func (f diskFile) size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f diskFile) truncate(size int64) error { return f.Truncate(size) }

func (f diskFile) sync() error { return dataSync(f.File) }

// writeZeros writes n zeros.
func writeZeros(f *os.File, at, n int64) error {
	zeros := make([]byte, 1<<16)
	for end := at + n; at < end; at += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros[:min(int64(len(zeros)), end-at)], at); err != nil {
			return err
		}
	}
	return nil
}

// again calls f until a signal does not interrupt it.
func again(f func() error) error {
	for {
		if err := f(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

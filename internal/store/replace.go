package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Replace replaces a file atomically, also if the system crashes: the new contents are on the disk before the name is
// theirs. If it fails, it leaves the existing file as it is.
func Replace(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+strings.TrimPrefix(filepath.Base(path), ".")+".*.tmp")
	if err != nil {
		return err
	}
	err = write(f)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

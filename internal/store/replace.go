package store

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/brewput/brewput/internal/input"
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

// Update makes a file hold a text. It replaces the file as [Replace] does, unless it holds the text already.
func Update(path, text string) error {
	if old, err := input.ReadFile(context.Background(), path, input.Benchmarks); err == nil && string(old) == text {
		return nil
	}
	return Replace(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

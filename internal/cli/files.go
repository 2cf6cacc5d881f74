package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/brewput/brewput/plan"
)

// writable refuses a file that could not be written, before anything is calculated for it.
func writable(flag, path string) error {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	target, targetErr := os.Stat(path)
	switch {
	case err != nil || !info.IsDir():
		return usage("%s %s: there is no directory %s; make it first", flag, path, dir)
	case targetErr == nil && !target.Mode().IsRegular():
		return usage("%s %s is there and is no file; give another name", flag, path)
	}
	return nil
}

// replaceFile replaces a file, or leaves what is there untouched.
func replaceFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+strings.TrimPrefix(filepath.Base(path), ".")+".*.tmp")
	if err != nil {
		return err
	}
	err = write(f)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// sameFile reports whether two paths lead to one directory.
func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errors.Join(errA, errB) == nil && os.SameFile(x, y)
}

// resolved makes the levels of a path absolute: a run may go on from another directory.
func resolved(f plan.Factor, c plan.Choice) (plan.Choice, error) {
	if !f.Path {
		return c, nil
	}
	for i, l := range c.Levels {
		path, err := filepath.Abs(l.String())
		if err != nil {
			return c, usage("--%s %s: %w", f.Name, l, err)
		}
		c.Levels[i] = plan.TextLevel(path)
	}
	return c, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

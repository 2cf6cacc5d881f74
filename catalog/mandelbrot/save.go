package mandelbrot

import (
	"os"
	"path/filepath"

	"github.com/brewput/brewput/plan"
)

// save writes a file atomically: it exists completely or not at all.
func save(name string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return &plan.Refusal{Field: "save", Reason: err.Error(), Err: err}
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	if e := f.Chmod(0o644); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return &plan.Refusal{Field: "save", Reason: err.Error(), Err: err}
	}
	return nil
}

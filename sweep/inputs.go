package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/workload"
)

// InputFile identifies an input file by its checksum when the sweep began: of recorded arrivals or costs, or one of
// [workload.Workload.Files], whose path is absolute.
type InputFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// shortSum returns the first 12 digits of the checksum. Headers of old runs may have no checksum.
func (r InputFile) shortSum() string { return r.SHA256[:min(12, len(r.SHA256))] }

// WorkloadInputs returns the files that decide what the trials of a workload measure, each once. Files that are
// missing, unreadable or not regular are left out: trials fail without them, or do not need to read them.
func WorkloadInputs(ctx context.Context, w *workload.Workload) ([]InputFile, error) {
	if w.Files == nil {
		return nil, nil
	}
	var files []InputFile
	for _, path := range w.Files() {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(files, func(f InputFile) bool { return f.Path == path }) {
			continue
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		sum, err := input.Sum(ctx, path, input.Program)
		if errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files = append(files, InputFile{path, sum})
	}
	return files, nil
}

// sameInputs returns an error if the workload's files are not those that the run began with.
func (s *Sweep) sameInputs(ctx context.Context) error {
	if err := s.unchangedInputs(ctx); err != nil {
		return err
	}
	named := map[string]bool{}
	if s.Workload.Files != nil {
		for _, path := range s.Workload.Files() {
			if path, err := filepath.Abs(path); err == nil {
				named[path] = true
			}
		}
	}
	for _, f := range s.Header.Inputs {
		if !named[f.Path] {
			return fmt.Errorf("the run began with %s, which its options do not name here; continue it in the "+
				"directory in which it began, or start a new run", f.Path)
		}
	}
	return nil
}

// unchangedInputs returns an error if a file is not the one that the run began with. It reads only files whose size or
// time of modification is another one than before.
func (s *Sweep) unchangedInputs(ctx context.Context) error {
	for _, f := range s.Header.Inputs {
		info, err := os.Stat(f.Path)
		if was := s.inputs[f.Path]; err == nil && was != nil && os.SameFile(was, info) && was.Size() == info.Size() &&
			was.ModTime().Equal(info.ModTime()) {
			continue
		}
		sum := ""
		if err == nil {
			sum, err = input.Sum(ctx, f.Path, input.Program)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("a file with which the run began cannot be used: %w; restore it and continue the run, "+
				"or start a new one", err)
		case sum != f.SHA256:
			return fmt.Errorf("%s has changed since the run began, so further trials would measure something else; "+
				"restore it and continue the run, or start a new one", f.Path)
		}
		if s.inputs == nil {
			s.inputs = map[string]os.FileInfo{}
		}
		s.inputs[f.Path] = info
	}
	return nil
}

package sweep

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
)

// CheckPaths refuses, by a [*plan.Refusal], paths of runs or files that do not exist, or that are given twice.
func CheckPaths(paths []string) error {
	if err := present(paths); err != nil {
		return err
	}
	return distinct(paths)
}

// present refuses paths that do not exist. What else is wrong with one is said when it is opened.
func present(paths []string) error {
	for _, path := range paths {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		r := plan.Refuse("", nil, "%s is not a run directory, nor a file of Go benchmarks: it does not exist", path)
		if path == "-" {
			r.Suggest("for standard input give /dev/stdin")
		}
		return r
	}
	return nil
}

// distinct refuses paths that are given twice.
func distinct(paths []string) error {
	for i, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue // it is refused when it is opened
		}
		what := "file"
		if info.IsDir() {
			what = "directory"
		}
		for _, other := range paths[:i] {
			if o, err := os.Stat(other); err == nil && os.SameFile(o, info) {
				return plan.Refuse("", nil, "%s and %s are the same %s: a run compared with itself says nothing", other,
					path, what).Suggest("give two runs")
			}
		}
	}
	return nil
}

// HasBenchmarks reports whether any path leads to a file, or to a stored run of Go benchmarks.
func HasBenchmarks(paths ...string) bool { return slices.ContainsFunc(paths, isBenchmarks) }

// isBenchmarks reports whether a path is a file, or a run of benchmarks.
func isBenchmarks(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return err == nil // what is no file is refused when it is opened
	}
	raw, err := store.ReadHeader(path)
	if err != nil {
		return false
	}
	h, err := ReadHeader(path, raw)
	return err == nil && h.Bench != nil
}

package lab

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// CompareOptions are the options of [Compare]. The zero value is useful.
type CompareOptions struct {
	// Workloads say which factors of their designs are inputs. Of other workloads every factor is taken for one.
	Workloads []*workload.Workload
	Program   string // name of the command in texts that say what to type; "" for "brewput"
	Results   bool   // Go benchmarks: return the results as they are, and compare nothing
	Notify    Notify
}

// Comparison is the result of [Compare]. Either Designs, Benchmarks or Results is set.
type Comparison struct {
	Workload     string // "" of benchmarks of several packages
	Older, Newer ComparedSide
	Designs      *compare.Contrast      // of runs of designs: A is the newer side
	Benchmarks   *compare.BenchContrast // of Go benchmarks: A is the newer side
	Results      []BenchResults         // of Go benchmarks, if they were asked for: the older side first
	Differences  []compare.Difference   // settings in which the sides differ
	Notes        []string               // what of the sides is compared
	Unused       []string               // what of files is not used
	Warnings     []compare.Warning      // reasons to doubt the verdicts
}

// ComparedSide is one side of a comparison.
type ComparedSide struct {
	Name  string   // the path; of several, all of them with commas
	Paths []string // of its runs or files
	Files bool     // they are files of benchmarks
}

// BenchResults are the results of one file or run of Go benchmarks.
type BenchResults struct {
	Newer  bool // they are of the newer side
	Trials []result.Trial
	Cases  []plan.Case
	Config map[string]string // of all results: goos, goarch, cpu and the like, and factors at one level
	Better map[string]string // directions of the benchmarks' own units, "higher" or "lower"
}

// Compare compares two stored runs of designs, or two runs or files of Go benchmarks, at the given paths. Several paths
// of a side are its replicates. Only runs of one workload in one world, live on one machine, can be compared. It sends
// a [Warning] for what is missing in a run directory.
//
// Errors are refusals, except for a disk that fails and a cancelled context, which may come after all was read.
func Compare(ctx context.Context, older, newer []string, o CompareOptions) (*Comparison, error) {
	if o.Program == "" {
		o.Program = "brewput"
	}
	c := &comparing{&o, &Comparison{}}
	all := slices.Concat(older, newer)
	if len(older) == 0 || len(newer) == 0 || slices.Contains(all, "") {
		return nil, refuse("", nil, "a run has an empty name: give two, or several of a side with commas and without "+
			"spaces, as in old1,old2 new1,new2")
	}
	if err := present(all); err != nil {
		return nil, err
	}
	if err := distinct(all); err != nil {
		return nil, err
	}
	var err error
	switch {
	case HasBenchmarks(all...):
		err = c.benchmarks(ctx, older, newer)
	case o.Results:
		err = refuse("results", nil, "only Go benchmarks have them")
	default:
		err = c.designs(older, newer)
	}
	if err != nil {
		return nil, err
	}
	return c.res, nil
}

// HasBenchmarks reports whether any path leads to a file, or to a stored run of Go benchmarks.
func HasBenchmarks(paths ...string) bool { return slices.ContainsFunc(paths, isBenchmarks) }

// present refuses paths that do not exist. What else is wrong with one is said when it is opened.
func present(paths []string) error {
	for _, path := range paths {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		r := refuse("", nil, "%s is not a run directory, nor a file of Go benchmarks: it does not exist", path)
		if path == "-" {
			r.suggest("for standard input give /dev/stdin")
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
				return refuse("", nil, "%s and %s are the same %s: a run compared with itself says nothing", other, path,
					what).suggest("give two runs")
			}
		}
	}
	return nil
}

// unlessInterrupted computes what may take minutes. It does not wait for it after an interrupt.
func unlessInterrupted[T any](ctx context.Context, compute func() T) (T, error) {
	done := make(chan T, 1)
	go func() { done <- compute() }()
	select {
	case x := <-done:
		return x, nil
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

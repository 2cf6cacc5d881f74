package lab

import (
	"context"
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// CompareOptions are the options of [Compare]. The zero value is useful.
type CompareOptions struct {
	// Workloads say which factors of their designs are inputs. Of other workloads every factor is taken for one.
	Workloads []*workload.Workload
	Program   string // name of the command in texts that say what to type; "" for "brewput"
	Results   bool   // Go benchmarks: return the results as they are, and compare nothing
	Notify    func(Event)
}

// Comparison is the result of [Compare]. Either Designs, Benchmarks or Results is set.
type Comparison struct {
	Workload     string // "" of benchmarks of several packages
	Older, Newer compare.Side
	Designs      *compare.Contrast      // of runs of designs: A is the newer side
	Benchmarks   *compare.BenchContrast // of Go benchmarks: A is the newer side
	Results      []compare.BenchResults // of Go benchmarks, if they were asked for: the older side first
	Differences  []compare.Difference   // settings in which the sides differ
	Notes        []string               // what of the sides is compared
	Unused       []string               // what of files is not used
	Warnings     []compare.Warning      // reasons to doubt the verdicts
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
	if err := sweep.CheckPaths(all); err != nil {
		return nil, err
	}
	var err error
	switch {
	case sweep.HasBenchmarks(all...):
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

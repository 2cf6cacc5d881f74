package lab

import (
	"context"
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// CompareOptions are the options of [Compare]. The zero value is ready to use.
type CompareOptions struct {
	// Workloads declare which of their factors are inputs. In a workload that is not listed, every factor counts as
	// one. The command passes all its workloads.
	Workloads []*workload.Workload
	Results   bool        // Go benchmarks: return the results without comparing them
	Notify    func(Event) // receives [Warning]; may be nil
	// ResumeHint returns the command that resumes the run in a directory, for messages; nil names [Resume].
	ResumeHint func(h sweep.Header, dir string) string
}

// Comparison is the result of [Compare]. Exactly one of Designs, Benchmarks and Results is set. It may be read
// concurrently.
type Comparison struct {
	Workload     string // "" if the benchmarks are of several packages
	Older, Newer compare.Side
	Designs      *compare.RunComparison   // for runs of designs; A is the newer side
	Benchmarks   *compare.BenchComparison // for Go benchmarks; A is the newer side
	Results      []compare.BenchResults   // for Go benchmarks with CompareOptions.Results; the older side first
	Differences  []result.Difference      // settings in which the sides differ
	Notes        []string                 // which parts of the sides are compared
	Unused       []string                 // lines of files that are not used
	Warnings     []compare.Warning        // reasons to distrust the verdicts
}

// Compare compares two stored runs of designs, or two runs or files of Go benchmarks, at the given paths. Several paths
// on one side are replicates. Runs must be of one workload and one world; live runs also of one machine. Compare sends
// a [Warning] for each file that is missing in a run directory.
//
// Errors are refusals, except those of a failing disk or a cancelled context. Concurrent calls are safe.
func Compare(ctx context.Context, older, newer []string, o CompareOptions) (*Comparison, error) {
	if o.ResumeHint == nil {
		o.ResumeHint = goHint
	}
	c := &comparing{&o, &Comparison{}}
	all := slices.Concat(older, newer)
	if len(older) == 0 || len(newer) == 0 || slices.Contains(all, "") {
		return nil, refuse("", nil, "a run has an empty name: give two runs, or several for a side, separated by "+
			"commas without spaces")
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

// goHint names the function that resumes a run.
func goHint(h sweep.Header, dir string) string {
	if h.Bench != nil {
		return "lab.ResumeBench of " + quote.Shell(dir)
	}
	return "lab.Resume of " + quote.Shell(dir)
}

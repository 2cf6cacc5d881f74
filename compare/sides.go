package compare

import (
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Side is one side of a comparison.
type Side struct {
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

// BenchAnalysis is the analysis of a run of benchmarks.
type BenchAnalysis struct {
	Rows     []Row            // the cases, those of the base included
	Metrics  []MetricVerdicts // comparisons of revisions, or of levels
	Scalings []Scaling        // how benchmarks scale with CPUs
	Warnings []Warning
}

// StaleException is a line of an allow-list that has no effect.
type StaleException struct {
	Line    int
	Name    string // pattern of benchmarks
	Metric  string
	Until   string // its last day, as in 2026-12-31
	Expired bool   // that day is over; if not, no benchmark of the package has such a name
}

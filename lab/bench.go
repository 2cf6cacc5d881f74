package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// BenchOptions are the options of [Bench], and part of those of [Gate]. The zero value measures all benchmarks of the
// package in the current directory.
type BenchOptions struct {
	Package  string   // package pattern, as for go test; default "."
	Packages []string // several patterns, such as "./...", if Package is ""; one run measures all packages
	Pattern  string   // benchmark pattern, as for go test -bench; default ".", which matches all
	CPUs     string   // levels of GOMAXPROCS, as in "1,2,4"; default 1 and all, in a gate all
	Base     string   // git revision to compare with; "" for none
	Count    int      // blocks; default 10. In a gate the most blocks; default 80
	// Budget is the time for all trials; they end sooner once every comparison is decided. 0 means no budget. In a gate
	// 0 means 5 min, and a negative time means no budget.
	Budget     time.Duration
	Duration   time.Duration // measured time of each trial; default 500 ms
	Iterations int           // operations of each trial, as -benchtime=200x of go test; 0 to measure for Duration
	Layouts    int           // links of each build in random function order: 1, or 3 and more; default 1
	Env        []string      // environment variables with their levels, as in "GOGC=100,50,200"
	Go         []string      // installed versions of Go to compile with, as in "go1.26.0"
	PGO        []string      // profiles to compile with: "off", "auto" or files
	Seed       *uint64       // seed of the order of trials; default 1
	TimeLimit  time.Duration // time after which a trial counts as hung; default 1 min + 20 x Duration
	Output     string        // run directory to create; default brewput-runs/bench-TIME
	Args       []string      // stored in the run's header, such as the command line
	Config     []string      // settings of configuration files that apply, stored in the header
	Version    string        // version of the program, stored in the header
	Notify     func(Event)   // receives [Note], [Started], [Progress], [Warning], and in a gate [Interim]; may be nil
}

// withDefaults fills in the defaults that Bench and Gate share.
func (o BenchOptions) withDefaults() BenchOptions {
	o.Pattern = cmp.Or(o.Pattern, gobench.EveryBenchmark)
	o.Count, o.Duration = cmp.Or(o.Count, 10), cmp.Or(o.Duration, 500*time.Millisecond)
	return o
}

// Validate refuses values that are invalid for any package and machine. Zero values are valid.
func (o BenchOptions) Validate() error {
	switch o = o.withDefaults(); {
	case o.Package != "" && len(o.Packages) > 0:
		return refuse("", nil, "{package} and {packages} both select packages").Suggest("give one of them")
	case o.Count < 1:
		return refuse("count", o.Count, "at least one block is needed")
	case o.Budget < 0:
		return refuse("budget", o.Budget, "is negative").Suggest("give a time such as 5m")
	case o.Duration <= 0:
		return refuse("duration", o.Duration, "is not a positive time")
	case o.Iterations < 0:
		return refuse("duration", o.Iterations, "is not a positive number of operations")
	case o.Layouts < 0 || o.Layouts == 2:
		return refuse("layouts", o.Layouts, "code-placement noise needs at least 3 layouts").
			Suggest("give 3 or more, or 1 to leave placement to the linker")
	case o.TimeLimit < 0 || o.TimeLimit > 0 && o.TimeLimit <= 2*o.Duration:
		return refuse("time-limit", o.TimeLimit, "would end every trial: it must be longer than twice {duration}, %v",
			o.Duration)
	}
	for _, part := range strings.Split(o.Pattern, "/") {
		if _, err := regexp.Compile(part); err != nil && !strings.ContainsAny(o.Pattern, "[(") {
			return refuse("bench", o.Pattern, "%w", err)
		}
	}
	return nil
}

// limit is the time after which a trial counts as hung. The rounds before the last one, each with its set-up, may take
// many times the measured time.
func (o *BenchOptions) limit() time.Duration { return cmp.Or(o.TimeLimit, 20*o.Duration+time.Minute) }

// levels returns the levels of GOMAXPROCS.
func (o *BenchOptions) levels() ([]plan.Level, error) {
	if o.CPUs == "" {
		one, all := plan.IntLevel(1), plan.IntLevel(sweep.AllCPUs())
		if one == all {
			return []plan.Level{one}, nil
		}
		return []plan.Level{one, all}, nil
	}
	f := plan.Factor{Name: "cpus", Kind: plan.Int, Min: 1}
	c, err := f.Parse(o.CPUs, nil)
	if err != nil {
		return nil, err
	}
	have := runtime.NumCPU()
	for _, l := range c.Levels {
		if n, _ := l.Number(); int(n) > have {
			return nil, refuse("cpus", l, "this machine has %d CPUs", have)
		}
	}
	return c.Levels, nil
}

// BenchRun is a run of Go benchmarks.
type BenchRun struct {
	Dir         string // run directory
	Header      sweep.Header
	Suite       *result.Suite
	Trials      []result.Trial // in order of execution, including those of earlier executions
	Busiest     string         // other process that used most CPU time, as text; "" if it is not known
	Interrupted bool           // the context was cancelled before the last trial
}

// BenchResult is the result of [Bench], [ResumeBench] and [ReadBench]. Its methods are not safe for concurrent use.
type BenchResult struct {
	BenchRun
	Complete   bool              // the run was complete before the call, which measured nothing
	Outcome    result.Outcome    // of the trials; result.SomeFailed if a benchmark is broken
	Conclusion *sweep.Conclusion // why a run with a budget ended; nil without a budget

	sweep    *sweep.Sweep
	ended    bool
	interims []json.RawMessage // set by ReadBench
}

// Ended reports whether all trials are measured and stored.
func (r *BenchResult) Ended() bool { return r.ended }

// Analyze computes the medians, comparisons and warnings of the trials. It may take seconds.
func (r *BenchResult) Analyze() *compare.BenchAnalysis {
	j, rows := r.sweep.Criteria, compare.Rows(r.Trials, r.sweep.Plan.Cases)
	return &compare.BenchAnalysis{
		Rows: rows, Scalings: compare.Scalings(rows, r.Trials),
		Warnings: compare.NameBusiest(compare.Warnings(r.Trials, r.Header.InterimBlocks()), r.Busiest),
		Metrics:  j.ByMetric(j.PairLevels(rows, r.Trials), compare.DeclaredDirections(r.Trials)),
	}
}

// BrokenError is the error of benchmarks that fail, so that there is nothing to measure or to judge. It is not a
// [Refusal], because the same options work once the benchmarks do.
type BrokenError struct {
	Suite *result.Suite // with the broken benchmarks
	text  plan.Template
}

// Error says what cannot be measured, and lists the broken benchmarks with their output.
func (e *BrokenError) Error() string { return e.Text(func(field string) string { return field }) }

// Text is the message in the caller's notation, as that of [plan.Refusal.Text].
func (e *BrokenError) Text(name func(field string) string) string {
	return e.text.Text(name) + ":\n" + e.Suite.BrokenText(true)
}

// Bench measures the Go benchmarks of a package. It compiles the package's tests once for each revision, version of Go
// and profile, and runs each benchmark in fresh processes, in blocks of random order. The head is the working tree,
// uncommitted changes included. A base is checked out to a temporary worktree. Bench does not change the working tree.
//
// Invalid options, and a package that does not compile, are a [*Refusal]; benchmarks that all fail are a
// [*BrokenError]. If ctx is cancelled before the first trial, the error is a [*CanceledError]. The result is nil if
// nothing is stored. Otherwise it has the trials so far, and [ResumeBench] continues the run; a [*StorageError] says
// that the last ones may be lost. Concurrent calls are safe but disturb each other's measurements.
func Bench(ctx context.Context, o BenchOptions) (*BenchResult, error) {
	if o.Count > 0 && o.Budget > 0 {
		return nil, refuse("", nil, "{count} and {budget} both set the number of blocks").
			Suggest("give one of them")
	}
	o = o.withDefaults()
	r, err := prepareBench(ctx, &o)
	if err != nil {
		return nil, err
	}
	defer r.close(ctx)
	if o.Budget > 0 {
		if err := r.sweep.FitBudget(o.Budget); err != nil {
			return nil, err
		}
	}
	if err := r.create(ctx); err != nil {
		return nil, err
	}
	return r.execute(ctx)
}

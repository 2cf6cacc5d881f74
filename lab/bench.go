package lab

import (
	"context"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// EveryBenchmark is the pattern that all benchmarks match.
const EveryBenchmark = "."

// BenchOptions are the options of [Bench], and most of those of [Gate]. The zero value measures all benchmarks of the
// package in the current directory.
type BenchOptions struct {
	Package   string        // as go test takes it; default "."
	Pattern   string        // of the benchmarks, as go test -bench takes it; default EveryBenchmark
	CPUs      string        // levels of GOMAXPROCS, as in "1,2,4"; default 1 and all, for a gate all
	Base      string        // revision of git to compare with; "" for none
	Count     int           // blocks; default 10. Of a gate: at most, default 80
	Budget    time.Duration // for all trials, which end sooner if all comparisons are decided; 0 for none
	Duration  time.Duration // that each trial measures; default 500 ms
	Layouts   int           // links of each build in random function order, 1 or 3 and more; default 1
	Env       []string      // variables of the environment with their levels, as in "GOGC=100,50,200"
	Go        []string      // versions of Go that are installed, as in "go1.26.0"
	PGO       []string      // profiles to compile with: off, auto or files
	Seed      uint64        // of the order of trials
	TimeLimit time.Duration // after which a trial counts as hung; default 1 min beyond 20 times Duration
	Output    string        // run directory to make; default brewput-runs/bench-TIME
	Args      []string      // that the run's header notes, such as the command line
	Version   string        // of the program, which the header notes
	Notify    Notify        // gets a [Note] for each build, [Started], [Progress], [Warning], and from a gate [Interim]
}

// withDefaults has the defaults of the options that have none of their own for a gate.
func (o BenchOptions) withDefaults() BenchOptions {
	if o.Package == "" {
		o.Package = "."
	}
	if o.Pattern == "" {
		o.Pattern = EveryBenchmark
	}
	if o.Count == 0 {
		o.Count = 10
	}
	if o.Duration == 0 {
		o.Duration = 500 * time.Millisecond
	}
	return o
}

// Validate refuses values that cannot be carried out, whatever the package and the machine. It takes the options as
// they are: a count or a duration of zero, for which [Bench] takes the default, is refused, because a user who gave it
// meant something else.
func (o BenchOptions) Validate() error {
	switch {
	case o.Count < 1:
		return refuse("count", o.Count, "at least one block is needed")
	case o.Budget < 0:
		return refuse("budget", o.Budget, "is negative").suggest("give a time such as 5m")
	case o.Duration <= 0:
		return refuse("duration", o.Duration, "is not a positive time")
	case o.Layouts < 0 || o.Layouts == 2:
		return refuse("layouts", o.Layouts, "by 3 or more the chance that lies in placement can be judged").
			suggest("1 leaves it to the linker")
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

// limit is the time after which a trial has hung. A benchmark's rounds before the last, and its preparation in each of
// them, may take many times what is measured.
func (o *BenchOptions) limit() time.Duration {
	if o.TimeLimit > 0 {
		return o.TimeLimit
	}
	return 20*o.Duration + time.Minute
}

// levels are the numbers of CPUs.
func (o *BenchOptions) levels() ([]plan.Level, error) {
	if o.CPUs == "" {
		one, all := plan.IntLevel(1), plan.IntLevel(runtime.GOMAXPROCS(0))
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

// BenchRun is a run of benchmarks.
type BenchRun struct {
	Dir         string // run directory
	Header      sweep.Header
	Suite       *Suite
	Trials      []result.Trial // in their order, those of earlier executions included
	Interrupted bool           // the context was cancelled before all was measured
}

// BenchResult is the result of [Bench] and [ResumeBench].
type BenchResult struct {
	BenchRun
	Complete   bool              // the run had been complete before, and nothing was measured
	Outcome    Outcome           // of the trials; Failed if a benchmark is broken
	Conclusion *sweep.Conclusion // why a run with a budget ended; nil without a budget

	sweep *sweep.Sweep
}

// BenchAnalysis is what the trials of a run of benchmarks say.
type BenchAnalysis struct {
	Rows     []compare.Row            // the cases, those of the base included
	Metrics  []compare.MetricVerdicts // comparisons of revisions, or of levels
	Scalings []compare.Scaling        // how benchmarks scale with CPUs
	Warnings []compare.Warning
}

// Analyze computes the medians, comparisons and warnings of the trials. That may take seconds.
func (r *BenchResult) Analyze() *BenchAnalysis {
	j, rows := r.sweep.Criteria, compare.Rows(r.Trials, r.sweep.Plan.Cases)
	return &BenchAnalysis{
		Rows: rows, Scalings: compare.Scalings(rows, r.Trials),
		Warnings: compare.Warnings(r.Trials, r.Header.InterimBlocks()),
		Metrics:  j.ByMetric(j.PairLevels(rows, r.Trials), compare.DeclaredDirections(r.Trials)),
	}
}

// Bench measures the Go benchmarks of a package as they are: it compiles the package's tests once for each revision,
// version of Go and profile, and runs each benchmark in fresh processes, in blocks of random order. The head is the
// tree as it is; a base is checked out to a worktree, which is removed at the end. Nothing in the tree changes.
//
// Options that cannot be carried out, a package that does not compile included, are a [*Refusal]; benchmarks that all
// fail are a [*BrokenError]. After other errors, or when ctx is cancelled, the result has the trials so far, which are
// stored, so that [ResumeBench] continues the run. Concurrent calls are safe but disturb each other's measurements.
func Bench(ctx context.Context, o BenchOptions) (*BenchResult, error) {
	if o.Count > 0 && o.Budget > 0 {
		return nil, refuse("", nil, "{count} and {budget} both say how many blocks there are").
			suggest("give one of them")
	}
	o = o.withDefaults()
	r, err := prepareBench(ctx, &o)
	if err != nil {
		return nil, err
	}
	defer r.close(ctx)
	if o.Budget > 0 {
		if err := r.fit(o.Budget); err != nil {
			return nil, err
		}
	}
	if err := r.create(ctx); err != nil {
		return nil, err
	}
	return r.execute(ctx)
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/result"
)

// benchOptions are the flags of bench and gate.
type benchOptions struct {
	lab.BenchOptions
	format string
	resume string
}

func (a *app) benchCommand() *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:   "bench [PACKAGE]",
		Short: "Measure the Go benchmarks of a package as they are, and compare two revisions",
		Long: `Bench measures the benchmarks that a package already has. It compiles the
package's tests once for each revision. Each trial is a fresh process that runs
one benchmark at one number of CPUs. A block holds all of them once, in random
order, and is finished before the next begins, so that disturbances of the
machine affect both revisions alike.

--base compares with another revision, which is checked out to a temporary
worktree in the cache. The head is the tree as it stands, including uncommitted
changes. Nothing in the tree changes. --env, --go and --pgo vary the environment
of the benchmarks: without --base each level is compared with the first; with
--base the revisions are compared at each level. Pass flags of the go command in
GOFLAGS.`,
		Example: indent("NAME bench\nNAME bench ./codec --bench Encode --cpus 1,2,4\nNAME bench ./codec --base main " +
			"--count 20\nNAME bench ./codec --base HEAD~1 --layouts 3 --budget 5m\nNAME bench ./codec " +
			"--env GOGC=100,50,200"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("bench takes one package, not %d; flags begin with two dashes", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.bench(cmd, args, &o) },
	}
	o.addTo(cmd.Flags())
	f := cmd.Flags()
	decimalVar(f, &o.Count, "count", 10, "blocks; each measures every benchmark once")
	f.StringVar(&o.Base, "base", "", "git `REVISION` to compare with")
	f.StringSliceVar(&o.Go, "go", nil, "installed `VERSIONS` of Go to compare, such as go1.25.0,go1.26.0")
	f.StringSliceVar(&o.PGO, "pgo", nil, "`PROFILES` to compile with: off, auto or files")
	f.StringVar(&o.format, "format", "table", "table, json, csv, bench (Go benchmark format) or md")
	f.StringVarP(&o.Output, "output", "o", "", "run directory to create (default brewput-runs/bench-TIME)")
	f.StringVar(&o.resume, "resume", "", "continue the run in `DIR`")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// addTo adds the flags that bench and gate share.
func (o *benchOptions) addTo(f *pflag.FlagSet) {
	f.StringVar(&o.Pattern, "bench", gobench.EveryBenchmark, "only the benchmarks that match this `PATTERN`, as go "+
		"test -bench takes it")
	f.StringVar(&o.CPUs, "cpus", "", "GOMAXPROCS `LEVELS`, such as 1,2,4")
	f.DurationVar(&o.Budget, "budget", 0, "`TIME` for all trials; ends sooner if all comparisons are decided")
	f.DurationVar(&o.Duration, "duration", 500*time.Millisecond, "`TIME` that each trial measures: "+
		"-benchtime of go test")
	decimalVar(f, &o.Layouts, "layouts", 0, "link each build `K` times in random function order, to average out "+
		"code-placement noise")
	f.StringArrayVar(&o.Env, "env", nil, "environment variable to vary, as in `GOGC=100,50,200` (repeatable); "+
		"without --base, values are compared with the first")
	o.Seed = new(uint64)
	decimalVar(f, o.Seed, "seed", 1, "seed of the trial order")
	f.DurationVar(&o.TimeLimit, "time-limit", 0, "`TIME` after which a trial counts as hung (default 1m beyond "+
		"twenty times its duration)")
}

// validate refuses options that cannot be carried out.
func (o *benchOptions) validate() error {
	if err := o.Validate(); err != nil {
		return asUsage(err)
	}
	if !slices.Contains(formats, o.format) {
		return usage("--format %s is not possible%s; use %s", o.format, didYouMean(o.format, formats),
			strings.Join(formats, ", "))
	}
	return nil
}

// bench measures the benchmarks of a package.
func (a *app) bench(cmd *cobra.Command, args []string, o *benchOptions) error {
	if cmd.Flags().Changed("resume") {
		return a.benchResume(cmd, args, *o)
	}
	count, budget := cmd.Flags().Changed("count"), cmd.Flags().Changed("budget")
	if count && budget {
		return usage("--count and --budget both say how many blocks there are; give one of them")
	}
	if _, err := a.fromEnvironment(cmd.Flags(),
		func() error { return errors.Join(refuseEmpty(cmd.Flags()), o.validate()) }); err != nil {
		return err
	}
	switch {
	case count:
		o.Budget = 0 // a budget from the environment
	case o.Budget > 0:
		o.Count = 0
	}
	e := a.benchEvents(args, &o.BenchOptions)
	res, err := lab.Bench(cmd.Context(), o.BenchOptions)
	e.end()
	return a.finishBench(res, err, o.format)
}

// benchEvents fills in the options that only the command knows: the package, the command line and the receiver of
// events.
func (a *app) benchEvents(args []string, o *lab.BenchOptions) *events {
	if len(args) > 0 {
		o.Package = args[0]
	}
	e := &events{progress: newProgress(a.stderr), stderr: a.stderr, started: benchIntent}
	o.Args, o.Version, o.Notify = arguments(), version(), e.notify
	return e
}

// benchIntent describes what is still to be measured.
func benchIntent(s lab.Started) string {
	h := &s.Header
	benchmarks := map[string]bool{}
	for _, c := range h.Cases {
		benchmarks[c.Design] = true
	}
	text := fmt.Sprintf("%s: %s, %s a block", h.Workload, result.Count(len(benchmarks), "benchmark"),
		result.Count(len(h.Cases), "trial"))
	if h.Rule != nil {
		text += budgetIntent(h, s.Estimate)
	} else {
		text += fmt.Sprintf(", x %s: %s, about %s", result.Count(h.Blocks, "block"),
			result.Count(s.Estimate.Total, "trial"), roundDuration(s.Estimate.Remaining))
	}
	return text + "; stored in " + s.Dir
}

// benchResume continues a run of benchmarks, or shows a complete one.
func (a *app) benchResume(cmd *cobra.Command, args []string, o benchOptions) error {
	var wrong string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "resume" && f.Name != "format" {
			wrong = f.Name
		}
	})
	switch {
	case wrong != "":
		return usage("--%s cannot change a run that is continued: --resume takes only --format with it", wrong)
	case len(args) > 0:
		return usage("--resume continues a run as it began: leave %s out", args[0])
	case o.resume == "":
		return usage("--resume is empty; name the directory of a run")
	case !slices.Contains(formats, o.format):
		return o.validate()
	}

	e := a.benchEvents(nil, &o.BenchOptions)
	res, err := lab.ResumeBench(cmd.Context(), o.resume, o.Notify)
	e.end()
	if errors.Is(err, gobench.ErrDesigns) {
		return usage("%s is not a run of benchmarks: continue it with %s run --resume %s", o.resume, name(),
			shellQuote(o.resume))
	}
	return a.finishBench(res, err, o.format)
}

// finishBench shows the result of a run of benchmarks. res is nil if nothing was measured.
func (a *app) finishBench(res *lab.BenchResult, err error, format string) error {
	if res == nil {
		return withExitCode(err)
	}
	a.measuring = true
	if res.Interrupted {
		fmt.Fprintf(a.stderr, "brewput: interrupted after %s; continue with: %s bench --resume %s\n",
			progressOf(&res.Header, len(res.Trials), res.Header.Blocks*len(res.Header.Cases)), name(),
			shellQuote(res.Dir))
		a.code = exitInterrupted
	}
	if errors.Is(err, context.Canceled) {
		err = nil
	}

	if failed := a.showBench(res, format); failed != nil {
		err = errors.Join(err, fmt.Errorf("the results could not be printed: %w; they are stored, print them with: "+
			"%s bench --resume %s", failed, name(), shellQuote(res.Dir)))
	}
	if err != nil || res.Interrupted {
		return err
	}

	a.code = exitCodes[res.Outcome]
	a.reportFailures(res.Trials)
	a.warnLostFailures(res.Dir, res.Trials)
	a.concludeBudget(res.Conclusion)
	a.reportBroken(res.Suite)
	return a.writeBenchFiles(&res.BenchRun, res.Complete)
}

// reportBroken prints the benchmarks that failed before the run.
func (a *app) reportBroken(s *result.Suite) {
	names := map[string]bool{} // a benchmark may fail in both revisions
	for _, b := range s.Broken {
		names[b.Name] = true
	}
	if len(names) > 0 {
		fmt.Fprintf(a.stderr, "brewput: %s could not be measured:\n%s\n", result.Count(len(names), "benchmark"),
			s.BrokenText(true))
	}
}

// writeBenchFiles writes files for other tools into the directory of a complete run. If again, the run was complete
// before.
func (a *app) writeBenchFiles(r *lab.BenchRun, again bool) error {
	err := writeRevisionFiles(r, again)
	if err != nil && again { // the directory may be read-only
		fmt.Fprintf(a.stderr, "warning: the files for other tools are not complete: %v\n", err)
		err = nil
	}
	if err == nil {
		fmt.Fprintf(a.stderr, "stored in %s\n", r.Dir)
	}
	return err
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/internal/cli/intent"
	"github.com/brewput/brewput/internal/cli/option"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/result"
)

// benchOptions are the flags of bench and gate.
type benchOptions struct {
	lab.BenchOptions
	format        string
	resume        string
	run           string // of go test, which is refused
	save, against string // names of baselines
	baseline      string // run directory of against
}

func (a *app) benchCommand() *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:   "bench [PACKAGES]",
		Short: "Measure Go benchmarks, and compare two revisions",
		RunE:  func(cmd *cobra.Command, args []string) error { return a.bench(cmd, args, &o) },
	}
	o.addTo(cmd.Flags())
	f := cmd.Flags()
	decimalVar(f, &o.Count, "count", 10, "blocks; each measures every benchmark once")
	f.StringVar(&o.Base, "base", "", "git `REVISION` to compare with")
	f.StringSliceVar(&o.Go, "go", nil, "installed `VERSIONS` of Go to compare, such as go1.25.0,go1.26.0")
	f.StringSliceVar(&o.PGO, "pgo", nil, "`PROFILES` to compile with: off, auto or files")
	f.StringVar(&o.format, "format", "table", "table, json, csv, bench (Go benchmark format) or md")
	f.StringVarP(&o.Output, "output", "o", "", "run directory `DIR` to create (default brewput-runs/bench-TIME)")
	f.StringVar(&o.resume, "resume", "", "continue the run in `DIR`")
	f.StringVar(&o.save, "save", "", "keep the run as the baseline `NAME`, in brewput-runs/baselines of the module")
	f.StringVar(&o.against, "against", "", "compare with the baseline `NAME`, unpaired; --base finds smaller changes")
	a.view.addTo(f)
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// addTo adds the flags that bench and gate share.
func (o *benchOptions) addTo(f *pflag.FlagSet) {
	f.StringVar(&o.Pattern, "bench", gobench.EveryBenchmark, "only the benchmarks that match this `PATTERN`, as go "+
		"test -bench takes it")
	f.StringVar(&o.CPUs, "cpus", "", "GOMAXPROCS `LEVELS`, as in 1,2,4 (default all; bench also 1)")
	f.DurationVar(&o.Budget, "budget", 0, "`TIME` for all trials; ends sooner if all comparisons are decided")
	o.Duration = 500 * time.Millisecond
	f.Var(option.BenchTime{Time: &o.Duration, Iterations: &o.Iterations}, "duration", "`TIME` that each trial "+
		"measures, or iterations as in 200x")
	f.Bool("benchmem", true, "allocations are always measured")
	f.StringVar(&o.run, "run", "", "refused: no tests run")
	f.MarkHidden("benchmem")
	f.MarkHidden("run")
	decimalVar(f, &o.Layouts, "layouts", 0, "link each build `K` times in random function order, to average out "+
		"code-placement noise")
	f.StringArrayVar(&o.Env, "env", nil, "environment variable to vary, as in `GOGC=100,50,200` (repeatable); "+
		"bench without --base compares each value with the first")
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
	switch {
	case o.run != "":
		return usage("--run %s selects tests, and no tests run here: leave it out, and select benchmarks with --bench",
			o.run)
	case o.against != "" && o.Base != "":
		return usage("--against %s and --base %s: give one of them; --base finds smaller changes", o.against, o.Base)
	case o.against != "" && o.format == "csv":
		return usage("--format csv holds no comparison with --against %s; use table, json, bench or md", o.against)
	}
	return checkFormat("--format", o.format, formats)
}

// bench measures the benchmarks of a package.
func (a *app) bench(cmd *cobra.Command, args []string, o *benchOptions) error {
	if cmd.Flags().Changed("resume") {
		return a.benchResume(cmd, args, o)
	}
	count, budget := cmd.Flags().Changed("count"), cmd.Flags().Changed("budget")
	switch {
	case count && budget:
		return usage("--count and --budget both set the number of blocks; give one of them")
	case budget && o.Budget == 0:
		return errNoBudget()
	}
	if _, err := a.fromEnvironment(cmd,
		func() error { return errors.Join(refuseEmpty(cmd.Flags()), o.validate()) }); err != nil {
		return err
	}
	if count {
		o.Budget = 0 // a budget from the environment
	} else if o.Budget > 0 {
		o.Count = 0
	}
	if err := o.findBaseline(cmd.Context(), args); err != nil {
		return withExitCode(err)
	}
	e := a.benchEvents(args, &o.BenchOptions)
	res, err := lab.Bench(cmd.Context(), o.BenchOptions)
	e.end()
	if res == nil {
		return a.errorWithoutRun(err)
	}
	return a.finishBench(cmd.Context(), res, err, o)
}

// findBaseline finds the run to compare with, before anything is measured.
func (o *benchOptions) findBaseline(ctx context.Context, packages []string) (err error) {
	if o.against != "" {
		o.baseline, err = gobench.Baseline(ctx, "against", o.against, packages, o.resume != "")
	}
	if err == nil && o.save != "" {
		err = gobench.CheckBaselineName("save", o.save)
	}
	return err
}

// benchEvents fills in the options that only the command knows: the package, the command line and the receiver of
// events.
func (a *app) benchEvents(args []string, o *lab.BenchOptions) *events {
	o.Packages = args
	e := a.newEvents(intent.Benchmarks)
	o.Args, o.Version, o.Config, o.Notify = arguments(), version(), a.config, e.notify
	return e
}

// benchResume continues a run of benchmarks, or shows a complete one.
func (a *app) benchResume(cmd *cobra.Command, args []string, o *benchOptions) error {
	err := refuseChanges(cmd.Flags(), "save", "against")
	switch {
	case err != nil:
		return err
	case len(args) > 0:
		return usage("--resume continues a run as it began: leave %s out", args[0])
	case o.resume == "":
		return usage("--resume is empty; name the directory of a run")
	}
	if _, err = a.fromEnvironment(cmd, func() error { return errors.Join(refuseEmpty(cmd.Flags()), o.validate()) },
		"format"); err != nil {
		return err
	}
	if err = o.findBaseline(cmd.Context(), nil); err != nil {
		return withExitCode(err)
	}

	e := a.benchEvents(nil, &o.BenchOptions)
	res, err := lab.ResumeBench(cmd.Context(), o.resume, o.Notify)
	e.end()
	switch {
	case errors.Is(err, gobench.ErrDesigns):
		return usage("%s is not a run of benchmarks: continue it with %s run --resume %s", o.resume, name(),
			quote.Shell(o.resume))
	case res == nil:
		return withExitCode(err)
	}
	return a.finishBench(cmd.Context(), res, err, o)
}

// finishBench ends a run of benchmarks, complete or not, and shows its result.
func (a *app) finishBench(ctx context.Context, res *lab.BenchResult, err error, o *benchOptions) error {
	a.measuring = true
	again := fmt.Sprintf("%s bench --resume %s", name(), quote.Shell(res.Dir))
	if o.save != "" {
		again += " --save " + o.save
	}
	shown := again // not with --against, which may be what failed
	if o.against != "" {
		again += " --against " + o.against
	}
	if res.Interrupted {
		fmt.Fprintf(a.stderr, "brewput: interrupted after %s; continue with: %s\n",
			intent.Progress(&res.Header, len(res.Trials), res.Header.Blocks*len(res.Header.Cases)), again)
		a.code = exitInterrupted
	}
	if errors.Is(err, context.Canceled) {
		err = nil
	}

	if err == nil && !res.Interrupted {
		err = a.summarizeBench(res, o)
	}
	if failed := a.showBenchOrBaseline(ctx, res, o); failed != nil { // last, because the page ends with the answer
		err = errors.Join(err, fmt.Errorf("the results could not be printed: %w; they are stored, print them with: "+
			"%s", failed, shown))
	}
	return err
}

// showBenchOrBaseline shows a run of benchmarks, compared with a baseline if there is one.
func (a *app) showBenchOrBaseline(ctx context.Context, res *lab.BenchResult, o *benchOptions) error {
	if o.baseline == "" || !res.Ended() {
		a.showSettings(o.format, res.Header.Config)
		return a.showBench(res, o.format)
	}
	fmt.Fprintf(a.stderr, "compared with baseline %s, %s, of another time; --base REVISION finds smaller changes, "+
		"because it measures both in the same blocks\n", o.against, o.baseline)
	return a.compareSides(ctx, []string{o.baseline}, []string{res.Dir}, o.format, res.Header.Config)
}

// summarizeBench sets the exit code of a run of benchmarks, prints what is known besides its page, writes its files and
// saves it as a baseline.
func (a *app) summarizeBench(res *lab.BenchResult, o *benchOptions) error {
	a.code = exitCodes[res.Outcome]
	a.reportFailures(res.Trials)
	a.warnLostFailures(res.Dir, res.Trials)
	a.concludeBudget(res.Conclusion, " of ns/op")
	a.reportBroken(res.Suite)
	if err := a.writeBenchFiles(&res.BenchRun, res.Complete); err != nil || o.save == "" || !res.Ended() {
		return err
	}
	file, err := gobench.SaveBaseline(o.save, res.Dir)
	if err == nil {
		fmt.Fprintf(a.stderr, "saved as baseline %s in %s\n", o.save, file)
	}
	return err
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
	err := writeRevisionFiles(r)
	if err != nil && again { // the directory may be read-only
		fmt.Fprintf(a.stderr, "warning: the files for other tools are not complete: %v\n", err)
		err = nil
	}
	if err == nil {
		fmt.Fprintf(a.notes, "stored in %s\n", r.Dir)
	}
	return err
}

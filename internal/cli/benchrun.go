package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// binariesName is where a run directory keeps the test binaries until the run is complete.
const binariesName = "bin"

// bench measures the benchmarks of a package.
func (a *app) bench(cmd *cobra.Command, args []string, o *benchOptions) error {
	if cmd.Flags().Changed("resume") {
		return a.benchResume(cmd, args, *o)
	}
	count, budget := cmd.Flags().Changed("count"), cmd.Flags().Changed("budget")
	if count && budget {
		return usage("--count and --budget both say how many blocks there are; give one of them")
	}
	if _, err := a.fromEnvironment(cmd.Flags(), func() error { return errors.Join(refuseEmpty(cmd.Flags()), o.validate()) }); err != nil {
		return err
	}
	if count {
		o.budget = 0 // of the environment
	}
	r, err := a.newBenchRun(cmd.Context(), args, *o)
	if err != nil {
		return err
	}
	defer r.close(cmd.Context())
	if o.budget > 0 {
		if err := r.fit(o.budget); err != nil {
			return err
		}
	}
	return r.inDirectory(cmd.Context(), func(ctx context.Context) error { return r.execute(ctx, *o) })
}

// benchRun is a sweep of benchmarks.
type benchRun struct {
	app      *app
	bench    *gobench.Bench
	workshop *gobench.Workshop
	sweep    *sweep.Sweep
	dir      string
}

// newBenchRun prepares everything but the run directory.
func (a *app) newBenchRun(ctx context.Context, args []string, o benchOptions) (*benchRun, error) {
	x, err := o.experiment(args)
	if err != nil {
		return nil, err
	}
	levels, err := o.levels()
	if err != nil {
		return nil, err
	}
	r := &benchRun{app: a, dir: runDirectory(o.out)}
	if err := store.Vacant(r.dir); err != nil {
		return nil, storeError(err)
	}
	if r.workshop, err = gobench.OpenWorkshop(ctx, calibrate.CacheDir(), absolute(r.dir)); err != nil {
		return nil, err
	}
	if err := r.prepare(ctx, x, levels, o); err != nil {
		r.close(ctx)
		return nil, err
	}
	return r, nil
}

func (r *benchRun) prepare(ctx context.Context, x *gobench.Experiment, levels []plan.Level, o benchOptions) (err error) {
	if r.bench, err = gobench.Prepare(ctx, x, r.workshop, r.note); err != nil {
		return err
	}
	if len(x.Benchmarks) == 0 {
		return none(x)
	}
	if x.BaseCommit != "" && !slices.ContainsFunc(x.Benchmarks, func(b gobench.Benchmark) bool { return len(b.Revs) == 2 }) {
		return noneOfBoth(x)
	}
	cases, err := x.Cases(levels)
	if err != nil {
		return asUsage(err)
	}
	raw, err := json.Marshal(x)
	if err != nil {
		return err
	}
	h := sweep.Header{
		Workload: x.Package, World: result.Live, Args: arguments(), Version: version(), Started: time.Now(),
		Seed: strconv.FormatUint(o.seed, 10), Blocks: o.count, Cases: cases, Bench: raw,
		Settings:    sweep.Settings{Duration: sweep.Duration(o.duration), Warmup: sweep.Duration(o.duration / 2), TimeLimit: sweep.Duration(x.Limit)},
		Environment: host.Read(), Warnings: []string{},
	}
	return r.equip(h)
}

// equip makes the sweep of a header.
func (r *benchRun) equip(h sweep.Header) error {
	w := r.bench.Workload()
	p, err := h.Plan(w)
	if err != nil {
		return err
	}
	r.sweep = &sweep.Sweep{Workload: w, Header: h, Plan: p, Run: r.bench.Run}
	r.sweep.Judgement = benchJudgement(r.bench.Experiment)
	return nil
}

// benchJudgement compares the levels of the factors that are a choice, each with the first; where there is a base, the
// revisions alone.
func benchJudgement(x *gobench.Experiment) compare.Judgement {
	inputs := []string{"cpus"}
	if x.BaseCommit != "" {
		for _, f := range x.Factors() {
			if f.Name != gobench.FactorRev {
				inputs = append(inputs, f.Name)
			}
		}
	}
	j := compare.Usual("", inputs)
	j.Apart, j.First, j.Layouts = true, x.ByFirst, max(1, x.Layouts)
	return j
}

// note says on stderr what is being prepared.
func (r *benchRun) note(text string) { fmt.Fprintln(r.app.stderr, text) }

func (r *benchRun) close(ctx context.Context) {
	if r.workshop == nil {
		return
	}
	if err := r.workshop.Close(ctx); err != nil {
		fmt.Fprintf(r.app.stderr, "brewput: %s could not be removed: %v; the next run tries again\n", r.workshop.Dir, err)
	}
}

// fit settles how many blocks a budget is for. Where there is something to compare, looks decide that as they go, and
// when a comparison is no longer measured. Otherwise it is as many as there is room for, of 1 to 100.
func (r *benchRun) fit(budget time.Duration) error {
	s := r.sweep
	if s.Judgement.Size(caseRows(s)) == 0 {
		n := int(budget / max(s.BlockTime(), time.Millisecond))
		s.Header.Blocks = min(max(n, 1), 100)
		s.Plan.Blocks = s.Header.Blocks
		return nil
	}
	s.Header.Rule, s.Header.Blocks, s.Plan.Blocks = rule(budget, s.Judgement), mostBlocks(), mostBlocks()
	return underRule(s)
}

// inDirectory makes the run directory, and keeps the binaries there while the run is not complete.
func (r *benchRun) inDirectory(ctx context.Context, execute func(context.Context) error) error {
	r.app.measuring = true
	run, err := store.Create(r.dir, r.sweep.Header)
	if err != nil {
		return storeError(err)
	}
	r.sweep.Store = run
	if err := r.bench.Keep(ctx, filepath.Join(r.dir, binariesName)); err != nil {
		return closing(run, err)
	}
	return closing(run, execute(ctx))
}

// measure runs the sweep and says how it went. What is returned are all trials.
func (r *benchRun) measure(ctx context.Context) (trials []result.Trial, interrupted bool, err error) {
	progress := newProgress(r.app.stderr)
	r.sweep.Notify = func(e sweep.Event) {
		if e.Trials == nil {
			progress.show(e)
		}
	}
	trials, err = r.sweep.Execute(ctx)
	progress.clear()
	if errors.Is(err, context.Canceled) {
		return trials, true, nil
	}
	return trials, false, err
}

// execute measures and shows what came of it.
func (r *benchRun) execute(ctx context.Context, o benchOptions) error {
	a, s := r.app, r.sweep
	if !s.Complete {
		fmt.Fprintf(a.stderr, "%s: %s, %s a block%s; stored in %s\n", r.bench.Package,
			result.Count(len(r.bench.Benchmarks), "benchmark"), result.Count(len(s.Plan.Cases), "trial"), r.intent(), r.dir)
	}
	trials, interrupted, err := r.measure(ctx)
	if interrupted {
		fmt.Fprintf(a.stderr, "brewput: interrupted after %s; continue with: %s bench --resume %s\n", progressOf(s, len(trials)), name(), quoted(r.dir))
		a.code = exitInterrupted
	}
	if failed := r.show(trials, o.format); failed != nil {
		err = errors.Join(err, fmt.Errorf("the results could not be printed: %w; they are stored, print them with: %s bench --resume %s", failed, name(), quoted(r.dir)))
	}
	if err != nil || interrupted {
		return err
	}
	a.code = exitCode(trials)
	a.failures(trials)
	a.lostFailures(r.dir, trials)
	a.conclude(s, trials)
	if r.unmeasured() {
		a.code = exitFailed
	}
	return r.complete(trials)
}

// unmeasured says on stderr how benchmarks went wrong before the run, if any did.
func (r *benchRun) unmeasured() bool {
	names := map[string]bool{} // one may go wrong in both revisions
	for _, b := range r.bench.Broken {
		names[b.Name] = true
	}
	n := len(names)
	if n > 0 {
		fmt.Fprintf(r.app.stderr, "brewput: %s could not be measured:\n%s\n", result.Count(n, "benchmark"), broken(r.bench.Experiment, true))
	}
	return n > 0
}

// intent is what is still to be measured.
func (r *benchRun) intent() string {
	s := r.sweep
	if s.Header.Rule != nil {
		return budgetIntent(s)
	}
	return fmt.Sprintf(", x %s: %s, about %s", result.Count(s.Plan.Blocks, "block"), result.Count(s.Total(), "trial"), roundDuration(s.Foresee()))
}

// complete writes files for other tools, and removes what only a run that goes on needs.
func (r *benchRun) complete(trials []result.Trial) error {
	err := errors.Join(r.files(trials), os.RemoveAll(filepath.Join(r.dir, binariesName)))
	if err != nil && r.sweep.Complete { // it is shown again, perhaps from where nothing can be written
		fmt.Fprintf(r.app.stderr, "warning: the files for other tools are not complete: %v\n", err)
		err = nil
	}
	if err == nil {
		fmt.Fprintf(r.app.stderr, "stored in %s\n", r.dir)
	}
	return err
}

// benchResume continues a run of benchmarks, or shows it again.
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
	run, journal, err := store.Resume(o.resume)
	if err != nil {
		return storeError(err)
	}
	return closing(run, a.benchGoOn(cmd.Context(), o, run, journal))
}

func (a *app) benchGoOn(ctx context.Context, o benchOptions, run *store.Run, journal *store.Journal) error {
	h, err := a.stored(o.resume, journal)
	if err != nil {
		return err
	}
	if h.Bench == nil {
		return usage("%s is not a run of benchmarks: continue it with %s run --resume %s", o.resume, name(), quoted(o.resume))
	}
	x := new(gobench.Experiment)
	if err := json.Unmarshal(h.Bench, x); err != nil {
		return usage("%s: what its header says of the benchmarks cannot be read: %w", o.resume, err)
	}
	r := &benchRun{app: a, dir: o.resume, bench: &gobench.Bench{Experiment: x}}
	if !journal.Ended {
		if err := host.Read().SameMachine(h.Environment); err != nil {
			return usage("%s cannot be continued on this machine: %w; continue it there, or start a new run", o.resume, err)
		}
		if r.workshop, err = gobench.OpenWorkshop(ctx, calibrate.CacheDir(), absolute(r.dir)); err != nil {
			return err
		}
		defer r.close(ctx)
		if r.bench, err = gobench.Restore(ctx, x, r.workshop, filepath.Join(absolute(r.dir), binariesName), r.note); err != nil {
			return asUsage(err)
		}
		r.note("continuing with the test binaries that the run began with: what changed in the tree since then is not measured")
	}
	if err := r.equip(h); err != nil {
		return usage("%s cannot be continued: %w", o.resume, err)
	}
	r.sweep.Store = run
	if err := resumeRule(r.sweep, journal, o.resume); err != nil {
		return err
	}
	r.sweep.Continue(journal.Trials, journal.Blocks, journal.Ended)
	if journal.Ended && h.Rule == nil { // a gate ends once it has decided, before the most blocks that it may take
		r.sweep.Plan.Blocks = min(r.sweep.Plan.Blocks, len(journal.Blocks))
	}
	a.measuring = true
	return r.execute(ctx, o)
}

// runDirectory is where a run of benchmarks goes. In the usual place git is told to look away: a run is no change of
// the user's tree.
func runDirectory(out string) string {
	if out != "" {
		return out
	}
	const parent = "brewput-runs"
	if !exists(parent) && os.Mkdir(parent, 0o777) == nil {
		os.WriteFile(filepath.Join(parent, ".gitignore"), []byte("*\n"), 0o666)
	}
	began := "bench-" + time.Now().Format("20060102-150405")
	dir := filepath.Join(parent, began)
	for n := 2; exists(dir); n++ {
		dir = filepath.Join(parent, began+"-"+strconv.Itoa(n))
	}
	return dir
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

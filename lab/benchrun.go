package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// binariesName is the directory of the test binaries in a run directory, until the run is complete.
const binariesName = "bin"

// benchRun is a sweep of benchmarks in progress.
type benchRun struct {
	notify   notifier
	bench    *gobench.Bench
	workshop *gobench.Workshop // nil if nothing is measured
	sweep    *sweep.Sweep
	dir      string
	run      io.Closer // the run directory; nil before it is open
}

// prepareBench prepares everything except the run directory. Its errors are refusals, unless a disk or a benchmark
// fails, and a CanceledError if ctx is cancelled.
func prepareBench(ctx context.Context, o *BenchOptions) (*benchRun, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	x, err := o.experiment()
	if err != nil {
		return nil, asRefusal(ctx, err)
	}
	levels, err := o.levels()
	if err != nil {
		return nil, asRefusal(ctx, err)
	}
	r := &benchRun{notify: o.Notify, dir: store.Directory(o.Output, "bench", time.Now())}
	if err := store.CheckVacant(r.dir); err != nil {
		return nil, sweep.StoreError(err)
	}
	if r.workshop, err = gobench.OpenWorkshop(ctx, calibrate.CacheDir(), absolute(r.dir)); err == nil {
		err = r.prepare(ctx, x, levels, o)
	}
	if err != nil {
		r.close(ctx)
		return nil, unstored(ctx, asRefusal(ctx, err), "the benchmarks were built", false)
	}
	return r, nil
}

// experiment translates the options.
func (o *BenchOptions) experiment() (*gobench.Experiment, error) {
	env, err := gobench.ParseVariables(o.Env)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(gobench.CheckDistinct("go", o.Go), gobench.CheckDistinct("pgo", o.PGO)); err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	patterns := o.Packages
	if len(patterns) == 0 {
		patterns = []string{cmp.Or(o.Package, ".")}
	}
	return &gobench.Experiment{
		Patterns: patterns, Dir: dir, Pattern: o.Pattern, BaseRev: o.Base, Layouts: max(1, o.Layouts),
		Time: o.Duration, Iterations: o.Iterations, Limit: o.limit(), Go: o.Go, PGO: o.PGO, Env: env, ByFirst: true,
	}, nil
}

// prepare compiles the benchmarks and creates the sweep.
func (r *benchRun) prepare(ctx context.Context, x *gobench.Experiment, cpus []plan.Level, o *BenchOptions) (err error) {
	if r.bench, err = gobench.Prepare(ctx, x, r.workshop, r.note); err != nil {
		return err
	}
	if len(x.Benchmarks) == 0 {
		return none(x)
	}
	inBoth := func(b gobench.Benchmark) bool { return len(b.Revs) == 2 }
	if x.BaseCommit != "" && !slices.ContainsFunc(x.Benchmarks, inBoth) {
		return noneOfBoth(x)
	}
	cases, err := x.Cases(cpus)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return r.equip(sweep.Header{
		Workload: x.Package, World: result.Live, Args: o.Args, Config: o.Config, Version: o.Version,
		Started: time.Now(), Seed: seedText(o.Seed), Blocks: o.Count, Cases: cases, Bench: raw,
		Settings: sweep.Settings{Duration: sweep.Duration(o.Duration), Warmup: sweep.Duration(o.Duration / 2),
			TimeLimit: sweep.Duration(x.Limit)},
		Environment: host.Read(), Warnings: []string{},
	})
}

// none returns the error of an experiment without benchmarks that can be measured.
func none(x *gobench.Experiment) error {
	s := x.Suite()
	switch {
	case len(s.Broken) > 0:
		return &BrokenError{s, plan.Template{Format: "no benchmark of %s can be measured", Args: []any{x.Package}}}
	case len(s.Skipped) > 0:
		return refuse("", nil, "the benchmarks of %s that match {bench} %s skip themselves: %s",
			x.Package, x.Pattern, s.SkippedText())
	}
	suggestion := "list them with go test -list Benchmark"
	if x.BaseRev != "" && x.Pattern == "." {
		suggestion += ", or compare commands such as test binaries (go test -c): brewput compare {max-regression} " +
			"5%% -- ./old.test ::: ./new.test"
	}
	return refuse("", nil, "no benchmark of %s matches {bench} %s", x.Package, x.Pattern).Suggest(suggestion)
}

// noneOfBoth returns the error of an experiment that has no benchmark in common with the base. If the head breaks one,
// it lists the broken ones with their output.
func noneOfBoth(x *gobench.Experiment) error {
	s := x.Suite()
	if slices.ContainsFunc(s.Broken, func(b result.Broken) bool { return b.Rev == gobench.Head }) {
		why := "no benchmark that matches {bench} %s can be measured in both revisions"
		return &BrokenError{s, plan.Template{Format: why, Args: []any{x.Pattern}}}
	}
	var why []string
	for _, n := range s.NotJudged {
		why = append(why, n.String())
	}
	return refuse("", nil, "no benchmark that matches {bench} %s is in both revisions", x.Pattern).
		Suggest("the base is %s:\n%s", x.BaseRev, strings.Join(why, "\n"))
}

// equip creates the sweep of a header.
func (r *benchRun) equip(h sweep.Header) error {
	var err error
	if r.sweep, err = sweep.New(r.bench.Workload(), h); err != nil {
		return err
	}
	r.sweep.Run, r.sweep.BurnRatio = r.bench.Run, nil
	r.sweep.Criteria = r.bench.Experiment.Criteria()
	r.sweep.Notify = func(e sweep.Event) { r.notify.send(Progress(e)) }
	return nil
}

func (r *benchRun) note(text string) { r.notify.send(Note{text}) }

func (r *benchRun) close(ctx context.Context) {
	store.Discard(r.dir) // if it holds no run
	if r.workshop == nil {
		return
	}
	if err := r.workshop.Close(ctx); err != nil {
		text := fmt.Sprintf("%s could not be removed: %v; the next run tries again", r.workshop.Dir, err)
		r.notify.send(Warning{text})
	}
}

// create makes the run directory and stores the test binaries there until the run is complete. It leaves no file of a
// run that cannot begin.
func (r *benchRun) create(ctx context.Context) error {
	run, err := store.Create(r.dir, r.sweep.Header)
	if err != nil {
		return sweep.StoreError(err)
	}
	r.sweep.Store, r.run = run, run
	if err := r.bench.Keep(ctx, filepath.Join(r.dir, binariesName)); err != nil {
		return errors.Join(unstored(ctx, err, "the benchmarks were stored", false), run.Withdraw(binariesName))
	}
	return nil
}

// measure executes the sweep and closes the run directory. An error of closing outweighs an interrupt, because results
// may be lost.
func (r *benchRun) measure(ctx context.Context) (b BenchRun, err error) {
	s := r.sweep
	if !s.Complete {
		r.notify.send(Started{Dir: r.dir, Header: s.Header, Estimate: s.Estimate()})
	}
	b = BenchRun{Dir: r.dir, Header: s.Header, Suite: r.bench.Experiment.Suite()}
	before, began := host.ReadProcesses(), time.Now()
	b.Trials, err = s.Execute(ctx)
	if !s.Complete {
		b.Busiest = host.ReadProcesses().Busiest(before, time.Since(began))
	}
	b.Interrupted = err != nil && errors.Is(err, ctx.Err())
	if err == nil {
		// A complete run does not need its binaries. It may be shown from a read-only directory.
		if failed := os.RemoveAll(filepath.Join(r.dir, binariesName)); failed != nil {
			r.notify.send(Warning{failed.Error()})
		}
	}
	lost := closing(r.run, nil)
	if lost != nil && b.Interrupted {
		return b, lost
	}
	return b, errors.Join(err, lost)
}

// execute measures and sums up the outcome.
func (r *benchRun) execute(ctx context.Context) (*BenchResult, error) {
	b, err := r.measure(ctx)
	res := r.result(b)
	res.ended = res.Complete || err == nil
	return res, err
}

// result sums up the outcome of a run.
func (r *benchRun) result(b BenchRun) *BenchResult {
	res := &BenchResult{BenchRun: b, Complete: r.sweep.Complete, Outcome: result.OutcomeOf(b.Trials), sweep: r.sweep}
	res.ended, res.Conclusion = res.Complete, r.sweep.Conclusion()
	if len(b.Suite.Broken) > 0 {
		res.Outcome = result.SomeFailed
	}
	return res
}

// absolute returns an absolute path if possible.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// gateOptions are the flags of gate.
type gateOptions struct {
	benchOptions
	most    string
	metrics []string
	allow   string
	placed  bool // --layouts was not given, and the limit asks for some
}

func (a *app) gateCommand() *cobra.Command {
	var o gateOptions
	cmd := &cobra.Command{
		Use:   "gate [PACKAGE] --base REVISION --max-regression PERCENT",
		Short: "Say by the exit code whether benchmarks became slower than is allowed",
		Long: `Gate measures the benchmarks of a package and of a base revision on this machine, block by block (each block holds
every benchmark of both once, in random order), until it knows whether they cost more than is allowed. Exit codes:

  0  the upper bound of the cost is within the limit for every benchmark
  1  the lower bound is over it for one
  2  wrong use; nothing was measured
  3  neither is known within the budget; it says how many blocks would do. Under load by other processes it does not
     decide by times
  4  a benchmark goes wrong in the head alone, or a trial went wrong

A benchmark that goes wrong in the base is not judged, nor one that skips itself or that a revision alone has. The page
names each of them, with the reason.

The chance that it fails though nothing costs more than the limit is at most 5 % for all benchmarks and metrics together,
at all its looks; the chance that it lets a benchmark pass that costs more is at most 5 % for each. Of a metric of which more
is better, less is what costs.

An allow-list has a line for each benchmark that may cost more for a while: its name (with * for any text), the
metric, the last day, and the reason.`,
		Example: indent("NAME gate ./codec --base main --max-regression 5%\nNAME gate ./codec --base HEAD~1 --max-regression 2% --layouts 5 --budget 10m\nNAME gate ./codec --base main --max-regression 0% --metric allocs/op\nNAME gate ./codec --base main --max-regression 5% --allow slow.txt"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("gate takes one package, not %d; flags begin with two dashes", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := a.fromEnvironment(cmd.Flags(), func() error { return errors.Join(refuseEmpty(cmd.Flags()), o.possible()) }); err != nil {
				return err
			}
			return a.gate(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	o.addTo(f)
	f.Lookup("budget").DefValue = "5m0s"
	o.budget = 5 * time.Minute
	decimalVar(f, &o.count, "count", 80, "the most blocks it takes; what varies is judged from 6 on")
	f.StringVar(&o.base, "base", "", "the `REVISION` of git to compare with")
	f.StringVar(&o.most, "max-regression", "", "how much more than the base may be: `PERCENT`, as in 5%")
	f.StringSliceVar(&o.metrics, "metric", []string{"ns/op"}, "`METRICS` that are judged, as go test prints them")
	f.StringVar(&o.allow, "allow", "", "`FILE` of benchmarks that may cost more for a while")
	f.StringVar(&o.format, "format", "table", "table, json or md")
	f.StringVarP(&o.out, "output", "o", "", "run directory to make (default brewput-runs/bench-TIME)")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(gateFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// possible checks the flags that bench has too.
func (o *gateOptions) possible() error {
	if !slices.Contains(gateFormats, o.format) {
		return usage("--format %s is not possible here%s; use %s", o.format, didYouMean(o.format, gateFormats), strings.Join(gateFormats, ", "))
	}
	return o.validate()
}

// settle reads and checks the flags that gate alone has.
func (o *gateOptions) settle(ctx context.Context) (limit float64, metrics []string, allowed []exception, err error) {
	switch {
	case o.base == "":
		return 0, nil, nil, usage("gate needs --base, the revision to compare with, as in --base main")
	case o.most == "":
		return 0, nil, nil, usage("gate needs --max-regression, as in --max-regression 5%%")
	}
	if err := o.possible(); err != nil {
		return 0, nil, nil, err
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(o.most, "%"), 64)
	if err != nil || strings.Trim(o.most, "0123456789.eE-%") != "" || !strings.HasSuffix(o.most, "%") || !(percent >= 0 && percent <= 1000) {
		return 0, nil, nil, usage("--max-regression %s: give per cent from 0%% to 1000%%, as in 5%%", o.most)
	}
	for _, m := range o.metrics {
		if m = metricOf(m); !slices.Contains(metrics, m) {
			metrics = append(metrics, m)
		}
	}
	if o.layouts == 0 && percent < 5 && slices.ContainsFunc(metrics, func(m string) bool { return m != result.AllocedPerOp && m != result.AllocsPerOp }) {
		o.layouts, o.placed = 3, true
	}
	if o.allow != "" {
		if allowed, err = readExceptions(ctx, o.allow); err != nil {
			return 0, nil, nil, asUsage(err)
		}
	}
	return percent / 100, metrics, allowed, o.validate()
}

// gate measures until it knows.
func (a *app) gate(ctx context.Context, args []string, o gateOptions) error {
	limit, metrics, allowed, err := o.settle(ctx)
	if err != nil {
		return err
	}
	if o.cpus == "" {
		o.cpus = fmt.Sprint(runtime.GOMAXPROCS(0)) // as go test has it
	}
	r, err := a.newBenchRun(ctx, args, o.benchOptions)
	if err != nil {
		return err
	}
	defer r.close(ctx)
	if err := reported(r.bench, o.metrics); err != nil {
		return err
	}
	g := &gateRun{benchRun: r, metrics: metrics, allowed: allowed, placed: o.placed,
		gate: compare.NewInterim(compare.Gate{Max: limit, Alpha: 0.05, Layouts: max(1, o.layouts), Looks: compare.GateLooks(o.count)})}
	return r.inDirectory(ctx, func(ctx context.Context) error { return g.execute(ctx, o) })
}

// gateRun is a run of a gate.
type gateRun struct {
	*benchRun
	gate    *compare.Interim
	metrics []string
	allowed []exception
	list    []compare.Gated
	placed  bool             // the limit asked for layouts
	loaded  *compare.Warning // by other processes
	why     string           // it ended undecided
}

// reported refuses metrics that no benchmark of both revisions reports when it runs once, and those of which nobody knows
// whether more is better, before anything is measured.
func reported(x *gobench.Bench, metrics []string) error {
	var all []string
	for _, b := range x.Benchmarks {
		for _, m := range b.Metrics {
			if len(b.Revs) == 2 && !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	for _, unit := range metrics {
		m := metricOf(unit)
		switch {
		case slices.Contains(all, m):
		case headBreaks(x.Experiment): // perhaps the one that reports it
			return exitError{fmt.Errorf("--metric %s: no benchmark that can be measured in both revisions reports it:\n%s", unit, broken(x.Experiment, true)), exitFailed}
		default:
			return usage("--metric %s: no benchmark of both revisions reports it; they report %s", unit, strings.Join(unitsOf(all), ", "))
		}
		if compare.Direction(m, x.Better) == 0 {
			return usage("--metric %s: whether more or less of it is better is not known; let the benchmark print a line %q", unit, "Unit "+unit+" better=lower")
		}
	}
	return nil
}

// execute goes from one interim analysis to the next, and shows what it came to. The first block alone tells how long the
// others take.
func (g *gateRun) execute(ctx context.Context, o gateOptions) error {
	a, began := g.app, time.Now()
	end := g.sweep.Store
	g.sweep.Store = unending{end}
	if len(g.sweep.Plan.Cases) > 0 {
		fmt.Fprintf(a.stderr, "%s: blocks of %s, which hold every benchmark of both revisions once, until it is known, at most %s in %v; stored in %s\n", g.bench.Package,
			result.Count(len(g.sweep.Plan.Cases), "trial"), result.Count(o.count, "block"), o.budget, g.dir)
	}
	trials, interrupted, err := g.analyses(ctx, began, o.budget, end)
	if err != nil || interrupted {
		return err
	}
	if err := end.End(); err != nil {
		return err
	}
	a.code = gateCodes[g.decision(trials)]
	if err := g.show(trials, o.format); err != nil {
		return fmt.Errorf("the results could not be printed: %w; they are stored in %s", err, g.dir)
	}
	a.failures(trials)
	a.lostFailures(g.dir, trials)
	g.unmeasured()
	return g.complete(trials)
}

// upTo measures until there are n blocks.
func (g *gateRun) upTo(ctx context.Context, n int) (trials []result.Trial, interrupted bool, err error) {
	g.sweep.Plan.Blocks = n
	trials, interrupted, err = g.measure(ctx)
	if interrupted {
		fmt.Fprintf(g.app.stderr, "brewput: interrupted after %s; what was measured is stored in %s\n", result.Count(len(trials), "trial"), g.dir)
		g.app.code = exitInterrupted
		return nil, true, nil
	}
	sealed := map[int]int{}
	for b := range n {
		sealed[b] = len(g.sweep.Plan.Cases)
	}
	g.sweep.Continue(trials, sealed, false)
	return trials, false, err
}

// look judges, and says where it stands. No analysis follows the last one.
func (g *gateRun) look(trials []result.Trial, last bool, store sweep.Store) error {
	if err := g.judge(trials, last); err != nil {
		return err
	}
	open := 0
	for _, v := range g.list {
		if v.Decision == compare.Undecided && v.Allowed == "" {
			open++
		}
	}
	fmt.Fprintf(g.app.stderr, "after %s: %d of %d undecided\n", result.Count(g.sweep.Plan.Blocks, "block"), open, len(g.list))
	return store.Look(g.list)
}

// judge decides by the trials so far.
func (g *gateRun) judge(trials []result.Trial, last bool) error {
	rows := compare.Rows(trials, g.sweep.Plan.Cases)
	sides := g.sweep.Judgement.Levels(rows, trials)
	declared := declaredDirections(trials)
	g.list, g.loaded, g.gate.Family = nil, nil, 0
	have := make([][]compare.Sides, len(g.metrics))
	for i, metric := range g.metrics {
		for _, s := range sides {
			_, a := s.A.Metrics[metric]
			_, b := s.B.Metrics[metric]
			if a && b {
				have[i] = append(have[i], s)
			}
		}
		if len(have[i]) == 0 && len(sides) > 0 && exitCode(trials) == exitOK { // it did when it ran once
			return fmt.Errorf("--metric %s: no benchmark of both revisions reported it when it was measured", metric)
		}
		g.gate.Family += len(have[i])
	}
	for _, w := range compare.Warnings(trials, nil) {
		if w.Warning == compare.WarnOthers {
			g.loaded = &w
		}
	}
	g.gate.Open(g.sweep.Plan.Blocks, last, g.loaded == nil)
	for i, metric := range g.metrics {
		g.list = append(g.list, g.gate.Judge(have[i], metric, compare.Direction(metric, declared))...)
	}
	today := time.Now().Format(time.DateOnly)
	for i := range g.list {
		v := &g.list[i]
		if g.loaded != nil && v.Decision == compare.Undecided { // more blocks under this load decide nothing either
			v.MoreBlocks, v.MoreLayouts = nil, nil
		}
		for _, e := range g.allowed {
			if e.matches(*v) && v.Decision != compare.Pass && e.until >= today {
				v.Allowed, v.Waived = e.reason, e.until
			}
		}
	}
	return nil
}

// headBreaks reports whether the head alone breaks a benchmark.
func headBreaks(x *gobench.Experiment) bool {
	return slices.ContainsFunc(x.NotCompared(), func(n result.NotJudged) bool { return n.Reason == result.HeadFails })
}

// decision is what the gate comes to: what could not be measured outweighs the rest. A benchmark that goes wrong in the base
// as well is nothing that the head has done.
func (g *gateRun) decision(trials []result.Trial) string {
	if exitCode(trials) != exitOK || headBreaks(g.bench.Experiment) {
		return compare.Error
	}
	return compare.Decided(g.list)
}

// gateCodes are the exit codes of decisions.
var gateCodes = map[string]int{compare.Pass: exitOK, compare.Fail: exitWrong, compare.Undecided: exitUndecided, compare.Error: exitFailed}

// show renders the decisions.
func (g *gateRun) show(trials []result.Trial, format string) error {
	p := report.Gate{Title: g.bench.Title(), List: g.list, NotJudged: g.bench.NotCompared(), Decision: g.decision(trials), Max: g.gate.Max,
		Layouts: g.gate.Layouts, Notes: g.notes(trials)}
	p.Warnings = append(p.Warnings, compare.Warnings(trials, nil)...)
	switch format {
	case "json":
		return p.JSON(g.app.stdout)
	case "md":
		return p.Markdown(g.app.stdout)
	}
	width, isTerminal := terminal(g.app.stdout)
	return p.Table(g.app.stdout, report.StyleFor(os.Getenv, isTerminal, width))
}

// notes are sentences on why it came to this.
func (g *gateRun) notes(trials []result.Trial) []string {
	var notes []string
	if g.loaded != nil && compare.Decided(g.list) == compare.Undecided {
		notes = append(notes, "other processes were busy meanwhile, so that times decide nothing: "+g.loaded.Text)
	}
	if g.why != "" && compare.Decided(g.list) == compare.Undecided {
		notes = append(notes, g.why)
	}
	if g.placed {
		notes = append(notes, fmt.Sprintf("each revision is linked %d times with its functions in other places, for the limit is under 5 %%: the layouts decide, not the blocks (--layouts 1 leaves placement to the linker)", g.gate.Layouts))
	}
	for _, r := range compare.Rows(trials, g.sweep.Plan.Cases) {
		for _, w := range slices.Concat(r.Errors, r.Warnings) {
			if text := r.Design + ": " + w; !slices.Contains(notes, text) {
				notes = append(notes, text)
			}
		}
	}
	today := time.Now().Format(time.DateOnly)
	for _, e := range g.allowed {
		if text := e.stale(g.bench.Experiment, today); text != "" {
			notes = append(notes, text)
		}
	}
	return notes
}

// unending is a store whose run may go on after its last block so far.
type unending struct{ sweep.Store }

func (unending) End() error { return nil }

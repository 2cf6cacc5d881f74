package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path"
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
}

var gateFormats = []string{"table", "json", "md"}

func (a *app) gateCommand() *cobra.Command {
	var o gateOptions
	cmd := &cobra.Command{
		Use:   "gate [PACKAGE] --base REVISION --max-regression PERCENT",
		Short: "Say by the exit code whether benchmarks became slower than is allowed",
		Long: `Gate measures the benchmarks of a package and of a base revision on this machine, block by block, until it knows
whether they cost more than is allowed. It exits with 0 when the upper bound of the cost is within the limit for
every benchmark, with 1 when the lower bound is over it for one, and with 3 when neither is known within the budget,
with the number of blocks that would do. Under load by other processes it does not decide by times.

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
			if err := fromEnvironment(cmd.Flags(), os.LookupEnv); err != nil {
				return err
			}
			if err := refuseEmpty(cmd.Flags()); err != nil {
				return err
			}
			return a.gate(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	o.addTo(f)
	f.Lookup("budget").DefValue = "5m0s"
	o.budget = 5 * time.Minute
	f.IntVar(&o.count, "count", 80, "the most super-blocks it takes")
	f.StringVar(&o.base, "base", "", "the `REVISION` of git to compare with")
	f.StringVar(&o.most, "max-regression", "", "how much more than the base may be: `PERCENT`, as in 5%")
	f.StringSliceVar(&o.metrics, "metric", []string{"ns/op"}, "`METRICS` that are judged, as go test prints them")
	f.StringVar(&o.allow, "allow", "", "`FILE` of benchmarks that may cost more for a while")
	f.StringVar(&o.format, "format", "table", "table, json or md")
	f.StringVarP(&o.out, "output", "o", "", "run directory to make (default brewput-runs/bench-TIME)")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(gateFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// metricNames are ours of the units that go test prints.
var metricNames = map[string]string{"ns/op": result.TimePerOp, "time/op": result.TimePerOp, "sec/op": result.TimePerOp,
	"B/op": result.AllocedPerOp, "allocs/op": result.AllocsPerOp, "B/s": result.BytesRate, "MB/s": result.BytesRate}

// settle reads and checks the flags that gate alone has.
func (o *gateOptions) settle() (limit float64, metrics []string, allowed []exception, err error) {
	switch {
	case o.base == "":
		return 0, nil, nil, usage("gate needs --base, the revision to compare with, as in --base main")
	case o.most == "":
		return 0, nil, nil, usage("gate needs --max-regression, as in --max-regression 5%%")
	case !slices.Contains(gateFormats, o.format):
		return 0, nil, nil, usage("--format %s is not possible here%s; use %s", o.format, didYouMean(o.format, gateFormats), strings.Join(gateFormats, ", "))
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(o.most, "%"), 64)
	if err != nil || !strings.HasSuffix(o.most, "%") || !(percent >= 0 && percent <= 1000) {
		return 0, nil, nil, usage("--max-regression %s: give per cent from 0%% to 1000%%, as in 5%%", o.most)
	}
	for _, m := range o.metrics {
		if name, ok := metricNames[m]; ok {
			m = name
		}
		if !slices.Contains(metrics, m) {
			metrics = append(metrics, m)
		}
	}
	if o.layouts == 0 && percent < 5 && slices.ContainsFunc(metrics, func(m string) bool { return m != result.AllocedPerOp && m != result.AllocsPerOp }) {
		o.layouts = 3
	}
	if o.allow != "" {
		if allowed, err = readExceptions(o.allow); err != nil {
			return 0, nil, nil, asUsage(err)
		}
	}
	return percent / 100, metrics, allowed, o.validate()
}

// gate measures until it knows.
func (a *app) gate(ctx context.Context, args []string, o gateOptions) error {
	limit, metrics, allowed, err := o.settle()
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
	g := &gateRun{benchRun: r, metrics: metrics, allowed: allowed,
		gate: compare.Gate{Max: limit, Alpha: 0.05, Layouts: max(1, o.layouts), Looks: compare.GateLooks(o.count)}}
	return r.inDirectory(ctx, func(ctx context.Context) error { return g.execute(ctx, o) })
}

// gateRun is a run of a gate.
type gateRun struct {
	*benchRun
	gate    compare.Gate
	metrics []string
	allowed []exception
	list    []compare.Gated
	loaded  *compare.Warning // by other processes
	why     string           // it ended undecided
}

// execute goes from look to look, and shows what it came to. The first block alone tells how long the others take.
func (g *gateRun) execute(ctx context.Context, o gateOptions) error {
	a, began := g.app, time.Now()
	end := g.sweep.Store
	g.sweep.Store = unending{end}
	if len(g.sweep.Plan.Cases) > 0 {
		fmt.Fprintf(a.stderr, "%s: %s with the base and their points, until it is known, at most %s in %v; stored in %s\n", g.bench.Package,
			result.Count(len(g.sweep.Plan.Cases), "trial")+" a block", result.Count(o.count, "block"), o.budget, g.dir)
	}
	var trials []result.Trial
	for i, n := range append([]int{1}, g.gate.Looks...) {
		if done := g.sweep.Plan.Blocks; i > 0 {
			ahead := time.Since(began) / time.Duration(done) * time.Duration(n)
			if o.budget > 0 && ahead > o.budget {
				g.why = fmt.Sprintf("the budget of %v does not suffice for %d blocks, which take about %s", o.budget, n, roundDuration(ahead))
				break
			}
		}
		more, interrupted, err := g.upTo(ctx, n)
		if err != nil || interrupted {
			return err
		}
		if trials = more; i == 0 && n < g.gate.Looks[0] && exitCode(trials) == exitOK {
			continue
		}
		if err := g.look(trials, end); err != nil {
			return err
		}
		if compare.Decided(g.list) != compare.Undecided || exitCode(trials) != exitOK {
			break
		}
	}
	if g.list == nil {
		if err := g.look(trials, end); err != nil {
			return err
		}
	}
	if err := end.End(); err != nil {
		return err
	}
	a.code = g.code(trials)
	if err := g.show(trials, o.format); err != nil {
		return fmt.Errorf("the results could not be printed: %w; they are stored in %s", err, g.dir)
	}
	a.failures(trials)
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

// look judges, and says where it stands.
func (g *gateRun) look(trials []result.Trial, store sweep.Store) error {
	if err := g.judge(trials); err != nil {
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
func (g *gateRun) judge(trials []result.Trial) error {
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
		if len(have[i]) == 0 && len(sides) > 0 {
			return usage("--metric %s: no benchmark of both revisions reports it; they report %s", metric, strings.Join(report.MetricNames(rows), ", "))
		}
		g.gate.Family += len(have[i])
	}
	for i, metric := range g.metrics {
		direction := compare.Direction(metric, declared)
		if direction == 0 {
			return usage("--metric %s: whether more or less of it is better is not known; let the benchmark print a line %q", metric, "Unit "+metric+" better=lower")
		}
		g.list = append(g.list, g.gate.Judge(have[i], metric, direction)...)
	}
	for _, w := range compare.Warnings(trials, nil) {
		if w.Warning == compare.WarnOthers {
			g.loaded = &w
		}
	}
	today := time.Now().Format(time.DateOnly)
	for i := range g.list {
		v := &g.list[i]
		if g.loaded != nil && !v.Exact {
			v.Decision, v.MoreBlocks, v.MoreLayouts = compare.Undecided, nil, nil
		}
		for _, e := range g.allowed {
			if e.matches(*v) && v.Decision != compare.Pass && e.until >= today {
				v.Allowed, v.Waived = e.reason, e.until
			}
		}
	}
	return nil
}

// code is the exit code: a failed trial outweighs the decision.
func (g *gateRun) code(trials []result.Trial) int {
	// One that goes wrong in the base as well is nothing that the head has done.
	headBroken := slices.ContainsFunc(g.bench.Broken, func(b gobench.Broken) bool {
		return b.Rev == gobench.Head && !slices.ContainsFunc(g.bench.Broken, func(o gobench.Broken) bool { return o.Rev == gobench.Base && o.Name == b.Name })
	})
	switch {
	case exitCode(trials) != exitOK:
		return exitCode(trials)
	case headBroken:
		return exitFailed
	}
	switch compare.Decided(g.list) {
	case compare.Fail:
		return exitWrong
	case compare.Undecided:
		return exitUndecided
	}
	return exitOK
}

// show renders the decisions.
func (g *gateRun) show(trials []result.Trial, format string) error {
	p := report.Gate{Title: g.bench.Title(), List: g.list, Decision: compare.Decided(g.list), Max: g.gate.Max, Layouts: g.gate.Layouts, Notes: g.notes()}
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
func (g *gateRun) notes() []string {
	var notes []string
	if g.loaded != nil && compare.Decided(g.list) == compare.Undecided {
		notes = append(notes, "other processes were busy meanwhile, so that times decide nothing: "+g.loaded.Text)
	}
	if g.why != "" && compare.Decided(g.list) == compare.Undecided {
		notes = append(notes, g.why)
	}
	if n := leftAlone(g.bench.Experiment); n != "" {
		notes = append(notes, n)
	}
	if len(g.bench.Broken) > 0 {
		notes = append(notes, "not judged, for they cannot be measured: "+strings.ReplaceAll(broken(g.bench.Experiment, false), "\n", "; "))
	}
	today := time.Now().Format(time.DateOnly)
	for _, e := range g.allowed {
		hit := slices.ContainsFunc(g.list, e.matches)
		switch {
		case !hit:
			notes = append(notes, fmt.Sprintf("the allow-list's line %d (%s %s) matches no benchmark: remove it", e.line, e.name, e.metric))
		case e.until < today:
			notes = append(notes, fmt.Sprintf("the allow-list's line %d (%s %s) expired on %s and has no effect", e.line, e.name, e.metric, e.until))
		}
	}
	return notes
}

// unending is a store whose run may go on after its last block so far.
type unending struct{ sweep.Store }

func (unending) End() error { return nil }

// exception is a line of an allow-list.
type exception struct {
	line                        int
	name, metric, until, reason string
}

// matches reports whether it is about a benchmark's metric.
func (e exception) matches(v compare.Gated) bool {
	metric := e.metric
	if name, ok := metricNames[metric]; ok {
		metric = name
	}
	ok, err := path.Match(strings.ReplaceAll(e.name, "/", "\x00"), strings.ReplaceAll(v.Design, "/", "\x00"))
	return err == nil && ok && metric == v.Metric
}

// readExceptions reads an allow-list.
func readExceptions(file string) ([]exception, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("--allow: %w", err)
	}
	defer f.Close()
	var list []exception
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		text, _, _ := strings.Cut(" "+in.Text(), " #") // Encode#01 is the second benchmark of a name
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if len(words) < 4 {
			return nil, fmt.Errorf("%s:%d: a line has a benchmark, a metric, the last day and a reason, as in: Encode/* ns/op 2026-12-31 checks more", file, n)
		}
		if _, err := time.Parse(time.DateOnly, words[2]); err != nil {
			return nil, fmt.Errorf("%s:%d: %q is no day; write it as 2026-12-31", file, n, words[2])
		}
		e := exception{n, strings.TrimPrefix(words[0], "Benchmark"), words[1], words[2], strings.Join(words[3:], " ")}
		if _, err := path.Match(e.name, ""); err != nil {
			return nil, fmt.Errorf("%s:%d: the pattern %q is not possible: %w", file, n, e.name, err)
		}
		list = append(list, e)
	}
	return list, in.Err()
}

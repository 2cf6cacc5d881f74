package lab

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/result"
)

// GateOptions are the options of [Gate]. Base is required; Layouts has the default 3 if MaxRegression is under 0.05 and
// a metric is judged that varies with the placement of code, else 1.
type GateOptions struct {
	BenchOptions
	MaxRegression float64  // how much more than the base may be: 0.05 allows 5 % more time; from 0 to 10
	Metrics       []string // that are judged, as go test or benchstat writes them; default ns/op
	Allow         string   // file with exceptions, one a line; "" for none
}

// GateResult is the result of [Gate].
type GateResult struct {
	BenchRun
	// Decision is compare.Pass, Fail, Undecided or Error. Error outweighs the others: a trial went wrong, or the head
	// breaks a benchmark that the base does not.
	Decision string
	List     []compare.Gated // by metric and benchmark
	Rows     []compare.Row   // the cases, whose errors and warnings say what was wrong with trials
	Warnings []compare.Warning

	Loaded *compare.Warning // other processes were busy, so that nothing is decided by times; nil if they were not
	Short  *Short           // the budget ended before the blocks; nil if it did not
	Placed bool             // several layouts are the default, because MaxRegression is small
	Stale  []StaleException // lines of the allow-list that can be removed
}

// Short is how a budget ended before a decision.
type Short struct {
	Budget time.Duration
	Blocks int           // that it sufficed for
	Each   time.Duration // that a block took on average
}

// Interim says how decisions stand after an interim analysis.
type Interim struct {
	Blocks    int
	Decisions int
	Undecided int
}

func (Interim) event() {}

// Gate measures benchmarks of a package and of a base revision, as [Bench] does, until it knows whether the head costs
// more than MaxRegression allows. After some blocks, more of them each time, an interim analysis decides what is clear;
// it ends when all is decided, or after Count blocks or Budget. The chance that it fails although nothing costs more
// than allowed is at most 5 % for all benchmarks, metrics and interim analyses together; the chance that a benchmark
// passes that costs more is at most 5 % each.
//
// Errors are those of [Bench]. After an error the result has the trials so far and no decision. A gate cannot be
// continued: [ResumeBench] of its run directory measures all of its blocks.
func Gate(ctx context.Context, o GateOptions) (*GateResult, error) {
	g, err := prepareGate(ctx, &o)
	if err != nil {
		return nil, err
	}
	defer g.close(ctx)
	if err := g.create(ctx); err != nil {
		return nil, err
	}
	return g.execute(ctx)
}

// execute measures until it is decided.
func (g *gateRun) execute(ctx context.Context) (res *GateResult, err error) {
	g.began = time.Now()
	g.sweep.Next = g.next
	res = &GateResult{Placed: g.placed}
	if res.BenchRun, err = g.measure(ctx); err != nil {
		return res, err
	}
	res.List, res.Loaded, res.Short = g.list, g.loaded, g.short
	res.Rows, res.Warnings = compare.Rows(res.Trials, g.sweep.Plan.Cases), compare.Warnings(res.Trials, nil)
	res.Stale = stale(g.allowed, g.bench.Experiment, g.today)
	if res.Decision = compare.Decided(g.list); OutcomeOf(res.Trials) != Sound || res.Suite.HeadFails() {
		res.Decision = compare.Error
	}
	return res, nil
}

// Validate refuses values that cannot be carried out, as [BenchOptions.Validate] does.
func (o GateOptions) Validate() error {
	if !(o.MaxRegression >= 0 && o.MaxRegression <= 10) {
		return refuse("max-regression", o.MaxRegression, "is not from 0 to 10").suggest("give 0.05 to allow 5%% more")
	}
	return o.BenchOptions.Validate()
}

// gateRun is a gate under way.
type gateRun struct {
	*benchRun
	interim *compare.Interim
	budget  time.Duration
	metrics []string // names of the contract
	allowed []exception
	placed  bool
	today   string // as dates of exceptions are written
	began   time.Time

	ahead  []int // numbers of blocks of the interim analyses to come
	list   []compare.Gated
	loaded *compare.Warning
	short  *Short
}

// prepareGate prepares everything but the run directory. It fills in the defaults.
func prepareGate(ctx context.Context, o *GateOptions) (g *gateRun, err error) {
	if o.Base == "" {
		return nil, refuse("", nil, "gate needs {base}, the revision to compare with, as in {base} main")
	}
	if o.Count == 0 {
		o.Count = 80
	}
	if o.CPUs == "" {
		o.CPUs = fmt.Sprint(runtime.GOMAXPROCS(0)) // as go test has it
	}
	if len(o.Metrics) == 0 {
		o.Metrics = []string{"ns/op"}
	}
	o.BenchOptions = o.withDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}

	g = &gateRun{budget: o.Budget, today: time.Now().Format(time.DateOnly)}
	for _, m := range o.Metrics {
		if m = metricOf(m); !slices.Contains(g.metrics, m) {
			g.metrics = append(g.metrics, m)
		}
	}
	varies := func(m string) bool { return m != result.AllocedPerOp && m != result.AllocsPerOp }
	if o.Layouts == 0 && o.MaxRegression < 0.05 && slices.ContainsFunc(g.metrics, varies) {
		o.Layouts, g.placed = 3, true
	}
	if o.Allow != "" {
		if g.allowed, err = readExceptions(ctx, o.Allow); err != nil {
			return nil, asRefusal(ctx, err)
		}
	}
	if g.benchRun, err = prepareBench(ctx, &o.BenchOptions); err != nil {
		return nil, err
	}
	if err := reported(g.bench, o.Metrics); err != nil {
		g.close(ctx)
		return nil, err
	}
	g.plan(o.MaxRegression, max(1, o.Layouts), o.Count)
	return g, nil
}

// plan plans the interim analyses of at most some blocks.
func (g *gateRun) plan(limit float64, layouts, most int) {
	g.interim = compare.NewInterim(compare.Gate{Max: limit, Alpha: 0.05, Layouts: layouts,
		InterimBlocks: compare.GateInterimBlocks(most)})
	if g.ahead = g.interim.InterimBlocks; g.ahead[0] > 1 {
		g.ahead = append([]int{1}, g.ahead...) // which alone shows how long the others take
	}
}

// reported refuses metrics that no benchmark of both revisions reports when it runs once, and those of which nobody
// knows whether more is better, before anything is measured.
func reported(b *gobench.Bench, metrics []string) error {
	var all []string
	for _, x := range b.Benchmarks {
		for _, m := range x.Metrics {
			if len(x.Revs) == 2 && !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	suite := suiteOf(b.Experiment)
	for _, unit := range metrics {
		m := metricOf(unit)
		switch {
		case slices.Contains(all, m):
		case suite.HeadFails(): // perhaps the one that reports it
			why := "{metric} %s: no benchmark that can be measured in both revisions reports it"
			return &BrokenError{suite, template{why, []any{unit}}}
		default:
			return refuse("metric", unit, "no benchmark of both revisions reports it").
				suggest("they report %s", strings.Join(unitsOf(all), ", "))
		}
		if compare.Direction(m, b.Better) == 0 {
			return refuse("metric", unit, "whether more or less of it is better is not known").
				suggest("let the benchmark print a line %q", "Unit "+unit+" better=lower")
		}
	}
	return nil
}

// next judges the trials of n blocks and decides how many more follow. The first block alone shows how long the others
// take.
func (g *gateRun) next(n int, trials []result.Trial) (more int, err error) {
	if n == 0 {
		return g.ahead[0], nil
	}
	elapsed := time.Since(g.began)
	each := elapsed / time.Duration(n)
	var short bool
	if g.ahead, short = withinBudget(n, g.ahead[1:], each, elapsed, g.budget); short {
		g.short = &Short{g.budget, slices.Max(append(g.ahead, n)), each}
	}
	last, sound := len(g.ahead) == 0, OutcomeOf(trials) == Sound
	if n >= g.interim.InterimBlocks[0] || last || !sound {
		if err := g.analyse(n, trials, last); err != nil {
			return 0, err
		}
		if last || !sound || compare.Decided(g.list) != compare.Undecided {
			return 0, nil
		}
	}
	return g.ahead[0] - n, nil
}

// withinBudget are the numbers of blocks of the analyses to come, after some blocks of which each took a time. If the
// budget ends before the next one that is planned, there is one after the blocks that it suffices for, or none; short
// says so.
func withinBudget(done int, planned []int, each, elapsed, budget time.Duration) (ahead []int, short bool) {
	const reserve = 0.97 // blocks differ a little in the time that they take
	if len(planned) == 0 || budget <= 0 || each <= 0 {
		return planned, false
	}
	fit := done + int(reserve*max(0, float64(budget-elapsed))/float64(each))
	switch {
	case fit >= planned[0]:
		return planned, false
	case fit > done:
		return []int{fit}, true
	}
	return nil, true
}

// analyse judges the trials of n blocks and stores the decisions. No analysis follows the last one.
func (g *gateRun) analyse(n int, trials []result.Trial, last bool) error {
	if err := g.judge(n, trials, last); err != nil {
		return err
	}
	open := 0
	for _, v := range g.list {
		if v.Decision == compare.Undecided && v.Allowed == "" {
			open++
		}
	}
	g.notify.send(Interim{Blocks: n, Decisions: len(g.list), Undecided: open})
	return g.sweep.Store.Interim(g.list)
}

// judge decides by the trials of n blocks.
func (g *gateRun) judge(n int, trials []result.Trial, last bool) error {
	sides := g.sweep.Criteria.Levels(compare.Rows(trials, g.sweep.Plan.Cases), trials)
	declared := compare.Declared(trials)
	g.list, g.loaded, g.interim.Family = nil, nil, 0
	have := make([][]compare.Sides, len(g.metrics))
	for i, metric := range g.metrics {
		for _, s := range sides {
			_, a := s.A.Metrics[metric]
			_, b := s.B.Metrics[metric]
			if a && b {
				have[i] = append(have[i], s)
			}
		}
		if len(have[i]) == 0 && len(sides) > 0 && OutcomeOf(trials) == Sound { // it did when it ran once
			return fmt.Errorf("the metric %s: no benchmark of both revisions reported it when it was measured", metric)
		}
		g.interim.Family += len(have[i])
	}
	for _, w := range compare.Warnings(trials, nil) {
		if w.Warning == compare.WarnOthers {
			g.loaded = &w
		}
	}
	g.interim.Open(n, last, g.loaded == nil)
	for i, metric := range g.metrics {
		g.list = append(g.list, g.interim.Judge(have[i], metric, compare.Direction(metric, declared))...)
	}
	for i := range g.list {
		v := &g.list[i]
		if g.loaded != nil && v.Decision == compare.Undecided { // more blocks under this load decide nothing either
			v.MoreBlocks, v.MoreLayouts = nil, nil
		}
		allow(g.allowed, v, g.today)
	}
	return nil
}

package lab

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// GateOptions are the options of [Gate]. Base is required, and for times MaxRegression too: with its zero value they
// hardly ever pass. The default of Layouts is 3 if MaxRegression is below 0.05 and a metric varies with the placement
// of code, as times do; otherwise 1.
type GateOptions struct {
	BenchOptions
	MaxRegression float64  // allowed increase over the base, 0 to 10: 0.05 allows 5% more time, 0 allows none
	Metrics       []string // metrics to judge, as go test or benchstat prints them; default ns/op
	Allow         string   // file with exceptions, one a line; "" for none
}

// GateResult is the result of [Gate]. It may be read concurrently.
type GateResult struct {
	BenchRun
	// Decision is compare.Pass, Fail, Undecided or Error. Error takes precedence: a trial failed, or a benchmark fails
	// in the head only.
	Decision  string
	Decisions []compare.GateDecision // by metric and benchmark
	Rows      []compare.Row          // the cases, with the errors and warnings of their trials
	Warnings  []compare.Warning

	LoadWarning    *compare.Warning         // other processes ran, so that no time is decided; nil if none ran
	BudgetEnded    *sweep.BudgetEnded       // the budget ended before Count blocks; nil if it did not
	BlockTime      time.Duration            // mean time of a block; 0 if the gate was read from a run directory
	DefaultLayouts bool                     // several layouts are the default, because MaxRegression is small
	Stale          []compare.StaleException // lines of the allow-list that can be removed
}

// Interim reports how many decisions are undecided after an interim analysis of a gate.
type Interim sweep.GateAnalysis

func (Interim) event() {}

// Gate measures benchmarks of a package and of a base revision, as [Bench] does, until it can decide whether the head
// regresses by more than MaxRegression. Interim analyses decide what is clear. The gate ends when everything is
// decided, or after Count blocks or Budget. If nothing regresses by more than allowed, it fails with probability at
// most 5%, over all benchmarks, metrics and interim analyses. A real regression passes with probability at most 5%, for
// each benchmark.
//
// Errors are those of [Bench]: the result is nil if nothing is stored, and otherwise has the trials so far and no
// decision. A gate cannot be continued: [ResumeBench] of its run directory measures all blocks. Concurrent calls are
// safe but disturb each other's measurements.
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

// execute measures until every benchmark is decided.
func (g *gateRun) execute(ctx context.Context) (res *GateResult, err error) {
	res = &GateResult{DefaultLayouts: g.placed}
	if res.BenchRun, err = g.measure(ctx); err != nil {
		return res, err
	}
	res.Decisions, res.LoadWarning, res.BudgetEnded = g.Decisions, g.LoadWarning, g.BudgetEnded
	res.BlockTime = g.BlockTime
	res.Stale = gobench.Stale(g.allowed, g.bench.Experiment, g.today)
	res.conclude(g.benchRun.sweep.Plan.Cases)
	return res, nil
}

// conclude fills in what follows from the decisions and the trials.
func (r *GateResult) conclude(cases []plan.Case) {
	r.Rows, r.Warnings = compare.Rows(r.Trials, cases), compare.NameBusiest(compare.Warnings(r.Trials, nil), r.Busiest)
	r.Decision = compare.OverallDecision(r.Decisions)
	if result.OutcomeOf(r.Trials) != result.Sound || r.Suite.HeadFails() {
		r.Decision = compare.Error
	}
}

// Validate refuses invalid values, as [BenchOptions.Validate] does. Zero values are valid.
func (o GateOptions) Validate() error {
	if !(o.MaxRegression >= 0 && o.MaxRegression <= 10) {
		return refuse("max-regression", o.MaxRegression, "is not from 0 to 10").Suggest("give 0.05 to allow 5%% more")
	}
	o.Budget = max(o.Budget, 0)
	return o.BenchOptions.Validate()
}

// gateRun is a gate in progress.
type gateRun struct {
	*benchRun
	*sweep.Gate
	allowed []gobench.Exception
	placed  bool
	today   string // as time.DateOnly
}

// prepareGate prepares everything except the run directory, and fills in the defaults.
func prepareGate(ctx context.Context, o *GateOptions) (g *gateRun, err error) {
	if o.Base == "" {
		return nil, refuse("", nil, "gate needs {base}, the revision to compare with, such as main")
	}
	o.Count = cmp.Or(o.Count, 80)
	o.CPUs = cmp.Or(o.CPUs, fmt.Sprint(sweep.AllCPUs())) // the default of go test
	o.Budget = max(cmp.Or(o.Budget, 5*time.Minute), 0)
	if len(o.Metrics) == 0 {
		o.Metrics = []string{"ns/op"}
	}
	o.BenchOptions = o.withDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}

	g = &gateRun{today: time.Now().Format(time.DateOnly)}
	var metrics []string
	for _, m := range o.Metrics {
		if m = gobench.MetricName(m); !slices.Contains(metrics, m) {
			metrics = append(metrics, m)
		}
	}
	varies := func(m string) bool { return m != result.AllocedPerOp && m != result.AllocsPerOp }
	if o.Layouts == 0 && o.MaxRegression < 0.05 && slices.ContainsFunc(metrics, varies) {
		o.Layouts, g.placed = 3, true
	}
	if o.Allow != "" {
		if g.allowed, err = gobench.ReadExceptions(ctx, o.Allow); err != nil {
			return nil, unstored(ctx, asRefusal(ctx, err), "the allow-list was read", false)
		}
	}
	if g.benchRun, err = prepareBench(ctx, &o.BenchOptions); err != nil {
		return nil, err
	}
	if err := reported(g.bench, o.Metrics); err != nil {
		g.close(ctx)
		return nil, err
	}
	g.decideBy(compare.Gate{MaxRegression: o.MaxRegression, Alpha: 0.05, Layouts: max(1, o.Layouts),
		InterimBlocks: compare.GateInterimBlocks(o.Count)}, metrics, o.Budget)
	return g, nil
}

// decideBy makes the interim analyses of a gate decide how many blocks follow.
func (g *gateRun) decideBy(c compare.Gate, metrics []string, budget time.Duration) {
	g.Gate = g.benchRun.sweep.UseGate(c, metrics, budget)
	g.Allow = func(v *compare.GateDecision) { gobench.Allow(g.allowed, v, g.today) }
	g.Notify = func(i sweep.GateAnalysis) { g.notify.send(Interim(i)) }
}

// reported refuses metrics that cannot be judged, before anything is measured: those that no benchmark of both
// revisions reports when it runs once, and those for which it is unknown whether more is better.
func reported(b *gobench.Bench, metrics []string) error {
	var all []string
	for _, x := range b.Benchmarks {
		for _, m := range x.Metrics {
			if len(x.Revs) == 2 && !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	suite := b.Experiment.Suite()
	for _, unit := range metrics {
		m := gobench.MetricName(unit)
		switch {
		case slices.Contains(all, m):
		case suite.HeadFails(): // the broken benchmark may report it
			why := "{metric} %s: no benchmark that can be measured in both revisions reports it"
			return &BrokenError{suite, plan.Template{Format: why, Args: []any{unit}}}
		default:
			return refuse("metric", unit, "no benchmark of both revisions reports it").
				Suggest("they report %s", strings.Join(gobench.UnitNames(all), ", "))
		}
		if compare.Direction(m, b.Better) == 0 {
			return refuse("metric", unit, "it is unknown whether higher or lower is better").
				Suggest("let the benchmark print a line %q", "Unit "+unit+" better=lower")
		}
	}
	return nil
}

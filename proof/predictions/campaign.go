package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/aa"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// campaign predicts, then measures, then scores.
type campaign struct {
	out, progress    io.Writer
	cost             string
	blocks, every    int
	warmup, duration time.Duration
	seed             uint64
	burn             float64
	calm
}

func (c *campaign) printf(format string, args ...any) { fmt.Fprintf(c.out, format, args...) }

// overhead is what a trial takes beyond its window: a process, two probes and the burns before it.
const overhead = 35 * time.Millisecond

// floorTime is the most that the noise floor may take.
const floorTime = 30 * time.Second

// run is the whole campaign. Whatever is predicted is so before the first of its measurements, under costs that are
// printed first.
func (c *campaign) run(ctx context.Context) (code int, err error) {
	began := time.Now()
	c.most = 20 // of the noise floor
	floor, err := c.floor(ctx)
	if err != nil {
		return 0, err
	}
	c.printf("costs, set before anything is measured: %s\n", c.cost)
	shop, five := c.thinned(coffeeGrid()), c.thinned(shapesGrid())
	c.most += (len(shop) + len(five)) * c.blocks / 2
	c.printf("%d points of coffee and %d of other shapes, x %d blocks of %v: about %v to measure, after "+
		"the predictions\n\n", len(shop), len(five), c.blocks, c.duration,
		(time.Duration((len(shop)+len(five))*c.blocks) * (c.warmup + c.duration + overhead)).Round(time.Second))
	first, err := c.compare(ctx, coffee.Workload(), shop)
	if err != nil {
		return 0, err
	}
	second, err := c.compare(ctx, shapes(), five)
	if err != nil {
		return 0, err
	}
	missed := c.scoreCoffee(first)
	missed = append(missed, c.scoreShapes(second)...)
	if c.again > 0 {
		c.printf("\n%s measured again, since others had disturbed them (more than %.2f of a CPU, more than %.0f %% "+
			"stolen, or burns beside it off by more than %.0f %%); so were %d to the end\n",
			result.Count(c.again, "trial"), mostOthers, 100*mostStolen, 100*mostClock, c.left)
	}
	c.printf("\nIt took %v.\n", time.Since(began).Round(time.Second))
	switch {
	case len(missed) > 0 && 2*floor > targets[ofThroughput].median:
		c.printf("Undecided on this machine: its noise floor of %.2f %% is more than half of the least "+
			"target. Missed: %s.\n", 100*floor, strings.Join(missed, ", "))
		return exitUndecided, nil
	case len(missed) > 0:
		c.printf("Missed: %s.\n", strings.Join(missed, ", "))
		return exitMissed, nil
	}
	c.printf("Every target is kept.\n")
	return 0, nil
}

// thinned is every so many cases one.
func (c *campaign) thinned(all []plan.Case) []plan.Case {
	var list []plan.Case
	for i := 0; i < len(all); i += max(1, c.every) {
		list = append(list, all[i])
	}
	return list
}

// floor measures and prints the noise floor, the widest of all numbers of CPUs.
func (c *campaign) floor(ctx context.Context) (float64, error) {
	noise, err := aa.Floor(ctx, []int{1, 2}, floorTime, c.burn, c.calm.run)
	if err != nil {
		return 0, err
	}
	widest := 0.0
	for _, n := range noise {
		if n.Missing != "" {
			return 0, fmt.Errorf("the noise floor on %d CPUs: %s", n.CPUs, n.Missing)
		}
		c.printf("noise floor on %d CPUs, a design beside itself: %.2f %% in %d blocks\n", n.CPUs,
			100*float64(n.HalfWidth), n.Blocks)
		widest = max(widest, float64(n.HalfWidth))
	}
	return widest, nil
}

// compared is what was predicted and measured of a workload.
type compared struct {
	workload string
	rows     []compare.Row
	trials   []result.Trial
}

// compare predicts and measures the cases of a workload.
func (c *campaign) compare(ctx context.Context, w *workload.Workload, cases []plan.Case) (compared, error) {
	h := sweep.Header{Workload: w.Name, World: result.Live, Seed: strconv.FormatUint(c.seed, 10), Blocks: c.blocks,
		Cases: cases, PredictedCases: cases, Costs: c.cost,
		Settings: sweep.Settings{Duration: sweep.Duration(c.duration), Warmup: sweep.Duration(c.warmup), Sample: 1}}
	h.Burn.Rate = c.burn
	s, err := sweep.New(w, h)
	if err != nil {
		return compared{}, err
	}
	s.Run, s.BurnRatio, s.Notify = c.calm.run, nil, c.tell("measuring", w.Name)
	t, err := s.PredictionSweep()
	if err != nil {
		return compared{}, err
	}
	t.Ahead = nil // one after the other, each on a calm machine
	t.Run = func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
		spec.Costs = c.cost
		return c.calm.run(ctx, spec)
	}
	fmt.Fprintf(c.progress, "predicting and measuring %d points of %s\n", len(cases), w.Name)
	predicted, trials, err := s.ExecuteWithPrediction(ctx, t)
	if err != nil {
		return compared{}, err
	}
	for _, all := range [][]result.Trial{predicted, trials} {
		for _, t := range all {
			if !t.Good() && !t.Expected {
				return compared{}, fmt.Errorf("a trial of %s (%s, %s) came to no number: %s: %s", t.Design, t.Point,
					t.World, t.Status, t.Error)
			}
		}
	}
	for _, x := range compare.Warnings(trials, nil) {
		c.printf("warning: %s: %s\n", w.Name, x.Text)
	}
	x := lab.Analyze(trials, lab.AnalyzeOptions{Workload: w, Cases: s.Plan.Cases, Predictions: predicted,
		PredictedCases: cases})
	return compared{w.Name, x.Rows, trials}, nil
}

// tell says where the campaign is, once a block.
func (c *campaign) tell(what, name string) func(sweep.Event) {
	return func(e sweep.Event) {
		if e.Trials != nil {
			fmt.Fprintf(c.progress, "%s %s: block %d of %d done\n", what, name, e.Step.Block+1, c.blocks)
		}
	}
}

// scoreCoffee prints the errors of the coffee shop and returns the targets that are missed.
func (c *campaign) scoreCoffee(x compared) (missed []string) {
	for _, m := range []struct{ metric, name string }{{result.Throughput, ofThroughput},
		{result.LatencyMean, ofLatency}} {
		most := targets[m.name]
		s := judge(points(x.rows, x.trials, m.metric), most)
		if !s.kept(most) {
			missed = append(missed, m.name+" of coffee")
		}
		c.printf("\ncoffee, %s: %d points, error: median %s (at most %s), p90 %s (%s), worst %s; beyond its "+
			"half-width %s (%s), %d points more\n", m.name, len(s.points),
			percent(s.median), percent(most.median), percent(s.p90), percent(most.p90), percent(s.worst),
			percent(s.beyond), percent(most.worst), s.misses)
		c.list(s.points[:min(10, len(s.points))], m.name)
	}
	c.printf("not modelled: %s\n", unmodelled[x.workload])
	return missed
}

// scoreShapes does so for the other shapes, each by itself and all together.
func (c *campaign) scoreShapes(x compared) (missed []string) {
	all, most := points(x.rows, x.trials, result.Throughput), targets[ofShapes]
	c.printf("\n%s, throughput: median error at most %s\n", ofShapes, percent(most.median))
	line := func(name string, list []point) score {
		s := judge(list, most)
		if len(list) == 0 {
			return s
		}
		c.printf("%-10s %2d points: median %s, worst %s\n", name, len(list), percent(s.median), percent(s.worst))
		if !s.kept(most) {
			missed = append(missed, name)
			c.printf("  not modelled: %s\n", unmodelled[name])
		}
		return s
	}
	for _, d := range shapes().Designs {
		var own []point
		for _, p := range all {
			if p.Design == d.Name {
				own = append(own, p)
			}
		}
		line(d.Name, own)
	}
	s := line(ofShapes, all)
	c.list(s.points[:min(10, len(s.points))], "throughput")
	latency := judge(points(x.rows, x.trials, result.LatencyMean), most)
	c.printf("their mean latency, for which there is no target: median %s, worst %s\n", percent(latency.median),
		percent(latency.worst))
	return missed
}

// list prints points, the worst first.
func (c *campaign) list(list []point, name string) {
	c.printf("  %-64s %12s %12s %8s %18s %10s %7s\n", "worst "+name, "predicted", "measured", "error", "95 % interval",
		"half-width", "probe")
	for _, p := range list {
		c.printf("  %-64s %12.5g %12.5g %8s %18s %10s %7s\n", p.Design+" "+p.Point.String(), float64(p.Predicted),
			float64(p.Measured),
			signed(float64(p.Error)), signed(float64(p.Low))+" to "+signed(float64(p.High)), percent(p.half),
			signed(p.probe))
	}
}

func percent(x float64) string {
	if math.IsNaN(x) {
		return "?"
	}
	return fmt.Sprintf("%.1f %%", 100*x)
}

func signed(x float64) string { return fmt.Sprintf("%+.1f%%", 100*x) }

// coffeeGrid is every design on 1 and 2 CPUs at six numbers of workers, the odd or the even ones from 1 to 12 in turn,
// with jitter from 0 to 2 ms in turn: 144 points that spread over 720.
func coffeeGrid() []plan.Case {
	jitters := []time.Duration{0, 500 * time.Microsecond, time.Millisecond, 1500 * time.Microsecond,
		2 * time.Millisecond}
	w := coffee.Workload()
	var cases []plan.Case
	for i, d := range w.Designs {
		for _, cpus := range []int{1, 2} {
			for k := range 6 {
				workers := 1 + 2*k + (i+cpus)%2
				cases = append(cases, caseOf(w, d, map[string]plan.Level{
					"cpus": plan.IntLevel(cpus), "workers": plan.IntLevel(workers),
					"jitter": plan.DurationLevel(jitters[(i+k+3*cpus)%len(jitters)]),
				}))
			}
		}
	}
	return cases
}

// shapesGrid is every shape on 1 and 2 CPUs with 1, 2, 4 and 8 workers.
func shapesGrid() []plan.Case {
	w := shapes()
	var cases []plan.Case
	for _, d := range w.Designs {
		for _, cpus := range []int{1, 2} {
			for _, workers := range []int{1, 2, 4, 8} {
				cases = append(cases, caseOf(w, d,
					map[string]plan.Level{"cpus": plan.IntLevel(cpus), "workers": plan.IntLevel(workers)}))
			}
		}
	}
	return cases
}

// caseOf is a design at these levels, the others being the defaults.
func caseOf(w *workload.Workload, d workload.Design, levels map[string]plan.Level) plan.Case {
	choices := map[string]plan.Choice{}
	for name, l := range levels {
		choices[name] = plan.Choice{Levels: []plan.Level{l}}
	}
	all, err := plan.Points(w.AllFactors(), choices)
	if err != nil || len(all) != 1 {
		// the grids above are of the catalogue's own levels
		panic(fmt.Sprintf("one point of %s: %d, %v", d.Name, len(all), err))
	}
	return plan.Case{Design: d.Name, Point: all[0].Only(w.FactorsOf(d))}
}

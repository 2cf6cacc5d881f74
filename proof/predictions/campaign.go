package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/proof/aatest"
	"github.com/brewput/brewput/proof/idle"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/result"
)

// run measures what is not stored yet and scores it. It returns the exit code.
func (c *campaign) run(ctx context.Context) (code int, err error) {
	began := time.Now()
	planned := realRuns()
	if !c.Real {
		planned = c.gridRuns()
		c.announce()
	}
	complete, err := c.measure(ctx, planned)
	if err != nil {
		return 0, err
	}

	switch left := len(planned) - len(complete); {
	case c.Real:
		code = c.scoreReal(complete, left)
		c.remaining(left)
	case left > 0:
		code = record.ExitUndecided
		c.remaining(left)
	default:
		code, err = c.scoreGrids(complete)
	}
	c.printf("\nIt took %v.\n", time.Since(began).Round(time.Second))
	return code, err
}

// remaining prints how many runs are left, if any, and what to do.
func (c *campaign) remaining(left int) {
	if c.scoreOnly && left > 0 {
		c.printf("\n%s missing or incomplete: run the command without -score.\n", result.Count(left, "run"))
		return
	}
	record.Remaining(c.stdout, left, "runs")
}

// overhead is the time of a trial beyond its window: a new process, two probes of the clock and the burns before them.
const overhead = 35 * time.Millisecond

// announce prints what the grids hold. A block has two trials of each case, one of them instrumented.
func (c *campaign) announce() {
	n := map[string]int{}
	trials := 0
	for _, p := range c.gridRuns() {
		cases := len(p.options.CaseList)
		n[p.workload.Name] += cases
		if cases == 0 {
			cases = len(p.workload.Designs) // the arms of the noise floor
		}
		trials += cases * p.options.Count * 2
	}
	c.printf("%d points of coffee and %d of other structures, %d blocks of %v each: about %v to measure, with the "+
		"noise floor, in addition to the predictions\n", n["coffee"], n["shapes"], c.Blocks, c.Duration,
		(time.Duration(trials) * (warmup + c.Duration + overhead)).Round(time.Second))
}

// scored is what was predicted and measured of a workload.
type scored struct {
	rows   []compare.Row
	trials []result.Trial // measured and not disturbed
}

// scoreGrids prints the scores of the grids, and returns the exit code.
func (c *campaign) scoreGrids(runs map[string]*lab.Run) (code int, err error) {
	floor, err := c.noiseFloor(runs)
	if err != nil {
		return 0, err
	}
	if err := c.printCosts(runs); err != nil {
		return 0, err
	}

	all := map[string]scored{}
	left, kept := 0, 0
	for _, p := range c.gridRuns() {
		if len(p.options.CaseList) == 0 {
			continue
		}
		x, l, k, err := c.analyze(runs[p.name])
		if err != nil {
			return 0, err
		}
		w := all[p.workload.Name]
		all[p.workload.Name] = scored{append(w.rows, x.rows...), append(w.trials, x.trials...)}
		left, kept = left+l, kept+k
	}
	missed := c.scoreCoffee(all["coffee"])
	missed = append(missed, c.scoreShapes(all["shapes"])...)
	if left+kept > 0 {
		c.printf("\n%s excluded, because the machine was disturbed (other processes used more than %.2f of a CPU, the "+
			"hypervisor withheld more than %.0f%%, or burns changed by more than %.0f%%); %d disturbed trials kept, "+
			"at points with fewer than %d undisturbed ones\n",
			result.Count(left, "trial"), idle.MaxOthers, 100*idle.MaxStolen, 100*maxClock, kept, leastScored)
	}

	return c.conclude(floor, missed), nil
}

// conclude prints which targets are missed, and returns the exit code. It decides nothing if the noise floor is above
// half of the smallest target, because then chance alone may miss or meet it. Disturbed trials that had to be kept
// excuse no missed target: their number is printed.
func (c *campaign) conclude(floor float64, missed []string) (code int) {
	text := "Every target is met."
	if len(missed) > 0 {
		code, text = record.ExitBroken, "Missed: "+strings.Join(missed, ", ")+"."
	}
	if 2*floor > targets[ofThroughput].median {
		c.printf("\nUndecided on this machine: its noise floor of %.2f%% is more than half of the smallest target. In "+
			"these runs: %s\n", 100*floor, text)
		return record.ExitUndecided
	}
	c.printf("\n%s\n", text)
	return code
}

// noiseFloor prints the noise floor at each number of CPUs, and returns the largest. It leaves out blocks with a
// disturbed trial, if at least leastBlocks remain.
func (c *campaign) noiseFloor(runs map[string]*lab.Run) (largest float64, err error) {
	for _, cpus := range noiseCPUs {
		run := *runs[noiseName(cpus)]
		all, err := aatest.Verdict(&run)
		if err != nil {
			return 0, fmt.Errorf("the noise floor on %d CPUs: %w", cpus, err)
		}
		var calm int
		run.Trials, calm = undisturbedBlocks(run.Trials)
		v, err := aatest.Verdict(&run)
		if err != nil {
			return 0, fmt.Errorf("the noise floor on %d CPUs: %w", cpus, err)
		}
		half := aatest.HalfWidth(float64(v.Low), float64(v.High))
		c.printf("noise floor on %d CPUs, a design compared with itself: %.2f%% in %d of %d blocks", cpus,
			100*half, v.N, all.N)
		if calm < leastBlocks {
			c.printf(", disturbed ones too, because only %d are undisturbed", calm)
		}
		c.printf("\n")
		largest = max(largest, half)
	}
	return largest, nil
}

// printCosts prints the scheduler's costs, which are the same in all runs unless the machine was calibrated meanwhile.
func (c *campaign) printCosts(runs map[string]*lab.Run) error {
	costs := ""
	for _, run := range runs {
		switch {
		case run.Header.Costs == "" || run.Header.Costs == costs:
		case costs != "":
			return fmt.Errorf("the runs have different costs, because the machine was calibrated between them: " +
				"remove the directory of the runs")
		default:
			costs = run.Header.Costs
		}
	}
	c.printf("costs, set before anything is measured: %s\n", costs)
	return nil
}

// analyze analyses a run without its disturbed trials, and prints the warnings.
func (c *campaign) analyze(run *lab.Run) (x scored, left, kept int, err error) {
	for _, t := range slices.Concat(run.Predictions, run.Trials) {
		if !t.Good() && !t.Expected {
			return x, 0, 0, fmt.Errorf("a trial of %s (%s, %s) has no number: %s: %s", t.Design, t.Point, t.World,
				t.Status, t.Error)
		}
	}
	x.trials, left, kept = undisturbed(run.Trials)
	a := lab.Analyze(x.trials, lab.AnalyzeOptions{Cases: run.Header.Cases, Predictions: run.Predictions,
		PredictedCases: run.Header.PredictedCases})
	for _, w := range a.Warnings {
		if w.Warning != compare.WarnFewBlocks { // the interval of a prediction needs only two
			c.printf("warning: %s: %s\n", filepath.Base(run.Dir), w.Text)
		}
	}
	x.rows = a.Rows
	return x, left, kept, nil
}

// scoreCoffee prints the errors of coffee and returns the targets that are missed.
func (c *campaign) scoreCoffee(x scored) (missed []string) {
	for _, m := range []struct{ metric, name string }{{result.Throughput, ofThroughput},
		{result.LatencyMean, ofLatency}} {
		most := targets[m.name]
		s := newScore(points(x.rows, x.trials, m.metric), most)
		if !s.meets(most) {
			missed = append(missed, m.name+" of coffee")
		}
		c.printf("\ncoffee, %s: %d points, error: median %s (at most %s), p90 %s (%s), worst %s; beyond its "+
			"half-width %s (%s), %d points more\n", m.name, len(s.points),
			percent(s.median), percent(most.median), percent(s.p90), percent(most.p90), percent(s.worst),
			percent(s.beyond), percent(most.worst), s.misses)
		c.list(s.points[:min(10, len(s.points))], m.name)
	}
	c.printf("not modelled: %s\n", unmodelled[coffee.Workload().Name])
	return missed
}

// scoreShapes prints the errors of each of the other shapes and of all together. It returns those that miss the target.
func (c *campaign) scoreShapes(x scored) (missed []string) {
	all, most := points(x.rows, x.trials, result.Throughput), targets[ofShapes]
	c.printf("\n%s, throughput: median error at most %s\n", ofShapes, percent(most.median))
	line := func(name string, list []point) score {
		s := newScore(list, most)
		if len(list) == 0 {
			return s
		}
		c.printf("%-10s %2d points: median %s, worst %s\n", name, len(list), percent(s.median), percent(s.worst))
		if !s.meets(most) {
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
	latency := newScore(points(x.rows, x.trials, result.LatencyMean), most)
	c.printf("their mean latency, for which there is no target: median %s, worst %s\n", percent(latency.median),
		percent(latency.worst))
	return missed
}

// list prints points, the worst first.
func (c *campaign) list(list []point, name string) {
	c.printf("  %-64s %12s %12s %8s %18s %10s %7s\n", "worst "+name, "predicted", "measured", "error", "95% interval",
		"half-width", "probe")
	for _, p := range list {
		c.printf("  %-64s %12.5g %12.5g %8s %18s %10s %7s\n", p.Design+" "+p.Point.String(), float64(p.Predicted),
			float64(p.Measured), signed(float64(p.Error)),
			"["+signed(float64(p.Low))+", "+signed(float64(p.High))+"]", percent(p.half), signed(p.probe))
	}
}

func percent(x float64) string {
	if math.IsNaN(x) {
		return "?"
	}
	return fmt.Sprintf("%.1f%%", 100*x)
}

func signed(x float64) string { return fmt.Sprintf("%+.1f%%", 100*x) }

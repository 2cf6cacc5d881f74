package main

import (
	"bytes"
	"maps"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// withErrors returns points with these errors, each known to within half.
func withErrors(half float64, es ...float64) []point {
	var list []point
	for _, e := range es {
		list = append(list, point{Prediction: compare.Prediction{Error: result.Value(e)}, half: half})
	}
	return list
}

// TestScore covers errors of 1% to 10% in both directions: their median is 5.5%, their p90 9% and their worst 10%, of
// which the half-width is subtracted.
func TestScore(t *testing.T) {
	s := newScore(withErrors(0.01, 0.01, -0.02, 0.03, -0.04, 0.05, -0.06, 0.07, -0.08, 0.09, -0.10),
		target{0.055, 0.09, 0.0901})
	if math.Abs(s.median-0.055) > 1e-12 || s.p90 != 0.09 || s.worst != 0.10 || math.Abs(s.beyond-0.09) > 1e-12 ||
		s.misses != 0 || float64(s.points[0].Error) != -0.10 {
		t.Errorf("%+v", s)
	}
	for _, c := range []struct {
		target
		meets bool
	}{
		{target{0.0551, 0.09, 0.0901}, true}, {target{0.054, 0.09, 0.0901}, false},
		{target{0.0551, 0.089, 0.0901}, false}, {target{0.0551, 0.09, 0.0899}, false},
	} {
		if got := newScore(s.points, c.target).meets(c.target); got != c.meets {
			t.Errorf("%+v: meets %v", c.target, got)
		}
	}
	if newScore(nil, targets[ofThroughput]).meets(targets[ofThroughput]) {
		t.Error("no points meet a target")
	}
	if s := newScore(withErrors(math.NaN(), 0.07), targets[ofThroughput]); s.misses != 1 {
		t.Errorf("an unknown half-width is subtracted: %+v", s)
	}
}

// invent returns the run of some cases on a machine that is faster than predicted by a factor.
func invent(t *testing.T, w *workload.Workload, cases []plan.Case, faster float64) *lab.Run {
	run, err := lab.Simulate(t.Context(), w, lab.SimulateOptions{Cost: "none", FixedWarmup: true,
		DesignOptions: lab.DesignOptions{CaseList: cases, Count: 2, Duration: 200 * time.Millisecond, Warmup: -1,
			Output: filepath.Join(t.TempDir(), "run")}})
	if err != nil {
		t.Fatal(err)
	}
	run.Predictions, run.Trials = run.Trials, nil
	run.Header.PredictedCases = run.Header.Cases
	for _, x := range run.Predictions {
		x.World, x.Progress = result.Live, x.Progress*faster
		m := maps.Clone(x.Metrics)
		m["burn_probe_before"], m["burn_probe_after"] = 1, 1
		m[result.LatencyMean] /= result.Value(faster)
		x.Metrics = m
		run.Trials = append(run.Trials, x)
	}
	return run
}

// TestScoreGrids scores every 37th point on machines that are as fast as predicted, and 20% faster.
func TestScoreGrids(t *testing.T) {
	for _, x := range []struct {
		faster float64
		missed string
		prints []string
	}{
		{1, "", []string{"coffee, throughput: 4 points, error: median 0.0%"}},
		{1.2, "throughput of coffee, mean latency of coffee, fanout, other shapes",
			[]string{"-16.7%", "not modelled: stacks and garbage"}},
	} {
		var out bytes.Buffer
		c := &campaign{stdout: &out, settings: settings{Every: 37, Blocks: 2}}
		all := map[string]scored{}
		for _, p := range append(c.runsOf(coffee.Workload(), coffeeGrid()), c.runsOf(shapes(), shapesGrid()[:8])...) {
			s, left, kept, err := c.analyze(invent(t, p.workload, p.options.CaseList, x.faster))
			if err != nil || left+kept > 0 {
				t.Errorf("%s: %d left out, %d kept, %v", p.name, left, kept, err)
			}
			w := all[p.workload.Name]
			all[p.workload.Name] = scored{append(w.rows, s.rows...), append(w.trials, s.trials...)}
		}
		missed := append(c.scoreCoffee(all["coffee"]), c.scoreShapes(all["shapes"])...)
		if got := strings.Join(missed, ", "); got != x.missed {
			t.Errorf("faster by %v: missed %q, want %q", x.faster, got, x.missed)
		}
		for _, want := range x.prints {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in:\n%s", want, &out)
			}
		}
	}
}

// TestConclude checks that neither met nor missed targets are decided above a noise floor of half the smallest target.
func TestConclude(t *testing.T) {
	for _, x := range []struct {
		floor  float64
		missed []string
		code   int
		want   string
	}{
		{0.01, nil, 0, "\nEvery target is met.\n"},
		{0.01, []string{"pool", "belt"}, exitMissed, "\nMissed: pool, belt.\n"},
		{0.0101, nil, exitUndecided, "1.01% is more than half of the smallest target. In these runs: Every target"},
		{0.0101, []string{"pool"}, exitUndecided, "smallest target. In these runs: Missed: pool.\n"},
	} {
		var out bytes.Buffer
		c := &campaign{stdout: &out}
		code := c.conclude(x.floor, x.missed)
		if undecided := strings.Contains(out.String(), "Undecided on this machine"); code != x.code ||
			undecided != (x.code == exitUndecided) || !strings.Contains(out.String(), x.want) {
			t.Errorf("floor %v, missed %q: exit %d, %q", x.floor, x.missed, code, &out)
		}
	}
}

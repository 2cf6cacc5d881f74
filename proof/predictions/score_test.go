package main

import (
	"bytes"
	"maps"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/result"
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

// invent returns a planned run on a machine that is faster than predicted by a factor. So many trials of each case are
// disturbed, the first ones.
func invent(t *testing.T, p plannedRun, faster float64, disturbedOnes int) *lab.Run {
	o := p.options.DesignOptions
	o.Warmup, o.Output = -1, filepath.Join(t.TempDir(), "run")
	run, err := lab.Simulate(t.Context(), p.workload, lab.SimulateOptions{Cost: "none", FixedWarmup: true,
		DesignOptions: o})
	if err != nil {
		t.Fatal(err)
	}
	run.Predictions, run.Trials = run.Trials, nil
	run.Header.PredictedCases = run.Header.Cases
	for _, x := range run.Predictions {
		x.World, x.Progress = result.Live, x.Progress*faster
		m := maps.Clone(x.Metrics)
		m["burn_probe_before"], m["burn_probe_after"] = 1, 1
		if x.Block < disturbedOnes {
			m["burn_probe_before"] = 1.1
		}
		m[result.LatencyMean] /= result.Value(faster)
		x.Metrics = m
		run.Trials = append(run.Trials, x)
	}
	return run
}

// TestScoreGrids scores every 37th point on machines that are as fast as predicted, and 20% faster, with disturbed
// trials or without.
func TestScoreGrids(t *testing.T) {
	const missed = "Missed: throughput of coffee, mean latency of coffee, fanout, belt, other shapes.\n"
	for _, x := range []struct {
		faster        float64
		disturbedOnes int // of each case
		code          int
		prints        []string
	}{
		{1, 0, 0, []string{"coffee, throughput: 4 points, error: median 0.0%", "\nEvery target is met.\n",
			"noise floor on 2 CPUs, a design compared with itself: 0.00% in 10 of 10 blocks\n"}},
		{1.2, 0, record.ExitBroken, []string{"-16.7%", "not modelled: stacks and garbage", "\n" + missed}},
		{1.2, 1, record.ExitBroken, []string{"0.00% in 9 of 10 blocks\n", "; 6 disturbed trials kept", "\n" + missed}},
	} {
		var out bytes.Buffer
		c := &campaign{stdout: &out, settings: settings{Every: 37, Blocks: 2, Duration: 200 * time.Millisecond}}
		runs := map[string]*lab.Run{}
		for _, p := range c.gridRuns() {
			runs[p.name] = invent(t, p, x.faster, x.disturbedOnes)
		}
		if code, err := c.scoreGrids(runs); code != x.code || err != nil {
			t.Errorf("faster by %v, %d disturbed: exit %d, %v", x.faster, x.disturbedOnes, code, err)
		}
		for _, want := range x.prints {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in:\n%s", want, &out)
			}
		}
	}
}

// TestNoiseFloor checks the noise floors of eight undisturbed blocks, in which an arm alternates between two speeds,
// and that the larger one counts. The logarithms of the ratios have the standard error ln(1+d)*sqrt(2/7)/sqrt(8), and
// the quantile of Student's t with 7 degrees of freedom is 2.365. Two disturbed blocks, in which it is twice as fast,
// do not count.
func TestNoiseFloor(t *testing.T) {
	var out bytes.Buffer
	c := &campaign{stdout: &out, settings: settings{Every: 1, Blocks: 2, Duration: 20 * time.Millisecond}}
	runs := map[string]*lab.Run{}
	for i, p := range c.gridRuns()[:len(noiseCPUs)] {
		run := invent(t, p, 1, 2)
		for j := range run.Trials {
			switch x := &run.Trials[j]; {
			case x.Design == "burn-a":
			case x.Block < 2:
				x.Progress *= 2
			case x.Block%2 == 0:
				x.Progress *= []float64{1.02, 1.01}[i]
			}
		}
		runs[p.name] = run
	}
	floor, err := c.noiseFloor(runs)
	want := "noise floor on 1 CPUs, a design compared with itself: 0.89% in 8 of 10 blocks\n" +
		"noise floor on 2 CPUs, a design compared with itself: 0.45% in 8 of 10 blocks\n"
	if out.String() != want || math.Abs(floor-0.0089) > 5e-5 || err != nil {
		t.Errorf("floor %v, %v\n%s", floor, err, &out)
	}

	out.Reset()
	disturbed := map[string]*lab.Run{}
	for i, p := range c.gridRuns()[:len(noiseCPUs)] {
		disturbed[p.name] = invent(t, p, 1, 4+i)
	}
	if _, err := c.noiseFloor(disturbed); err != nil || !strings.Contains(out.String(), "in 6 of 10 blocks\n") ||
		!strings.Contains(out.String(), "in 10 of 10 blocks, disturbed ones too, because only 5 are undisturbed\n") {
		t.Errorf("with disturbed blocks: %v\n%s", err, &out)
	}

	runs[noiseName(2)].Trials[0].Status = result.Failed // in a block that does not count
	if _, err := c.noiseFloor(runs); err == nil ||
		!strings.Contains(err.Error(), "the noise floor on 2 CPUs: a trial") {
		t.Errorf("with a failed trial: %v", err)
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
		{0.01, []string{"pool", "belt"}, record.ExitBroken, "\nMissed: pool, belt.\n"},
		{0.0101, nil, record.ExitUndecided,
			"1.01% is more than half of the smallest target. In these runs: Every target"},
		{0.0101, []string{"pool"}, record.ExitUndecided, "smallest target. In these runs: Missed: pool.\n"},
	} {
		var out bytes.Buffer
		c := &campaign{stdout: &out}
		code := c.conclude(x.floor, x.missed)
		if undecided := strings.Contains(out.String(), "Undecided on this machine"); code != x.code ||
			undecided != (x.code == record.ExitUndecided) || !strings.Contains(out.String(), x.want) {
			t.Errorf("floor %v, missed %q: exit %d, %q", x.floor, x.missed, code, &out)
		}
	}
}

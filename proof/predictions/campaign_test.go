package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/aa"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func TestMain(m *testing.M) {
	trial.Main(coffee.Workload(), shapes(), aa.Yardstick())
	os.Exit(m.Run())
}

// TestGrids: every design of coffee is on both numbers of CPUs, all numbers of workers from 1 to 12 and all five widths
// of jitter are there, and nothing is twice.
func TestGrids(t *testing.T) {
	grid := coffeeGrid()
	seen, designs := map[string]bool{}, map[string]int{}
	workers, jitters := map[int]int{}, map[string]int{}
	for _, c := range grid {
		seen[c.Design+c.Point.String()] = true
		designs[fmt.Sprint(c.Design, c.Point.Int("cpus"))]++
		workers[c.Point.Int("workers")]++
		jitters[c.Point.Duration("jitter").String()]++
	}
	if len(grid) < 120 || len(seen) != len(grid) || len(designs) != 2*len(coffee.Workload().Designs) ||
		len(workers) != 12 || len(jitters) != 5 {
		t.Errorf("%d points, %d of them different; %v %v %v", len(grid), len(seen), designs, workers, jitters)
	}
	for _, n := range jitters {
		if n < 20 {
			t.Errorf("jitter: %v", jitters)
		}
	}
	if n := len(shapesGrid()); n != 40 {
		t.Errorf("%d points of shapes", n)
	}
}

// TestShapes: each shape runs in both worlds and counts right; and in virtual time, where nothing costs anything, does
// what can be worked out by hand.
func TestShapes(t *testing.T) {
	w := shapes()
	rates := map[string]float64{}
	for _, d := range w.Designs {
		c := caseOf(w, d, map[string]plan.Level{"cpus": plan.IntLevel(2), "workers": plan.IntLevel(4)})
		spec := trial.Spec{Workload: w.Name, Design: d.Name, Point: c.Point, Seed: 1, BurnRate: 1, Operations: 50}
		o, err := trial.Runner{TimeLimit: time.Minute}.Run(t.Context(), spec)
		if err != nil || o.Trial.Status != result.OK {
			t.Errorf("%s live: %+v %v", d.Name, o.Trial, err)
		}
		spec.Operations, spec.Duration = 0, 2*time.Second
		v := trial.Simulate(spec, w, d, sim.Costs{}).Trial
		if v.Status != result.OK {
			t.Errorf("%s virtual: %+v", d.Name, v)
		}
		rates[d.Name] = float64(v.Metrics.Get(result.Throughput))
	}
	for name, want := range map[string]float64{
		fanout: 2 / 800e-6,          // eight tasks of 100 us each, on two CPUs
		cache:  2 / 133e-6,          // 0.9 of 130 us and 0.1 of 160, but for who waits for a writer
		pool:   2 / (1.5e-3 + 3e-4), // two connections
		loop:   2 / 3.2e-4,          // 100 us in the loop, 200 beside it, and the loop's own 6 % of a CPU
		belt:   2 / 40e-6,           // 20 us to make and 20 to use
	} {
		if got := rates[name]; !(math.Abs(got/want-1) < 0.06) {
			t.Errorf("%s: %v a second, by hand %v", name, got, want)
		}
	}
}

// TestChecks: a shape that lost a request is wrong.
func TestChecks(t *testing.T) {
	w := shapes()
	for _, d := range w.Designs {
		s := trial.Spec{Workload: w.Name, Design: d.Name, Seed: 1, Operations: 8,
			Point: caseOf(w, d, map[string]plan.Level{"cpus": plan.IntLevel(1), "workers": plan.IntLevel(2)}).Point}
		lossy := d
		lossy.Stream = func(e env.Env, p plan.Point) (workload.Stream, error) {
			stream, err := d.Stream(e, p)
			op := stream.Op
			stream.Op = func(e env.Env, request uint64) {
				if request != 3 {
					op(e, request)
				}
			}
			return stream, err
		}
		if got := trial.Simulate(s, w, lossy, sim.Costs{}).Trial; got.Status != result.Wrong {
			t.Errorf("%s: %+v", d.Name, got)
		}
	}
}

// points with these errors, each known within half.
func errorsOf(half float64, es ...float64) []point {
	var list []point
	for _, e := range es {
		list = append(list, point{Prediction: compare.Prediction{Error: result.Value(e)}, half: half})
	}
	return list
}

// TestJudge: 1 to 10 % in both directions have the median 5.5 %, the p90 9 % and the worst 10 %, which half a width
// makes good for.
func TestJudge(t *testing.T) {
	s := judge(errorsOf(0.01, 0.01, -0.02, 0.03, -0.04, 0.05, -0.06, 0.07, -0.08, 0.09, -0.10),
		target{0.055, 0.09, 0.0901})
	if math.Abs(s.median-0.055) > 1e-12 || s.p90 != 0.09 || s.worst != 0.10 || math.Abs(s.beyond-0.09) > 1e-12 ||
		s.misses != 0 || float64(s.points[0].Error) != -0.10 {
		t.Errorf("%+v", s)
	}
	for _, c := range []struct {
		target
		kept bool
	}{
		{target{0.0551, 0.09, 0.0901}, true}, {target{0.054, 0.09, 0.0901}, false},
		{target{0.0551, 0.089, 0.0901}, false}, {target{0.0551, 0.09, 0.0899}, false},
	} {
		if got := judge(s.points, c.target).kept(c.target); got != c.kept {
			t.Errorf("%+v: kept %v", c.target, got)
		}
	}
	if judge(nil, targets[ofThroughput]).kept(targets[ofThroughput]) {
		t.Error("nothing keeps a target")
	}
	if s := judge(errorsOf(math.NaN(), 0.07), targets[ofThroughput]); s.misses != 1 {
		t.Errorf("without an interval there is no allowance: %+v", s)
	}
}

// TestCampaign: the whole of it with a machine that is by so much faster than predicted. What is predicted is so first.
func TestCampaign(t *testing.T) {
	for _, c := range []struct {
		faster float64
		code   int
		words  []string
	}{
		{1, 0, []string{"Every target is kept.", "noise floor on 2 CPUs",
			"costs, set before anything is measured: none"}},
		{1.2, exitMissed, []string{"Missed: throughput of coffee, mean latency of coffee, fanout,", "-16.7%",
			"not modelled: stacks and garbage"}},
	} {
		var out bytes.Buffer
		live := false
		x := &campaign{out: &out, progress: io.Discard, cost: "none", blocks: 2, every: 37,
			warmup: 10 * time.Millisecond, duration: 200 * time.Millisecond, seed: 1, burn: 1}
		x.live = func(_ context.Context, s trial.Spec) (trial.Outcome, error) {
			w := shapes()
			switch s.Workload {
			case aa.Yardstick().Name:
				w = aa.Yardstick()
			case "coffee":
				w = coffee.Workload()
			}
			d, _ := w.Find(s.Design)
			if s.Design == aa.Burn {
				d = w.Designs[0]
			}
			o := trial.Simulate(s, w, d, sim.Costs{})
			if s.Costs != "" {
				if live && s.Workload == "coffee" {
					t.Error("a prediction after a measurement")
				}
				return o, nil
			}
			live = live || s.Workload == "coffee"
			o.Trial.World = result.Live
			o.Trial.Progress *= c.faster
			o.Trial.Metrics[result.LatencyMean] /= result.Value(c.faster)
			o.Trial.Metrics["burn_probe_before"], o.Trial.Metrics["burn_probe_after"] = 1, 1
			return o, nil
		}
		code, err := x.run(t.Context())
		if err != nil || code != c.code || !live {
			t.Errorf("faster by %v: exit %d, %v:\n%s", c.faster, code, err, out.String())
		}
		for _, want := range c.words {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in:\n%s", want, out.String())
			}
		}
	}
}

// TestUnmodelled: there is a word on each shape and on coffee.
func TestUnmodelled(t *testing.T) {
	for _, d := range append(shapes().Designs, workload.Design{Name: "coffee"}) {
		if unmodelled[d.Name] == "" {
			t.Error(d.Name)
		}
	}
}

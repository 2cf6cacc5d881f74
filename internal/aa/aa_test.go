package aa

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

func TestMain(m *testing.M) {
	trial.Main(Yardstick())
	os.Exit(m.Run())
}

// measured returns the outcome of a trial with that throughput.
func measured(spec trial.Spec, rate float64) trial.Outcome {
	t := trial.Blank(spec)
	t.Status, t.Type = result.OK, result.Stream
	t.Operations = 1_000_000
	t.Metrics[result.Throughput] = result.Value(rate)
	return trial.Outcome{Trial: t}
}

// fake returns a comparison whose nth trial of block b has the throughput rate(b, n).
func fake(rate func(b, n int) float64) (Comparison, *[]trial.Spec) {
	var specs []trial.Spec
	return Comparison{
		Workload: Yardstick(), Design: Burn, Point: pointAt(2), Blocks: 10, Duration: time.Second, Seed: 3, BurnRate: 1,
		Run: func(_ context.Context, s trial.Spec) (trial.Outcome, error) {
			specs = append(specs, s)
			return measured(s, rate(s.Block, s.Order)), nil
		},
	}, &specs
}

// flat is a machine on which trials vary slightly by block and order, and not by arm.
func flat(b, n int) float64 { return 1000 + 10*float64(b) + float64((b+n)%2) }

// TestArms: the two arms are two cases of one sweep, in random order within each block, and their children cannot
// distinguish them.
func TestArms(t *testing.T) {
	c, specs := fake(flat)
	v, err := c.Compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v.A != armB || v.B != armA || v.N != 10 || v.Workload != yardstick || v.Metric != result.Throughput {
		t.Errorf("%+v", v)
	}
	if len(*specs) != 20 {
		t.Fatalf("%d trials", len(*specs))
	}
	for i, s := range *specs {
		if s.Design != Burn || s.Block != i/2 || s.Order != i%2 || s.Instrumented ||
			s.Seed != (plan.Plan{Seed: 3}).BlockSeed(i/2) || !s.Point.Equal(pointAt(2)) {
			t.Errorf("trial %d: %+v", i, s)
		}
	}
}

// TestOrderIsShuffled: seed and block decide which arm is first, so that an advantage of the first trial favours no
// arm.
func TestOrderIsShuffled(t *testing.T) {
	first := 0
	for seed := range uint64(50) {
		c, _ := fake(flat)
		c.Seed = seed * 10
		s, err := c.sweep()
		if err != nil {
			t.Fatal(err)
		}
		for b := range s.Plan.Blocks {
			if s.Plan.Cases[s.Plan.Block(b)[0].Case].Design == armA {
				first++
			}
		}
	}
	if first < 200 || first > 300 { // of 500; beyond 4 standard deviations
		t.Errorf("arm a is first in %d of 500 blocks", first)
	}
}

// TestVerdicts: a machine without noise gives equivalence; one that favours an arm gives a difference, by the real
// verdict code.
func TestVerdicts(t *testing.T) {
	c, _ := fake(flat)
	v, err := c.Compare(t.Context())
	if err != nil || v.Verdict != compare.Equivalent {
		t.Errorf("%+v %v", v, err)
	}
	if w := float64(HalfWidth(v)); !(w > 0 && w < 0.01) ||
		math.Abs(w-(math.Sqrt(float64(v.High)/float64(v.Low))-1)) > 1e-12 {
		t.Errorf("half-width %v of %v to %v", w, v.Low, v.High)
	}
	for want, factor := range map[string]float64{compare.Faster: 1.1, compare.Slower: 0.9} {
		c, _ := fake(nil)
		s, err := c.sweep()
		if err != nil {
			t.Fatal(err)
		}
		c.Run = func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
			rate := flat(spec.Block, spec.Order)
			if s.Plan.Cases[s.Plan.Block(spec.Block)[spec.Order].Case].Design == armB {
				rate *= factor
			}
			return measured(spec, rate), nil
		}
		if v, err := c.Compare(t.Context()); err != nil || v.Verdict != want {
			t.Errorf("arm b at %v: %+v %v", factor, v, err)
		}
	}
}

// TestTimeIsOver: complete blocks measured in time are compared if they are enough.
func TestTimeIsOver(t *testing.T) {
	for trials, want := range map[int]string{0: "after 0 of 10 blocks",
		11: "after 5 of 10 blocks; at least 6 are needed", 12: "", 13: ""} {
		c, specs := fake(flat)
		run := c.Run
		c.Run = func(ctx context.Context, s trial.Spec) (trial.Outcome, error) {
			if len(*specs) == trials {
				return trial.Outcome{}, context.DeadlineExceeded
			}
			return run(ctx, s)
		}
		v, err := c.Compare(t.Context())
		if want == "" && (err != nil || v.N != 6) {
			t.Errorf("after %d trials: %d blocks, %v", trials, v.N, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("after %d trials: %v, want %q", trials, err, want)
		}
	}
}

// TestFailures: a trial without a value, an interrupt, and a missing design.
func TestFailures(t *testing.T) {
	c, specs := fake(flat)
	run := c.Run
	c.Run = func(ctx context.Context, s trial.Spec) (trial.Outcome, error) {
		o, err := run(ctx, s)
		if len(*specs) == 4 {
			o.Trial.Status, o.Trial.Error = result.Failed, "killed"
		}
		return o, err
	}
	if _, err := c.Compare(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "brewput/yardstick/burn (cpus=2 workers=2) gave no result: failed: killed") ||
		len(*specs) != 4 {
		t.Errorf("%v after %d trials", err, len(*specs))
	}
	c.Run = func(context.Context, trial.Spec) (trial.Outcome, error) { return trial.Outcome{}, context.Canceled }
	if _, err := c.Compare(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupt: %v", err)
	}
	c.Design = "gone"
	if _, err := c.Compare(t.Context()); err == nil || !strings.Contains(err.Error(), `no design "gone"`) {
		t.Error(err)
	}
	// A bound is in no verdict.
	b := Comparison{Workload: coffee.Workload(), Design: "ideal", Point: pointAt(1), Blocks: 2, BurnRate: 1, Run: run}
	if _, err := b.Compare(t.Context()); err == nil || !strings.Contains(err.Error(), "a bound") {
		t.Error(err)
	}
}

// TestFloor: each number of CPUs has its own comparison, and a failure names it.
func TestFloor(t *testing.T) {
	c, _ := fake(flat)
	seeds := map[uint64]bool{}
	run := func(ctx context.Context, s trial.Spec) (trial.Outcome, error) {
		if s.Point.Int("cpus") == 4 {
			return trial.Outcome{}, errors.New("no children today")
		}
		seeds[s.Seed] = true
		return c.Run(ctx, s)
	}
	all, err := Floor(t.Context(), []int{1, 4, 2}, time.Hour, 1, run)
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v %v", all, err)
	}
	if all[0].CPUs != 1 || all[0].Blocks != 10 || !(all[0].HalfWidth > 0) || all[0].Missing != "" || all[0].Differs {
		t.Errorf("%+v", all[0])
	}
	if all[1].CPUs != 4 || all[1].Missing != "no children today" {
		t.Errorf("%+v", all[1])
	}
	if len(seeds) != 20 {
		t.Errorf("%d seeds for 20 blocks", len(seeds))
	}
	_, err = Floor(t.Context(), []int{1}, time.Hour, 1, func(context.Context, trial.Spec) (trial.Outcome, error) {
		return trial.Outcome{}, context.Canceled
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupt: %v", err)
	}
	over, err := Floor(t.Context(), []int{1}, -1, 1, trial.Runner{}.Run)
	if err != nil || !strings.Contains(over[0].Missing, "after 0 of 10 blocks") {
		t.Errorf("no time at all: %+v %v", over, err)
	}
}

// TestRealTrials uses child processes, with too few operations to measure anything.
func TestRealTrials(t *testing.T) {
	n := 0
	c := Comparison{
		Workload: Yardstick(), Design: Burn, Point: pointAt(1), Blocks: 6, Operations: 20, Seed: 1, BurnRate: 1,
		Run: trial.Runner{OnStart: func(int) { n++ }}.Run,
	}
	v, err := c.Compare(t.Context())
	if err != nil || v.N != 6 || n != 12 || !v.Ratio.Known() {
		t.Errorf("%d children: %+v %v", n, v, err)
	}
}

func TestAt(t *testing.T) {
	if p := pointAt(3); p.Int("cpus") != 3 || p.Int("workers") != 3 || len(p.Settings()) != 2 {
		t.Error(p)
	}
}

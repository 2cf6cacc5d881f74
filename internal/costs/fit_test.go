package costs

import (
	"context"
	"errors"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// invented is a machine whose costs are known: its trials happen in virtual time.
func invented(t *testing.T, truth sim.Costs, much setting) Run {
	t.Helper()
	return func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
		w := much.workload()
		d, ok := w.Find(spec.Design)
		if !ok {
			t.Fatalf("no design %q", spec.Design)
		}
		return trial.Simulate(spec, w, d, truth), nil
	}
}

func truth() sim.Costs {
	return sim.Costs{
		Wake: sim.Ns(31_000), Waker: sim.Ns(7_000), Spin: sim.Ns(9_000), SpinFor: 14_142, WakeDeep: sim.Ns(57_000),
		DeepIdleAfter: 316_227, Steal: sim.Ns(72_000), Switch: sim.Ns(213), Spawn: sim.Ns(402), Chan: sim.Ns(33),
		Lock:     sim.Ns(9),
		LockSpin: sim.Typical().LockSpin, Timer: sim.Ns(512), PollGrain: sim.Typical().PollGrain, Syscall: sim.Ns(290),
	}
}

// TestMeasureInverts: the costs of a machine in virtual time are found again, to the nanosecond, and the microprograms
// then take what they took. Costs that are drawn are kept in tens of nanoseconds.
func TestMeasureInverts(t *testing.T) {
	c, err := Measure(t.Context(), 1, 2, invented(t, truth(), brief()))
	if err != nil {
		t.Fatal(err)
	}
	if want := truth().String(); c.Costs != want {
		t.Errorf("got  %s\nwant %s", c.Costs, want)
	}
	for _, p := range c.Prices {
		if off := float64(p.Live - p.Virtual); off < -5 || off > 5 {
			t.Errorf("%s: %s is %v live and %v in virtual time", p.Cost, p.Reading, p.Live, p.Virtual)
		}
		if off := float64(p.High - p.Low); !(off >= 0 && off < 5) || p.Median < p.Low || p.Median > p.High {
			t.Errorf("%s: %v in [%v, %v]", p.Cost, p.Median, p.Low, p.High)
		}
	}
	if len(c.Prices) != 12 || len(c.Ladder) != 4 || len(c.Warnings) != 0 || c.Rounds != rounds {
		t.Errorf("%+v", c)
	}
	if l := c.Ladder[3]; l.Operation != "pass through a channel" || math.Abs(float64(l.Same.Median)-66) > 1 ||
		!l.Other.Low.Known() {
		t.Errorf("ladder: %+v", l)
	}
}

// TestMeasureDistribution: of costs that are drawn the distribution is found.
func TestMeasureDistribution(t *testing.T) {
	much := brief()
	much.cycles = 40
	drawn := truth()
	drawn.Steal, drawn.Wake = sim.Quantiles(60_000, 90_000, 160_000), sim.Quantiles(20_000, 50_000, 90_000)
	drawn.Spin, drawn.SpinFor, drawn.WakeDeep, drawn.DeepIdleAfter = sim.Cost{}, 0, sim.Cost{}, 0
	c, err := Measure(t.Context(), 1, 2, invented(t, drawn, much))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		cost             string
		p10, median, p90 float64
	}{{"steal", 66_000, 90_000, 146_000}, {"wake", 26_000, 50_000, 82_000}} {
		i := slices.IndexFunc(c.Prices, func(p result.CostEstimate) bool { return p.Cost == want.cost })
		if i < 0 {
			t.Fatalf("no %s in %s", want.cost, c.Costs)
		}
		p := c.Prices[i]
		for _, x := range []struct{ got, want float64 }{{float64(p.P10), want.p10}, {float64(p.Median), want.median},
			{float64(p.P90), want.p90}} {
			if math.Abs(x.got/x.want-1) > 0.08 {
				t.Errorf("%s: %.0f, want %.0f", want.cost, x.got, x.want)
			}
		}
	}
	if strings.Contains(c.Costs, "deep") || strings.Contains(c.Costs, "spin=") {
		t.Errorf("states of idle CPUs were told apart that there are not: %s", c.Costs)
	}
}

// TestMeasureScatter: how unequal burns are is found, and they take what they say in the mean, also of a machine that
// is slower in every other round, and in one of which a burn was held up for long.
func TestMeasureScatter(t *testing.T) {
	much := brief()
	much.batches = 40
	round := int64(0)
	c, err := Measure(t.Context(), 1, 1, func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
		slower := sim.Costs{Burn: sim.Quantiles(950_000, 990_000, 1_000_000, 1_070_000)}
		if round++; round%2 == 0 {
			slower.Burn = sim.Quantiles(1_900_000, 1_980_000, 2_000_000, 2_140_000)
		}
		o, err := invented(t, slower, much)(ctx, spec)
		if round == 5 {
			o.Trial.Answer.(workload.Answer)["burn"] = o.Trial.Answer.(workload.Answer)["burn"].(string) + " 3000000000"
		}
		return o, err
	})
	if err != nil {
		t.Fatal(err)
	}
	p := c.Prices[slices.IndexFunc(c.Prices, func(p result.CostEstimate) bool { return p.Cost == "burn" })]
	for _, x := range []struct{ got, want float64 }{
		{float64(p.P10), 962_000}, {float64(p.Median), 995_000}, {float64(p.P90), 1_049_000},
		{float64(p.Virtual), 995_000},
	} {
		if math.Abs(x.got/x.want-1) > 0.01 {
			t.Errorf("burns of a millisecond take %.0f, want %.0f", x.got, x.want)
		}
	}
	costs, err := sim.ParseCosts(c.Costs)
	if err != nil {
		t.Fatal(err)
	}
	const n, each = 10_000, 100_000
	k, burns := sim.New(sim.Config{CPUs: 1, Costs: sim.Costs{Burn: costs.Burn}}), sim.NewProgram("burns")
	again := burns.Here()
	burns.Set(sim.R1, each)
	burns.Burn(sim.R1)
	burns.Loop(sim.R0, again)
	k.Start(k.Goroutine(burns, n))
	k.Run()
	if took := float64(k.Now()) / (n * each); math.Abs(took-1) > 0.001 ||
		!regexp.MustCompile(`^burn=9\d[.%]`).MatchString(sim.Costs{Burn: costs.Burn}.String()) {
		t.Errorf("burns take %.4f of what they say: %v; want 1, and at least 90%%", took, costs)
	}
}

// TestCounted checks that each trial is announced before it runs.
func TestCounted(t *testing.T) {
	var order []int
	run := Run(func(context.Context, trial.Spec) (trial.Outcome, error) {
		order = append(order, -1)
		return trial.Outcome{}, nil
	}).Counted(func(done int) { order = append(order, done) })
	for range 2 {
		if _, err := run(t.Context(), trial.Spec{}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []int{0, -1, 1, -1}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

// TestOneCPU: where nothing can be woken, those costs stay typical, which is said.
func TestOneCPU(t *testing.T) {
	asked := map[string]bool{}
	run := invented(t, truth(), brief())
	c, err := Measure(t.Context(), 1, 1, func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
		asked[spec.Design] = true
		return run(ctx, spec)
	})
	if err != nil {
		t.Fatal(err)
	}
	costs, err := sim.ParseCosts(c.Costs)
	if err != nil || !reflect.DeepEqual(costs.Steal, sim.Typical().Steal) ||
		!reflect.DeepEqual(costs.Chan, truth().Chan) {
		t.Errorf("%s, %v", c.Costs, err)
	}
	if len(asked) != 1 || !asked["operations"] || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "one CPU") {
		t.Errorf("asked for %v; %q", asked, c.Warnings)
	}
	if l := c.Ladder[0]; l.Other.Median.Known() {
		t.Errorf("shared by one CPU: %+v", l)
	}
}

func TestStates(t *testing.T) {
	for _, x := range []struct {
		wakes          []float64 // after each nap, in us
		spinning, deep int
	}{
		{[]float64{30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30}, 0, 11},
		{[]float64{5, 5, 5, 5, 30, 30, 30, 30, 30, 30, 30}, 4, 11},
		{[]float64{30, 30, 30, 30, 30, 30, 30, 30, 30, 90, 90}, 0, 9},
		{[]float64{30, 29, 27, 32, 46, 50, 51, 53, 57, 60, 67}, 4, 8}, // a virtual machine's
		{[]float64{30, 33, 30, 29, 31, 30, 32, 30, 28, 31, 30}, 0, 11},
	} {
		s := samples{}
		for i, n := range naps {
			s[name("handoff", at("handoff", n))] = [][]float64{{1000 * (100 + x.wakes[i])}}
			s[name("wake", at("steal", n))] = [][]float64{{100_000}}
		}
		f := fitter{sample: s}
		if spinning, deep := f.states(); spinning != x.spinning || deep != x.deep {
			t.Errorf("%v: %d and %d, want %d and %d", x.wakes, spinning, deep, x.spinning, x.deep)
		}
	}
	if b := between(4); b < 14*time.Microsecond || b > 15*time.Microsecond || between(0) != 0 ||
		between(len(naps)) != 0 || between(1) != 1414 {
		t.Errorf("between 10 and 20 us: %v; %v", b, between(1))
	}
}

func TestMeasureErrors(t *testing.T) {
	broken := errors.New("no such program")
	if _, err := Measure(t.Context(), 1, 2,
		func(context.Context, trial.Spec) (trial.Outcome, error) { return trial.Outcome{}, broken }); !errors.Is(err,
		broken) {
		t.Errorf("a trial that cannot be run: %v", err)
	}
	_, err := Measure(t.Context(), 1, 2, func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
		o := trial.Outcome{Trial: trial.Blank(spec)}
		o.Trial.Status, o.Trial.Error = "failed", "the milk is sour"
		return o, nil
	})
	if err == nil || !strings.Contains(err.Error(), "the microprogram operations: failed: the milk is sour") {
		t.Errorf("a trial that fails: %v", err)
	}
}

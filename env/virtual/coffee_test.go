package virtual_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

// shop is a closed loop over a design of the coffee shop, for a window of virtual time, or 3 s, after 1 s of
// warm-up.
type shop struct {
	design   string
	settings string // of factors, beside a stage of 1 ms
	workers  int    // 0: as many as CPUs
	window   time.Duration
	atBegin  func(*virtual.World) // nil: nothing
	virtual.Config
}

// point is the design and the point of its settings.
func (s shop) point(t *testing.T) (workload.Design, plan.Point) {
	t.Helper()
	coffeeShop := coffee.Workload()
	d, ok := coffeeShop.Find(s.design)
	if !ok {
		t.Fatalf("no design %s", s.design)
	}
	p := workloadtest.Point(t, coffeeShop, "stage=1ms", s.settings).With("cpus", plan.IntLevel(max(1, s.CPUs)))
	return d, p.Only(coffeeShop.FactorsOf(d))
}

func (s shop) run(t *testing.T) (load.ClosedResult, *virtual.World) {
	t.Helper()
	d, p := s.point(t)
	if s.workers == 0 {
		s.workers = s.CPUs
	}
	if s.window == 0 {
		s.window = 3 * time.Second
	}
	w := virtual.New(s.Config)
	if s.atBegin == nil {
		s.atBegin = func(*virtual.World) {}
	}
	var r load.ClosedResult
	left := w.Run("load", func(e env.Env) {
		stream, err := d.Stream(e, p)
		if err != nil {
			t.Error(err)
			return
		}
		c := load.Closed{Op: stream.Op, Workers: s.workers, Warmup: time.Second, Window: s.window,
			AtBegin: func() { s.atBegin(w) }, AtEnd: func() {}}
		if r, err = c.Run(e); err != nil {
			t.Error(err)
		}
		if stream.Close != nil {
			stream.Close(e)
		}
		if _, err := stream.Check(uint64(r.Total)); err != nil {
			t.Error(err)
		}
	})
	if left != nil {
		t.Error(left)
	}
	return r, w
}

// TestCoffee holds the designs to what their structure allows where nothing but the stages takes
// time, with as many workers as CPUs.
func TestCoffee(t *testing.T) {
	for _, c := range []struct {
		designs    string
		throughput func(n float64) float64 // lattes a second
	}{
		{"ideal", func(n float64) float64 { return 250 * n }},
		{"locking", func(float64) float64 { return 250 }},
		{"finelocking linearpipe splitpipe parsteam", func(n float64) float64 { return min(250*n, 1000) }},
		{"americano americanopipe", func(n float64) float64 { return min(1000./3*n, 1000) }},
		{"espresso espressopipe", func(n float64) float64 { return min(500*n, 1000) }},
		{"multi multipipe", func(n float64) float64 { return min(250*n, 2000) }},
	} {
		for _, design := range strings.Fields(c.designs) {
			for _, n := range []int{1, 2, 3, 4, 6, 8, 16} {
				t.Run(fmt.Sprintf("%s/%d", design, n), func(t *testing.T) {
					r, w := shop{design: design, Config: virtual.Config{CPUs: n, Seed: 1}}.run(t)
					near(t, "lattes a second", float64(r.Inside)/r.Window.Seconds(), c.throughput(float64(n)))
					near(t, "mean latency in ms", r.Latency.Mean()/1e6, 1000*float64(n)/c.throughput(float64(n)))
					if v := w.Violations(); v > 0 != (design == "ideal" && n > 1) {
						t.Errorf("%d violations", v)
					}
				})
			}
		}
	}
}

// near allows a thousandth: a window cuts operations at its edges.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > want/1000 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestAlternation: two workers at one lock each take it twice in a row, and so wait 0 and 8 ms in turn.
func TestAlternation(t *testing.T) {
	r, _ := shop{design: "locking", Config: virtual.Config{CPUs: 2, Seed: 1}}.run(t)
	for q, want := range map[float64]float64{0: 4, 0.4: 4, 0.6: 12, 1: 12} {
		ns, _ := r.Latency.Quantile(q)
		if math.Abs(ns/1e6-want) > want/1000 {
			t.Errorf("the %v quantile of the latency is %v ms, want %v", q, ns/1e6, want)
		}
	}
	near(t, "the mean latency in ms", r.Latency.Mean()/1e6, 8)
}

// TestLockstep: where all work takes exactly what it says, one of four workers waits for the grinder for ever, and
// three share the throughput; where work is not equally long, as on a machine, all four do: Little's law.
func TestLockstep(t *testing.T) {
	for _, x := range []struct {
		burn    sim.Cost
		workers float64 // who get on
		within  float64
	}{{sim.Cost{}, 3, 0.001}, {sim.Quantiles(950_000, 990_000, 1_000_000, 1_070_000), 4, 0.03}} {
		r, _ := shop{design: "parsteam", workers: 4, window: 10 * time.Second,
			Config: virtual.Config{CPUs: 2, Seed: 1, Costs: sim.Costs{Burn: x.burn}}}.run(t)
		if per := float64(r.Inside) / r.Window.Seconds() * r.Latency.Mean() /
			1e9; math.Abs(per/x.workers-1) > x.within {
			t.Errorf("with burns of %v: %.3f workers get on, want %v", x.burn, per, x.workers)
		}
	}
}

// golden are checksums over every decision of the scheduler. They change with each rule that does; a
// change that means to change none must leave them. The load decides too: it goes on after the window.
var golden = []struct {
	shop
	checksum uint64
}{
	{shop{design: "locking", Config: virtual.Config{CPUs: 2, Seed: 1}}, 0x5b6a1e703c57ff80},
	{shop{design: "finelocking", settings: "jitter=1ms", workers: 12, Config: virtual.Config{CPUs: 6, Seed: 2}},
		0xe3d4ce0666af9507},
	{shop{design: "linearpipe", settings: "buffer=10 jitter=500us", Config: virtual.Config{CPUs: 4, Seed: 3}},
		0xf32cd37ffee84d97},
	{shop{design: "splitpipe", settings: "dist=exponential", Config: virtual.Config{CPUs: 3, Seed: 4}},
		0x7b0f62c047d1b2d7},
	{shop{design: "multipipe", Config: virtual.Config{CPUs: 6, Seed: 5, Costs: costly()}}, 0xd21208c9ed1c9b55},
	{shop{design: "parsteam", settings: "stage=100us", workers: 100, window: time.Second / 4,
		Config: virtual.Config{CPUs: 64, Seed: 6, Costs: costly()}}, 0x9d10f14f314f30e6},
}

// costly are costs of the order that a machine has, drawn and fixed.
func costly() sim.Costs {
	return sim.Costs{Wake: sim.Quantiles(3000, 5000, 60_000), WakeDeep: sim.Ns(90_000), DeepIdleAfter: 1_000_000,
		Spin: sim.Ns(300), SpinFor: 3000,
		Steal: sim.Ns(3000), Switch: sim.Ns(200), Spawn: sim.Ns(300), Chan: sim.Ns(80), Lock: sim.Ns(20),
		Timer: sim.Ns(100), LockSpin: sim.Ns(400)}
}

// rousing are costly ones where who wakes a CPU pays too, and timers are waited for in whole milliseconds.
func rousing() sim.Costs {
	c := costly()
	c.Waker, c.PollGrain = sim.Quantiles(2000, 15_000, 40_000), 1_000_000
	c.Burn = sim.Quantiles(950_000, 990_000, 1_000_000, 1_200_000)
	return c
}

func TestGolden(t *testing.T) {
	for _, g := range golden {
		t.Run(fmt.Sprintf("%s/%d", g.design, g.CPUs), func(t *testing.T) {
			_, w := g.run(t)
			if w.Checksum() != g.checksum {
				t.Errorf("checksum %#x, want %#x", w.Checksum(), g.checksum)
			}
			other := g.shop
			other.Seed += 100
			if _, o := other.run(t); o.Checksum() == w.Checksum() && g.design != "locking" {
				t.Error("another seed decides alike")
			}
		})
	}
}

package costs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/sim"
)

func TestDistribution(t *testing.T) {
	same := func(x float64) float64 { return x }
	if c := distribution([]float64{500, 500, 500}, same); !reflect.DeepEqual(c, sim.Ns(500)) {
		t.Errorf("always 500: %+v", c)
	}
	var up []float64
	for i := range 4000 {
		up = append(up, float64(10*i))
	}
	// once a long wait: the mean of the last four is 1,029,983, and that of 39,960 and 2,020,010 too
	up[3999] = 4_000_000
	text := sim.Costs{Wake: distribution(up, same)}.String()
	if !strings.HasPrefix(text, "wake=0s/1µs/2µs/3µs/") ||
		!strings.HasSuffix(text, "/38.99µs@97.5%/39.03µs/39.07µs/39.11µs/39.15µs/39.19µs/39.23µs/39.27µs/39.31µs/"+
			"39.35µs/39.39µs/39.43µs/39.47µs/39.51µs/39.55µs/39.59µs/39.63µs/39.67µs"+
			"/39.71µs/39.75µs/39.79µs/39.83µs/39.87µs/39.91µs/39.95µs/2.02001ms") {
		t.Error(text)
	}
	if got := fmt.Sprint(probabilities(200)[39:], probabilities(400)[39:]); got != "[975000 976000 977000 978000 "+
		"979000 980000 1000000] [975000 976000 977000 978000 979000 980000 981000 982000 983000 984000 985000 986000 "+
		"987000 988000 989000 990000 1000000]" {
		t.Errorf("the tails of 200 and of 400 readings are kept at %s", got)
	}
	if got := probabilities(20); len(got) != 41 || got[40] != all {
		t.Errorf("20 readings are kept at %v", got)
	}
}

// rarely are readings of which one in a hundred is much longer: the body is about 30 us, and the tail reaches to
// milliseconds.
func rarely(n int, seed uint64) []float64 {
	draws, readings := rand.New(rand.NewPCG(seed, 0)), make([]float64, n)
	for i := range readings {
		readings[i] = 20_000 + 20_000*draws.Float64()
		if draws.IntN(100) == 0 {
			readings[i] = 100_000 * math.Exp(3*draws.Float64())
		}
	}
	slices.Sort(readings)
	return readings
}

// TestDrawsOfReadings: what is drawn of a cost has the quantiles and the mean of the readings that it was made of, in
// the tail too.
func TestDrawsOfReadings(t *testing.T) {
	readings := rarely(7000, 1)
	cost := distribution(readings, func(x float64) float64 { return x })
	again, err := sim.ParseCosts(sim.Costs{Wake: cost}.String())
	if err != nil || !reflect.DeepEqual(again.Wake, cost) {
		t.Fatalf("stored and read again: %v, %v", again, err)
	}
	drawn := drawsOf(again.Wake, 100_000)
	for _, p := range []float64{0.1, 0.5, 0.9, 0.95, 0.975, 0.985, 0.995, 0.999} {
		if got, want := stat.Quantile(drawn, p), stat.Quantile(readings, p); math.Abs(got/want-1) > 0.06 {
			t.Errorf("the quantile at %v of the draws is %.0f, and of the readings %.0f", p, got, want)
		}
	}
	if got, want := stat.Mean(drawn), stat.Mean(readings); math.Abs(got/want-1) > 0.01 {
		t.Errorf("the mean of the draws is %.0f, and of the readings %.0f", got, want)
	}
}

// drawsOf are n draws of a cost, in ascending order: what burns of a millisecond take of which it is the share in
// millionths.
func drawsOf(cost sim.Cost, n int64) []float64 {
	k, burns := sim.New(sim.Config{CPUs: 1, Seed: 1, Costs: sim.Costs{Burn: cost}}), sim.NewProgram("burns")
	draws, last := make([]float64, 0, n), int64(0)
	again := burns.Here()
	burns.Set(sim.R1, 1_000_000)
	burns.Burn(sim.R1)
	burns.Call(func(*sim.Regs) {
		draws = append(draws, float64(k.Now()-last))
		last = k.Now()
	})
	burns.Loop(sim.R0, again)
	k.Start(k.Goroutine(burns, n))
	k.Run()
	slices.Sort(draws)
	return draws
}

// TestDeconvolved: of the sum of two independent times, and of one of them, the distribution of the other is found,
// with its tail.
func TestDeconvolved(t *testing.T) {
	draws := rand.New(rand.NewPCG(3, 0))
	part, other, sum := rarely(7000, 2), make([]float64, 7000), make([]float64, 7000)
	order := draws.Perm(7000)
	for i := range other {
		other[i] = 70_000 + 20_000*draws.Float64()
		sum[i] = part[order[i]] + other[i]
	}
	slices.Sort(other)
	slices.Sort(sum)
	got := deconvolved(sum, other)
	if len(got) != len(sum) || !slices.IsSorted(got) || got[0] < 0 {
		t.Fatalf("%d times, from %v", len(got), got[0])
	}
	for _, p := range []float64{0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.995, 0.999} {
		if a, b := stat.Quantile(got, p), stat.Quantile(part, p); math.Abs(a/b-1) > 0.12 {
			t.Errorf("the quantile at %v is %.0f, want %.0f", p, a, b)
		}
	}
	if a, b := stat.Mean(got), stat.Mean(part); math.Abs(a/b-1) > 0.03 {
		t.Errorf("the mean is %.0f, want %.0f", a, b)
	}
	if got := deconvolved([]float64{90, 90, 90}, []float64{60, 60}); !slices.Equal(got, []float64{30, 30, 30}) {
		t.Errorf("90 without 60 are %v", got)
	}
	if got := deconvolved([]float64{50, 60, 70}, []float64{900, 950, 990}); slices.ContainsFunc(got,
		func(x float64) bool { return !(x >= 0 && x < 0.01) }) {
		t.Errorf("nothing is left of 60 without 950, but %v", got)
	}
}

// TestDeconvolvedConstant: a time that never varies is found where it is, and not where its sum has no readings.
func TestDeconvolvedConstant(t *testing.T) {
	const n, constant = 2000, 27_000
	draws := rand.New(rand.NewPCG(1, 1))
	part := func() float64 { return 5000 + 2000*math.Abs(draws.NormFloat64()) }
	sum, other := make([]float64, n), make([]float64, n)
	for i := range sum {
		sum[i], other[i] = constant+part(), part()
	}
	slices.Sort(sum)
	slices.Sort(other)
	got := deconvolved(sum, other)
	for _, p := range []float64{0.01, 0.1, 0.5, 0.9} {
		if x := stat.Quantile(got, p); !(math.Abs(x/constant-1) <= 0.03) {
			t.Errorf("the quantile at %v is %.0f, want %d", p, x, constant)
		}
	}
	if x := stat.Mean(got); !(math.Abs(x/constant-1) <= 0.01) {
		t.Errorf("the mean is %.0f, want %d", x, constant)
	}
}

// TestHandOvers: simulated hand-overs have the quantiles of live ones, also where one in a hundred takes a millisecond,
// and the costs are read again as they are.
func TestHandOvers(t *testing.T) {
	much := brief()
	much.cycles = 40
	machine := truth()
	machine.Spin, machine.SpinFor, machine.WakeDeep, machine.DeepIdleAfter = sim.Cost{}, 0, sim.Cost{}, 0
	machine.Steal = sim.Knots(sim.Knot{At: 0, Ns: 65_000}, sim.Knot{At: 950_000, Ns: 90_000},
		sim.Knot{At: 995_000, Ns: 120_000}, sim.Knot{At: all, Ns: 400_000})
	machine.Wake = sim.Knots(sim.Knot{At: 0, Ns: 10_000}, sim.Knot{At: 900_000, Ns: 30_000},
		sim.Knot{At: 980_000, Ns: 80_000}, sim.Knot{At: 996_000, Ns: 150_000}, sim.Knot{At: all, Ns: 3_000_000})
	c, err := Measure(t.Context(), 1, 2, invented(t, machine, much))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.HandOvers) != 2 || c.HandOvers[0].Cost != "wake" || c.HandOvers[1].Cost != "" ||
		c.HandOvers[1].Reading != "handoff/handoff@0s..2ms" {
		t.Fatalf("hand-overs: %+v", c.HandOvers)
	}
	for _, h := range c.HandOvers {
		for _, x := range []struct{ live, virtual, within float64 }{
			{float64(h.Live.P50), float64(h.Virtual.P50), 0.02}, {float64(h.Live.P90), float64(h.Virtual.P90), 0.03},
			{float64(h.Live.P99), float64(h.Virtual.P99), 0.12},
		} {
			if math.Abs(x.virtual/x.live-1) > x.within {
				t.Errorf("a quantile of %s is %.0f live and %.0f in virtual time", h.Reading, x.live, x.virtual)
			}
		}
	}
}

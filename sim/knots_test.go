package sim

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestKnots: quantiles with probabilities are read, written as short as possible, and read again.
func TestKnots(t *testing.T) {
	tail := Knots(Knot{0, 1000}, Knot{450_000, 5000}, Knot{900_000, 8000}, Knot{990_000, 20_000}, Knot{999_000, 90_000},
		Knot{whole, 2_000_000})
	for text, want := range map[string]struct {
		written string
		cost    Cost
	}{
		"wake=1us/5us/8us@90%/20us@99%/90us@99.9%/2ms": {"wake=1µs/5µs/8µs@90%/20µs@99%/90µs@99.9%/2ms",
			tail},
		"wake=1us@0%/5us@45%/8us@90%/20us@99%/90us@99.9%/2ms@100%": {"wake=1µs/5µs/8µs@90%/20µs@99%/90µs@99.9%/2ms",
			tail},
		"wake=1us/2us@50%/3us": {"wake=1µs/2µs/3µs", Quantiles(1000, 2000, 3000)},
		"wake=1us/2us@33.3333%/3us@66.6666%/9us": {"wake=1µs/2µs/3µs/9µs",
			Quantiles(1000, 2000, 3000, 9000)},
		"wake=1us/1us@99.9999%/1us": {"wake=1µs/1µs@99.9999%/1µs",
			Knots(Knot{0, 1000}, Knot{whole - 1, 1000}, Knot{whole, 1000})},
	} {
		c, err := ParseCosts(text)
		if err != nil || c.String() != want.written || !reflect.DeepEqual(c.Wake, want.cost) {
			t.Errorf("%q: %v, %v; want %s", text, c, err, want.written)
		}
		survives(t, c)
	}
	survives(t, Costs{Burn: Knots(Knot{0, percent}, Knot{995_000, whole}, Knot{whole, 3 * whole})})
	draws := rand.New(rand.NewPCG(1, 2))
	for range 200 { // any places at all
		knots := []Knot{{0, 0}, {whole, 10 * whole}}
		for range draws.IntN(30) {
			at := draws.Int64N(whole)
			if at > 0 && !slices.ContainsFunc(knots, func(k Knot) bool { return k.At == at }) {
				knots = append(knots, Knot{at, 10 * at})
			}
		}
		slices.SortFunc(knots, func(a, b Knot) int { return int(a.At - b.At) })
		survives(t, Costs{Wake: Knots(knots...)})
	}
}

func TestKnotsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"wake=1us@5%/2us@99%/3us":      "the first quantile, which is at 0%",
		"wake=1us/2us@99%/3us@99.9%":   "the last quantile is at 100%, not at 99.9%",
		"wake=1us/2us@99%/3us@98%/4us": "probabilities in rising order", "wake=1us/2us@99%/3us@99%/4us": "rising order",
		"wake=1us@0%":           "a single time has no probability",
		"wake=1us/2us@101%/3us": `"101%" is not a probability`, "wake=1us/2us@-1%/3us": "is not a probability",
		"wake=1us/2us@99.99999%/3us": "at most four digits",
		"wake=1us/2us@/3us":          "is not a probability", "wake=1us/2us@0.9/3us": "is not a probability",
		"wake=1us/@50%/3us":            `"" is not a time`,
		"wake=1us/2us@100%/3us":        "more quantiles between 100% and 100%",
		"wake=1us/2us/3us@0.0001%/4us": "more quantiles between 0% and 0.0001%",
		"wake=1us/9us@99%/3us":         "comes after a greater one", "spin-for=1us@0%/2us": "is one time",
	} {
		if c, err := ParseCosts(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, c, err, want)
		}
	}
	for _, knots := range [][]Knot{{{1, 5}, {whole, 6}}, {{0, 5}, {whole - 1, 6}}, {{0, 5}, {7, 6}, {7, 7}, {whole, 8}},
		{{0, 5}, {whole, 4}}, {{0, -1}, {whole, 4}}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v is a cost", knots)
				}
			}()
			Knots(knots...)
		}()
	}
}

// TestKnotsDrawn: quantiles of draws are the knots, however rare, and the mean is that of the line through them.
func TestKnotsDrawn(t *testing.T) {
	c := Knots(Knot{0, 10_000}, Knot{500_000, 20_000}, Knot{975_000, 40_000}, Knot{990_000, 60_000},
		Knot{999_000, 300_000}, Knot{whole, 2_000_000})
	const n = 400_000
	d, all, sum := draws{7}, make([]int64, n), int64(0)
	for i := range all {
		all[i] = c.draw(&d)
		sum += all[i]
	}
	slices.Sort(all)
	for _, x := range []struct{ at, want, within int64 }{
		{0, 10_000, 1}, {250_000, 15_000, 100}, {500_000, 20_000, 100}, {900_000, 36_842, 200}, {975_000, 40_000, 800},
		{990_000, 60_000, 2000}, {995_000, 193_333, 10_000}, {999_000, 300_000, 60_000}, {whole, 2_000_000, 20_000},
	} {
		if got := all[min(x.at*n/whole, n-1)]; max(got-x.want, x.want-got) > x.within {
			t.Errorf("the quantile at %d millionths is %d, want %d", x.at, got, x.want)
		}
	}
	// Half of 15,000, and so on: 7500 + 14,250 + 750 + 1620 + 1150.
	if mean := sum / n; mean < 25_100 || mean > 25_440 {
		t.Errorf("the mean is %d, want 25,270", mean)
	}
	for x, want := range map[uint64]int64{0: 10_000, 1 << 63: 20_000, 1<<64 - 1: 1_999_999} {
		if got := c.quantile(x); got != want {
			t.Errorf("at %d the quantile is %d, want %d", x, got, want)
		}
	}
	wide := Knots(Knot{0, 0}, Knot{1, 1}, Knot{whole, never})
	if got := wide.quantile(1<<64 - 1); got < never-never/1000 {
		t.Errorf("the end of a wide distribution is %d", got)
	}
}

// TestKnotsScaled: what is scaled keeps its probabilities, and the original its values.
func TestKnotsScaled(t *testing.T) {
	c := Costs{Wake: Knots(Knot{0, 10}, Knot{990_000, 20}, Knot{whole, 300})}
	if got := c.Scaled("wake", 1, 2).String(); got != "wake=5ns/10ns@99%/150ns" ||
		c.String() != "wake=10ns/20ns@99%/300ns" {
		t.Errorf("half of %v is %s", c, got)
	}
}

package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestChain: a birth-death process whose probabilities are powers of 1e-9: each has nearly all its digits.
func TestChain(t *testing.T) {
	c, err := newChain(12, 1)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 11 {
		*c.rate(k, k+1), *c.rate(k+1, k) = 1e-9, 1
	}
	chances, err := c.stationary()
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range chances {
		if want := math.Pow(1e-9, float64(k)) * (1 - 1e-9); !near(p, want, 1e-14) {
			t.Errorf("state %d has %v, not %v", k, p, want)
		}
	}
	c, err = newChain(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	*c.rate(0, 1), *c.rate(1, 2) = 1, 1
	if chances, err := c.stationary(); err == nil || !strings.Contains(err.Error(), "does not come back") {
		t.Errorf("a chain that does not come back has %v, %v", chances, err)
	}
}

// TestTandem: known throughputs of equal stations (Hunt 1956; Hillier and Boling, Operations Research 15, 1967).
func TestTandem(t *testing.T) {
	for _, c := range []struct {
		stations, places int
		want, tolerance  float64
	}{
		{1, 0, 1, 1e-14}, {2, 0, 2. / 3, 1e-14}, {2, 1, 3. / 4, 1e-14}, {2, 50, 52. / 53, 1e-13},
		{3, 0, 22. / 39, 1e-14}, {3, 0, 0.5641, 1e-4}, {4, 0, 0.5148, 1e-4},
	} {
		l, err := Tandem(ones(c.stations), slices.Repeat([]int{c.places}, c.stations-1))
		if err != nil || !near(l.Throughput, c.want, c.tolerance) {
			t.Errorf("%+v: %+v, %v", c, l, err)
		}
	}
}

// TestTandemOfTwo: unequal stations are a birth-death process of places + 3 states (Hunt 1956).
func TestTandemOfTwo(t *testing.T) {
	for _, b := range []int{0, 1, 7, 60} {
		for _, r := range []float64{0.01, 0.5, 0.99, 3} { // the second's mean service time over the first's
			l, err := Tandem([]float64{0.002, 0.002 * r}, []int{b})
			want := 500 * (1 - math.Pow(r, float64(b+2))) / (1 - math.Pow(r, float64(b+3)))
			if err != nil || !near(l.Throughput, want, 1e-12) || l.States != b+3 {
				t.Errorf("%v, %v: %+v, %v, not %v", b, r, l, err, want)
			}
		}
	}
}

// someLine has up to four stations and up to 4 places between two of them.
func someLine(t *rapid.T) (services []float64, buffers []int) {
	n := rapid.IntRange(2, 4).Draw(t, "stations")
	services = rapid.SliceOfN(rapid.Float64Range(0.1, 2), n, n).Draw(t, "services")
	return services, rapid.SliceOfN(rapid.IntRange(0, 4), n-1, n-1).Draw(t, "buffers")
}

// TestTandemProperties: what goes in comes out; shares add up; the reversed line is as fast (Muth, Management
// Science 25, 1979); a place more does not hurt, and the slowest station is the bound.
func TestTandemProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		services, buffers := someLine(t)
		l, err := Tandem(services, buffers)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range services {
			if !near(l.Busy[i], Utilization(l.Throughput, s, 1), 1e-11) ||
				!near(l.Busy[i]+l.Blocked[i]+l.Starved[i], 1, 1e-12) {
				t.Fatalf("%v, %v: station %d of %+v", services, buffers, i, l)
			}
		}
		if l.Throughput > 1/slices.Max(services)*(1+1e-12) || l.Starved[0] != 0 || l.Blocked[len(services)-1] != 0 {
			t.Fatalf("%v, %v: %+v", services, buffers, l)
		}
		back, places := slices.Clone(services), slices.Clone(buffers)
		slices.Reverse(back)
		slices.Reverse(places)
		if r, err := Tandem(back, places); err != nil || !near(r.Throughput, l.Throughput, 1e-11) {
			t.Fatalf("%v, %v: %+v, %v, but reversed %+v", services, buffers, l, err, r)
		}
		buffers[rapid.IntRange(0, len(buffers)-1).Draw(t, "wider")]++
		if w, err := Tandem(services, buffers); err != nil || w.Throughput < l.Throughput*(1-1e-12) {
			t.Fatalf("%v, %v: %+v, but with a place less %+v, %v", services, buffers, w, l, err)
		}
	})
}

// simulated is the throughput of a line by the recursion of departures: a customer leaves a station when it is
// served there and the one who takes its place ahead has left room (Buzacott and Shanthikumar 1993, ch. 5).
func simulated(services []float64, buffers []int, customers int) float64 {
	random := rand.New(rand.NewPCG(1, 2))
	left := make([][]float64, len(services)) // by station and customer
	for i := range left {
		left[i] = make([]float64, customers)
	}
	for j := range customers {
		for i, s := range services {
			start := 0.0
			if j > 0 {
				start = left[i][j-1]
			}
			if i > 0 {
				start = max(start, left[i-1][j])
			}
			left[i][j] = start + random.ExpFloat64()*s
			if i+1 < len(services) {
				if ahead := j - buffers[i] - 1; ahead >= 0 {
					left[i][j] = max(left[i][j], left[i+1][ahead])
				}
			}
		}
	}
	return float64(customers) / left[len(services)-1][customers-1]
}

func TestTandemAgainstSimulation(t *testing.T) {
	for _, c := range []struct {
		services []float64
		buffers  []int
	}{
		{[]float64{1, 0.8, 1.1, 0.9}, []int{2, 0, 3}}, {[]float64{1, 1, 1, 1, 1}, []int{0, 1, 0, 1}},
		{[]float64{0.5, 1, 0.7}, []int{5, 1}},
	} {
		l, err := Tandem(c.services, c.buffers)
		if got := simulated(c.services, c.buffers, 400_000); err != nil || !near(got, l.Throughput, 0.006) {
			t.Errorf("%+v: %+v, %v, but simulated %v", c, l, err, got)
		}
	}
}

package model

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestMeanValues: the office of Lazowska et al. 1984, ch. 6, with three at the terminals.
func TestMeanValues(t *testing.T) {
	solved, err := office().Solve(3)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{0, 1 / 19.055, 0.1031, 0.1515} {
		if !near(solved[k].Throughput, want, 5e-4) {
			t.Errorf("%d: %+v, not %v", k, solved[k], want)
		}
	}
	for i, want := range []float64{0.0976, 0.3947, 0.2350} {
		if !near(solved[3].Present[i], want, 1e-3) {
			t.Errorf("%+v, but %v at station %d", solved[3], want, i)
		}
	}
}

// convolved is the throughput of n customers and the mean number at station 0 by Buzen's convolution of the
// normalization constants (CACM 16, 1973), with 300 bits.
func convolved(net Network, n int) (throughput, present float64) {
	float := func(x float64) *big.Float { return big.NewFloat(x).SetPrec(300) }
	factors := func(s Station) []*big.Float {
		f := []*big.Float{float(1)}
		for k := 1; k <= n; k++ {
			servers := k
			if s.Servers != Unlimited {
				servers = min(k, s.Servers)
			}
			next := new(big.Float).Mul(f[k-1], float(s.Demand))
			f = append(f, next.Quo(next, float(float64(servers))))
		}
		return f
	}
	constants := factors(Station{net.Think, Unlimited})
	first := factors(net.Stations[0])
	var others []*big.Float
	for i := len(net.Stations) - 1; i >= 0; i-- {
		others = constants
		f := factors(net.Stations[i])
		constants = nil
		for k := range f {
			sum := float(0)
			for j := range k + 1 {
				sum.Add(sum, new(big.Float).Mul(f[j], others[k-j]))
			}
			constants = append(constants, sum)
		}
	}
	throughput, _ = new(big.Float).Quo(constants[n-1], constants[n]).Float64()
	at := float(0)
	for k := range first {
		p := new(big.Float).Mul(first[k], others[n-k])
		at.Add(at, p.Mul(p, float(float64(k))))
	}
	present, _ = at.Quo(at, constants[n]).Float64()
	return throughput, present
}

func TestSolveAgainstConvolution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net, n := someNetwork(t), rapid.IntRange(1, 60).Draw(t, "customers")
		solved, err := net.Solve(n)
		if err != nil {
			t.Fatal(err)
		}
		throughput, present := convolved(net, n)
		if got := solved[n]; !near(got.Throughput, throughput, 1e-11) || !near(got.Present[0], present, 1e-11) {
			t.Fatalf("%+v with %d: %+v, not %v and %v", net, n, got, throughput, present)
		}
	})
}

// TestSolveProperties: everybody is somewhere, the cycle is as long as it is, the throughput rises with the
// customers, never above a server's capacity, and a station of one server is one of several's limit.
func TestSolveProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net := someNetwork(t)
		solved, err := net.Solve(100)
		if err != nil {
			t.Fatal(err)
		}
		for k := 1; k < len(solved); k++ {
			s := solved[k]
			if all := sum(s.Present) + Little(s.Throughput, net.Think); !near(all, float64(k), 1e-10) {
				t.Fatalf("%+v: %v of %d customers in %+v", net, all, k, s)
			}
			if r := InteractiveResponse(k, s.Throughput, net.Think); !near(r, s.Response, 1e-6) {
				t.Fatalf("%+v with %d: the response is %v, not %+v", net, k, r, s)
			}
			if s.Throughput < solved[k-1].Throughput*(1-1e-12) {
				t.Fatalf("%+v: fewer than with a customer less: %+v", net, s)
			}
		}
		for i := range net.Stations { // as many servers as customers are enough for all
			if net.Stations[i].Servers == Unlimited {
				net.Stations[i].Servers = 100
			}
		}
		if again, err := net.Solve(100); err != nil || !near(again[100].Throughput, solved[100].Throughput, 1e-11) {
			t.Fatalf("%+v: %v without limit, %v, %v with 100 servers", net, solved[100], again[100], err)
		}
	})
}

// TestSolveLarge: hundreds of customers and stations of many servers near saturation, where mean value
// analysis with marginal probabilities loses all digits, against 300 bits.
func TestSolveLarge(t *testing.T) {
	net := Network{5, []Station{{2, 32}, {1, 17}, {0.06, 1}, {7, 125}, {4, Unlimited}}} // saturated from 305 on
	for _, n := range []int{100, 400} {
		solved, err := net.Solve(n)
		if err != nil {
			t.Fatal(err)
		}
		throughput, present := convolved(net, n)
		if got := solved[n]; !near(got.Throughput, throughput, 1e-11) || !near(got.Present[0], present, 1e-10) {
			t.Errorf("%d customers: %+v, not %v and %v", n, got, throughput, present)
		}
	}
	solved, err := net.Solve(8000)
	if err != nil || !near(solved[8000].Throughput, 16, 1e-3) ||
		!near(sum(solved[8000].Present)+5*solved[8000].Throughput, 8000, 1e-9) {
		t.Errorf("8000 customers: %+v, %v", solved[8000], err)
	}
}

// TestSolveExtremes: demands so different that nearly everybody is at one station, or nobody.
func TestSolveExtremes(t *testing.T) {
	for _, small := range []float64{0, 1e-9, 1e-40, 1e-150} {
		for _, net := range []Network{
			{0, []Station{{small, 2}, {1, 1}}}, {0, []Station{{1, 1}, {small, 4}}}, {0, []Station{{small, 3}, {2, 2}}},
			{1, []Station{{small, 2}}},
		} {
			solved, err := net.Solve(9)
			if err != nil {
				t.Fatal(err)
			}
			want := 1.
			if net.Think > 0 {
				want = 9
			}
			if got := solved[9]; !near(got.Throughput, want, 1e-6) ||
				!near(sum(got.Present)+net.Think*got.Throughput, 9, 1e-9) {
				t.Errorf("%+v: %+v", net, got)
			}
			for i, s := range net.Stations {
				if s.Demand == small && small < 1e-9 && !near(solved[9].Present[i], small*want, 1e-9) {
					t.Errorf("%+v: %+v at %d", net, solved[9], i)
				}
			}
		}
	}
}

// cyclic is the throughput of customers who go round exponential stations in turn, by the Markov chain.
func cyclic(t *rapid.T, net Network, customers int) float64 {
	stations := append([]Station{{net.Think, Unlimited}}, net.Stations...)
	var all [][]int
	var place func(state []int, left int)
	place = func(state []int, left int) {
		if len(state) == len(stations)-1 {
			all = append(all, append(append([]int(nil), state...), left))
			return
		}
		for k := range left + 1 {
			place(append(append([]int(nil), state...), k), left-k)
		}
	}
	place(nil, customers)
	index := map[string]int{}
	key := func(state []int) string {
		var b []byte
		for _, k := range state {
			b = append(b, byte(k))
		}
		return string(b)
	}
	for i, state := range all {
		index[key(state)] = i
	}
	c, err := newChain(len(all), len(all))
	if err != nil {
		t.Fatal(err)
	}
	for from, state := range all {
		for i, s := range stations {
			if state[i] == 0 {
				continue
			}
			after := append([]int(nil), state...)
			after[i]--
			after[(i+1)%len(after)]++
			*c.rate(from, index[key(after)]) += s.rate(state[i])
		}
	}
	chances, err := c.stationary()
	if err != nil {
		t.Fatal(err)
	}
	throughput := 0.0
	for i, state := range all {
		if state[1] > 0 {
			throughput += chances[i] * stations[1].rate(state[1])
		}
	}
	return throughput
}

func TestSolveAgainstChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net := someNetwork(t)
		net.Think, net.Stations = max(net.Think, 0.1), net.Stations[:min(3, len(net.Stations))]
		n := rapid.IntRange(1, 5).Draw(t, "customers")
		solved, err := net.Solve(n)
		if err != nil {
			t.Fatal(err)
		}
		if want := cyclic(t, net, n); !near(solved[n].Throughput, want, 1e-11) {
			t.Fatalf("%+v with %d: %+v, not %v", net, n, solved[n], want)
		}
	})
}

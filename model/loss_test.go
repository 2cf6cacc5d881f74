package model

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// states are the probabilities of a birth-death process with the given ratios of neighbours, by their
// definition, with 300 bits.
func states(ratios []float64) []float64 {
	ps := []*big.Float{big.NewFloat(1).SetPrec(300)}
	sum := big.NewFloat(1).SetPrec(300)
	for k, r := range ratios {
		p := new(big.Float).Mul(ps[k], big.NewFloat(r))
		ps = append(ps, p)
		sum.Add(sum, p)
	}
	chances := make([]float64, len(ps))
	for k, p := range ps {
		chances[k], _ = new(big.Float).Quo(p, sum).Float64()
	}
	return chances
}

// TestMMcK: a car inspection of three stalls and four places to wait, one car a minute, 6 minutes each
// (Gross and Harris, ch. 2): it is empty for 1/1141 of the time, 576/1141 drive on, 3.09 wait, 6.06 are there.
func TestMMcK(t *testing.T) {
	s, err := MMcK(1, 6, 3, 7)
	if err != nil || !near(s.Lost, 576./1141, 1e-12) || !near(s.Waiting, 3.09, 1e-3) || !near(s.Present, 6.06, 1e-3) {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestMMcKProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		servers := rapid.IntRange(1, 50).Draw(t, "servers")
		capacity := servers + rapid.IntRange(0, 100).Draw(t, "more")
		rate := rapid.Float64Range(0.01, 3).Draw(t, "load") * float64(servers)
		s, err := MMcK(rate, 1, servers, capacity)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := s.consistent(1, servers); wrong != "" {
			t.Fatalf("%+v breaks %s", s, wrong)
		}
		ratios := make([]float64, capacity)
		for k := range ratios {
			ratios[k] = rate / float64(min(k+1, servers))
		}
		chances := states(ratios)
		want := Steady{Lost: chances[capacity], Utilization: s.Utilization, Wait: s.Wait, Response: s.Response}
		want.Throughput = rate * sum(chances[:capacity])
		for k, p := range chances {
			want.Present += float64(k) * p
			want.Waiting += float64(max(0, k-servers)) * p
		}
		want.Delayed = sum(chances[servers:capacity]) / sum(chances[:capacity])
		if wrong := s.same(want, 1e-11); wrong != "" {
			t.Fatalf("%s: %+v, not %+v", wrong, s, want)
		}
		if b, _ := ErlangB(servers, rate); capacity == servers && !near(s.Lost, b, 1e-12) {
			t.Fatalf("%v are lost, not Erlang's %v", s.Lost, b)
		}
	})
}

func sum(xs []float64) (sum float64) {
	for _, x := range xs {
		sum += x
	}
	return sum
}

// TestMMcKLimits: with a large capacity it is M/M/c where that is stable; with an overload the servers never rest
// and what is too much is lost.
func TestMMcKLimits(t *testing.T) {
	for servers := 1; servers < 20; servers += 6 {
		rate := 0.9 * float64(servers)
		s, err := MMcK(rate, 1, servers, 1000)
		want, err2 := MMc(rate, 1, servers)
		if wrong := s.same(want, 1e-9); err != nil || err2 != nil || wrong != "" {
			t.Errorf("%s: %+v, not %+v", wrong, s, want)
		}
		s, err = MMcK(4*float64(servers), 1, servers, 1e6)
		if err != nil || !near(s.Utilization, 1, 1e-12) || !near(s.Lost, 0.75, 1e-9) || !near(s.Present, 1e6, 1e-5) {
			t.Errorf("%+v, %v", s, err)
		}
	}
}

func TestRepairmanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		servers := rapid.IntRange(1, 20).Draw(t, "servers")
		customers := rapid.IntRange(1, 80).Draw(t, "customers")
		think := rapid.Float64Range(0.01, 30).Draw(t, "think")
		s, err := Repairman(customers, think, 1, servers)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := s.consistent(1, servers); wrong != "" {
			t.Fatalf("%+v breaks %s", s, wrong)
		}
		ratios := make([]float64, customers)
		for k := range ratios {
			ratios[k] = float64(customers-k) / think / float64(min(k+1, servers))
		}
		present, arrivals, delayed := 0.0, 0.0, 0.0
		for k, p := range states(ratios) {
			present += float64(k) * p
			arrivals += float64(customers-k) / think * p
			if k >= servers {
				delayed += float64(customers-k) / think * p // by the definition, not by the arrival theorem
			}
		}
		if !near(s.Present, present, 1e-11) || !near(s.Throughput, arrivals, 1e-11) ||
			!near(s.Delayed, delayed/arrivals, 1e-11) {
			t.Fatalf("%+v, not %v, %v, %v", s, present, arrivals, delayed/arrivals)
		}
		solved, err := Network{think, []Station{{1, servers}}}.Solve(customers)
		if err != nil || !near(solved[customers].Throughput, s.Throughput, 1e-11) ||
			!near(solved[customers].Response, s.Response, 1e-11) {
			t.Fatalf("%+v, but the network %+v, %v", s, solved[customers], err)
		}
	})
}

// TestRepairmanLimits: without thinking all are there; with as many servers as customers nobody waits.
func TestRepairmanLimits(t *testing.T) {
	s, err := Repairman(10, 0, 0.5, 4)
	want := Steady{Throughput: 8, Utilization: 1, Delayed: 1, Wait: 0.75, Response: 1.25, Waiting: 6, Present: 10}
	if wrong := s.same(want, 1e-12); err != nil || wrong != "" {
		t.Errorf("%s: %+v, %v", wrong, s, err)
	}
	s, err = Repairman(10, 2, 0.5, 10)
	want = Steady{Throughput: 4, Utilization: 0.2, Response: 0.5, Present: 2}
	if wrong := s.same(want, 1e-12); err != nil || wrong != "" {
		t.Errorf("%s: %+v, %v", wrong, s, err)
	}
}

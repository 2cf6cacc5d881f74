package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestMG1Response(t *testing.T) {
	for _, c := range []struct{ rate, mean, sd, want float64 }{
		{50, 0.01, 0.01, 0.02},            // M/M/1: S / (1 - rho)
		{90, 0.01, 0.01, 0.1},             //
		{50, 0.01, 0, 0.015},              // M/D/1: half the wait
		{80, 0.01, 0.02, 0.01 + 0.04*5/2}, // cv 2: (1 + cv^2) / 2 = 2.5 times M/D/1's doubled wait
		{1e-9, 0.01, 0.01, 0.01},          // nobody else there
	} {
		if got, ok := MG1Response(c.rate, c.mean, c.sd); !ok || !near(got, c.want, 1e-6) {
			t.Errorf("%v: %v, %v", c, got, ok)
		}
	}
	for _, c := range [][3]float64{{100, 0.01, 0}, {101, 0.01, 0}, {0, 1, 1}, {-1, 1, 1}, {1, 0, 0}, {1, 0.1, -1},
		{math.NaN(), 1, 1}} {
		if got, ok := MG1Response(c[0], c[1], c[2]); ok {
			t.Errorf("%v has the response %v", c, got)
		}
	}
}

// TestMG1: with exponential service times it is M/M/1, with constant ones the wait is half as long, and
// Kingman's bound is above it, by (1 + load)/(2 rate) for Poisson arrivals.
func TestMG1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		load := rapid.Float64Range(0.001, 0.999).Draw(t, "load")
		service := rapid.Float64Range(1e-6, 1e3).Draw(t, "service")
		sd := rapid.Float64Range(0, 5).Draw(t, "cv") * service
		rate := load / service
		g, err := MG1(rate, service, sd)
		if wrong := g.consistent(service, 1); err != nil || wrong != "" {
			t.Fatalf("%+v, %v breaks %s", g, err, wrong)
		}
		m, _ := MM1(rate, service)
		asM, _ := MG1(rate, service, service)
		if wrong := asM.same(m, 1e-9); wrong != "" {
			t.Fatalf("%s: %+v is not M/M/1, %+v", wrong, asM, m)
		}
		if d, err := MD1(rate, service); err != nil || !near(d.Wait, m.Wait/2, 1e-9) {
			t.Fatalf("%+v, %v does not wait half of %+v", d, err, m)
		}
		bound, err := KingmanBound(rate, 1/rate, service, sd)
		if err != nil || !near(bound-g.Wait, (1+load)/(2*rate), 1e-6) {
			t.Fatalf("bound %v, %v of %v", bound, err, g.Wait)
		}
	})
	if bound, err := KingmanBound(1, 0, 0.9, 0); bound != 0 || err != nil {
		t.Errorf("nobody waits in D/D/1, but the bound is %v, %v", bound, err)
	}
}

// md1Tails is P(W > x service times) by the quantity that MD1WaitQuantile searches.
func md1Tails(load, x float64) float64 {
	if x < exactWait {
		return md1Tail(load, md1AtMost(load), x)
	}
	decay := md1Decay(load)
	return md1Factor(load, decay) * math.Exp(-decay*x)
}

// TestMD1Tail: Franx's sum is Crommelin's, whose terms alternate in sign so that it has digits only for short
// waits; its area is the mean wait; and it goes over into its exponential tail.
func TestMD1Tail(t *testing.T) {
	for _, load := range []float64{0.1, 0.5, 0.8, 0.95, 0.999} {
		for x := 0.0; x < 4; x += 0.3 {
			crommelin := 0.0
			for k := 0.0; k <= x; k++ {
				crommelin += (1 - load) * math.Pow(load*(k-x), k) / math.Gamma(k+1) * math.Exp(-load*(k-x))
			}
			if got := md1Tails(load, x); !near(1-got, crommelin, 1e-10) {
				t.Errorf("load %v: P(W <= %v) = %v, not %v", load, x, 1-got, crommelin)
			}
		}
		if before, after := md1Tails(load, exactWait-1e-9), md1Tails(load, exactWait); math.Abs(before-after) > 1e-9 {
			t.Errorf("load %v: the tail goes from %v to %v", load, before, after)
		}
		area, atMost := 0.0, md1AtMost(load) // Simpson's rule in each service time, then the exponential
		const steps = 200
		for i := range exactWait * steps {
			at := func(f float64) float64 { return md1Tail(load, atMost, (float64(i)+f)/steps) }
			area += (at(1e-9) + 4*at(0.5) + at(1-1e-9)) / 6 / steps
		}
		area += md1Tails(load, exactWait) / md1Decay(load)
		if want, _ := MD1(load, 1); !near(area, want.Wait, 1e-7) {
			t.Errorf("load %v: an area of %v, not the mean %v", load, area, want.Wait)
		}
	}
}

func TestMD1WaitQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		load := rapid.Float64Range(0.01, 0.99999).Draw(t, "load")
		p := rapid.Float64Range(0, 0.99999).Draw(t, "p")
		service := rapid.Float64Range(1e-6, 1e3).Draw(t, "service")
		q, err := MD1WaitQuantile(load/service, service, p)
		if err != nil {
			t.Fatal(err)
		}
		if tail := md1Tails(load, q/service); q > 0 && !near(tail, 1-p, 1e-8) || q == 0 && load > 1-p+1e-12 {
			t.Fatalf("P(W > %v) = %v for p = %v", q, tail, p)
		}
		if m, _ := MMcWaitQuantile(load/service, service, 1, p); q > m*(1+1e-9) {
			t.Fatalf("M/D/1 waits %v, M/M/1 only %v", q, m)
		}
	})
	// Heavy traffic (Kingman 1962): exponential with the mean of MD1.
	s, _ := MD1(1-1e-9, 1)
	if q, err := MD1WaitQuantile(1-1e-9, 1, 0.99); err != nil || !near(q, s.Wait*math.Log(100), 1e-6) {
		t.Errorf("%v, %v, not %v", q, err, s.Wait*math.Log(100))
	}
}

package model

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestErlang: values of the usual tables (Cooper 1981, appendix; Kleinrock 1975 has the charts).
func TestErlang(t *testing.T) {
	for _, c := range []struct {
		servers         int
		load, b, c, tol float64
	}{
		{1, 0.01, 0.01 / 1.01, 0.01, 1e-12},
		{10, 4.461, 0.01, math.NaN(), 1e-3}, // grade of service 1 %
		{100, 84.06, 0.01, math.NaN(), 1e-3},
		{10, 10, 0.2146, math.NaN(), 1e-3},
		{10, 8, 0.1217, 0.4092, 1e-3},
		{5, 0, 0, 0, 0},
		{0, 3, 1, math.NaN(), 0},
	} {
		if b, err := ErlangB(c.servers, c.load); err != nil || !near(b, c.b, c.tol) {
			t.Errorf("B(%d, %v) = %v, %v, not %v", c.servers, c.load, b, err, c.b)
		}
		if math.IsNaN(c.c) {
			continue
		}
		if w, err := ErlangC(c.servers, c.load); err != nil || !near(w, c.c, c.tol) {
			t.Errorf("C(%d, %v) = %v, %v, not %v", c.servers, c.load, w, err, c.c)
		}
	}
}

// TestErlangAgainstSum: the recursion is the definition, load^c/c! over the sum of load^k/k!, here with 300 bits.
func TestErlangAgainstSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		servers := rapid.IntRange(1, 400).Draw(t, "servers")
		load := rapid.Float64Range(0.01, 2).Draw(t, "load") * float64(servers)
		term := big.NewFloat(1).SetPrec(300)
		sum := big.NewFloat(1).SetPrec(300)
		for k := 1; k <= servers; k++ {
			term.Mul(term, big.NewFloat(load)).Quo(term, big.NewFloat(float64(k)))
			sum.Add(sum, term)
		}
		want, _ := term.Quo(term, sum).Float64()
		if got, err := ErlangB(servers, load); err != nil || !near(got, want, 1e-12) {
			t.Fatalf("B = %v, %v, not %v", got, err, want)
		}
	})
}

// TestErlangLarge: a million servers, where load^c overflows. In the regime of Halfin and Whitt (Operations
// Research 29, 1981), c = load + beta sqrt(load), C approaches 1/(1 + beta Phi(beta)/phi(beta)).
func TestErlangLarge(t *testing.T) {
	const load, beta = 1e6, 0.5
	servers := int(load + beta*math.Sqrt(load))
	phi := math.Exp(-beta*beta/2) / math.Sqrt(2*math.Pi)
	want := 1 / (1 + beta*(0.5*math.Erfc(-beta/math.Sqrt2))/phi)
	if got, err := ErlangC(servers, load); err != nil || !near(got, want, 1e-3) {
		t.Errorf("C = %v, %v, near %v in the limit", got, err, want)
	}
}

func TestMM1(t *testing.T) {
	s, err := MM1(8, 0.1)
	want := Steady{Throughput: 8, Utilization: 0.8, Delayed: 0.8, Wait: 0.4, Response: 0.5, Waiting: 3.2, Present: 4}
	if wrong := s.same(want, 1e-12); err != nil || wrong != "" {
		t.Errorf("%+v, %v: %s", s, err, wrong)
	}
}

// TestMMc: an eye clinic with three doctors, 6 patients an hour, 20 minutes each (Gross and Harris,
// Fundamentals of Queueing Theory, ch. 2): 8/9 patients wait, 26/9 are there.
func TestMMc(t *testing.T) {
	const hour = 3600
	s, err := MMc(6./hour, 20*60, 3)
	want := Steady{Throughput: 6. / hour, Utilization: 2. / 3, Delayed: 4. / 9, Wait: 4. / 27 * hour,
		Response: (4./27 + 1./3) * hour,
		Waiting:  8. / 9, Present: 26. / 9}
	if wrong := s.same(want, 1e-12); err != nil || wrong != "" {
		t.Errorf("%+v, %v: %s", s, err, wrong)
	}
}

func TestMMcProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		servers := rapid.IntRange(1, 300).Draw(t, "servers")
		load := rapid.Float64Range(0.001, 0.999).Draw(t, "load")
		service := rapid.Float64Range(1e-6, 1e3).Draw(t, "service")
		rate := load * float64(servers) / service
		s, err := MMc(rate, service, servers)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := s.consistent(service, servers); wrong != "" {
			t.Fatalf("%+v breaks %s", s, wrong)
		}
		if servers == 1 && !near(s.Response, service/(1-load), 1e-9) {
			t.Fatalf("%+v is not M/M/1", s)
		}
		// One server that is as fast as all together is better in response, and worse in the wait.
		if one, err := MM1(rate, service/float64(servers)); err != nil || one.Response > s.Response*(1+1e-9) ||
			one.Wait < s.Wait*(1-1e-9) {
			t.Fatalf("one fast server %+v, %v, several %+v", one, err, s)
		}
		// The quantile's tail is the tail: its probability, and the area below it, which is the mean.
		p := rapid.Float64Range(0, 0.9999).Draw(t, "p")
		q, err := MMcWaitQuantile(rate, service, servers, p)
		if err != nil {
			t.Fatal(err)
		}
		tail := s.Delayed * math.Exp(-(float64(servers)/service-rate)*q)
		if q > 0 && !near(tail, 1-p, 1e-9) || q == 0 && s.Delayed > 1-p+1e-12 {
			t.Fatalf("P(W > %v) = %v for p = %v", q, tail, p)
		}
	})
}

// TestQuantiles: the M/M/1 of 8 customers a second and 0.1 s: 1 - 0.8 do not wait; responses are exponential
// with a mean of 0.5 s.
func TestQuantiles(t *testing.T) {
	for _, c := range [][3]float64{{0, 0, 0}, {0.2, 0, -math.Log(0.8) / 2}, {0.9, math.Log(8) / 2, math.Log(10) / 2}} {
		if w, err := MMcWaitQuantile(8, 0.1, 1, c[0]); err != nil || !near(w, c[1], 1e-9) {
			t.Errorf("wait of %v: %v, %v, not %v", c[0], w, err, c[1])
		}
		if r, err := MM1ResponseQuantile(8, 0.1, c[0]); err != nil || !near(r, c[2], 1e-9) {
			t.Errorf("response of %v: %v, %v, not %v", c[0], r, err, c[2])
		}
	}
}

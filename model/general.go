package model

import (
	"cmp"
	"math"
)

// MG1Response is the mean response time of one server with Poisson arrivals, in the order of arrival and
// without limits (Pollaczek and Khinchine; Kleinrock, Queueing Systems 1, 1975, 5.6): S + rate E[S^2] /
// (2 (1 - rate S)). The service time has the given mean and standard deviation in seconds; sd = 0 is M/D/1
// and sd = mean is M/M/1. rate is in 1/s. ok is false where the server cannot keep up: rate mean >= 1.
func MG1Response(rate, mean, sd float64) (seconds float64, ok bool) {
	s, err := MG1(rate, mean, sd)
	return s.Response, err == nil
}

// MG1 is one server with Poisson arrivals at rate, in the order of arrival and without limits, whose
// service times have the given mean and standard deviation in seconds and are independent (Pollaczek and
// Khinchine; Kleinrock 1975, 5.6). ErrUnstable unless rate mean < 1.
func MG1(rate, mean, sd float64) (Steady, error) {
	if err := cmp.Or(stable(rate, mean, 1), notNegative("standard deviation", sd)); err != nil {
		return Steady{}, err
	}
	load := rate * mean
	return unlimited(rate, mean, 1, load, rate*(mean*mean+sd*sd)/(2*(1-load))), nil
}

// MD1 is MG1 with service times that do not vary.
func MD1(rate, service float64) (Steady, error) { return MG1(rate, service, 0) }

// KingmanBound is an upper bound of the mean wait in seconds before one server, G/G/1, in the order of
// arrival and without limits: rate (va + vs) / (2 (1 - rate service)), where va and vs are the squares of
// the given standard deviations of the times between arrivals and of the service times, all independent
// (Kingman 1962; Kleinrock, Queueing Systems 2, 1976, 2.2). It is a bound, not an estimate: close as the load
// approaches 1, far off at low loads. For Poisson arrivals it is too large by (1 + rate service)/(2 rate).
// ErrUnstable unless rate service < 1.
func KingmanBound(rate, sdArrivals, service, sdService float64) (seconds float64, err error) {
	err = cmp.Or(stable(rate, service, 1),
		notNegative("standard deviation of the times between arrivals", sdArrivals),
		notNegative("standard deviation of the service times", sdService))
	if err != nil {
		return 0, err
	}
	return rate * (sdArrivals*sdArrivals + sdService*sdService) / (2 * (1 - rate*service)), nil
}

// exactWait is how many service times of an M/D/1 wait are summed exactly; beyond them the tail is
// exponential to all digits that matter: what is left falls faster by exp(-2) for each service time.
const exactWait = 30

// MD1WaitQuantile is the wait in seconds that a share p of the customers of MD1 does not exceed, p at least
// 0 and less than 1. Up to 30 service times by Franx's sum (Operations Research Letters 29, 2001, 221-229),
// which has positive terms only, unlike Crommelin's; beyond, by the exponential tail whose rate and factor
// are exact (Cramer and Lundberg; Tijms, A First Course in Stochastic Models, 2003, ch. 9). It is 0 up to
// p = 1 - rate service. Digits are lost as 1 - p approaches 1e-15.
func MD1WaitQuantile(rate, service, p float64) (seconds float64, err error) {
	if err := cmp.Or(stable(rate, service, 1), probability(p)); err != nil {
		return 0, err
	}
	load := rate * service
	if load <= 1-p {
		return 0, nil
	}
	decay := md1Decay(load)
	if far := math.Log(md1Factor(load, decay)/(1-p)) / decay; far >= exactWait {
		return far * service, nil
	}
	atMost := md1AtMost(load)
	low, high := 0.0, float64(exactWait)
	for range 60 {
		if x := (low + high) / 2; md1Tail(load, atMost, x) > 1-p {
			low = x
		} else {
			high = x
		}
	}
	return high * service, nil
}

// md1Decay is the rate at which P(W > x) falls for long waits, in 1/service times: the positive root of
// load (exp(z) - 1) = z, here as (exp(z) - 1 - z)/z = (1 - load)/load, which keeps its digits near load 1.
func md1Decay(load float64) float64 {
	want := (1 - load) / load
	low, high := 0.0, 2*want
	for range 200 {
		z := low + (high-low)/2
		if z == low || z == high {
			break
		}
		if excess(z) < want {
			low = z
		} else {
			high = z
		}
	}
	return high
}

// excess is (exp(z) - 1 - z)/z = z/2 + z^2/6 + ..., which is at least z/2.
func excess(z float64) float64 {
	if z > 1 {
		return (math.Expm1(z) - z) / z
	}
	sum, term := 0.0, 1.0
	for k := 2.0; k < 22; k++ {
		term *= z / k
		sum += term
	}
	return sum
}

// md1Factor is the limit of P(W > x) exp(decay x).
func md1Factor(load, decay float64) float64 { return (1 - load) / (decay - (1 - load)) }

// md1AtMost are the probabilities that at most 1, 2, ... customers are present in M/D/1. The rate up from j
// or fewer equals the rate down to j as one leaves, which gives a recursion of positive terms.
func md1AtMost(load float64) []float64 {
	arrivals, beyond := poisson(load, 3*exactWait)
	present := []float64{1 - load}
	sums := make([]float64, exactWait+1)
	sum := present[0]
	for j := range sums {
		up := present[0] * beyond[j]
		for i := 1; i <= j; i++ {
			up += present[i] * beyond[j-i+1]
		}
		present = append(present, up/arrivals[0])
		sum += present[j+1]
		sums[j] = sum
	}
	return sums
}

// poisson are the probabilities of exactly j and of more than j, for a mean of at most 1.
func poisson(mean float64, n int) (exactly, beyond []float64) {
	exactly, beyond = make([]float64, n), make([]float64, n)
	exactly[0] = math.Exp(-mean)
	for j := 1; j < n; j++ {
		exactly[j] = exactly[j-1] * mean / float64(j)
	}
	for j := n - 1; j > 0; j-- {
		beyond[j-1] = beyond[j] + exactly[j]
	}
	return exactly, beyond
}

// md1Tail is P(W > x), x in service times and less than exactWait, given md1AtMost: a wait ends within x if
// of the k-1 or fewer customers ahead at a time k - x services earlier no more are left than fit in between.
func md1Tail(load float64, atMost []float64, x float64) float64 {
	k := int(x) + 1
	mean := load * (float64(k) - x)
	term, within := math.Exp(-mean), 0.0
	for j := range k {
		within += atMost[k-1-j] * term
		term *= mean / float64(j+1)
	}
	return 1 - within
}

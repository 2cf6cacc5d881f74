package model

import (
	"cmp"
	"math"
)

// MG1Response returns the mean response time of one FIFO server with Poisson arrivals and an unlimited queue: S +
// rate E[S^2] / (2 (1 - rate S)) (Pollaczek and Khinchine; Kleinrock, Queueing Systems 1, 1975, 5.6). The service
// time has the given mean and standard deviation in seconds: sd = 0 is M/D/1, and sd = mean is M/M/1. rate is in 1/s.
// ok is false if the server cannot keep up: rate mean >= 1.
func MG1Response(rate, mean, sd float64) (seconds float64, ok bool) {
	s, err := MG1(rate, mean, sd)
	return s.Response, err == nil
}

// MG1 returns the steady state of one FIFO server with Poisson arrivals at rate and an unlimited queue. Service times
// are independent, with the given mean and standard deviation in seconds (Pollaczek and Khinchine; Kleinrock 1975,
// 5.6). It returns ErrUnstable unless rate mean < 1.
func MG1(rate, mean, sd float64) (Steady, error) {
	if err := cmp.Or(stable(rate, mean, 1), notNegative("standard deviation", sd)); err != nil {
		return Steady{}, err
	}
	load := rate * mean
	return unlimited(rate, mean, 1, load, rate*(mean*mean+sd*sd)/(2*(1-load))), nil
}

// MD1 is MG1 with constant service times.
func MD1(rate, service float64) (Steady, error) { return MG1(rate, service, 0) }

// KingmanBound returns an upper bound of the mean wait in seconds in G/G/1, with one FIFO server and an unlimited
// queue: rate (va + vs) / (2 (1 - rate service)). Here va and vs are the squares of the given standard deviations of
// the interarrival times and the service times, all independent (Kingman 1962; Kleinrock, Queueing Systems 2, 1976,
// 2.2). It is a bound, not an estimate: close for loads near 1, and far off at low loads. For Poisson arrivals it is
// too large by (1 + rate service)/(2 rate). It returns ErrUnstable unless rate service < 1.
func KingmanBound(rate, sdArrivals, service, sdService float64) (seconds float64, err error) {
	err = cmp.Or(stable(rate, service, 1),
		notNegative("standard deviation of the times between arrivals", sdArrivals),
		notNegative("standard deviation of the service times", sdService))
	if err != nil {
		return 0, err
	}
	return rate * (sdArrivals*sdArrivals + sdService*sdService) / (2 * (1 - rate*service)), nil
}

// exactWait is the wait in M/D/1, in service times, up to which it is summed exactly. Beyond it the tail is
// exponential to all digits that matter: the difference falls by a further factor exp(-2) with each service time.
const exactWait = 30

// MD1WaitQuantile returns the p-quantile of the waiting time in MD1 in seconds, with p at least 0 and less than 1. Up
// to 30 service times it uses Franx's sum (Operations Research Letters 29, 2001, 221-229), which has only positive
// terms, unlike Crommelin's. Beyond, it uses the exponential tail with its exact rate and factor (Cramer and
// Lundberg; Tijms, A First Course in Stochastic Models, 2003, ch. 9). It is 0 up to p = 1 - rate service. Digits are
// lost as 1 - p approaches 1e-15.
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

// md1Decay returns the rate at which P(W > x) falls for long waits, in 1/service times. It is the positive root of
// load (exp(z) - 1) = z, solved as (exp(z) - 1 - z)/z = (1 - load)/load, which keeps its digits near load 1.
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

// excess returns (exp(z) - 1 - z)/z = z/2 + z^2/6 + ..., which is at least z/2.
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

// md1Factor returns the limit of P(W > x) exp(decay x).
func md1Factor(load, decay float64) float64 { return (1 - load) / (decay - (1 - load)) }

// md1AtMost returns the probabilities that at most 1, 2, ... customers are present in M/D/1. The rate of transitions
// up from j or fewer equals the rate of departures that leave j, which gives a recursion of positive terms.
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

// poisson returns the probabilities of exactly j and of more than j, for a mean of at most 1.
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

// md1Tail returns P(W > x), with x in service times and less than exactWait, given md1AtMost. A wait ends within x
// if, of the at most k-1 customers ahead at a time k - x services earlier, no more are left than can be served in
// between.
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

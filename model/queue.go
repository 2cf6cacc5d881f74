// Package model holds closed forms of queueing theory: what a system would do if it were as simple as
// the formula. Each formula names its source, its units and when it holds.
package model

// MG1Response is the mean response time of one server with Poisson arrivals, in the order of arrival and
// without limits (Pollaczek and Khinchine; Kleinrock, Queueing Systems 1, 1975, 5.6): S + rate E[S^2] /
// (2 (1 - rate S)). The service time has the given mean and standard deviation in seconds; sd = 0 is M/D/1
// and sd = mean is M/M/1. rate is in 1/s. ok is false where the server cannot keep up: rate mean >= 1.
func MG1Response(rate, mean, sd float64) (seconds float64, ok bool) {
	load := rate * mean
	if !(rate > 0 && mean > 0 && sd >= 0 && load < 1) {
		return 0, false
	}
	return mean + rate*(mean*mean+sd*sd)/(2*(1-load)), true
}

package model

import (
	"cmp"
	"fmt"
	"math"
)

// ErlangB is the share of customers who are lost where nobody can wait, M/G/c/c: Poisson arrivals, offered
// load in erlangs (arrival rate times mean service time), service times of any distribution. By the
// recursion B(0) = 1, B(k) = load B(k-1) / (k + load B(k-1)) (Erlang 1917; Cooper, Introduction to
// Queueing Theory, 1981, ch. 3), which adds positive numbers only: it takes time proportional to servers,
// 0 to 1e8, and neither overflows nor cancels. A share below 1e-308 is 0.
func ErlangB(servers int, load float64) (float64, error) {
	if err := cmp.Or(within("servers", servers, 0, most), notNegative("offered load", load)); err != nil {
		return 0, err
	}
	return erlangB(servers, load), nil
}

func erlangB(servers int, load float64) float64 {
	lost := 1.0
	for k := 1; k <= servers; k++ {
		lost = load * lost / (float64(k) + load*lost)
	}
	return lost
}

// ErlangC is the probability that a customer must wait in M/M/c: Poisson arrivals, exponential service
// times, offered load in erlangs, at least 0 and less than servers (else ErrUnstable). From Erlang's B:
// C = B / (1 - rho (1 - B)) with rho = load / servers (Kleinrock, Queueing Systems 1, 1975, 3.5).
func ErlangC(servers int, load float64) (float64, error) {
	if err := cmp.Or(within("servers", servers, 1, most), notNegative("offered load", load)); err != nil {
		return 0, err
	}
	if load >= float64(servers) {
		return 0, fmt.Errorf("model: an offered load of %v for servers: %d: %w", load, servers, ErrUnstable)
	}
	return erlangC(servers, load), nil
}

func erlangC(servers int, load float64) float64 {
	c, lost := float64(servers), erlangB(servers, load)
	return lost / ((c-load)/c + load/c*lost)
}

// MM1 is one server in the order of arrival, without limits: Poisson arrivals at rate, exponential service
// times of mean service (Kleinrock 1975, 3.2). ErrUnstable unless rate service < 1.
func MM1(rate, service float64) (Steady, error) { return MMc(rate, service, 1) }

// MMc is so many equal servers with one queue in the order of arrival, without limits: Poisson arrivals at
// rate, exponential service times of mean service (Kleinrock 1975, 3.5): a mean wait of C service /
// (servers - load), where C is ErlangC. ErrUnstable unless rate service < servers.
func MMc(rate, service float64, servers int) (Steady, error) {
	if err := stable(rate, service, servers); err != nil {
		return Steady{}, err
	}
	load := rate * service
	delayed := erlangC(servers, load)
	return unlimited(rate, service, servers, delayed, delayed*service/(float64(servers)-load)), nil
}

// unlimited completes the steady state of a station that turns nobody away.
func unlimited(rate, service float64, servers int, delayed, wait float64) Steady {
	response := wait + service
	return Steady{
		Throughput: rate, Utilization: Utilization(rate, service, servers), Delayed: delayed,
		Wait: wait, Response: response, Waiting: Little(rate, wait), Present: Little(rate, response),
	}
}

// MMcWaitQuantile is the wait in seconds that a share p of the customers of MMc does not exceed, p at least
// 0 and less than 1: P(W > t) = C exp(-(servers/service - rate) t) (Kleinrock 1975, 3.5; Gross and Harris,
// Fundamentals of Queueing Theory, ch. 2). It is 0 up to p = 1 - C: those do not wait.
func MMcWaitQuantile(rate, service float64, servers int, p float64) (seconds float64, err error) {
	if err := cmp.Or(stable(rate, service, servers), probability(p)); err != nil {
		return 0, err
	}
	load := rate * service
	delayed := erlangC(servers, load)
	if delayed <= 1-p {
		return 0, nil
	}
	return math.Log(delayed/(1-p)) * service / (float64(servers) - load), nil
}

// MM1ResponseQuantile is the response time in seconds that a share p of the customers of MM1 does not
// exceed, p at least 0 and less than 1: response times are exponential (Kleinrock 1975, 5.7).
func MM1ResponseQuantile(rate, service, p float64) (seconds float64, err error) {
	if err := cmp.Or(stable(rate, service, 1), probability(p)); err != nil {
		return 0, err
	}
	return -math.Log1p(-p) * service / (1 - rate*service), nil
}

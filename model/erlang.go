package model

import (
	"cmp"
	"fmt"
	"math"
)

// ErlangB returns the fraction of customers lost in M/G/c/c, where no customer can wait: Poisson arrivals, offered
// load in erlangs (arrival rate times mean service time), and service times of any distribution. It uses the
// recursion B(0) = 1, B(k) = load B(k-1) / (k + load B(k-1)) (Erlang 1917; Cooper, Introduction to Queueing Theory,
// 1981, ch. 3). The recursion adds only positive numbers, so it neither overflows nor cancels. It takes time
// proportional to servers, 0 to 1e8. A result below 1e-308 is 0.
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

// ErlangC returns the probability that a customer must wait in M/M/c: Poisson arrivals, exponential service times,
// and an offered load in erlangs of at least 0 and less than servers (otherwise ErrUnstable). From Erlang's B: C = B
// / (1 - rho (1 - B)) with rho = load / servers (Kleinrock, Queueing Systems 1, 1975, 3.5).
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

// MM1 returns the steady state of one FIFO server with an unlimited queue: Poisson arrivals at rate, and exponential
// service times with mean service (Kleinrock 1975, 3.2). It returns ErrUnstable unless rate service < 1.
func MM1(rate, service float64) (Steady, error) { return MMc(rate, service, 1) }

// MMc returns the steady state of equal servers with one unlimited FIFO queue: Poisson arrivals at rate, and
// exponential service times with mean service (Kleinrock 1975, 3.5). The mean wait is C service / (servers - load),
// where C is ErlangC. It returns ErrUnstable unless rate service < servers.
func MMc(rate, service float64, servers int) (Steady, error) {
	if err := stable(rate, service, servers); err != nil {
		return Steady{}, err
	}
	load := rate * service
	delayed := erlangC(servers, load)
	return unlimited(rate, service, servers, delayed, delayed*service/(float64(servers)-load)), nil
}

// unlimited completes the steady state of a station without losses.
func unlimited(rate, service float64, servers int, delayed, wait float64) Steady {
	response := wait + service
	return Steady{
		Throughput: rate, Utilization: Utilization(rate, service, servers), Delayed: delayed,
		Wait: wait, Response: response, Waiting: Little(rate, wait), Present: Little(rate, response),
	}
}

// MMcWaitQuantile returns the p-quantile of the waiting time in MMc in seconds, with p at least 0 and less than 1:
// P(W > t) = C exp(-(servers/service - rate) t) (Kleinrock 1975, 3.5; Gross and Harris, Fundamentals of Queueing
// Theory, ch. 2). It is 0 up to p = 1 - C, the fraction of customers that do not wait.
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

// MM1ResponseQuantile returns the p-quantile of the response time in MM1 in seconds, with p at least 0 and less than
// 1: response times are exponential (Kleinrock 1975, 5.7).
func MM1ResponseQuantile(rate, service, p float64) (seconds float64, err error) {
	if err := cmp.Or(stable(rate, service, 1), probability(p)); err != nil {
		return 0, err
	}
	return -math.Log1p(-p) * service / (1 - rate*service), nil
}

package model

import (
	"cmp"
	"fmt"
)

// census is a birth-death process at a station, truncated at k customers: its probabilities and means. It is extended
// by one place at a time and adds only positive numbers, as Erlang's recursion does, which it generalizes (Kleinrock
// 1975, 3.1).
type census struct {
	servers, k    int
	full          float64 // probability of k customers
	open          float64 // 1 - full
	delayed       float64 // probability that all servers are busy
	busy, waiting float64 // means
}

func newCensus(servers int) census { return census{servers: servers, full: 1} }

// grow adds the state k+1. ratio is its probability divided by that of k; +Inf is allowed.
func (c *census) grow(ratio float64) {
	c.k++
	odds := ratio * c.full
	c.open = 1 / (1 + odds)
	c.full = 1 - c.open
	if odds < 1 {
		c.full = odds * c.open
	}
	c.delayed *= c.open
	if c.k >= c.servers {
		c.delayed += c.full
	}
	inService := min(c.k, c.servers)
	c.busy = c.busy*c.open + float64(inService)*c.full
	c.waiting = c.waiting*c.open + float64(c.k-inService)*c.full
}

// MMcK returns the steady state of equal servers with room for capacity customers, including those in service.
// Arrivals are Poisson at rate, and lost if there is no room. Service times are exponential with mean service
// (M/M/1/K: Kleinrock 1975, 3.6; M/M/c/K: Gross and Harris, ch. 2). capacity is at least servers. Any load is allowed.
// Time is proportional to capacity.
func MMcK(rate, service float64, servers, capacity int) (Steady, error) {
	err := cmp.Or(positive("rate", rate), positive("service time", service),
		within("servers", servers, 1, most), within("capacity, servers included", capacity, servers, most))
	if err != nil {
		return Steady{}, err
	}
	c, delayed := newCensus(servers), 0.0
	for k := 1; k <= capacity; k++ {
		delayed = c.delayed // an admitted customer sees the station as if it had one place less
		c.grow(rate * service / float64(min(k, servers)))
	}
	s := c.steady(service, delayed)
	s.Lost = c.full
	return s, nil
}

// Repairman returns the steady state of a station with a finite source, M/M/c//N. Each customer thinks for an
// exponential time with mean think (0 or more), and then needs an exponential service with mean service from one of
// the equal servers, in FIFO order (machine repairman; Kleinrock 1975, 3.8 and 3.10). It models a closed loop with
// one resource. Time is proportional to customers.
func Repairman(customers int, think, service float64, servers int) (Steady, error) {
	err := cmp.Or(within("customers", customers, 1, most), notNegative("think time", think),
		positive("service time", service), within("servers", servers, 1, most))
	if err != nil {
		return Steady{}, err
	}
	if think > 0 && service/think == 0 {
		return Steady{}, fmt.Errorf("model: a service time of %v with a think time of %v is too small", service,
			think)
	}
	without := finiteSource(customers-1, think, service, servers)
	c := finiteSource(customers, think, service, servers)
	delayed := without.delayed // an arrival sees the others as if it were not there
	return c.steady(service, delayed), nil
}

func finiteSource(customers int, think, service float64, servers int) census {
	c := newCensus(servers)
	for k := 1; k <= customers; k++ {
		c.grow(float64(customers-k+1) * service / (think * float64(min(k, servers))))
	}
	return c
}

// steady returns the steady state of the census. delayed is the probability that an arrival must wait.
func (c *census) steady(service, delayed float64) Steady {
	rate := c.busy / service
	wait := c.waiting / rate
	return Steady{
		Throughput: rate, Utilization: c.busy / float64(c.servers), Delayed: delayed,
		Wait: wait, Response: wait + service, Waiting: c.waiting, Present: c.waiting + c.busy,
	}
}

package model

import (
	"cmp"
	"fmt"
	"math"
	"sort"
)

// Pause is a time in which no server works: from From until before From + Length. A service that it interrupts
// continues afterwards, as in a process that is stopped.
type Pause struct{ From, Length float64 }

// Visit is what one request experiences: the time until its service begins, and the time until it ends. Both count
// from its arrival.
type Visit struct{ Wait, Response float64 }

// Lindley returns the visits of requests at one FIFO server with an unlimited queue. Request i arrives at arrivals[i]
// and needs services[i]; the queue is empty before the first. The wait of the next request is max(0, wait + service -
// time between the arrivals) (Lindley, The theory of queues with a single server, Proc. Cambridge Phil. Soc. 48,
// 1952). The result is exact for these requests, whatever their distributions: it is no mean and no steady state.
//
// Arrivals must be in ascending order and services not negative. Times may have any unit. The recursion only adds and
// compares, so it is exact for whole numbers up to 2^53, such as nanoseconds.
func Lindley(arrivals, services []float64) ([]Visit, error) {
	if err := checkPath(arrivals, services); err != nil {
		return nil, err
	}
	visits := make([]Visit, len(arrivals))
	wait := 0.0
	for i, service := range services {
		if i > 0 {
			wait = max(0, wait+services[i-1]-(arrivals[i]-arrivals[i-1]))
		}
		visits[i] = Visit{wait, wait + service}
	}
	return visits, nil
}

// KieferWolfowitz returns the visits of requests at equal servers with one unlimited FIFO queue, as [Lindley] does for
// one server. A request is served by the server that becomes free first (Kiefer and Wolfowitz, On the theory of queues
// with many servers, Trans. AMS 78, 1955). Responses may end in another order than the requests arrived.
//
// Pauses stop all servers at once. They must be in ascending order and not overlap. Without the time of the pauses, the
// servers form an ordinary queue. So the recursion runs on a clock that stops in pauses, and its times are converted
// back. A request that arrives in a pause waits at least until its end.
//
// If arrivals are late by at most x, without a change of their order, then no response ends later by more than x,
// unless a pause is between: the recursion only adds, and takes maxima and minima. So delays do not build up, even
// near saturation.
func KieferWolfowitz(arrivals, services []float64, servers int, pauses ...Pause) ([]Visit, error) {
	clock, err := newStopped(pauses)
	err = cmp.Or(within("servers", servers, 1, most), checkPath(arrivals, services), err)
	if err != nil {
		return nil, err
	}
	visits := make([]Visit, len(arrivals))
	free := make(freeTimes, min(servers, len(arrivals)))
	for i := range free {
		free[i] = math.Inf(-1)
	}
	for i, at := range arrivals {
		begin := max(clock.stopped(at), free[0])
		free.serve(begin + services[i])
		start := clock.resumed(begin)
		end := start
		if services[i] > 0 {
			end = clock.reached(begin + services[i])
		}
		visits[i] = Visit{start - at, end - at}
	}
	return visits, nil
}

// checkPath returns an error for arrivals and services that are no requests.
func checkPath(arrivals, services []float64) error {
	if len(arrivals) != len(services) {
		return fmt.Errorf("model: %d arrivals, but %d services: give one service for each arrival", len(arrivals),
			len(services))
	}
	for i, at := range arrivals {
		switch {
		case math.IsNaN(at) || math.IsInf(at, 0):
			return fmt.Errorf("model: arrival %d is at %v, but must be finite", i, at)
		case i > 0 && at < arrivals[i-1]:
			return fmt.Errorf("model: arrival %d is at %v, before the one above, at %v: sort them", i, at,
				arrivals[i-1])
		}
		if err := notNegative(fmt.Sprintf("service time %d", i), services[i]); err != nil {
			return err
		}
	}
	return nil
}

// freeTimes is a heap of the times at which servers become free, the earliest first.
type freeTimes []float64

// serve lets the server that becomes free first become free at a later time.
func (h freeTimes) serve(until float64) {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1] < h[child] {
			child++
		}
		if h[child] >= until {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = until
}

// stopped is a clock that stops in pauses.
type stopped struct {
	pauses []Pause
	at     []float64 // time of the clock in each pause
	before []float64 // length of the first i pauses together
}

func newStopped(pauses []Pause) (stopped, error) {
	c := stopped{pauses, make([]float64, len(pauses)), make([]float64, len(pauses)+1)}
	for i, p := range pauses {
		err := positive(fmt.Sprintf("length of pause %d", i), p.Length)
		switch {
		case err != nil:
			return c, err
		case math.IsNaN(p.From) || math.IsInf(p.From, 0):
			return c, fmt.Errorf("model: pause %d begins at %v, but must be finite", i, p.From)
		case i > 0 && p.From < pauses[i-1].From+pauses[i-1].Length:
			return c, fmt.Errorf("model: pause %d begins at %v, before the one above ends: sort and join them", i,
				p.From)
		}
		c.at[i] = p.From - c.before[i]
		c.before[i+1] = c.before[i] + p.Length
	}
	return c, nil
}

// stopped returns the time of the clock at a time.
func (c stopped) stopped(at float64) float64 {
	n := sort.Search(len(c.pauses), func(i int) bool { return c.pauses[i].From > at })
	if n > 0 && at < c.pauses[n-1].From+c.pauses[n-1].Length {
		return c.at[n-1]
	}
	return at - c.before[n]
}

// resumed returns the time at which the clock goes on from x: after a pause that begins then.
func (c stopped) resumed(x float64) float64 {
	return x + c.before[sort.Search(len(c.at), func(i int) bool { return c.at[i] > x })]
}

// reached returns the time at which the clock reaches x: before a pause that begins then.
func (c stopped) reached(x float64) float64 {
	return x + c.before[sort.Search(len(c.at), func(i int) bool { return c.at[i] >= x })]
}

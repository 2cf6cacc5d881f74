package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/brewput/brewput/model"
	"github.com/brewput/brewput/proof/services/known"
)

// quantiles are the compared quantiles.
var quantiles = [3]float64{0.5, 0.9, 0.99}

// The limits of an accurate response time.
const (
	relativeError = 0.03
	absoluteError = 0.2e6 // ns
)

// within reports whether each of the times differs from the truth by at most the limits.
func within(got, truth [3]float64) bool {
	for i := range got {
		if truth[i] <= 0 || !(math.Abs(got[i]-truth[i]) <= relativeError*truth[i]+absoluteError) {
			return false
		}
	}
	return true
}

// sample is what a load generator and the server know of the requests of a run, in the order of arrivals that was
// intended.
//
// The true response time of a request is the one that it would have if it reached the server exactly when the
// generator meant to send it, and the reply came back at once. It follows by the recursion from the intended arrivals
// and the service times that the server logged. The arrivals that the server saw would be no truth: a generator that
// sends late, because it waits for replies or is busy, would change them, and its own delay would vanish (coordinated
// omission). What remains as the error of a tool is the delay of its requests and replies on their way, and what it
// leaves out. By the recursion, delays of at most x make responses later by at most x, so they do not add up.
//
// A request reaches the server when the kernel of its host received it. What the server needs from then on until the
// request joins its queue, such as to be given a CPU, belongs to its response time. So the truth is that of a perfect
// client on this machine, with the CPUs that the generator left to the server: [entry.Joined] is how long that took.
// Where the kernel does not stamp what it receives, the request was received when the server read it.
type sample struct {
	known.Config
	intended []time.Duration // since the generator began
	entries  []known.Entry   // of the same requests
}

// byNumber returns the sample of an epoch of a log. Request i was meant to be sent at times[i]. Request 0 began the
// epoch, and was not logged.
func byNumber(c known.Config, epoch []known.Entry, times []time.Duration) (sample, error) {
	s := sample{Config: c, entries: slices.Clone(epoch)}
	slices.SortFunc(s.entries, func(a, b known.Entry) int { return int(a.Request) - int(b.Request) })
	for i, e := range s.entries {
		switch {
		case e.Request != uint64(i+1):
			return s, fmt.Errorf("request %d is missing in the log of the server, or is there twice", i+1)
		case i+1 >= len(times):
			return s, fmt.Errorf("the log has request %d, but only %d arrive", e.Request, len(times))
		}
		s.intended = append(s.intended, times[e.Request])
	}
	return s, nil
}

// byOrder returns the sample of a generator that meant to send its requests at a constant rate per second, and does
// not number them.
func byOrder(c known.Config, entries []known.Entry, rate float64) sample {
	s := sample{Config: c, entries: slices.Clone(entries)}
	slices.SortStableFunc(s.entries, func(a, b known.Entry) int { return cmp.Compare(a.Received, b.Received) })
	for i := range entries {
		s.intended = append(s.intended, time.Duration(float64(i)/rate*1e9))
	}
	return s
}

// offset returns the time of the server at which the generator began, if its quickest request took no time.
func (s *sample) offset() time.Duration {
	least := time.Duration(math.MaxInt64)
	for i, e := range s.entries {
		least = min(least, e.Received-s.intended[i])
	}
	return least
}

// compute fills in what the requests that arrive within a window should report. The truth needs all requests, because
// those of the window wait for earlier ones.
func (s *sample) compute(e *entry, begin, end time.Duration) error {
	if len(s.entries) == 0 {
		return fmt.Errorf("the server got no request")
	}
	offset := s.offset()
	order := make([]int, len(s.entries)) // of the arrivals at the queue
	joins := make([]time.Duration, len(s.entries))
	for i, x := range s.entries {
		order[i], joins[i] = i, s.intended[i]+offset+x.Arrival-x.Received
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(joins[a], joins[b]) })
	arrivals, services, last := make([]float64, len(order)), make([]float64, len(order)), time.Duration(0)
	for k, i := range order {
		arrivals[k], services[k], last = float64(joins[i]), float64(s.entries[i].Service), max(last, s.entries[i].End)
	}
	visits, err := model.KieferWolfowitz(arrivals, services, s.Servers, s.Pauses(2*last)...)
	if err != nil {
		return err
	}

	var truth, served, late, joined []float64
	for k, i := range order {
		if x := s.entries[i]; s.intended[i] >= begin && s.intended[i] < end {
			truth = append(truth, float64(x.Arrival-x.Received)+visits[k].Response+float64(x.Written-x.End))
			served = append(served, float64(x.Written-x.Received))
			late = append(late, float64(x.Received-offset-s.intended[i]))
			joined = append(joined, float64(x.Arrival-x.Received))
		}
	}
	e.Requests = len(truth)
	for i, q := range quantiles {
		e.Truth[i], e.Served[i] = quantile(truth, q), quantile(served, q)
	}
	e.Late = [2]float64{quantile(late, 0.5), quantile(late, 0.99)}
	e.Joined = [2]float64{quantile(joined, 0.5), quantile(joined, 0.99)}
	return nil
}

// quantile returns the q-quantile of values: the one with the rank q n, rounded to a whole number, as the histogram of
// brewput does. It sorts the values. It is 0, which means unknown, unless 10 values are beyond it.
func quantile(values []float64, q float64) float64 {
	n := float64(len(values))
	if n*min(q, 1-q) < 10 {
		return 0
	}
	slices.Sort(values)
	return values[max(0, int(q*n+0.5)-1)]
}

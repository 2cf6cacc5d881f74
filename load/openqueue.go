package load

import (
	"time"

	"github.com/brewput/brewput/env"
)

// arrival is a request of an open loop, with the time at which it arrives.
type arrival struct {
	request uint64
	at      time.Duration
}

// next returns the request that w, the holder of the baton, serves; ok is false when the run is over. A request that
// arrived while w was idle, and no request was served, waits only to be noticed, and is not abandoned. With Remote, w
// returns before the arrival, to pass the baton on in time.
func (r *openRun) next(e env.Env, w *server) (c arrival, ok bool) {
	for !r.done {
		now := e.Now()
		if now >= r.end+r.Drain {
			return c, false
		}
		r.admit(now)
		c, waits := r.front(now)
		switch {
		case waits:
		case c.at >= r.end+r.Drain, c.at >= r.end && r.pending.Load() == 0:
			return c, false
		default:
			if at := c.at - r.passing; at > now {
				r.wait(e, at)
				now = e.Now()
			}
			if !r.Remote && r.busy(c.at) == 0 { // otherwise the worker may be late because the design uses the CPUs
				r.noteLag(now)
				r.unnoticed = now
			}
			r.source.advance()
			r.arrive(c)
		}
		if r.gaveUp(w, c, now) {
			r.lose(&r.abandoned, c, c.at+r.Patience)
			continue
		}
		if c.at >= r.end && r.pending.Load() == 0 {
			return c, false
		}
		return c, true
	}
	return c, false
}

const (
	// remotePassing is how long before the arrival of a request its worker passes the baton on. That wakes another
	// worker, which takes time. The workers of other designs pass it on after the arrival: their wake-ups are a part of
	// the load.
	remotePassing = 20 * time.Microsecond
	// With Send, that is passingGaps mean gaps between requests, at most longestPassing, because a request is prepared
	// before it arrives. That takes some tens of microseconds with warm caches and 0.3 ms otherwise, after a timer that
	// is up to 1 ms late. If it is less than shortestPassing, it is remotePassing nevertheless.
	longestPassing, shortestPassing = time.Millisecond, 400 * time.Microsecond
	// passingGaps is small because a request keeps its worker, and its connection, from then on.
	passingGaps = 2
)

// setPassing computes how long before the arrival of a request its worker passes the baton on.
func (r *openRun) setPassing() {
	if !r.Remote {
		return
	}
	r.passing = remotePassing
	if gaps := time.Duration(passingGaps * 1e9 / r.Arrivals.rate()); r.Send != nil && gaps >= shortestPassing {
		r.passing = min(gaps, longestPassing)
	}
}

// wait parks a worker until the time at which it passes the baton on. A request that is prepared early leaves time for
// most late timers. So the worker does not poll the clock: that is limited, and needed when the request is sent.
func (r *openRun) wait(e env.Env, at time.Duration) {
	if r.passing >= shortestPassing {
		e.Wait(at - e.Now())
		return
	}
	e.Until(at)
}

// gaveUp reports whether a request that w has taken was abandoned before.
func (r *openRun) gaveUp(w *server, c arrival, now time.Duration) bool {
	if r.Remote {
		return r.impatient(c, w.free)
	}
	return r.impatient(c, now) && (c.at > r.unnoticed || w.ended.Load() > int64(c.at))
}

// noteLag records how late the requests are noticed that arrived up to now while no request was served.
func (r *openRun) noteLag(now time.Duration) {
	for ahead := *r.source; ; ahead.advance() {
		request, at := ahead.peek()
		c := arrival{request, at + r.release}
		if c.at > now {
			return
		}
		if r.measured(c) {
			r.lag.Record(int64(now - c.at))
		}
	}
}

// busy returns the number of workers in service at a recent time.
func (r *openRun) busy(at time.Duration) int {
	n := 0
	for i := range r.workers {
		if r.workers[i].ended.Load() > int64(at) {
			n++
		}
	}
	return n
}

// admit admits or drops the requests that arrived up to now. Since the last holder of the baton took a request, none
// was taken from the queue. So the queue length at each arrival is known.
func (r *openRun) admit(now time.Duration) {
	if r.QueueLimit < 0 {
		return // all are admitted, and need not be stored, because source knows them
	}
	for {
		request, at := r.source.peek()
		c := arrival{request, at + r.release}
		if c.at > now {
			return
		}
		r.source.advance()
		r.arrive(c)
		for r.queue.n > 0 && r.impatient(r.queue.front(), c.at) {
			gone := r.queue.pop()
			r.lose(&r.abandoned, gone, gone.at+r.Patience)
		}
		// Each idle worker is about to take one.
		if r.queue.n >= r.QueueLimit && r.queue.n >= r.QueueLimit+r.Workers-r.busy(c.at) {
			r.lose(&r.dropped, c, c.at)
			continue
		}
		r.queue.push(c)
	}
}

// front takes the first waiting request. Without one it returns the next that will arrive.
func (r *openRun) front(now time.Duration) (c arrival, waits bool) {
	if r.queue.n > 0 {
		return r.queue.pop(), true
	}
	request, at := r.source.peek()
	c = arrival{request, at + r.release}
	if c.at > now {
		return c, false
	}
	r.source.advance() // without a queue limit; otherwise admit has admitted it
	r.arrive(c)
	return c, true
}

// measured reports whether a request arrives within the window.
func (r *openRun) measured(c arrival) bool { return c.at >= r.begin && c.at < r.end }

// arrive counts an arrival.
func (r *openRun) arrive(c arrival) {
	if r.measured(c) {
		r.arrived++
	}
}

// impatient reports whether a request that still waits at a time has been abandoned before.
func (r *openRun) impatient(c arrival, at time.Duration) bool {
	return r.Patience > 0 && at-c.at > r.Patience
}

// middle returns the time halfway through the window.
func (r *openRun) middle() time.Duration { return r.begin + (r.end-r.begin)/2 }

// lose counts a request that left at a time without being served.
func (r *openRun) lose(count *int64, c arrival, at time.Duration) {
	if r.measured(c) {
		*count++
	}
	if at >= r.begin && at < r.end {
		r.leftEarly++
		if at < r.middle() {
			r.leftFirst++
		}
	}
}

package load

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/hist"
	"github.com/brewput/brewput/result"
)

// Closed is the load of callers that each send their next request when the last is answered.
type Closed struct {
	Op         Operation
	Workers    int
	Warmup     time.Duration
	Window     time.Duration // measured after Warmup; 0 where Operations says when to stop
	Operations int64         // if > 0: the number of operations to do, without warm-up or window
	Sample     int           // time every Sample-th operation; 0 and 1 time each

	// AtBegin and AtEnd are called as the window opens and closes, once each, by the goroutine that runs the loop, or
	// by a worker between two operations if that goroutine is late.
	AtBegin, AtEnd func()
	// At, if not nil, calls a function at a time: then nobody wakes up for these two, which would disturb what is
	// measured.
	At func(at time.Duration, f func())
	// OneByOne says that workers never run at the same time, as in virtual time. They share a recorder: of thousands,
	// each would be out of the cache when its worker comes back to it.
	OneByOne bool
	// Note, if not nil, is told of every operation that is timed when it ends, from its start to its end, by the
	// worker that made it: where workers run at the same time it must be ready for that.
	Note func(from, to time.Duration)
}

// tally is what one worker counted. The padding keeps workers off each other's cache lines.
type tally struct {
	latency *hist.Recorder // of the operations that ended inside the window; all have one where they run one by one
	inside  int64          // operations that ended inside the window
	total   int64          // all operations
	early   time.Duration  // part before the window of the operation under way when it opened
	late    time.Duration  // part inside the window of the operation under way when it closed
	last    time.Duration  // end of the last operation
	edges   float64        // what those two add to inside if each counts by its share of time inside
	lookout *lookout       // of one worker
	_       [64]byte
}

// ClosedResult is what a closed loop measured.
type ClosedResult struct {
	Latency     *hist.Histogram // of the operations that ended inside the window
	Inside      int64           // operations that ended inside the window
	Progress    float64         // operations inside the window, those across its ends by their share of time inside
	Total       int64           // all operations
	Window      time.Duration
	Closed      time.Duration // when the window closed
	Last        time.Duration // when the last operation ended: until then the load was as asked for
	Concurrency result.Value  // time integral of the requests in service / window
}

// Run lets the workers loose and returns when all have finished their last operation. Every worker's
// first request counts from the release of all, whenever its goroutine first gets a CPU, so that the
// concurrency asked for is the concurrency offered. The gate holds the workers until all are there: if
// one could end before the next is started, the harness would order the two for the race detector.
//
// Progress is the integral, over the window and the workers, of 1 / duration of the operation under way. Its
// mean is the rate times the window exactly, by the inversion formula of Palm calculus (Baccelli and Bremaud:
// Elements of Queueing Theory, 2nd edition, 2003, section 1.2), so that no count of whole operations has to be
// allowed for. That asks for operations that take as long as any other: so the load goes on until all those
// under way at the end are done, but for no more than another window.
func (c *Closed) Run(e env.Env) (ClosedResult, error) {
	tallies, recorders := newTallies(c.Workers, c.OneByOne)
	defer free(recorders)
	group, gate := e.Group(), e.Group()
	gate.Add(1)
	var release, begin, end time.Duration
	var across atomic.Int64 // workers whose operation across the end is not done yet
	across.Store(int64(c.Workers))
	for i := range tallies {
		t := &tallies[i]
		limit := int64(-1)
		if c.Operations > 0 {
			limit = share(c.Operations, c.Workers, i)
		}
		group.Go(e, "worker", func(e env.Env) {
			gate.Wait()
			t.last = release
			if c.Sample > 1 {
				s := sampled{Closed: c, tally: t, begin: begin, end: end, limit: limit, across: &across}
				s.work(e, uint64(i))
			} else {
				c.work(e, uint64(i), begin, end, limit, t, &across)
			}
		})
	}
	if c.Operations > 0 {
		c.AtBegin() // before anybody works: a small number of operations may be done at once
	}
	release = e.Now()
	begin = release + c.Warmup
	end = begin + c.Window
	if c.Operations > 0 {
		begin, end = release, release+forever
	}
	if c.Operations == 0 && c.At != nil {
		c.At(begin, c.AtBegin)
		c.At(end, c.AtEnd)
	}
	watched := c.Operations == 0 && c.At == nil && c.Workers > 0
	var b *boundaries
	if watched {
		b, tallies[0].lookout = ends(begin, end, c.AtBegin, c.AtEnd)
	}
	gate.Done()
	if watched {
		b.await(e, begin, end)
	}
	group.Wait()
	if c.Operations > 0 {
		c.AtEnd()
	}
	return c.sum(tallies, recorders, release, begin, end)
}

// newTallies makes the tallies of n workers, and their recorders.
func newTallies(n int, oneByOne bool) ([]tally, []*hist.Recorder) {
	tallies, recorders := make([]tally, n), make([]*hist.Recorder, 0, n)
	for i := range tallies {
		if i == 0 || !oneByOne {
			recorders = append(recorders, hist.NewRecorder())
		}
		tallies[i].latency = recorders[len(recorders)-1]
	}
	return tallies, recorders
}

func free(recorders []*hist.Recorder) {
	for _, r := range recorders {
		r.Free()
	}
}

// forever is beyond the end of every run.
const forever = 1 << 60

// share is how many of n operations worker i of w does.
func share(n int64, w, i int) int64 {
	s := n / int64(w)
	if int64(i) < n%int64(w) {
		s++
	}
	return s
}

// work repeats the operation until the window has closed, or limit times if limit >= 0. There is one
// clock read for each operation: its end is the start of the next. Nothing in here is shared with
// other workers while the window is open: an atomic would order them for the race detector and hide a
// design's races.
func (c *Closed) work(e env.Env, request uint64, begin, end time.Duration, limit int64, t *tally,
	across *atomic.Int64) {
	op, step, note := c.Op, uint64(c.Workers), c.Note
	for (t.last < end || t.last < end+c.Window && across.Load() > 0) && t.total != limit {
		e.For(request)
		op(e, request)
		request += step
		now := e.Now()
		if note != nil {
			note(t.last, now)
		}
		t.ends(now, begin, end, across)
		if t.lookout != nil {
			t.lookout.pass(now)
		}
	}
}

// ends counts an operation that has begun when the last one ended, and ends now.
func (t *tally) ends(now, begin, end time.Duration, across *atomic.Int64) {
	last := t.last
	t.total++
	t.last = now
	switch {
	case now < begin:
	case now < end:
		t.latency.Record(int64(now - last))
		t.inside++
		if last < begin {
			t.early = begin - last
			t.edges -= float64(t.early) / float64(now-last)
		}
	case last < end:
		t.late = end - max(last, begin)
		t.edges += float64(t.late) / float64(now-last)
		across.Add(-1)
	}
}

// sum merges the tallies and checks them: the concurrency asked for must be the one observed, by
// Little's law in its time-integral form. For each worker the operations follow each other without
// a gap, so their times inside the window must add up to the window.
func (c *Closed) sum(tallies []tally, recorders []*hist.Recorder, release, begin,
	end time.Duration) (ClosedResult, error) {
	l := ClosedResult{Latency: hist.New(), Window: end - begin, Closed: end, Concurrency: result.Unavailable}
	l.Last = release
	for i := range tallies {
		l.Last = max(l.Last, tallies[i].last)
	}
	if c.Operations > 0 {
		l.Window = l.Last - release
	}
	var inService time.Duration
	for _, r := range recorders {
		l.Latency.Add(r)
		inService += time.Duration(r.Sum())
	}
	for i := range tallies {
		t := &tallies[i]
		l.Inside += t.inside
		l.Progress += float64(t.inside) + t.edges
		l.Total += t.total
		inService += t.late - t.early
	}
	switch {
	case l.Inside == 0 && c.Operations == 0:
		return l, fmt.Errorf("no operation ended within the window of %v: use a longer --duration", l.Window)
	case c.Operations > 0 && l.Total != c.Operations:
		return l, fmt.Errorf("%d operations were asked for and %d done", c.Operations, l.Total)
	case l.Window <= 0:
		return l, fmt.Errorf("%d operations took no time: use more --operations, or give them work", l.Total)
	}
	if c.Sample > 1 {
		return l, nil // only some latencies are known
	}
	l.Concurrency = result.Value(float64(inService) / float64(l.Window))
	if c.Operations > 0 {
		return l, nil
	}
	if want := time.Duration(c.Workers) * l.Window; inService != want {
		return l, fmt.Errorf("%d workers were asked for and %.3f observed: a worker ended early or operations were "+
			"lost (their times add up to %v instead of %v)",
			c.Workers, l.Concurrency, inService, want)
	}
	return l, nil
}

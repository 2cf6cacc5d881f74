package load

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/hist"
	"github.com/brewput/brewput/result"
)

// Closed is a closed loop: each worker sends its next request when the last one is done.
type Closed struct {
	Op Operation
	// Try, if not nil, takes the place of Op. Then Sample is not used. If every request fails for a while, the load
	// ends early with an error.
	Try Attempt
	// Remote means that requests wait for other processes. There may be thousands of workers, so they share a few
	// recorders with locks, and Sample is not used. Such workers are ordered for the race detector.
	Remote     bool
	Workers    int
	Warmup     time.Duration
	Window     time.Duration // measured after Warmup; 0 where Operations says when to stop
	Operations int64         // if > 0: the number of operations, without warm-up or window
	Sample     int           // time every Sample-th operation; 0 and 1 time each

	// AtBegin and AtEnd are called once each, as the window opens and closes. The caller is the goroutine that runs
	// the loop, or a worker between two operations if that goroutine is late.
	AtBegin, AtEnd func()
	// At, if not nil, calls a function at a time. Then no goroutine wakes up for AtBegin and AtEnd, which would
	// disturb the measurement.
	At func(at time.Duration, f func())
	// OneByOne means that workers never run in parallel, as in virtual time. They share a recorder: with thousands of
	// recorders, each would be out of the cache when its worker continues.
	OneByOne bool
	// Note, if not nil, receives the start and the end of every timed operation when it ends, from the worker that
	// made it. It must be safe for concurrent use if workers run in parallel.
	Note func(from, to time.Duration)
}

// tally is the counts of one worker. The padding keeps workers from sharing cache lines.
type tally struct {
	latency *hist.Recorder // of the operations that ended inside the window; shared if OneByOne or Remote
	inside  int64          // operations that ended inside the window, without those that failed
	failed  int64          // those that failed
	failing time.Duration  // sum of their times
	total   int64          // all operations
	early   time.Duration  // part before the window of the operation in progress when it opened
	late    time.Duration  // part inside the window of the operation in progress when it closed
	last    time.Duration  // end of the last operation
	edges   float64        // correction of inside that counts these two by their fraction inside, unless they failed
	lookout *lookout       // of one worker only
	_       [64]byte
}

// ClosedResult is the result of a closed loop.
type ClosedResult struct {
	Latency     *hist.Histogram // of the operations that ended inside the window
	Inside      int64           // operations that ended inside the window, without those that failed
	Failed      int64           // operations that failed inside the window
	Progress    float64         // as Inside, but those across the ends of the window count by their fraction inside
	Total       int64           // all operations, also those that failed
	Window      time.Duration
	Closed      time.Duration // when the window closed
	Last        time.Duration // when the last operation ended: until then the load was complete
	Concurrency result.Value  // time integral of the requests in service / window
}

// Run runs the workers and returns when all have finished their last operation. The first request of each worker
// counts from the common release, even if its goroutine gets a CPU later, so that the requested concurrency is
// offered. A gate holds the workers until all have started. If one could end before the next starts, the harness
// would order the two for the race detector.
//
// Progress is the integral, over the window and the workers, of 1 / duration of the operation in progress. Its mean
// is exactly the rate times the window, by the inversion formula of Palm calculus (Baccelli and Bremaud: Elements of
// Queueing Theory, 2nd edition, 2003, section 1.2). So no correction for partial operations is needed. That requires
// that the last operations take as long as any other. Therefore the load continues until all operations in progress
// at the end are done, but for at most another window.
func (c *Closed) Run(e env.Env) (ClosedResult, error) {
	a := c.attempts()
	tallies, recorders := newTallies(c.Workers, c.recorders())
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
			switch {
			case a != nil:
				a.work(e, i, begin, end, limit, t, &across)
			case c.samples():
				s := sampled{Closed: c, tally: t, begin: begin, end: end, limit: limit, across: &across}
				s.work(e, uint64(i))
			default:
				c.work(e, uint64(i), begin, end, limit, t, &across)
			}
		})
	}
	if c.Operations > 0 {
		c.AtBegin() // before the workers start: a small number of operations may be done at once
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
		b.await(e, a.over(), begin, end)
	}
	group.Wait()
	b.close()
	if c.Operations > 0 {
		c.AtEnd()
	}
	l, err := c.sum(tallies, recorders, release, begin, end)
	return l, a.err(err)
}

// samples reports whether only some operations are timed.
func (c *Closed) samples() bool { return c.Sample > 1 && c.Try == nil && !c.Remote }

// recorders returns the number of recorders.
func (c *Closed) recorders() int {
	switch {
	case c.OneByOne:
		return min(c.Workers, 1)
	case c.Remote:
		return min(c.Workers, maxShared)
	}
	return c.Workers
}

// newTallies creates the tallies of n workers and their recorders.
func newTallies(n, recorders int) ([]tally, []*hist.Recorder) {
	tallies, list := make([]tally, n), make([]*hist.Recorder, recorders)
	for i := range list {
		list[i] = hist.NewRecorder()
	}
	for i := range tallies {
		tallies[i].latency = list[i%recorders]
	}
	return tallies, list
}

func free(recorders []*hist.Recorder) {
	for _, r := range recorders {
		r.Free()
	}
}

// forever is beyond the end of every run.
const forever = 1 << 60

// share returns how many of n operations worker i of w does.
func share(n int64, w, i int) int64 {
	s := n / int64(w)
	if int64(i) < n%int64(w) {
		s++
	}
	return s
}

// work repeats the operation until the window has closed, or limit times if limit >= 0. It reads the clock once per
// operation, because the end of one is the start of the next. While the window is open it shares nothing with other
// workers: an atomic operation would order them for the race detector, and hide races of the design.
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

// ends counts an operation that began when the last one ended, and ends now.
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

// sum merges the tallies and checks them. The observed concurrency must equal the requested one, by Little's law in
// its time-integral form: the operations of a worker follow each other without a gap, so their times inside the
// window must add up to the window.
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
		l.Failed += t.failed
		l.Progress += float64(t.inside) + t.edges
		l.Total += t.total
		inService += t.failing + t.late - t.early
	}
	switch {
	case l.Inside == 0 && l.Failed > 0:
		return l, ErrAllFailed
	case l.Inside == 0 && c.Operations == 0:
		return l, fmt.Errorf("no operation ended within the window of %v: use a longer duration", l.Window)
	case c.Operations > 0 && l.Total != c.Operations:
		return l, fmt.Errorf("%d operations were requested and %d done", c.Operations, l.Total)
	case l.Window <= 0:
		return l, fmt.Errorf("%d operations took no time: use more operations, or give them work", l.Total)
	}
	if c.samples() {
		return l, nil // only some latencies are known
	}
	l.Concurrency = result.Value(float64(inService) / float64(l.Window))
	if c.Operations > 0 {
		return l, nil
	}
	if want := time.Duration(c.Workers) * l.Window; inService != want {
		return l, fmt.Errorf("%d workers were requested and %.3f observed: a worker ended early or operations were "+
			"lost (their times add up to %v instead of %v)",
			c.Workers, l.Concurrency, inService, want)
	}
	return l, nil
}

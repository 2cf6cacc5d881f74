package trial

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/hist"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// closedLoop is the load of callers that each send their next request when the last is answered. It
// is an env program, so that both worlds run the same loop.
type closedLoop struct {
	op         func(e env.Env, request uint64)
	workers    int
	warmup     time.Duration
	window     time.Duration // measured after warmup; 0 where operations says when to stop
	operations int64         // if > 0: the number of operations to do, without warm-up or window
	sample     int           // time every sample-th operation; 0 and 1 time each

	// atBegin and atEnd are called as the window opens and closes, by the goroutine that runs the loop.
	atBegin, atEnd func()
}

// tally is what one worker counted. The padding keeps workers off each other's cache lines.
type tally struct {
	latency *hist.Recorder // of the operations that ended inside the window
	inside  int64          // operations that ended inside the window
	total   int64          // all operations
	early   time.Duration  // part before the window of the operation under way when it opened
	late    time.Duration  // part inside the window of the operation under way when it closed
	last    time.Duration  // end of the last operation
	_       [64]byte
}

// load is what a closed loop measured.
type load struct {
	latency       *hist.Histogram
	inside, total int64
	window        time.Duration
	closed        time.Duration // when the window closed
	concurrency   result.Value  // time integral of the requests in service / window
}

// run lets the workers loose and returns when all have finished their last operation. Every worker's
// first request counts from the release of all, whenever its goroutine first gets a CPU, so that the
// concurrency asked for is the concurrency offered. The gate holds the workers until all are there: if
// one could end before the next is started, the harness would order the two for the race detector.
func (c *closedLoop) run(e env.Env) (load, error) {
	tallies := make([]tally, c.workers)
	for i := range tallies {
		tallies[i].latency = hist.NewRecorder()
		defer tallies[i].latency.Free()
	}
	group, gate := e.Group(), e.Group()
	gate.Add(1)
	var release, begin, end time.Duration
	for i := range tallies {
		t := &tallies[i]
		limit := int64(-1)
		if c.operations > 0 {
			limit = share(c.operations, c.workers, i)
		}
		group.Go(e, "worker", func(e env.Env) {
			gate.Wait()
			t.last = release
			if c.sample > 1 {
				c.workSampled(e, uint64(i), begin, end, limit, t)
			} else {
				c.work(e, uint64(i), begin, end, limit, t)
			}
		})
	}
	if c.operations > 0 {
		c.atBegin() // before anybody works: a small number of operations may be done at once
	}
	release = e.Now()
	begin = release + c.warmup
	end = begin + c.window
	if c.operations > 0 {
		begin, end = release, release+forever
	}
	gate.Done()
	if c.operations == 0 {
		e.Sleep(begin - e.Now())
		c.atBegin()
		e.Sleep(end - e.Now())
		c.atEnd()
		group.Wait()
	} else {
		group.Wait()
		c.atEnd()
	}
	return c.sum(tallies, release, begin, end)
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
// other workers: an atomic would order them for the race detector and hide a design's races.
func (c *closedLoop) work(e env.Env, request uint64, begin, end time.Duration, limit int64, t *tally) {
	op, step, last, latency := c.op, uint64(c.workers), t.last, t.latency
	var inside, total int64
	for last < end && total != limit {
		op(e, request)
		request += step
		now := e.Now()
		total++
		switch {
		case now < begin:
		case now < end:
			latency.Record(int64(now - last))
			inside++
			if last < begin {
				t.early = begin - last
			}
		default:
			t.late = end - max(last, begin)
		}
		last = now
	}
	t.inside, t.total, t.last = inside, total, last
}

// workSampled is work with a clock read before and after every sample-th operation only. Operations
// are counted in groups of sample, at the end of the group.
func (c *closedLoop) workSampled(e env.Env, request uint64, begin, end time.Duration, limit int64, t *tally) {
	step := uint64(c.workers)
	for t.last < end && t.total != limit {
		group := int64(c.sample)
		if limit >= 0 {
			group = min(group, limit-t.total)
		}
		for range group - 1 {
			c.op(e, request)
			request += step
		}
		start := e.Now()
		c.op(e, request)
		request += step
		now := e.Now()
		t.total += group
		if now >= begin && now < end {
			t.latency.Record(int64(now - start))
			t.inside += group
		}
		t.last = now
	}
}

// sum merges the tallies and checks them: the concurrency asked for must be the one observed, by
// Little's law in its time-integral form. For each worker the operations follow each other without
// a gap, so their times inside the window must add up to the window.
func (c *closedLoop) sum(tallies []tally, release, begin, end time.Duration) (load, error) {
	l := load{latency: hist.New(), window: end - begin, closed: end, concurrency: result.Unavailable}
	if c.operations > 0 {
		last := release
		for i := range tallies {
			last = max(last, tallies[i].last)
		}
		l.window = last - release
	}
	var inService time.Duration
	for i := range tallies {
		t := &tallies[i]
		l.latency.Add(t.latency)
		l.inside += t.inside
		l.total += t.total
		inService += time.Duration(t.latency.Sum()) - t.early + t.late
	}
	switch {
	case l.inside == 0 && c.operations == 0:
		return l, fmt.Errorf("no operation ended within the window of %v: use a longer --duration", l.window)
	case c.operations > 0 && l.total != c.operations:
		return l, fmt.Errorf("%d operations were asked for and %d done", c.operations, l.total)
	case l.window <= 0:
		return l, fmt.Errorf("%d operations took no time: use more --operations", l.total)
	}
	if c.sample > 1 {
		return l, nil // only some latencies are known
	}
	l.concurrency = result.Value(float64(inService) / float64(l.window))
	if c.operations > 0 {
		return l, nil
	}
	if want := time.Duration(c.workers) * l.window; inService != want {
		return l, fmt.Errorf("%d workers were asked for and %.3f observed: a worker ended early or operations were lost (their times add up to %v instead of %v)",
			c.workers, l.concurrency, inService, want)
	}
	return l, nil
}

// answered checks what a design says of its own answer.
func answered(check func(uint64) (workload.Answer, error), operations int64) (workload.Answer, error) {
	if check == nil {
		return workload.Answer{}, nil
	}
	a, err := check(uint64(operations))
	if a == nil {
		a = workload.Answer{}
	}
	return a, err
}

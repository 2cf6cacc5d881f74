package load

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/env"
)

const (
	// maxShared is the largest number of recorders that the workers of a remote design share. A recorder takes up to
	// 270 kB, so that one for each of 10,000 workers would take gigabytes.
	maxShared = 16
	// maxFailures, plus ten for each worker, is the number of successive failures of all workers that ends a closed
	// loop. Requests that fail at once would otherwise keep CPUs busy for the whole window.
	maxFailures = 10_000
)

// paddedMutex is a lock that shares no cache line with others.
type paddedMutex struct {
	sync.Mutex
	_ [64]byte
}

// attempts are the requests of a closed loop that may fail, or that wait for other processes.
type attempts struct {
	*Closed
	try      Attempt
	locks    []paddedMutex // of the recorders
	failures atomic.Int64  // successive failures of all workers
	stopped  atomic.Bool   // there were too many
}

// attempts returns nil if no request can fail and none waits for another process.
func (c *Closed) attempts() *attempts {
	a := &attempts{Closed: c, try: c.Try, locks: make([]paddedMutex, c.recorders())}
	switch {
	case c.Try == nil && !c.Remote:
		return nil
	case c.Try == nil:
		a.try = func(e env.Env, request uint64) bool {
			c.Op(e, request)
			return true
		}
	}
	return a
}

// over returns a function that reports whether the load ended early, or nil for no attempts.
func (a *attempts) over() func() bool {
	if a == nil {
		return nil
	}
	return a.stopped.Load
}

// limit is the number of successive failures that ends the load.
func (a *attempts) limit() int64 { return maxFailures + 10*int64(a.Workers) }

// err returns the error of a load that ended early, or otherwise the given one.
func (a *attempts) err(otherwise error) error {
	if a == nil || !a.stopped.Load() {
		return otherwise
	}
	return fmt.Errorf("the last %d requests all failed, so the load ended early", a.limit())
}

// work repeats the request as [Closed.work] does, and ends if all requests fail. As long as none fails, workers with
// recorders of their own share nothing within the window.
func (a *attempts) work(e env.Env, worker int, begin, end time.Duration, limit int64, t *tally,
	across *atomic.Int64) {
	request, lock := uint64(worker), &a.locks[worker%len(a.locks)]
	for (t.last < end || t.last < end+a.Window && across.Load() > 0) && t.total != limit && !a.stopped.Load() {
		e.For(request)
		ok := a.try(e, request)
		request += uint64(a.Workers)
		now := e.Now()
		if a.Note != nil {
			a.Note(t.last, now)
		}
		if ok {
			lock.Lock()
			t.ends(now, begin, end, across)
			lock.Unlock()
		} else {
			t.fails(now, begin, end, across)
		}
		a.count(ok)
		if t.lookout != nil {
			t.lookout.pass(now)
		}
	}
}

// count counts successive failures.
func (a *attempts) count(ok bool) {
	switch {
	case !ok && a.failures.Add(1) >= a.limit():
		a.stopped.Store(true)
	case ok && a.failures.Load() > 0 && !a.stopped.Load():
		a.failures.Store(0)
	}
}

// fails counts an operation that failed, as ends counts others.
func (t *tally) fails(now, begin, end time.Duration, across *atomic.Int64) {
	last := t.last
	t.total++
	t.last = now
	switch {
	case now < begin:
	case now < end:
		t.failed++
		t.failing += now - last
		if last < begin {
			t.early = begin - last
		}
	case last < end:
		t.late = end - max(last, begin)
		across.Add(-1)
	}
}

// ErrAllFailed is the error of a load in which requests of the window failed, and none succeeded.
var ErrAllFailed = errors.New("all requests within the window failed")

package load

import (
	"sync"
	"time"

	"github.com/brewput/brewput/env"
)

// boundaries are the ends of a window, where the counters are read once each.
type boundaries struct {
	mu      sync.Mutex // held while counters are read
	pending []boundary // ascending
}

type boundary struct {
	at   time.Duration
	read func()
}

// cross reads the counters of the boundaries up to a time. The caller holds mu.
func (b *boundaries) cross(now time.Duration) {
	for len(b.pending) > 0 && now >= b.pending[0].at {
		b.pending[0].read()
		b.pending = b.pending[1:]
	}
}

// pollEvery is how often await asks whether the load is over.
const pollEvery = 100 * time.Millisecond

// await sleeps until each boundary and reads the counters there. If the load can be over before, over reports whether
// it is; otherwise over is nil.
func (b *boundaries) await(e env.Env, over func() bool, at ...time.Duration) {
	for _, t := range at {
		for over != nil && !over() && t-e.Now() > pollEvery {
			e.Sleep(pollEvery)
		}
		if over != nil && over() {
			return
		}
		e.Sleep(t - e.Now())
		b.mu.Lock()
		b.cross(t)
		b.mu.Unlock()
	}
}

// close reads the counters at the end of a window that opened and that the load left early.
func (b *boundaries) close() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.pending) == 1 {
		b.pending[0].read()
		b.pending = nil
	}
}

// lookout lets one worker read the counters if the goroutine that runs the loop is late. That goroutine sleeps until
// each boundary. If all CPUs are in use, the runtime notices its timer only when a goroutine enters the scheduler or
// is preempted. That may be 10 to 20 ms late, which is much of a short window. Only one worker has a lookout, so that
// no two workers are ordered for the race detector.
type lookout struct {
	next, slack time.Duration // slack is how late the other goroutine may be; reading the counters delays this worker
	*boundaries
}

// slackShare is the inverse of the fraction of a window by which its boundaries may be late before a worker reads the
// counters.
const slackShare = 100

// never is the next time of a lookout that has nothing left to do.
const never = 1<<63 - 1

// pass receives the time after each operation. It does not wait for a reading in progress.
func (l *lookout) pass(now time.Duration) {
	if now < l.next || !l.mu.TryLock() {
		return
	}
	l.cross(now - l.slack)
	l.next = never
	if len(l.pending) > 0 {
		l.next = l.pending[0].at + l.slack
	}
	l.mu.Unlock()
}

// ends returns the boundaries of a window, and a lookout for one worker.
func ends(begin, end time.Duration, atBegin, atEnd func()) (*boundaries, *lookout) {
	b := &boundaries{pending: []boundary{{begin, atBegin}, {end, atEnd}}}
	slack := (end - begin) / slackShare
	return b, &lookout{begin + slack, slack, b}
}

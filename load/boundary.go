package load

import (
	"sync"
	"time"

	"github.com/brewput/brewput/env"
)

// boundaries are the ends of a window, where the counters are read once each.
type boundaries struct {
	mu      sync.Mutex // held by who reads
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

// await sleeps until each boundary and reads the counters there.
func (b *boundaries) await(e env.Env, at ...time.Duration) {
	for _, t := range at {
		e.Sleep(t - e.Now())
		b.mu.Lock()
		b.cross(t)
		b.mu.Unlock()
	}
}

// lookout lets one worker read the counters where the goroutine that runs the loop is late. That one sleeps until each
// boundary, and on CPUs that are all busy the runtime notices its timer only when somebody enters the scheduler or is
// preempted: 10 to 20 ms late, much of a short window. One worker alone has a lookout, so that no two
// workers are ordered for the race detector.
type lookout struct {
	next, slack time.Duration // slack is how late the other may be: who reads the counters delays its next operation
	*boundaries
}

// slackShare is the part of a window that its boundaries may be late before a worker reads the counters.
const slackShare = 100

// never is when a lookout has nothing left to do.
const never = 1<<63 - 1

// pass is told of the time after each operation. It does not wait for a reading under way.
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

// ends are the boundaries of a window, and a lookout for one worker.
func ends(begin, end time.Duration, atBegin, atEnd func()) (*boundaries, *lookout) {
	b := &boundaries{pending: []boundary{{begin, atBegin}, {end, atEnd}}}
	slack := (end - begin) / slackShare
	return b, &lookout{begin + slack, slack, b}
}

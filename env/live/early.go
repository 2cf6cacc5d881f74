package live

import (
	"sync"
	"time"
)

const (
	// firstEarly is how early goroutines are woken at first, and maxEarly the most. The timers of an idle virtual
	// machine wake a goroutine about 100 us late, because its CPU must leave a deep sleep first.
	firstEarly, maxEarly = 100 * time.Microsecond, 200 * time.Microsecond
	// earlyStep is by how much a wake-up that ends late prolongs the time of the next ones, and lateShare the inverse
	// of the share of wake-ups that end late nevertheless.
	earlyStep, lateShare = 5 * time.Microsecond, 50
	// maxPolling is the inverse of the share of a CPU that polling may take, and maxSaved how much of it may be saved
	// for later, or taken ahead.
	maxPolling, maxSaved = 5, 10 * time.Millisecond
	// alwaysPolled is a wait that a timer cannot end in time.
	alwaysPolled = 25 * time.Microsecond
)

// early wakes goroutines early, which then poll the clock. It learns how early. It is safe for concurrent use.
type early struct {
	mu    sync.Mutex
	by    time.Duration
	saved time.Duration // time for polling
	since time.Duration // when saved was computed
}

// until waits until w's clock is at the given time.
func (l *early) until(w *World, at time.Duration) {
	now := w.Now()
	if now >= at {
		return
	}
	by := l.allowed(now)
	always := at-now <= alwaysPolled
	if always {
		by = alwaysPolled
	}
	parked := now < at-by
	if parked {
		w.park(at - by)
		now = w.Now()
	}
	began, late := now, now > at
	for now < at {
		now = w.Now()
	}
	polled := now - began
	if always {
		polled = 0 // it is no choice, so it takes nothing from other waits
	}
	l.learn(polled, parked && by > 0, late)
}

// allowed returns how early a goroutine may wake up: 0 if polling has taken its share.
func (l *early) allowed(now time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.saved = min(l.saved+(now-l.since)/maxPolling, maxSaved)
	l.since = now
	if l.saved < l.by {
		return 0
	}
	return l.by
}

// learn notes that the clock was polled for a time, and how a goroutine ended that was woken early.
func (l *early) learn(polled time.Duration, woken, late bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.saved = max(l.saved-polled, -maxSaved) // goroutines that poll at the same time may exceed the share
	switch {
	case !woken:
	case late:
		l.by = min(l.by+earlyStep, maxEarly)
	default:
		l.by = max(l.by-earlyStep/lateShare, earlyStep)
	}
}

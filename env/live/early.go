package live

import (
	"runtime"
	"sync"
	"time"
)

const (
	// maxEarly is how early goroutines are woken at most, and as long as too few wake-ups are known. The timers of an
	// idle virtual machine wake a goroutine about 100 us late, because its CPU must leave a deep sleep first. One in a
	// hundred is a millisecond late.
	maxEarly = time.Millisecond
	// lateShare is the inverse of the share of wake-ups that end late nevertheless, which must be below that of a p99.
	lateShare = 400
	// latenessStep is the resolution of the known lateness of wake-ups, and margin what is added to it.
	latenessStep, margin = 20 * time.Microsecond, 10 * time.Microsecond
	// remembered is the number of wake-ups after which each counts half, and weight what one counts at first, so that
	// halves of a rare one are not lost.
	remembered, weight = 4 * lateShare, 16
	// maxPolling is the inverse of the share of a CPU that polling may take, and maxSaved how much of it may be saved
	// for later, or taken ahead. If less than half of that is left, goroutines are woken less early.
	maxPolling, maxSaved = 5, 10 * time.Millisecond
	// alwaysPolled is a wait that a timer cannot end in time.
	alwaysPolled = 25 * time.Microsecond
)

// early wakes goroutines early, which then poll the clock. It learns how early from how late timers woke those that had
// to wait longer than that. It is safe for concurrent use.
type early struct {
	mu    sync.Mutex
	late  [maxEarly/latenessStep + 1]int // weights of wake-ups by lateness in steps; the last are beyond maxEarly
	known int                            // sum of late
	by    time.Duration                  // what they need; 0 before the first
	saved time.Duration                  // time for polling
	since time.Duration                  // when saved was computed
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
	if wake := at - by; now < wake {
		w.park(wake)
		now = w.Now()
		l.learn(now - wake)
	}
	if at-now > alwaysPolled {
		// The thread that a timer woke has left the network poller. Without another thread there, replies would only
		// be noticed when polling ends. Gosched wakes one.
		runtime.Gosched()
		now = w.Now()
	}
	began := now
	for now < at {
		now = w.Now()
	}
	if !always { // otherwise it is no choice, so it takes nothing from other waits
		l.spend(now - began)
	}
}

// allowed returns how early a goroutine may wake up: less than it needs if little time for polling is left, in
// proportion. If it took all that is left, the next ones would have none, and one in seven would be late in
// TestScarcePollingIsShared instead of one in thirty.
func (l *early) allowed(now time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.saved = min(l.saved+(now-l.since)/maxPolling, maxSaved)
	l.since = now
	by := l.by
	if l.known < lateShare*weight {
		by = maxEarly
	}
	return max(0, min(by, by*l.saved/(maxSaved/2)))
}

// spend notes that the clock was polled for a time. Goroutines that poll at the same time may exceed the share.
func (l *early) spend(polled time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.saved = max(l.saved-polled, -maxSaved)
}

// learn notes how late a timer woke a goroutine.
func (l *early) learn(late time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late[min(max(0, late)/latenessStep, maxEarly/latenessStep)] += weight
	if l.known += weight; l.known >= remembered*weight {
		l.known = 0
		for i := range l.late {
			l.late[i] /= 2
			l.known += l.late[i]
		}
	}
	later, i := 0, len(l.late)
	for i > 0 && (later+l.late[i-1])*lateShare <= l.known {
		i--
		later += l.late[i]
	}
	l.by = min(time.Duration(i)*latenessStep+margin, maxEarly)
}

package live

import (
	"sync"
	"time"

	"github.com/brewput/brewput/internal/alarm"
)

// alarms is a pool of kernel timers, as many as goroutines have waited at once.
type alarms struct {
	mu   sync.Mutex
	free []*alarm.Timer
}

// wait parks the goroutine in the network poller for d > 0. It reports false if the system has no timer.
func (a *alarms) wait(d time.Duration) bool {
	t := a.take()
	if t == nil {
		return false
	}
	if !t.Wait(d) {
		t.Close()
		return false
	}
	a.mu.Lock()
	a.free = append(a.free, t)
	a.mu.Unlock()
	return true
}

// take returns a timer, or nil if the system has none.
func (a *alarms) take() *alarm.Timer {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.free); n > 0 {
		t := a.free[n-1]
		a.free = a.free[:n-1]
		return t
	}
	t, _ := alarm.New()
	return t
}

// close releases the timers.
func (a *alarms) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.free {
		t.Close()
	}
	a.free = nil
}

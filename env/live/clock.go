package live

import (
	"container/heap"
	"sync"
	"time"

	"github.com/brewput/brewput/internal/alarm"
)

// clock wakes goroutines at their times with one kernel timer, which is set to the earliest of them. Its own
// goroutine waits for that timer in the network poller, as for a reply. It runs as long as any goroutine waits.
type clock struct {
	epoch time.Time

	mu      sync.Mutex
	timer   *alarm.Timer // nil before the first wait, and if the system has none
	missing bool         // the system has no such timer
	rings   bool         // the goroutine runs
	line    sleepers

	spent sync.Pool // of sleepers that have been woken
}

// sleeper is a goroutine that waits.
type sleeper struct {
	at   time.Duration // since the epoch
	wake chan struct{} // of capacity 1
}

// wait parks the goroutine for d > 0, never for less. It reports false if the system has no timer.
func (c *clock) wait(d time.Duration) bool {
	c.mu.Lock()
	if !c.ready() {
		c.mu.Unlock()
		return false
	}
	s, _ := c.spent.Get().(*sleeper)
	if s == nil {
		s = &sleeper{wake: make(chan struct{}, 1)}
	}
	s.at = time.Since(c.epoch) + d
	heap.Push(&c.line, s)
	if c.line[0] == s {
		c.timer.Set(d)
	}
	if !c.rings {
		c.rings = true
		go c.ring(c.timer)
	}
	c.mu.Unlock()
	<-s.wake
	c.spent.Put(s) // only now: another goroutine that took it earlier would be woken in place of this one
	return true
}

// ready creates the timer if there is none yet, and reports whether there is one.
func (c *clock) ready() bool {
	if c.timer == nil && !c.missing {
		t, ok := alarm.New()
		c.timer, c.missing = t, !ok
	}
	return !c.missing
}

// ring wakes the goroutines that are due, until none waits.
func (c *clock) ring(t *alarm.Timer) {
	for {
		if !t.Await() {
			return // the run is over, and goroutines are still waiting
		}
		c.mu.Lock()
		for now := time.Since(c.epoch); len(c.line) > 0 && c.line[0].at <= now; {
			s := heap.Pop(&c.line).(*sleeper)
			s.wake <- struct{}{}
		}
		if len(c.line) == 0 {
			c.rings = false
			c.mu.Unlock()
			return
		}
		t.Set(max(1, c.line[0].at-time.Since(c.epoch)))
		c.mu.Unlock()
	}
}

// close releases the timer. No goroutine may be waiting.
func (c *clock) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Close()
		c.timer = nil
	}
}

// sleepers is a heap with the earliest first.
type sleepers []*sleeper

func (l sleepers) Len() int           { return len(l) }
func (l sleepers) Less(i, j int) bool { return l[i].at < l[j].at }
func (l sleepers) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *sleepers) Push(x any)        { *l = append(*l, x.(*sleeper)) }
func (l *sleepers) Pop() any {
	old := *l
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*l = old[:len(old)-1]
	return last
}

package live

import (
	"container/heap"
	"sync"
	"time"

	"github.com/brewput/brewput/internal/alarm"
)

// clock wakes goroutines at their time by one timer of the kernel, set to the earliest of them. Its own goroutine,
// which waits for that timer in the network poller as for an answer, runs as long as anybody waits.
type clock struct {
	epoch time.Time

	mu      sync.Mutex
	timer   *alarm.Timer // nil before the first wait, and where the system has none
	missing bool         // the system has none
	rings   bool         // the goroutine is there
	line    sleepers

	spent sync.Pool // of sleepers whose wait is over
}

// sleeper is a goroutine that waits.
type sleeper struct {
	at   time.Duration // since the epoch
	wake chan struct{} // of capacity 1
}

// wait parks the goroutine for d > 0, never less. It reports whether it could.
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
	c.spent.Put(s) // not before: whoever took it then would be woken in this one's place
	return true
}

// ready makes the timer if there is none yet.
func (c *clock) ready() bool {
	if c.timer == nil && !c.missing {
		t, ok := alarm.New()
		c.timer, c.missing = t, !ok
	}
	return !c.missing
}

// ring wakes who is due, until nobody waits.
func (c *clock) ring(t *alarm.Timer) {
	for {
		if !t.Await() {
			return // the run is over, and left goroutines behind
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

// close gives the timer back. Nobody may wait.
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

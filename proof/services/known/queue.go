package known

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/alarm"
)

// Config describes a server.
type Config struct {
	Servers  int           `json:"servers"`  // requests in service at once, at least 1
	Mean     time.Duration `json:"mean"`     // mean service time in ns
	Constant bool          `json:"constant"` // equal service times instead of exponential ones
	Seed     uint64        `json:"seed"`     // of service times
	// Every and Pause, both positive or both 0: all servers stop for Pause after each Every, the first time at Every. A
	// service that is interrupted continues afterwards.
	Every time.Duration `json:"every"`
	Pause time.Duration `json:"pause"`
	Limit int           `json:"limit"` // most entries of the log, at least 1
}

// Validate returns an error for a server that cannot exist.
func (c Config) Validate() error {
	switch {
	case c.Servers < 1 || c.Servers > 1000:
		return fmt.Errorf("%d servers: give 1 to 1000", c.Servers)
	case c.Mean < 0:
		return fmt.Errorf("a mean service time of %v: give one that is not negative", c.Mean)
	case c.Every < 0 || c.Pause < 0 || (c.Every == 0) != (c.Pause == 0) || c.Pause > 0 && c.Every <= c.Pause:
		return fmt.Errorf("a pause of %v every %v: give a pause that is shorter than the time between two, or neither",
			c.Pause, c.Every)
	case c.Limit < 1:
		return fmt.Errorf("a log of %d entries: give at least 1", c.Limit)
	}
	return nil
}

// Draw returns the service time that a request should have.
func (c Config) Draw(request uint64) time.Duration {
	if c.Constant {
		return c.Mean
	}
	d := env.NewRand(c.Seed).At(request, 0)
	return time.Duration(d.Exp() * float64(c.Mean))
}

// paused returns the end of the pause that a time is in. ok is false outside pauses.
func (c Config) paused(at time.Duration) (end time.Duration, ok bool) {
	if c.Pause == 0 || at < c.Every {
		return 0, false
	}
	begin := at - at%c.Every
	return begin + c.Pause, at < begin+c.Pause
}

// resumed returns at, or the end of the pause that it is in.
func (c Config) resumed(at time.Duration) time.Duration {
	if end, ok := c.paused(at); ok {
		return end
	}
	return at
}

// ends returns when a service that starts outside pauses ends.
func (c Config) ends(start, service time.Duration) time.Duration {
	if c.Pause == 0 {
		return start + service
	}
	for {
		next := start - start%c.Every + c.Every // the next pause
		if start+service <= next {
			return start + service
		}
		service -= next - start
		start = next + c.Pause
	}
}

// work returns how much of a service is in no pause. It does not start in a pause, and ends outside or when one begins.
func (c Config) work(start, end time.Duration) time.Duration {
	if c.Pause == 0 {
		return end - start
	}
	return end - start - c.Pause*((end-1)/c.Every-start/c.Every)
}

// queue is a FIFO queue before equal servers. There are no goroutines of servers: the goroutine of a request spends its
// service time. Every time stamp is taken under the lock, so that all are in one order. A service that follows another
// starts at the time at which that one ended, so no time is lost between two, and the recursions reproduce every wait
// to the nanosecond.
type queue struct {
	Config
	now    func() time.Duration
	sleep  func(time.Duration) // may end early or late
	spin   time.Duration       // last part of a service, in which the clock is read in a loop, because timers are late
	timers sync.Pool

	mu      sync.Mutex
	busy    int
	waiting []*visit
	epoch   int
	order   int // arrivals so far
	log     []Entry
	lost    int // entries beyond the limit
}

// visit is a request in the queue.
type visit struct {
	Entry
	turn  chan struct{} // receives a value when the service starts, unless it starts at once
	index int           // of the entry in the log
}

// newQueue returns an idle queue in real time.
func newQueue(c Config) *queue {
	zero := time.Now()
	q := &queue{Config: c, now: func() time.Duration { return time.Since(zero) },
		spin: 20 * time.Microsecond}
	q.sleep = func(d time.Duration) {
		t, _ := q.timers.Get().(*alarm.Timer)
		if t == nil {
			t, _ = alarm.New()
		}
		if t == nil || !t.Wait(d) {
			time.Sleep(d)
			return
		}
		q.timers.Put(t)
	}
	return q
}

// errFull means that the log is full, and that the request was not served.
var errFull = errors.New("the log is full")

// serve serves a request that reached this host at a time. It returns the index of its entry in the log.
func (q *queue) serve(request uint64, received time.Duration) (index int, err error) {
	v := &visit{Entry: Entry{Request: request, Received: received}}
	if !q.enter(v) {
		return 0, errFull
	}
	if v.turn != nil {
		<-v.turn
	}
	end := q.ends(v.Start, q.Draw(request))
	for {
		switch left := end - q.now(); {
		case left > q.spin:
			q.sleep(left - q.spin)
		case left <= 0 && q.leave(v):
			return v.index, nil
		case left <= 0: // in a pause
			end = q.resumed(q.now()) + 1
		}
	}
}

// enter starts a service, or lets a request wait. It reports false if the log has no place left.
func (q *queue) enter(v *visit) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.log)+q.busy+len(q.waiting) >= q.Limit {
		q.lost++
		return false
	}
	v.Arrival, v.Epoch, v.order = q.now(), q.epoch, q.order
	q.order++
	if q.busy == q.Servers {
		v.turn = make(chan struct{}, 1)
		q.waiting = append(q.waiting, v)
		return true
	}
	q.busy++
	v.Start = q.resumed(v.Arrival)
	return true
}

// leave ends a service, and starts the next one. It reports false in a pause, and at the very start of the service.
func (q *queue) leave(v *visit) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	if _, paused := q.paused(now - 1); paused || now <= v.Start {
		return false // at the very end of a pause, no work has been done since its beginning
	}
	v.End, v.Service, v.Written = now, q.work(v.Start, now), now
	v.index = len(q.log)
	q.log = append(q.log, v.Entry)
	if len(q.waiting) == 0 {
		q.busy--
		return true
	}
	next := q.waiting[0]
	q.waiting = q.waiting[1:]
	next.Start = q.resumed(now)
	next.turn <- struct{}{}
	return true
}

// written notes when the reply was written to the connection.
func (q *queue) written(index int, at time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.log[index].Written = max(q.log[index].Written, at)
}

// begin starts a new epoch of the log.
func (q *queue) begin() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.epoch++
}

package identity

import (
	"sync"
	"time"

	"github.com/brewput/brewput/env/live"
)

// counter hands out the identities of a server. It is safe for concurrent use.
type counter interface {
	// next returns an identity, after the work of the reply, and how long that work took.
	next() (id uint64, worked time.Duration)

	// stop ends the goroutines of the counter.
	stop()
}

// newCounter returns the counter of a design.
func newCounter(s settings, reply work) counter {
	switch s.Counter {
	case "simple":
		return &simple{reply: reply}
	case "actor":
		return newOwner(s.Mailbox, reply)
	case "locker":
		return &locker{reply: reply}
	}
	return &sequence{reply: reply}
}

// work takes the CPU time of a reply, and returns how long it took: longer, if the CPUs are busy.
type work func() time.Duration

// newWork returns the work of a reply. It measures how fast the burn loop is, because the server is a process of its
// own, without the calibration of the trial.
func newWork(d time.Duration) work {
	if d <= 0 {
		return func() time.Duration { return 0 }
	}
	const probe = 1_000_000 // iterations, about a millisecond
	best := time.Duration(1 << 62)
	for range 5 {
		begin := time.Now()
		_ = live.Spin(probe)
		best = min(best, time.Since(begin))
	}
	n := uint64(probe * float64(d) / float64(max(best, 1)))
	return func() time.Duration {
		begin := time.Now()
		_ = live.Spin(n)
		return time.Since(begin)
	}
}

// simple has one lock around the whole call, including the reply.
type simple struct {
	lock  sync.Mutex
	last  uint64
	reply work
}

func (c *simple) next() (uint64, time.Duration) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.last++
	return c.last, c.reply()
}

func (c *simple) stop() {}

// sequence has a lock around the counter. Replies are parallel.
type sequence struct {
	lock  sync.Mutex
	last  uint64
	reply work
}

func (c *sequence) next() (uint64, time.Duration) { return c.reserve(1), c.reply() }

// reserve returns the first of n identities.
func (c *sequence) reserve(n uint64) (first uint64) {
	c.lock.Lock()
	defer c.lock.Unlock()
	first = c.last + 1
	c.last += n
	return first
}

func (c *sequence) stop() {}

// message is a call of an actor: the channel for its reply.
type message struct{ reply chan result }

// result is the reply to a call.
type result struct {
	id     uint64
	worked time.Duration
}

// owner is an actor: a goroutine that owns the counter. A call sends a message with a new channel for the reply.
type owner struct {
	mailbox chan message
	ended   chan struct{}
}

func newOwner(mailbox int, reply work) *owner {
	a := &owner{make(chan message, mailbox), make(chan struct{})}
	go func() {
		defer close(a.ended)
		last := uint64(0)
		for m := range a.mailbox {
			last++
			m.reply <- result{last, reply()}
		}
	}()
	return a
}

func (a *owner) next() (uint64, time.Duration) {
	m := message{make(chan result, 1)}
	a.mailbox <- m
	r := <-m.reply
	return r.id, r.worked
}

func (a *owner) stop() {
	close(a.mailbox)
	<-a.ended
}

// locker has the interface of the actor, but handles each message at once, under a lock.
type locker struct {
	lock  sync.Mutex
	last  uint64
	reply work
}

func (c *locker) next() (uint64, time.Duration) {
	m := message{make(chan result, 1)}
	c.handle(m)
	r := <-m.reply
	return r.id, r.worked
}

func (c *locker) handle(m message) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.last++
	m.reply <- result{c.last, c.reply()}
}

func (c *locker) stop() {}

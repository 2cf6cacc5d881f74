package identity

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newDraining is an actor without a goroutine of its own. A call that finds the actor idle runs it: it takes all
// messages that are waiting, replies to them, and repeats that until none is left. Other calls wait for their reply. A
// caller that ran the actor for maxDrains times passes it on, so that nobody works for the others forever.
func newDraining(_ env.Env, p plan.Point) (workload.Job, error) {
	reply := p.Duration("reply")
	return Job(p, func(e env.Env) Service {
		a := &drainer{lock: e.Mutex("mailbox")}
		return Service{Caller: func(e env.Env) func() (uint64, bool) {
			own := &waiter{wake: env.NewChan[struct{}](e, "", 1)}
			return func() (uint64, bool) { return a.call(e, own, reply), true }
		}}
	}), nil
}

// maxDrains limits how often a caller empties the mailbox.
const maxDrains = 16

// drainer is an actor that its callers run.
type drainer struct {
	lock    *env.Mutex
	waiting []*waiter
	running bool

	// Only the caller that runs the actor uses these.
	spent []*waiter
	last  uint64
}

// waiter is a caller and its message.
type waiter struct {
	wake *env.Chan[struct{}]
	id   uint64 // of the reply; 0 if the caller must run the actor
}

// call returns the next identity.
func (a *drainer) call(e env.Env, own *waiter, reply time.Duration) uint64 {
	own.id = 0
	a.lock.Lock()
	a.waiting = append(a.waiting, own)
	if a.running {
		a.lock.Unlock()
		if own.wake.Recv(); own.id != 0 {
			return own.id
		}
		a.lock.Lock() // it has the turn, and its message is waiting
	}

	a.running = true
	for range maxDrains {
		batch := a.waiting
		a.waiting = a.spent[:0]
		a.lock.Unlock()
		for _, w := range batch {
			a.last++
			work(e, reply)
			w.id = a.last
			if w != own {
				w.wake.Send(struct{}{})
			}
		}
		a.spent = batch
		a.lock.Lock()
		if len(a.waiting) == 0 {
			a.running = false
			a.lock.Unlock()
			return own.id
		}
	}
	next := a.waiting[0] // its id is 0, so that it runs the actor
	a.lock.Unlock()
	next.wake.Send(struct{}{})
	return own.id
}

// newCombining is flat combining (Hendler, Incze, Shavit, Tzafrir: Flat combining and the synchronization-parallelism
// tradeoff, SPAA 2010). A caller that finds the lock free serves itself, and then all calls that others have published
// meanwhile. A caller that finds it taken publishes its call in a record of its own, reads the record for a while, and
// then waits for the lock.
func newCombining(_ env.Env, p plan.Point) (workload.Job, error) {
	reply := p.Duration("reply")
	return Job(p, func(e env.Env) Service {
		c := &combiner{lock: e.Mutex("combiner"), published: env.NewAtomic[int](e, "published")}
		return Service{Caller: func(e env.Env) func() (uint64, bool) {
			own := &record{calling: env.NewAtomic[uint64](e, "calling")}
			c.lock.Lock()
			c.records = append(c.records, own)
			c.lock.Unlock()
			return func() (uint64, bool) { return c.call(e, own, reply), true }
		}}
	}), nil
}

// maxReads is how often a caller reads its record before it waits for the lock.
const maxReads = 32

// combiner serves the calls of all records under its lock.
type combiner struct {
	lock      *env.Mutex
	published *env.Atomic[int] // at least the number of records with calling 1
	records   []*record
	last      uint64
}

// record is the call of a caller: 1 while it waits for the reply, which is then in id.
type record struct {
	calling *env.Atomic[uint64]
	id      uint64
}

// call returns the next identity.
func (c *combiner) call(e env.Env, own *record, reply time.Duration) uint64 {
	if !c.lock.TryLock() {
		c.published.Add(1)
		own.calling.Store(1)
		for range maxReads {
			if own.calling.Load() == 0 {
				return own.id
			}
		}
		c.lock.Lock()
		if own.calling.Load() == 0 {
			c.lock.Unlock()
			return own.id
		}
		c.published.Add(-1)
		own.calling.Store(0)
	}

	c.last++
	id := c.last
	work(e, reply)
	if c.published.Load() > 0 {
		c.serve(e, reply)
	}
	c.lock.Unlock()
	return id
}

// serve replies to all calls that are published.
func (c *combiner) serve(e env.Env, reply time.Duration) {
	for _, r := range c.records {
		if r.calling.Load() == 1 {
			c.last++
			work(e, reply)
			r.id = c.last
			c.published.Add(-1)
			r.calling.Store(0)
		}
	}
}

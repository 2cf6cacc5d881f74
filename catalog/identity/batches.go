package identity

import (
	"math"
	"slices"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newDraining is an actor without a goroutine of its own. A call that finds the actor idle runs it: it takes all
// messages that are waiting, replies to them, and repeats that until none is left. Other calls wait for their reply:
// they read the state of their message for a while, and then park. A caller that ran the actor for maxDrains times
// passes it on, so that nobody works for the others forever.
//
// The mailbox is a stack of messages with one atomic word. It has no lock, because the caller that runs the actor would
// park at it, and all others would then wait for that caller.
func newDraining(e env.Env, p plan.Point) (workload.Job, error) {
	reply, callers := p.Duration("reply"), p.Int("callers")
	return Job(e, p, func(e env.Env) Service {
		a := &drainer{mailbox: env.NewAtomic[uint64](e, "mailbox"), callers: env.NewAtomic[uint64](e, "callers"),
			messages: make([]*posted, callers)}
		return Service{Caller: func(e env.Env) func() (uint64, bool) {
			own := &posted{state: env.NewAtomic[uint64](e, "message"), wake: env.NewChan[struct{}](e, "", 1),
				number: a.callers.Add(1)}
			a.messages[own.number-1] = own
			return func() (uint64, bool) { return a.call(e, own, reply), true }
		}}
	}), nil
}

const (
	maxDrains = 16 // limits how often a caller empties the mailbox

	// spins is how often a caller reads the state of its message before it parks. If that took as long as to park and
	// to be woken, it would cost at most twice the better choice (Karlin, Li, Manasse, Owicki: Empirical studies of
	// competitive spinning for a shared-memory multiprocessor, SOSP 1991). The number is not tuned to a machine.
	spins = 500
)

// drainer is an actor that its callers run.
type drainer struct {
	mailbox  *env.Atomic[uint64] // idle, empty, or the number of the last message that is waiting
	callers  *env.Atomic[uint64]
	messages []*posted // by their number

	// Only the caller that runs the actor uses these.
	batch []*posted
	last  uint64
}

// The states of a mailbox without a message.
const (
	idle  = 0
	empty = math.MaxUint64 // and a caller runs the actor
)

// posted is the message of a caller.
type posted struct {
	number uint64 // from 1
	below  uint64 // the mailbox before it
	state  *env.Atomic[uint64]
	wake   *env.Chan[struct{}] // to a caller that is parked
	id     uint64              // of the reply; 0 if the caller must run the actor
}

// The states of a message.
const (
	sent = iota
	parked
	answered
)

// call returns the next identity.
func (a *drainer) call(e env.Env, own *posted, reply time.Duration) uint64 {
	own.id = 0
	own.state.Store(sent)
	for {
		own.below = a.mailbox.Load()
		if a.mailbox.CompareAndSwap(own.below, own.number) {
			break
		}
	}
	if own.below != idle {
		if own.wait(); own.id != 0 {
			return own.id
		}
	}

	for range maxDrains {
		for _, m := range a.take() {
			a.last++
			work(e, reply)
			m.id = a.last
			if m != own {
				m.answer()
			}
		}
		if a.mailbox.CompareAndSwap(empty, idle) {
			return own.id
		}
	}
	// The caller of the last message is the most likely one to read its state. The id is 0, so that it runs the actor.
	a.messages[a.mailbox.Load()-1].answer()
	return own.id
}

// take empties the mailbox and returns the messages in the order in which they were sent.
func (a *drainer) take() []*posted {
	last := a.mailbox.Load()
	for !a.mailbox.CompareAndSwap(last, empty) {
		last = a.mailbox.Load()
	}
	a.batch = a.batch[:0]
	for last != idle && last != empty {
		m := a.messages[last-1]
		a.batch = append(a.batch, m)
		last = m.below
	}
	slices.Reverse(a.batch)
	return a.batch
}

// wait waits for the reply, or for the turn. It parks if that takes longer than spins reads.
func (m *posted) wait() {
	for range spins {
		if m.state.Load() == answered {
			return
		}
	}
	if m.state.CompareAndSwap(sent, parked) {
		m.wake.Recv()
	}
}

// answer ends a wait.
func (m *posted) answer() {
	if !m.state.CompareAndSwap(sent, answered) {
		m.wake.Send(struct{}{})
	}
}

// newCombining is flat combining (Hendler, Incze, Shavit, Tzafrir: Flat combining and the synchronization-parallelism
// tradeoff, SPAA 2010). A caller that finds the lock free serves itself, and then all calls that others have published
// meanwhile. A caller that finds it taken publishes its call in a record of its own, reads the record for a while, and
// then waits for the lock.
func newCombining(e env.Env, p plan.Point) (workload.Job, error) {
	reply := p.Duration("reply")
	return Job(e, p, func(e env.Env) Service {
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

package merge

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newSwapped replaces the channel by a slice under a lock. The producer appends to it. The consumer swaps the slice for
// an empty one, and so takes the lock once for all events that are waiting. Runs in the slice are maximal, but an equal
// event that arrives later is in another call.
func newSwapped(e env.Env, p plan.Point) (workload.Job, error) {
	limit := max(1, p.Int("buffer"))
	return job(e, p, func(e env.Env, o *output) {
		q, done := newQueue(e, limit), e.Group()
		done.Go(e, "consumer", func(e env.Env) { q.consume(e, o.call) })
		o.send(e, q.put)
		q.close()
		done.Wait()
	}), nil
}

// queue is a queue of events with a limit.
type queue struct {
	lock    *env.Mutex
	filled  *env.Cond // the queue is not empty, or closed
	drained *env.Cond // the queue has room
	waiting []string
	limit   int
	closed  bool
}

func newQueue(e env.Env, limit int) *queue {
	lock := e.Mutex("events")
	return &queue{lock: lock, filled: e.Cond(lock), drained: e.Cond(lock), limit: limit}
}

// put appends an event, and waits while the queue is full.
func (q *queue) put(event string) {
	q.lock.Lock()
	for len(q.waiting) >= q.limit {
		q.drained.Wait()
	}
	q.waiting = append(q.waiting, event)
	if len(q.waiting) == 1 {
		q.filled.Signal()
	}
	q.lock.Unlock()
}

// close ends the queue: swap returns what is left, and then nil.
func (q *queue) close() {
	q.lock.Lock()
	q.closed = true
	q.filled.Signal()
	q.lock.Unlock()
}

// swap waits for events and returns all of them, or nil if the queue is closed and empty. The queue takes the memory of
// spent.
func (q *queue) swap(spent []string) []string {
	q.lock.Lock()
	for len(q.waiting) == 0 && !q.closed {
		q.filled.Wait()
	}
	if len(q.waiting) == 0 {
		q.lock.Unlock()
		return nil
	}
	if len(q.waiting) == q.limit {
		q.drained.Broadcast() // it has room for several producers
	}
	all := q.waiting
	q.waiting = spent[:0]
	q.lock.Unlock()
	return all
}

// consume merges the events until the queue is closed and empty.
func (q *queue) consume(e env.Env, call func(env.Env, string, int)) {
	for waiting := q.swap(nil); waiting != nil; waiting = q.swap(waiting) {
		mergeAll(e, waiting, call)
	}
}

// newSlice merges all events at once, from memory: no design makes fewer calls.
func newSlice(e env.Env, p plan.Point) (workload.Job, error) {
	in := p.With("intensity", plan.FloatLevel(0))
	return job(e, in, func(e env.Env, o *output) { mergeAll(e, o.in.events, o.call) }), nil
}

// mergeAll makes a call for each run of events.
func mergeAll(e env.Env, events []string, call func(env.Env, string, int)) {
	from := 0
	for i := range events {
		if i+1 == len(events) || events[i+1] != events[from] {
			call(e, events[from], i+1-from)
			from = i + 1
		}
	}
}

package identity

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newSimple has one lock around the whole call, including the reply. The lock serializes the replies.
func newSimple(e env.Env, p plan.Point) (workload.Job, error) {
	reply := p.Duration("reply")
	return Job(e, p, func(e env.Env) Service {
		lock, last := e.Mutex("server"), uint64(0)
		return Service{Caller: func(e env.Env) func() (uint64, bool) {
			return func() (uint64, bool) {
				lock.Lock()
				last++
				id := last
				work(e, reply)
				lock.Unlock()
				return id, true
			}
		}}
	}), nil
}

// newSequence has a lock around the counter. Replies are parallel.
func newSequence(e env.Env, p plan.Point) (workload.Job, error) {
	reply := p.Duration("reply")
	return Job(e, p, func(e env.Env) Service {
		s := newSequenceOf(e)
		return Service{Caller: func(e env.Env) func() (uint64, bool) {
			return func() (uint64, bool) {
				id := s.next()
				work(e, reply)
				return id, true
			}
		}}
	}), nil
}

// sequence is a counter with a lock.
type sequence struct {
	lock *env.Mutex
	last uint64
}

func newSequenceOf(e env.Env) *sequence { return &sequence{lock: e.Mutex("sequence")} }

func (s *sequence) next() uint64 {
	s.lock.Lock()
	s.last++
	id := s.last
	s.lock.Unlock()
	return id
}

// take returns the first of n identities.
func (s *sequence) take(n int) uint64 {
	s.lock.Lock()
	defer s.lock.Unlock()
	first := s.last + 1
	s.last += uint64(n)
	return first
}

// newAtomic has an atomic counter. The cache line with the counter moves to the CPU of each caller, which limits it.
func newAtomic(e env.Env, p plan.Point) (workload.Job, error) {
	reply := p.Duration("reply")
	return Job(e, p, func(e env.Env) Service {
		last := env.NewAtomic[uint64](e, "last")
		return Service{Caller: func(e env.Env) func() (uint64, bool) {
			return func() (uint64, bool) {
				id := last.Add(1)
				work(e, reply)
				return id, true
			}
		}}
	}), nil
}

// newLeased gives each caller blocks of identities, which it hands out alone. A block costs one atomic operation. What
// is left of the last block of a caller is never issued.
func newLeased(e env.Env, p plan.Point) (workload.Job, error) {
	reply, block := p.Duration("reply"), uint64(p.Int("lease"))
	return Job(e, p, func(e env.Env) Service {
		leased := env.NewAtomic[uint64](e, "leased")
		return Service{Caller: func(e env.Env) func() (uint64, bool) {
			last, end := uint64(0), uint64(0)
			return func() (uint64, bool) {
				if last == end {
					end = leased.Add(block)
					last = end - block
				}
				last++
				work(e, reply)
				return last, true
			}
		}}
	}), nil
}

package peers

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// interleaved issues the identities k n + i + 1 of peer i of n.
type interleaved struct {
	p       Host
	n, i    uint64
	k       uint64 // of the next identity
	bound   uint64 // no k at or above the stored bound has been issued
	reserve uint64
}

func newInterleaved(e env.Env, point plan.Point) (workload.Job, error) {
	n, reserve := uint64(point.Int("peers")), uint64(point.Int("lease"))
	return job(e, point, func(p *peer) Protocol {
		return NewInterleaved(p, n, reserve)
	}), nil
}

// NewInterleaved returns the protocol interleaved of a peer, one of n, that starts. It stores a bound for reserve
// identities at once.
func NewInterleaved(p Host, n, reserve uint64) Protocol {
	return &interleaved{p: p, n: n, i: uint64(p.Number()), k: p.Stored(), bound: p.Stored(), reserve: reserve}
}

func (s *interleaved) Issue(e env.Env, last uint64) (id uint64, ok bool) {
	s.skip(last)
	if s.k >= s.bound {
		if !s.p.Store(e, s.k+s.reserve) {
			return 0, false
		}
		s.bound = s.k + s.reserve
	}
	id = s.k*s.n + s.i + 1
	s.k++
	return id, true
}

// skip makes the next identity larger than one of another peer.
func (s *interleaved) skip(last uint64) {
	if last > s.i {
		s.k = max(s.k, (last-s.i-1)/s.n+1)
	}
}

// receive catches up with the identities of another peer, so that those of all peers stay near each other. Nothing
// depends on it.
func (s *interleaved) Receive(_ env.Env, _ int, m Message) { s.skip(m.Value) }

func (s *interleaved) Tick(env.Env) {
	if s.k > 0 {
		s.p.Tell(Message{Value: (s.k-1)*s.n + s.i + 1})
	}
}

// Tell sends a message to all other peers.
func (p *peer) Tell(m Message) {
	for to := range p.net.messages {
		if to != p.number {
			p.Send(to, m)
		}
	}
}

// The kinds of messages about leases.
const (
	leaseRequest = iota
	leaseReply
)

// leased issues identities from a block that the first peer has leased to it.
type leased struct {
	p         Host
	block     uint64
	next, end uint64 // identities left in the block
	asked     int    // blocks that it has asked for
	asking    bool
}

func newLeased(e env.Env, point plan.Point) (workload.Job, error) {
	block := uint64(point.Int("lease"))
	return job(e, point, func(p *peer) Protocol { return NewLeased(p, block) }), nil
}

// NewLeased returns the protocol leased of a peer that starts. The first peer leases blocks of that many identities.
func NewLeased(p Host, block uint64) Protocol { return &leased{p: p, block: block} }

func (s *leased) Issue(e env.Env, last uint64) (id uint64, ok bool) {
	if s.next >= s.end || s.next <= last {
		if !s.lease(e) {
			return 0, false
		}
	}
	id = s.next
	s.next++
	return id, true
}

// lease gets a block. It is above every identity that was leased before, but a reply may arrive after other peers have
// issued identities of later blocks, so issue compares each with last. lease returns false if the peer has to wait for
// the block, or crashes.
func (s *leased) lease(e env.Env) bool {
	s.next, s.end = 0, 0
	if s.p.Number() != 0 {
		if !s.asking {
			s.asking = true
			s.asked++
			s.ask()
		}
		return false
	}
	from, ok := s.grant(e)
	if ok {
		s.next, s.end = from, from+s.block
	}
	return ok
}

// ask asks the first peer for a block. It is not asked for another one before this one arrives, or a reply that takes
// long would never be used.
func (s *leased) ask() { s.p.Send(0, Message{leaseRequest, s.asked, 0}) }

// grant returns the first identity of a new block, after it has stored its end. ok is false if the peer crashes.
func (s *leased) grant(e env.Env) (from uint64, ok bool) {
	from = s.p.Stored() + 1
	return from, s.p.Store(e, s.p.Stored()+s.block)
}

func (s *leased) Receive(e env.Env, from int, m Message) {
	switch {
	case m.Kind == leaseRequest:
		if first, ok := s.grant(e); ok {
			s.p.Send(from, Message{leaseReply, m.Number, first})
		}
	case s.asking && m.Number == s.asked: // others are late: their blocks are never used
		s.next, s.end, s.asking = m.Value, m.Value+s.block, false
	}
}

// tick asks again, because the request or the reply may be lost.
func (s *leased) Tick(env.Env) {
	if s.asking {
		s.ask()
	}
}

// jump issues the identity after the largest one that it knows.
type jump struct {
	p       Host
	largest uint64
}

func newJump(e env.Env, point plan.Point) (workload.Job, error) {
	return job(e, point, func(p *peer) Protocol { return &jump{p, p.Stored()} }), nil
}

func (s *jump) Issue(e env.Env, last uint64) (id uint64, ok bool) {
	s.largest = max(s.largest, last) + 1
	return s.largest, s.p.Store(e, s.largest)
}

func (s *jump) Receive(_ env.Env, _ int, m Message) { s.largest = max(s.largest, m.Value) }
func (s *jump) Tick(env.Env)                        { s.p.Tell(Message{Value: s.largest}) }

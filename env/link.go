package env

import (
	"math"
	"sync"
	"time"
)

// LinkConfig describes a [Link]. The zero LinkConfig delivers messages in order, without latency and without loss,
// while at most 1024 wait at the receiver.
type LinkConfig struct {
	// Latency returns the time from the end of a message's transmission to its arrival, from draws that belong to this
	// message. A negative latency counts as 0. Nil means no latency. It must not keep d, block, or make an operation of
	// this package. Links that share it call it concurrently.
	Latency func(d *Draws) time.Duration

	// Bandwidth is the number of bytes that the link transmits in a second: a message waits until those before it are
	// transmitted. 0 means no limit.
	Bandwidth float64

	// Loss is the probability that a message is lost, from 0 to 1.
	Loss float64

	// Reorder is the probability, from 0 to 1, that a message is exempt from the order: it can overtake others, and
	// they it. All others arrive in the order in which they were sent, as on one TCP connection.
	Reorder float64

	// Buffer is the number of messages that can wait at the receiver. One that arrives at a full buffer is dropped, as
	// a datagram is, and counts as Overflowed. 0 means 1024.
	Buffer int
}

// Link carries messages in one direction, as a network does: late, and not all of them. Create one with [NewLink]. It
// stays within the process in both worlds. Its methods take no Env: every goroutine of the world may use it.
//
// The random draws of the n-th message of a link depend only on the seed of the trial, the name of the link and n. So
// give each link a name of its own.
type Link[T any] struct {
	arrived *Chan[T]
	world   World
	config  LinkConfig
	rand    Rand

	mu      sync.Mutex // never held by an operation that parks or gives up a virtual CPU
	flying  flights[T]
	sent    uint64
	free    time.Duration // when the transmission of all messages ends
	last    time.Duration // latest arrival of the messages that keep their order
	cut     bool
	closing bool
	closed  bool
	landing int // calls of landNow in virtual time
	count   LinkCount
}

// LinkCount is what happened to the messages of a [Link]. Messages that are on their way are in Sent only.
type LinkCount struct {
	Sent       int64
	Delivered  int64 // arrived in the buffer of the receiver
	Lost       int64 // by Loss, by a partition when sent or on arrival, or sent after Close
	Overflowed int64 // arrived at a full buffer
}

// NewLink creates a link. The name is that of the receiver's buffer in reports, and determines what is lost and when.
// NewLink panics if a probability is not in [0, 1], or if Bandwidth or Buffer is negative.
func NewLink[T any](e Env, name string, c LinkConfig) *Link[T] {
	switch {
	case !(c.Loss >= 0 && c.Loss <= 1) || !(c.Reorder >= 0 && c.Reorder <= 1):
		panic("env: the Loss and Reorder of a link are probabilities, from 0 to 1")
	case !(c.Bandwidth >= 0) || c.Buffer < 0:
		panic("env: the Bandwidth and Buffer of a link are not negative")
	}
	if c.Buffer == 0 {
		c.Buffer = 1024
	}
	return &Link[T]{arrived: NewChan[T](e, name, c.Buffer), world: e.t.world, config: c,
		rand: NewRand(mix(e.t.world.Seed()) ^ nameKey(name))}
}

// nameKey returns a number for a name (FNV-1a: Fowler, Noll, Vo).
func nameKey(name string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	return h
}

// Send sends a message of some bytes, which count only if the link has a Bandwidth; fewer than 0 count as 0. It never
// parks. A message that is sent after [Link.Close] is lost. One that takes no time has arrived when Send returns.
func (l *Link[T]) Send(v T, bytes int) {
	now := l.world.Now()
	wait, ok := l.launch(now, v, bytes)
	switch {
	case !ok:
	case wait > 0:
		l.world.AfterFunc(wait, l.land)
	default:
		l.landNow(now)
	}
}

// landNow delivers the messages that are due, without a timer. In virtual time a send may give up its CPU, so the lock
// cannot be held meanwhile. Then landing keeps the link open.
func (l *Link[T]) landNow(now time.Duration) {
	if l.arrived.virtual == nil {
		l.landAt(now)
		return
	}
	l.mu.Lock()
	l.landing++
	for len(l.flying) > 0 && l.flying[0].at <= now {
		if v, ok := l.arrive(now); ok {
			l.mu.Unlock()
			delivered := l.arrived.TrySend(v)
			l.mu.Lock()
			l.counted(delivered)
		}
	}
	l.landing--
	end := l.ends()
	l.mu.Unlock()
	if end {
		l.arrived.Close()
	}
}

// launch puts a message on its way and returns the time until it arrives. ok is false if it is lost.
func (l *Link[T]) launch(now time.Duration, v T, bytes int) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.rand.At(l.sent, 0)
	number := l.sent
	l.sent++
	l.count.Sent++

	// Draw everything in any case, so that a partition changes no later draw of the message.
	lost, free := d.Float64() < l.config.Loss, d.Float64() < l.config.Reorder
	latency := time.Duration(0)
	if l.config.Latency != nil {
		own := d // only this copy is allocated
		latency = max(0, l.config.Latency(&own))
	}
	if l.config.Bandwidth > 0 { // a message that is lost later is transmitted, too
		transmission := math.Min(float64(max(0, bytes))/l.config.Bandwidth*1e9, math.MaxInt64/4)
		l.free = later(max(l.free, now), time.Duration(transmission))
	} else {
		l.free = now
	}
	if lost || l.cut || l.closing {
		l.count.Lost++
		return 0, false
	}

	at := later(l.free, latency)
	if !free {
		at = max(at, l.last)
		l.last = at
	}
	l.flying.push(flight[T]{at: at, number: number, message: v})
	return at - now, true
}

// later returns the time d after t, at most the end of time.
func later(t, d time.Duration) time.Duration { return t + min(d, math.MaxInt64-t) }

// land delivers the messages that have arrived. A timer calls it for each message. It delivers all that are due, in
// order, because timers of the Go runtime may be late by different times.
func (l *Link[T]) land() { l.landAt(l.world.Now()) }

// landAt delivers the messages that have arrived at a time.
func (l *Link[T]) landAt(now time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock() // a timer's function never gives up its CPU, so it may hold the lock in TrySend
	for len(l.flying) > 0 && l.flying[0].at <= now {
		if v, ok := l.arrive(now); ok {
			l.counted(l.arrived.TrySend(v))
		}
	}
	if l.ends() {
		l.arrived.Close()
	}
}

// ends reports, once, whether the receiver must get the end of the link now.
func (l *Link[T]) ends() bool {
	if !l.closing || l.closed || l.landing > 0 || len(l.flying) > 0 {
		return false
	}
	l.closed = true
	return true
}

// arrive takes the first message on its way, which has arrived. ok is false if it is lost.
func (l *Link[T]) arrive(now time.Duration) (v T, ok bool) {
	f := l.flying.pop()
	f.settle(now, l.cut)
	if f.lost {
		l.count.Lost++
	}
	return f.message, !f.lost
}

// counted counts a message that has arrived.
func (l *Link[T]) counted(delivered bool) {
	if delivered {
		l.count.Delivered++
	} else {
		l.count.Overflowed++
	}
}

// Close ends the link. Messages that are on their way still arrive, unless they are lost, and then the receiver gets
// the end of the link. No loss and no partition affects the end itself. A second Close has no effect.
func (l *Link[T]) Close() {
	now := l.world.Now()
	l.mu.Lock()
	again := l.closing
	l.closing = true
	wait := time.Duration(0)
	for _, f := range l.flying {
		wait = max(wait, f.at-now)
	}
	l.mu.Unlock()
	if !again {
		l.world.AfterFunc(wait, l.land)
	}
}

// Cut makes a partition: until [Link.Heal], messages that are sent or would arrive are lost. A message that arrives at
// the very time of Cut is delivered; one that would arrive at the very time of Heal is lost.
func (l *Link[T]) Cut() { l.setCut(true) }

// Heal ends a partition.
func (l *Link[T]) Heal() { l.setCut(false) }

// setCut decides first which of the messages that have arrived are lost, because their timers may be late.
func (l *Link[T]) setCut(cut bool) {
	now := l.world.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.flying {
		l.flying[i].settle(now, l.cut)
	}
	l.cut = cut
}

// Recv receives the next message that has arrived, and parks until there is one. ok is false at the end of the link.
func (l *Link[T]) Recv() (v T, ok bool) { return l.arrived.Recv() }

// TryRecv receives a message if one has arrived. received is false if Recv would have parked; ok is false at the end of
// the link.
func (l *Link[T]) TryRecv() (v T, ok, received bool) { return l.arrived.TryRecv() }

// OnRecv is the case of [Select] that receives a message into *dst. At the end of the link it proceeds with the zero
// value.
func (l *Link[T]) OnRecv(dst *T) Case { return l.arrived.OnRecv(dst) }

// OnRecvOK is OnRecv that also stores in *ok whether a message was received; false means the end of the link.
func (l *Link[T]) OnRecvOK(dst *T, ok *bool) Case { return l.arrived.OnRecvOK(dst, ok) }

// Count returns what happened to the messages until now.
func (l *Link[T]) Count() LinkCount {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

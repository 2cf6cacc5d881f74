package sim

import (
	"math"
	"math/bits"
)

// never is the time of a slot that has no event.
const never = math.MaxInt64

// key orders events: by time in nanoseconds, then in the order in which they were scheduled.
type key struct {
	at  int64
	seq uint64
}

// before compares two keys as one number of 128 bits, without a branch: the outcome is as good as
// random, and a branch on it would be mispredicted half of the time. Times are not negative.
func before(a, b *key) uint64 {
	_, borrow := bits.Sub64(a.seq, b.seq, 0)
	_, borrow = bits.Sub64(uint64(a.at), uint64(b.at), borrow)
	return borrow
}

// events is the event set: one slot for each CPU and each timer, and at most one event in a slot, so
// that moving or cancelling an event is the same overwrite as scheduling it. Events of the present
// instant stand in a ring; the others are in a winner tree (Knuth, The Art of Computer Programming 3,
// 5.4.1), whose root is the earliest, or in the ladder before it.
type events struct {
	ladder
	now  int64
	seq  uint64
	tie  uint64 // flips the order of events of one instant; only tests set it
	flat bool   // there is never a ladder; only tests set it
	keys []key  // by slot
	win  []int32
	n    int // slots that the tree has room for, a power of two
	next int32
	free []int32

	popped int32 // slot whose event was taken and whose key still stands in the tree; -1 none
	ring   []entry
	head   int
	tail   int
}

// entry is an event of the present instant.
type entry struct {
	slot int32
	seq  uint64
}

// slot returns a new slot without an event.
func (e *events) slot() int32 {
	if k := len(e.free); k > 0 {
		s := e.free[k-1]
		e.free = e.free[:k-1]
		return s
	}
	s := e.next
	e.next++
	if int(s) >= e.n {
		e.grow()
	}
	return s
}

// release gives a slot back. Its event is cancelled.
func (e *events) release(s int32) {
	e.cancel(s)
	e.free = append(e.free, s)
}

// grow doubles the tree and plays all matches again.
func (e *events) grow() {
	if e.n == 0 {
		e.popped, e.horizon = -1, never
		e.ring = make([]entry, 16)
	}
	n := max(2, 2*e.n)
	keys := make([]key, n)
	copy(keys, e.keys)
	for i := e.n; i < n; i++ {
		keys[i].at = never
	}
	e.keys, e.n = keys, n
	if n >= ladderSlots && !e.flat {
		e.raise(n)
	}
	e.win = make([]int32, 2*n)
	for i := range n {
		e.win[n+i] = int32(i)
	}
	for i := n - 1; i > 0; i-- {
		e.win[i] = e.winner(e.win[2*i], e.win[2*i+1])
	}
}

func (e *events) winner(a, b int32) int32 {
	return a ^ (a^b)&-int32(before(&e.keys[b], &e.keys[a]))
}

// inRing marks the key of a slot whose event stands in the ring. It is not less than never, so that
// the tree passes over it.
const inRing = never

// set schedules the event of a slot, in place of the one it has. at is not before now.
func (e *events) set(s int32, at int64) {
	e.seq++
	if e.tall && e.places[s+1].seq != 0 {
		e.leave(s)
	}
	if at >= e.horizon {
		if e.popped >= 0 {
			e.drop()
		}
		e.cancel(s)
		e.join(s, key{at, e.seq ^ e.tie})
		return
	}
	if at > e.now {
		e.put(s, key{at, e.seq ^ e.tie})
		return
	}
	e.put(s, key{inRing, e.seq})
	if e.tail-e.head == len(e.ring) {
		e.growRing()
	}
	e.ring[e.tail&(len(e.ring)-1)] = entry{s, e.seq}
	e.tail++
}

// cancel takes the event of a slot away.
func (e *events) cancel(s int32) {
	if e.tall && e.places[s+1].seq != 0 {
		e.leave(s)
	}
	if k := e.keys[s]; k.at != never || k.seq != 0 {
		e.put(s, key{never, 0})
	}
}

// put writes a key and replays the matches of its slot.
func (e *events) put(s int32, k key) {
	if e.popped >= 0 {
		if e.popped == s {
			e.putPopped(s, k)
			return
		}
		e.drop()
	}
	if k.at == never && e.keys[s].at == never {
		e.keys[s] = k // both out of the tree's sight
		return
	}
	e.keys[s] = k
	w, win := s, e.win
	for i := e.n + int(s); i > 1; {
		w = e.winner(w, win[i^1])
		i >>= 1
		if win[i] == w && w != s {
			return // above here s plays no part
		}
		win[i] = w
	}
}

// putPopped is put for the slot that was popped last. It has won all its matches, so that all are played again, and the
// key of who leads is carried along: to look it up would take longer than to compare it.
func (e *events) putPopped(s int32, k key) {
	e.popped = -1
	keys, win := e.keys, e.win
	keys[s] = k
	w, at, seq := uint32(s), uint64(k.at), k.seq
	for i := uint(e.n) + uint(s); i > 1; {
		o := win[i^1]
		r := &keys[o]
		_, borrow := bits.Sub64(r.seq, seq, 0)
		_, borrow = bits.Sub64(uint64(r.at), at, borrow)
		w ^= (w ^ uint32(o)) & -uint32(borrow)
		at ^= (at ^ uint64(r.at)) & -borrow
		seq ^= (seq ^ r.seq) & -borrow
		i >>= 1
		win[i] = int32(w)
	}
}

// drop clears the key of the slot popped last. Most handlers schedule the slot's next event at once,
// and one replay then serves for both.
func (e *events) drop() {
	e.putPopped(e.popped, key{never, 0})
}

func (e *events) growRing() {
	n := len(e.ring)
	ring := make([]entry, 2*n)
	for i := range n {
		ring[i] = e.ring[(e.head+i)&(n-1)]
	}
	e.ring, e.head, e.tail = ring, 0, n
}

// first is the time of the next event; never if there is none.
func (e *events) first() int64 {
	if e.popped >= 0 {
		e.drop()
	}
	at := e.keys[e.win[1]].at
	if e.tall {
		_, at, _ = e.soonest()
	}
	if at != e.now && e.waiting() {
		return e.now
	}
	return at
}

// leads reports whether the event of a slot, just set for later, is the next of all.
func (e *events) leads(s int32) bool {
	if w := e.win[1]; !e.tall {
		return w == s && !e.waiting()
	}
	w, at, _ := e.soonest()
	return w == s && at != never && !e.waiting()
}

// waiting reports whether an event of this instant is in the ring. An entry whose slot has been set
// or cancelled since stands for nothing.
func (e *events) waiting() bool {
	for e.head != e.tail {
		r := e.ring[e.head&(len(e.ring)-1)]
		if e.keys[r.slot] == (key{inRing, r.seq}) {
			return true
		}
		e.head++
	}
	return false
}

// pop takes the next event and moves the time to it. Events that were scheduled for this instant
// before it came are in the tree and are earlier than all in the ring. ok is false if there is none.
func (e *events) pop() (s int32, ok bool) {
	at := e.first()
	if at == never {
		return 0, false
	}
	return e.popAt(at), true
}

// popAt is pop where the time of the next event is known to be at.
func (e *events) popAt(at int64) (s int32) {
	if e.tall {
		if s, first, run := e.soonest(); run && first == at {
			e.now = at
			e.popRun()
			return s
		}
	}
	if w := e.win[1]; e.keys[w].at == at {
		e.now = at
		e.popped = w
		return w
	}
	s = e.ring[e.head&(len(e.ring)-1)].slot
	e.head++
	e.keys[s] = key{never, 0}
	return s
}

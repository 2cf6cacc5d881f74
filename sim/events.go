package sim

import (
	"fmt"
	"math"
	"slices"
)

// never is the time of a slot that has no event.
const never = math.MaxInt64

// key is an event. Keys are ordered by time in nanoseconds, and then by the order in which they were scheduled. That
// order is in the tag, above the slot.
type key struct {
	at  int64
	tag uint64
}

const (
	maxSlots = 1 << 28  // number of slots that a tag has room for
	inOrder  = maxSlots // increment from one tag to the next
)

// slotIn returns the slot in a tag.
func slotIn(tag uint64) int32 { return int32(tag & (maxSlots - 1)) }

func (k *key) slot() int32 { return slotIn(k.tag) }

// events is the event set. It has one slot for each CPU and each timer, and at most one event in a slot. So moving or
// cancelling an event is the same overwrite as scheduling it. Events of the present instant are in a ring. The others
// are in a winner tree (Knuth, The Art of Computer Programming 3, 5.4.1), whose root is the earliest. The nodes are
// the keys themselves, next to those that they are compared with. So a path reads no other memory, and all of it is
// known before the first comparison.
type events struct {
	now  int64
	seq  uint64 // of the tag given last
	tie  uint64 // inverts the order of events of one instant; only tests set it
	tree []key  // the root is at 1, slot s is at n+s, and the winners between are as wide says
	n    int    // number of slots that the tree has room for, a power of two
	next int32
	free []int32

	popped int32    // slot whose event was taken and whose key is still in the tree; -1 without one
	ring   []uint64 // tags
	head   int
	tail   int
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

// release frees a slot, and cancels its event.
func (e *events) release(s int32) {
	e.cancel(s)
	e.free = append(e.free, s)
}

// grow doubles the tree.
func (e *events) grow() {
	if e.n == 0 {
		e.popped = -1
		e.ring = make([]uint64, 16)
	}
	if e.n == maxSlots {
		panic(fmt.Sprintf("sim: more than %d goroutines and timers at once", maxSlots))
	}
	n := max(2, 2*e.n)
	tree := make([]key, 2*n)
	for i := copy(tree[n:], e.tree[e.n:]); i < n; i++ {
		tree[n+i].at = never
	}
	e.tree, e.n = tree, n
	e.play()
}

// wide is where the tree changes its shape. From this node on, the winner of four nodes, 4i to 4i+3, is at i: these
// four share a cache line, and a key from below is compared with the winner of the three others, which is known by
// then. Above, the winner of 2i and 2i+1 is at i. So a small tree takes the fewest comparisons, and a large one the
// fewest steps, each of which waits for the one below.
const wide = 16

// play recomputes the whole tree.
func (e *events) play() {
	level := e.n
	for ; level >= wide; level /= 4 {
		for i := level; i < 2*level; i += 4 {
			e.tree[i/4] = earlier(earlier(e.tree[i], e.tree[i+1]), earlier(e.tree[i+2], e.tree[i+3]))
		}
	}
	for i := level - 1; i > 0; i-- {
		e.tree[i] = earlier(e.tree[2*i], e.tree[2*i+1])
	}
}

// earlier returns the earlier of two keys. The result is practically random, so a branch on it would be mispredicted
// half of the time. That two times are equal is either rare or the rule.
func earlier(a, b key) key {
	if a.at == b.at {
		a.tag = min(a.tag, b.tag)
		return a
	}
	w := a
	if b.at < a.at {
		w.at = b.at
	}
	if b.at < a.at {
		w.tag = b.tag
	}
	return w
}

// stamp returns the tag of a new event of a slot.
func (e *events) stamp(s int32) uint64 {
	if e.seq += inOrder; e.seq == 0 {
		e.renumber()
	}
	return e.seq ^ e.tie | uint64(s)
}

// renumber restarts the order when its numbers are used up, with the present events.
func (e *events) renumber() {
	leaves := e.tree[e.n:]
	var tags []uint64
	for _, k := range leaves {
		if k.tag != 0 {
			tags = append(tags, k.tag)
		}
	}
	slices.Sort(tags)
	was := map[uint64]uint64{}
	for _, t := range tags {
		e.seq += inOrder
		s := slotIn(t)
		leaves[s].tag = e.seq | uint64(s)
		was[t] = leaves[s].tag
	}
	tail, mask := e.head, len(e.ring)-1
	for i := e.head; i != e.tail; i++ {
		if tag, ok := was[e.ring[i&mask]]; ok { // other entries are obsolete
			e.ring[tail&mask] = tag
			tail++
		}
	}
	e.tail = tail
	e.seq += inOrder
	e.play()
}

// inRing marks the key of a slot whose event is in the ring. It is not less than never, so that the tree ignores it.
const inRing = never

// set schedules the event of a slot, and replaces the one it has. at must not be before now.
func (e *events) set(s int32, at int64) {
	tag := e.stamp(s)
	if at > e.now {
		e.put(s, key{at, tag})
		return
	}
	e.put(s, key{inRing, tag})
	if e.tail-e.head == len(e.ring) {
		e.growRing()
	}
	e.ring[e.tail&(len(e.ring)-1)] = tag
	e.tail++
}

// cancel removes the event of a slot.
func (e *events) cancel(s int32) {
	if k := &e.tree[e.n+int(s)]; k.at != never || k.tag != 0 {
		e.put(s, key{never, 0})
	}
}

// put writes a key and recomputes the path from its slot.
func (e *events) put(s int32, k key) {
	if e.popped >= 0 {
		if e.popped == s {
			e.putPopped(s, k)
			return
		}
		e.drop()
	}
	tree, i := e.tree, uint(e.n)+uint(s)
	out := k.at == never && tree[i].at == never // the slot has no event in the tree, before and after
	tree[i] = k
	for i >= wide && !out {
		k = earlier(k, earlier(earlier(tree[i^1], tree[i^2]), tree[i^3]))
		i >>= 2
		out = tree[i] == k // above this node nothing changes
		tree[i] = k
	}
	for i > 1 && !out {
		k = earlier(k, tree[i^1])
		i >>= 1
		out = tree[i] == k
		tree[i] = k
	}
}

// putPopped is put for the slot that was popped last. It was the winner at every node of its path, so all are
// recomputed.
func (e *events) putPopped(s int32, k key) (root key) {
	e.popped = -1
	tree, i := e.tree, uint(e.n)+uint(s)
	tree[i] = k
	for i >= wide {
		k = earlier(k, earlier(earlier(tree[i^1], tree[i^2]), tree[i^3]))
		i >>= 2
		tree[i] = k
	}
	for i > 1 {
		k = earlier(k, tree[i^1])
		i >>= 1
		tree[i] = k
	}
	return k
}

// drop clears the key of the slot that was popped last. Most handlers schedule the slot's next event at once, and
// then one recomputation of the path serves for both.
func (e *events) drop() {
	e.putPopped(e.popped, key{never, 0})
}

// growRing doubles the ring.
func (e *events) growRing() {
	n := len(e.ring)
	ring := make([]uint64, 2*n)
	for i := range n {
		ring[i] = e.ring[(e.head+i)&(n-1)]
	}
	e.ring, e.head, e.tail = ring, 0, n
}

// first returns the time of the next event; never if there is none.
func (e *events) first() int64 {
	if e.popped >= 0 {
		e.drop()
	}
	at := e.tree[1].at
	if at != e.now && e.waiting() {
		return e.now
	}
	return at
}

// leads reports whether the event of a slot, just scheduled for later, is the next of all.
func (e *events) leads(s int32) bool { return e.tree[1].slot() == s && !e.waiting() }

// waiting reports whether an event of this instant is in the ring. Entries whose slot has been set or cancelled since
// are obsolete.
func (e *events) waiting() bool {
	for e.head != e.tail {
		tag := e.ring[e.head&(len(e.ring)-1)]
		if e.tree[e.n+int(slotIn(tag))] == (key{inRing, tag}) {
			return true
		}
		e.head++
	}
	return false
}

// pop takes the next event and advances the time to it. Events that were scheduled for this instant before it came
// are in the tree, and precede all in the ring. ok is false if there is no event.
func (e *events) pop() (s int32, ok bool) {
	at := e.first()
	if at == never {
		return 0, false
	}
	return e.popAt(at), true
}

// popAt is pop for a next event at a known time.
func (e *events) popAt(at int64) (s int32) {
	if w := &e.tree[1]; w.at == at {
		e.now = at
		e.popped = w.slot()
		return e.popped
	}
	s = slotIn(e.ring[e.head&(len(e.ring)-1)])
	e.head++
	e.tree[e.n+int(s)] = key{never, 0}
	return s
}

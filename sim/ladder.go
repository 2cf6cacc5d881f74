package sim

import (
	"math/bits"
	"slices"
)

// A ladder queue (Tang, Goh, Thng: Ladder queue, an O(1) priority queue structure for large-scale discrete event
// simulation, ACM TOMACS 15(3), 2005) stands before the tree of an event set of many slots: the tree's matches would mostly
// wait for memory.
//
// Events before the horizon are in the bottom: in a sorted run, or in the tree if they were set when the run was sorted
// already. Those after it lie in the buckets of one rung, by their time, and those beyond the rung in a last bucket, the
// top. When the bottom is empty the next buckets become its run; when the rung is empty it is laid anew over what is in
// the top, about one event to a bucket. That is by the median of their times: a few that are far away change nothing.
// If many are in one bucket all the same, sorting them takes no longer than the tree would.
type ladder struct {
	tall     bool      // there is one
	horizon  int64     // never where there is none
	start    int64     // of the first bucket
	shift    uint      // each is 1<<shift ns wide
	bucket   int       // the next one
	buckets  int       // in the rung; the top comes after them
	heads    []int32   // by bucket, the first place; 0 none
	filled   []uint64  // set of the buckets that have had a place
	places   []place   // by slot, plus one: the first is nobody's
	far      int       // events in buckets
	arrivals []arrival // the run
	looked   bool      // at who is in the run
	gone     int       // events of the run that have been popped or cancelled
}

// place is an event in the ladder, one of a list where it is in a bucket.
type place struct {
	key              // seq is 0 where there is none
	next, prev int32 // places, 0 at the end; prev of the first is the complement of its bucket
}

// arrival is an event of the run.
type arrival struct {
	key
	slot  int32 // -1 if the event has been cancelled
	burns bool  // see Kernel.foreseen
}

const (
	ladderSlots = 512      // from so many slots there is a ladder
	ladderRun   = 32       // events of a run, or a few more
	inRun       = -1 << 31 // in place of prev
)

// raise sets the ladder up for n slots. All events of the tree climb to the top.
func (e *events) raise(n int) {
	places := make([]place, n+1)
	copy(places, e.places)
	e.places = places
	if e.tall {
		return
	}
	e.tall, e.horizon, e.start = true, e.now+1, e.now
	e.heads, e.filled, e.arrivals = make([]int32, 1), make([]uint64, 1), make([]arrival, 0, 4*ladderRun)
	if e.popped >= 0 {
		e.keys[e.popped].at, e.popped = never, -1
	}
	for s := range e.keys {
		if k := &e.keys[s]; k.at != never {
			e.join(int32(s), *k)
			*k = key{never, 0}
		}
	}
}

// join puts an event into its bucket. Its time is not before the horizon.
func (e *events) join(s int32, k key) {
	i := min(int(uint64(k.at-e.start)>>e.shift), e.buckets)
	e.filled[i>>6] |= 1 << (i & 63)
	next := e.heads[i]
	e.heads[i] = s + 1
	e.places[s+1] = place{k, next, int32(^i)}
	e.places[next].prev = s + 1
	e.far++
}

// leave takes an event out of the ladder.
func (e *events) leave(s int32) {
	p := &e.places[s+1]
	k := p.key
	p.seq = 0
	switch {
	case p.prev == inRun:
		rest := e.arrivals[e.gone:]
		i, _ := slices.BinarySearchFunc(rest, k, func(a arrival, k key) int { return a.compare(k) })
		rest[i].slot = -1
		return
	case p.prev < 0:
		e.heads[^p.prev] = p.next
	default:
		e.places[p.prev].next = p.next
	}
	e.places[p.next].prev = p.prev
	e.far--
}

func (k key) compare(o key) int { return int(before(&o, &k)) - int(before(&k, &o)) }

// settle lets the run begin with an event if it has any, and reports that. Where the bottom is empty it gets a new run.
func (e *events) settle() bool {
	for {
		for ; e.gone < len(e.arrivals); e.gone++ {
			if e.arrivals[e.gone].slot >= 0 {
				return true
			}
		}
		if e.far == 0 || e.keys[e.win[1]].at != never {
			return false
		}
		e.descend()
	}
}

// soonest is the earliest event of the bottom, and whether it is in the run. Nothing is popped and still in the tree.
func (e *events) soonest() (s int32, at int64, run bool) {
	w := e.win[1]
	root := &e.keys[w]
	if !e.settle() {
		return w, root.at, false
	}
	if r := &e.arrivals[e.gone]; r.at < root.at || r.at == root.at && r.seq < root.seq {
		return r.slot, r.at, true
	}
	return w, root.at, false
}

// popRun takes the event that the run begins with.
func (e *events) popRun() {
	e.places[e.arrivals[e.gone].slot+1].seq = 0
	e.gone++
}

// descend makes a run of the next buckets.
func (e *events) descend() {
	e.arrivals, e.gone, e.looked = e.arrivals[:0], 0, false
	if e.bucket == e.buckets {
		e.lay()
	}
	i := e.bucket
	for len(e.arrivals) < ladderRun && i < e.buckets {
		left := e.filled[i>>6] >> (i & 63)
		if left == 0 {
			i = i&^63 + 64
			continue
		}
		i += bits.TrailingZeros64(left)
		if i < e.buckets {
			e.take(i)
		}
		i++
	}
	e.bucket = min(i, e.buckets)
	e.far -= len(e.arrivals)
	if e.horizon = e.start + int64(e.bucket)<<e.shift; e.horizon < e.start {
		e.horizon = never
	}
}

// take appends the events of a bucket to the run, in their order.
func (e *events) take(i int) {
	old := len(e.arrivals)
	for s := e.heads[i]; s > 0; {
		p := &e.places[s]
		e.arrivals = append(e.arrivals, arrival{key: p.key, slot: s - 1})
		s, p.prev = p.next, inRun
	}
	e.heads[i] = 0
	taken := e.arrivals[old:]
	if len(taken) > ladderRun {
		slices.SortFunc(taken, func(a, b arrival) int { return a.compare(b.key) })
		return
	}
	for i := 1; i < len(taken); i++ {
		p := taken[i]
		j := i
		for ; j > 0 && before(&p.key, &taken[j-1].key) != 0; j-- {
			taken[j] = taken[j-1]
		}
		taken[j] = p
	}
}

// lay lays the rung anew over the events of the top. There is at least one.
func (e *events) lay() {
	top := e.heads[e.buckets]
	e.heads[e.buckets] = 0
	e.measure(top)
	for len(e.heads) <= e.buckets {
		e.heads = append(e.heads, 0)
	}
	for len(e.filled) <= e.buckets>>6 {
		e.filled = append(e.filled, 0)
	}
	clear(e.filled)
	e.bucket, e.far = 0, 0
	for s := top; s > 0; {
		p := e.places[s]
		e.join(s-1, p.key)
		s = p.next
	}
}

// measure chooses the buckets of the rung for a list of e.far events.
func (e *events) measure(top int32) {
	var room [32]int64
	sample, each := room[:0], e.far/len(room)+1
	from, to := int64(never), int64(0)
	for s, i := top, 0; s > 0; s, i = e.places[s].next, i+1 {
		at := e.places[s].at
		from, to = min(from, at), max(to, at)
		if i%each == 0 {
			sample = append(sample, at)
		}
	}
	e.start = from
	if e.far <= ladderRun { // not worth a rung
		e.buckets, e.shift = 1, uint(bits.Len64(uint64(to-from)))
		return
	}
	slices.Sort(sample)
	half := uint64(sample[len(sample)/2] - from)
	log := bits.Len(uint(e.far)) + 1
	e.buckets, e.shift = 1<<log, uint(min(bits.Len64(half/uint64(e.far)), 62-log)) // the end of the rung is less than 2^64
}

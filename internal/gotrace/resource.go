package gotrace

import (
	"strings"

	"github.com/brewput/brewput/evidence"
)

// resources are locks and channels: sets of sites that are joined when a goroutine at one wakes one that waits at
// another. Which goroutine waits for which object a trace does not say.
type resources struct {
	nodes []node
	by    map[stackID]int32
	clock int64 // ns since the start
	spare int64 // ns in which some CPU had nothing to do
}

// node is a site; the root of its set has the set's sums.
type node struct {
	parent  int32
	kind    evidence.Op // OpMutex, OpRWMutex, OpChannel; of roots
	stack   stackID
	sides   [2]side // who waits: [0] for a lock or to send, [1] to receive
	any     side
	holds   latencies
	heldRan int64
}

// side is how many wait, and how long some did.
type side struct {
	n             int32
	count         int64
	since, idle   int64 // on the clocks of resources
	busy, starved int64
}

func (r *resources) advance(dt int64, spare bool) {
	r.clock += dt
	if spare {
		r.spare += dt
	}
}

// add lets one come or go.
func (s *side) add(r *resources, by int32) {
	s.flush(r)
	s.n += by
	if by > 0 {
		s.count++
	}
}

func (s *side) flush(r *resources) {
	if s.n > 0 {
		s.busy += r.clock - s.since
		s.starved += r.spare - s.idle
	}
	s.since, s.idle = r.clock, r.spare
}

// merge adds another's sums. Where both were busy at once that was counted twice; sets are joined early on.
func (s *side) merge(r *resources, o *side) {
	s.flush(r)
	o.flush(r)
	s.n += o.n
	s.count += o.count
	s.busy += o.busy
	s.starved += o.starved
}

// receives marks a node's waiters as receivers: the lowest bit of what park returns.
const receives = 1

// park lets a goroutine wait at a site for a lock or channel; -1 if it is neither.
func (r *resources) park(stack stackID, s *site) int32 {
	var kind evidence.Op
	at := int32(0)
	switch s.op {
	case evidence.OpMutex, evidence.OpRWMutex:
		kind = s.op
	case evidence.OpSend:
		kind = evidence.OpChannel
	case evidence.OpReceive:
		kind = evidence.OpChannel
		at = receives
	default:
		return -1
	}
	if s.node == 0 {
		s.node = r.node(stack, kind) + 1
	}

	i := s.node - 1
	root := &r.nodes[r.find(i<<1)]
	root.sides[at].add(r, 1)
	root.any.add(r, 1)
	return i<<1 | at
}

func (r *resources) node(stack stackID, kind evidence.Op) int32 {
	if i, ok := r.by[stack]; ok {
		return i
	}
	if r.by == nil {
		r.by = map[stackID]int32{}
	}
	i := int32(len(r.nodes))
	r.nodes = append(r.nodes, node{parent: i, kind: kind, stack: stack})
	r.by[stack] = i
	return i
}

// find is the index of the root of what park returned.
func (r *resources) find(at int32) int32 {
	i := at >> 1
	for r.nodes[i].parent != i {
		r.nodes[i].parent = r.nodes[r.nodes[i].parent].parent
		i = r.nodes[i].parent
	}
	return i
}

// got lets a goroutine go on that waited.
func (r *resources) resume(at int32) evidence.Op {
	root := &r.nodes[r.find(at)]
	root.sides[at&1].add(r, -1)
	root.any.add(r, -1)
	return root.kind
}

// link joins the site where a goroutine waited with that of who woke it.
func (r *resources) link(at int32, all *stacks, stack stackID) {
	i, ok := r.by[stack]
	root := r.find(at)
	if ok && r.find(i<<1) == root {
		return
	}
	if waker := wakerKind(all.frames(stack)); waker != r.nodes[root].kind {
		return
	}

	i = r.node(stack, r.nodes[root].kind)
	other := r.find(i << 1)
	a, b := &r.nodes[root], &r.nodes[other]
	if a.kind != b.kind || root == other {
		return
	}

	for s := range a.sides {
		a.sides[s].merge(r, &b.sides[s])
	}

	a.any.merge(r, &b.any)
	b.parent = root
	if b.holds.count > a.holds.count {
		a.holds, b.holds = b.holds, a.holds
	}

	a.heldRan += b.heldRan
}

// hold counts how long a lock was held.
func (r *resources) hold(at int32, ns, ran int64) {
	root := &r.nodes[r.find(at)]
	root.holds.add(ns)
	root.heldRan += ran
}

// wakes is what kind of resource a waker's stack is in. A select wakes on any of its channels, and says not on which.
func wakerKind(frames []evidence.Frame) evidence.Op {
	if len(frames) == 0 {
		return evidence.OpOther
	}
	switch name := frames[0].Function; {
	case strings.HasPrefix(name, "runtime.chansend"), strings.HasPrefix(name, "runtime.chanrecv"):
		return evidence.OpChannel
	}
	return lockOp(frames)
}

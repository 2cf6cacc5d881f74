package gotrace

import (
	"strings"

	"github.com/brewput/brewput/evidence"
)

// resources tells locks and channels apart. A trace does not show for which object a goroutine waits. Two sites belong
// to one resource if a goroutine at one wakes a goroutine that waits at the other (union-find).
type resources struct {
	nodes []node
	by    map[stackID]int32
	clock int64 // ns since the start
	spare int64 // time in ns during which a CPU had nothing to do
}

// node is a site. The root of a set holds the sums of the set.
type node struct {
	parent  int32
	kind    evidence.ResourceKind // valid for roots
	stack   stackID
	sides   [2]side // waiters: [0] for a lock or to send, [1] to receive
	any     side
	holds   latencies
	heldRan int64
}

// side counts waiters, and integrates how long there was at least one.
type side struct {
	n             int32
	count         int64
	since, idle   int64 // on clock and spare of resources
	busy, starved int64
}

// advance adds dt ns. spare says that a CPU had nothing to do.
func (r *resources) advance(dt int64, spare bool) {
	r.clock += dt
	if spare {
		r.spare += dt
	}
}

// add changes the number of waiters.
func (s *side) add(r *resources, by int32) {
	s.flush(r)
	s.n += by
	if by > 0 {
		s.count++
	}
}

// flush adds the time since the last change.
func (s *side) flush(r *resources) {
	if s.n > 0 {
		s.busy += r.clock - s.since
		s.starved += r.spare - s.idle
	}
	s.since, s.idle = r.clock, r.spare
}

// merge adds the sums of another side. Times during which both had waiters count twice, but sets are joined early.
func (s *side) merge(r *resources, o *side) {
	s.flush(r)
	o.flush(r)
	s.n += o.n
	s.count += o.count
	s.busy += o.busy
	s.starved += o.starved
}

// receives is the lowest bit of the result of park. It marks receivers.
const receives = 1

// park records that a goroutine waits at a site for a lock or channel. It returns the node and the side, or -1 for any
// other wait.
func (r *resources) park(stack stackID, s *site) int32 {
	kind, at := evidence.ResourceChannel, int32(0)
	switch s.op {
	case evidence.OpMutex, evidence.OpRWMutex:
		kind = lockKind(s.op)
	case evidence.OpSend:
	case evidence.OpReceive:
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

// node returns the index of the node for a stack.
func (r *resources) node(stack stackID, kind evidence.ResourceKind) int32 {
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

// find returns the root of a result of park.
func (r *resources) find(at int32) int32 {
	i := at >> 1
	for r.nodes[i].parent != i {
		r.nodes[i].parent = r.nodes[r.nodes[i].parent].parent
		i = r.nodes[i].parent
	}
	return i
}

// resume records that a waiting goroutine continues, and returns the kind of the resource.
func (r *resources) resume(at int32) evidence.ResourceKind {
	root := &r.nodes[r.find(at)]
	root.sides[at&1].add(r, -1)
	root.any.add(r, -1)
	return root.kind
}

// link joins the site where a goroutine waited with the site that woke it.
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

// hold adds a holding time of a lock, and the running time in it, in ns.
func (r *resources) hold(at int32, ns, ran int64) {
	root := &r.nodes[r.find(at)]
	root.holds.add(ns)
	root.heldRan += ran
}

// wakerKind returns the kind of resource that a waker's stack releases; "" if it releases none. A select may wake on
// any of its channels, and the trace does not show which.
func wakerKind(frames []evidence.Frame) evidence.ResourceKind {
	if len(frames) == 0 {
		return ""
	}
	switch name := frames[0].Function; {
	case strings.HasPrefix(name, "runtime.chansend"), strings.HasPrefix(name, "runtime.chanrecv"):
		return evidence.ResourceChannel
	}
	return lockKind(lockOp(frames))
}

// lockKind returns the kind of lock that an operation locks; "" for other operations.
func lockKind(op evidence.Op) evidence.ResourceKind {
	switch op {
	case evidence.OpMutex:
		return evidence.ResourceMutex
	case evidence.OpRWMutex:
		return evidence.ResourceRWMutex
	}
	return ""
}

package env

import (
	"math"
	"sync"
	"time"
)

// Skew is the offset and the drift rate of the clock of a [Node] against the time of the world.
type Skew struct {
	Offset time.Duration // when the time of the world was 0
	Drift  float64       // rate error: 1e-5 is 10 ppm; above -1
}

// Node is a machine of a distributed system with a clock of its own. It may crash and start again. Create one with
// [Env.Node]. Its methods are safe for concurrent use, except that [Node.Crash], [Node.Start], and [Node.Go] from
// outside the node must not overlap.
type Node struct {
	name  string
	skew  Skew
	world World

	mu  sync.Mutex // never held by an operation of the world
	run *nodeRun
}

// nodeRun is a node from its start to its crash.
type nodeRun struct {
	down       *Chan[struct{}]
	goroutines *Group
}

// Node creates a node that is up. It panics if the clock would stand still or run backwards.
func (e Env) Node(name string, s Skew) *Node {
	e.own()
	if !(s.Drift > -1) {
		panic("env: the Drift of a node must be above -1: its clock would not advance")
	}
	n := &Node{name: name, skew: s, world: e.t.world}
	n.Start(e)
	return n
}

// Name returns the name of the node.
func (n *Node) Name() string { return n.name }

// Now returns the time of the node's clock.
func (n *Node) Now() time.Duration {
	now := n.world.Now()
	return now + n.skew.Offset + time.Duration(float64(now)*n.skew.Drift)
}

// Sleep parks the goroutine until the clock of the node has advanced by d.
func (n *Node) Sleep(e Env, d time.Duration) { e.Sleep(n.worldTime(d)) }

// After returns a channel of capacity 1 that receives once, when the clock of the node has advanced by d. The value is
// the time of the world, so do not compare it with Now.
func (n *Node) After(e Env, d time.Duration) *Chan[time.Duration] { return e.After(n.worldTime(d)) }

// worldTime converts a duration of the node's clock.
func (n *Node) worldTime(d time.Duration) time.Duration {
	return time.Duration(math.Ceil(float64(d) / (1 + n.skew.Drift)))
}

// Go starts a goroutine of the node, under the name of the node and its own. body must return soon after down is
// closed, which means that the node has crashed.
func (n *Node) Go(e Env, name string, body func(e Env, down *Chan[struct{}])) {
	r := n.current()
	r.goroutines.Go(e, n.name+"."+name, func(e Env) { body(e, r.down) })
}

// Crash stops the node, and returns when its goroutines have ended, which they do when they receive from down. State
// that must not survive belongs in variables of body. Links are not affected: a node that starts again receives what
// has arrived meanwhile, unless they were cut. A goroutine of the node must not call Crash, because it would wait for
// itself. A second Crash before Start panics.
func (n *Node) Crash() {
	r := n.current()
	r.down.Close()
	r.goroutines.Wait()
}

// Start starts the node again after [Node.Crash], and must not be called otherwise. Its goroutines are started by
// [Node.Go].
func (n *Node) Start(e Env) {
	r := &nodeRun{NewChan[struct{}](e, "", 0), e.Group()}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.run = r
}

func (n *Node) current() *nodeRun {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.run
}

package identity

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// network is what a connection costs: its latency in each direction, the CPU time that each end takes for a
// transmission, and the CPU time of a reply.
type network struct{ delay, overhead, reply time.Duration }

func newNetwork(p plan.Point) network {
	return network{delay: p.Duration("delay"), overhead: p.Duration("overhead"), reply: p.Duration("reply")}
}

// conn is a connection to a server. At most one request is in flight. Its links have no bandwidth, so the size of a
// transmission does not matter.
type conn struct {
	network
	up   *env.Link[int]    // the number of calls
	down *env.Link[uint64] // the first identity for them
}

// connect returns a connection with a name.
func (n network) connect(e env.Env, name string) *conn {
	c := env.LinkConfig{Buffer: 1}
	if n.delay > 0 {
		c.Latency = func(*env.Draws) time.Duration { return n.delay }
	}
	return &conn{network: n, up: env.NewLink[int](e, name+" requests", c),
		down: env.NewLink[uint64](e, name+" replies", c)}
}

// ask returns the first of n identities.
func (c *conn) ask(e env.Env, n int) uint64 {
	c.send(e, n)
	return c.receive(e)
}

// receive returns the first identity of a reply. The server replies to all requests.
func (c *conn) receive(e env.Env) uint64 {
	first, _ := c.down.Recv()
	work(e, c.overhead)
	return first
}

// send sends a request for n identities.
func (c *conn) send(e env.Env, n int) {
	work(e, c.overhead)
	c.up.Send(n, 0)
}

// serve handles requests until the connection is closed. The replies of a transmission follow each other.
func (c *conn) serve(e env.Env, s *sequence) {
	for c.handle(e, s) {
	}
}

// handle handles a request. ok is false if the connection is closed.
func (c *conn) handle(e env.Env, s *sequence) (ok bool) {
	n, ok := c.up.Recv()
	if !ok {
		return false
	}
	work(e, c.overhead)
	first := s.take(n)
	work(e, time.Duration(n)*c.reply+c.overhead)
	c.down.Send(first, 0)
	return true
}

// newRemote calls a server over a connection of each caller. The server has a goroutine for each connection, and a lock
// around the counter. A call is one transmission and waits for its reply (stop-and-wait). The callers connect in the
// time that is measured.
func newRemote(e env.Env, p plan.Point) (workload.Job, error) {
	net := newNetwork(p)
	return Job(e, p, func(e env.Env) Service {
		s, gone, lock := newSequenceOf(e), e.Group(), e.Mutex("connections")
		var open []*conn
		return Service{
			Caller: func(e env.Env) func() (uint64, bool) {
				lock.Lock()
				c := net.connect(e, fmt.Sprintf("caller %d", len(open)))
				open = append(open, c)
				lock.Unlock()
				gone.Go(e, "serve", func(e env.Env) { c.serve(e, s) })
				return func() (uint64, bool) { return c.ask(e, 1), true }
			},
			Stop: func() {
				for _, c := range open {
					c.up.Close()
				}
				gone.Wait()
			},
		}
	}), nil
}

// newRemoteBatches has one connection for all callers. A caller that finds it idle asks for all calls that wait, in one
// transmission. Those that come meanwhile are the next batch, for which one of them asks.
func newRemoteBatches(e env.Env, p plan.Point) (workload.Job, error) {
	net, b := newNetwork(p), &batcher{}
	job := Job(e, p, func(e env.Env) Service {
		s, gone := newSequenceOf(e), e.Group()
		b.lock, b.conn = e.Mutex("batches"), net.connect(e, "all callers")
		gone.Go(e, "serve", func(e env.Env) { b.conn.serve(e, s) })
		return Service{
			Caller: func(e env.Env) func() (uint64, bool) {
				own := newWaiting(e)
				return func() (uint64, bool) { return b.call(e, own), true }
			},
			Stop: func() {
				b.conn.up.Close()
				gone.Wait()
			},
		}
	})
	metrics := job.Metrics
	job.Metrics = func() map[string]float64 {
		m := metrics()
		m["transmissions"] = float64(b.transmissions)
		return m
	}
	return job, nil
}

// batcher combines the calls of all callers.
type batcher struct {
	lock  *env.Mutex // protects what follows
	busy  bool       // a caller asks
	calls []*waiting // that wait
	spare []*waiting

	conn          *conn // used only by the caller that is asking
	transmissions int64 // requests; counted only by the caller that is asking
}

// waiting is a call that waits. It receives its identity, or 0 if it must ask for all calls that wait now.
type waiting struct{ answer *env.Chan[uint64] }

func newWaiting(e env.Env) *waiting { return &waiting{env.NewChan[uint64](e, "answer", 1)} }

// call returns an identity.
func (b *batcher) call(e env.Env, own *waiting) uint64 {
	b.lock.Lock()
	b.calls = append(b.calls, own)
	if b.busy {
		b.lock.Unlock()
		if id, _ := own.answer.Recv(); id != 0 {
			return id
		}
		b.lock.Lock()
	}
	b.busy = true
	batch := b.calls
	b.calls = b.spare[:0]
	b.lock.Unlock()

	b.transmissions++
	first := b.conn.ask(e, len(batch))
	answer(batch, first)

	b.lock.Lock()
	b.spare = batch
	if b.busy = len(b.calls) > 0; b.busy {
		b.calls[0].answer.Send(0)
	}
	b.lock.Unlock()
	return first
}

// answer gives the identities after first to the calls of a batch after its first one, which asked and has first.
func answer(batch []*waiting, first uint64) {
	for i, w := range batch[1:] {
		w.answer.Send(first + 1 + uint64(i))
	}
}

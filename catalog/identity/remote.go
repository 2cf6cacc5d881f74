package identity

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// network is what designs over links have in common.
type network struct{ delay, overhead, reply time.Duration }

func newNetwork(p plan.Point) network {
	return network{delay: p.Duration("delay"), overhead: p.Duration("overhead"), reply: p.Duration("reply")}
}

// The sizes of transmissions. No link has a bandwidth, so they take no time.
const (
	requestBytes = 8
	replyBytes   = 8
)

// conn is a connection to a server. At most one request is in flight.
type conn struct {
	network
	up   *env.Link[int]    // the number of calls
	down *env.Link[uint64] // the first identity for them
}

func (n network) connect(e env.Env) *conn {
	c := env.LinkConfig{Buffer: 1}
	if n.delay > 0 {
		c.Latency = func(*env.Draws) time.Duration { return n.delay }
	}
	return &conn{network: n, up: env.NewLink[int](e, "requests", c), down: env.NewLink[uint64](e, "replies", c)}
}

// ask returns the first of n identities.
func (c *conn) ask(e env.Env, n int) (first uint64, ok bool) {
	c.send(e, n)
	if first, ok = c.down.Recv(); ok {
		work(e, c.overhead)
	}
	return first, ok
}

// send sends a request for n identities.
func (c *conn) send(e env.Env, n int) {
	work(e, c.overhead)
	c.up.Send(n, requestBytes)
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
	c.down.Send(first, replyBytes)
	return true
}

// take returns the first of n identities.
func (s *sequence) take(n int) uint64 {
	s.lock.Lock()
	defer s.lock.Unlock()
	first := s.last + 1
	s.last += uint64(n)
	return first
}

// newRemote calls a server over a connection of each caller. The server has a goroutine for each connection, and a lock
// around the counter. A call is one transmission and waits for its reply (stop-and-wait).
func newRemote(e env.Env, p plan.Point) (workload.Job, error) {
	net := newNetwork(p)
	return Job(e, p, func(e env.Env) Service {
		s, gone, lock := newSequenceOf(e), e.Group(), e.Mutex("connections")
		var open []*conn
		return Service{
			Caller: func(e env.Env) func() (uint64, bool) {
				c := net.connect(e)
				lock.Lock()
				open = append(open, c)
				lock.Unlock()
				gone.Go(e, "serve", func(e env.Env) { c.serve(e, s) })
				return func() (uint64, bool) { return c.ask(e, 1) }
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
		b.lock, b.conn = e.Mutex("batches"), net.connect(e)
		gone.Go(e, "serve", func(e env.Env) { b.conn.serve(e, s) })
		return Service{
			Caller: func(e env.Env) func() (uint64, bool) {
				own := newWaiting(e)
				return func() (uint64, bool) { return b.call(e, own) }
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

	conn          *conn // of the caller that asks, as the rest
	transmissions int64 // requests
}

// waiting is a call. It gets its identity, or 0 if it must ask for all that wait.
type waiting struct{ answer *env.Chan[uint64] }

func newWaiting(e env.Env) *waiting { return &waiting{env.NewChan[uint64](e, "answer", 1)} }

// call returns an identity.
func (b *batcher) call(e env.Env, own *waiting) (uint64, bool) {
	b.lock.Lock()
	b.calls = append(b.calls, own)
	if b.busy {
		b.lock.Unlock()
		if id, ok := own.answer.Recv(); id != 0 {
			return id, ok
		}
		b.lock.Lock()
	}
	b.busy = true
	batch := b.calls
	b.calls = b.spare[:0]
	b.lock.Unlock()

	b.transmissions++
	first, ok := b.conn.ask(e, len(batch))
	id := answer(batch, own, first)

	b.lock.Lock()
	b.spare = batch
	if b.busy = len(b.calls) > 0; b.busy {
		b.calls[0].answer.Send(0)
	}
	b.lock.Unlock()
	return id, ok
}

// answer gives the identities from first to the calls of a batch, and returns that of own.
func answer(batch []*waiting, own *waiting, first uint64) (id uint64) {
	for i, w := range batch {
		if w == own {
			id = first + uint64(i)
		} else {
			w.answer.Send(first + uint64(i))
		}
	}
	return id
}

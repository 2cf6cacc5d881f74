package messenger

import (
	"fmt"
	"slices"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
)

// settings are the levels of a point.
type settings struct {
	clients, messages, buffer, size, faults int
	work, overhead, delay, outage           time.Duration
	bandwidth, loss                         float64
	delivery                                Delivery
}

// newSettings reads a point. Factors that the design does not use are 0.
func newSettings(p plan.Point) settings {
	number := func(factor string) int {
		if !p.Has(factor) {
			return 0
		}
		return p.Int(factor)
	}
	s := settings{clients: number("clients"), messages: p.Int("messages"), buffer: number("buffer"),
		size: p.Int("size"), faults: number("faults"), work: p.Duration("work"), overhead: p.Duration("overhead")}
	if p.Has("delay") {
		s.delay, s.bandwidth = p.Duration("delay"), p.Float("bandwidth")
	}
	if p.Has("loss") {
		s.loss, s.outage = p.Float("loss"), p.Duration("outage")
	}
	if p.Has("delivery") {
		s.delivery, _ = ParseDelivery(p.Text("delivery"))
	}
	return s
}

// patience returns how long a client waits for progress before it gives up a connection. 0 means for ever: a connection
// that loses nothing ends when it breaks. A server may have to work for the whole buffers of all clients.
func (s settings) patience() time.Duration {
	if s.loss == 0 {
		return 0
	}
	transmission := time.Duration(0)
	if s.bandwidth > 0 {
		transmission = time.Duration(float64(s.bytes(1)) / s.bandwidth * 1e9)
	}
	return 10*time.Millisecond + 10*s.delay +
		2*time.Duration(s.clients*s.buffer)*(s.work+4*s.overhead+transmission)
}

// The sizes of what surrounds the payloads of a transmission, and of an acknowledgement.
const (
	headerBytes = 16
	ackBytes    = 24
)

// bytes returns the size of a transmission of n messages.
func (s settings) bytes(n int) int { return headerBytes + n*s.size }

// link returns the configuration of a direction of a connection. Its buffer holds whatever may be in flight, because a
// connection does not drop what its receiver has no room for.
func (s settings) link(buffer int) env.LinkConfig {
	c := env.LinkConfig{Bandwidth: s.bandwidth, Loss: s.loss, Buffer: buffer}
	if s.delay > 0 {
		c.Latency = func(*env.Draws) time.Duration { return s.delay }
	}
	return c
}

// reply is what a server transmits: an acknowledgement, or first the reply to a Hello.
type reply struct {
	Ack
	mark uint64 // of a Welcome
}

// conn is a connection of a client.
type conn struct {
	hello Hello
	up    *env.Link[Batch]
	down  *env.Link[reply]

	dropped, reset bool             // protected by the lock of the host; whoever sees the end of a link may read reset
	ended          *env.Atomic[int] // 1 if it was dropped
}

// newConn returns a connection on which at most buffer transmissions are in flight.
func newConn(e env.Env, s settings, h Hello, buffer int) *conn {
	name := fmt.Sprintf("client %d connection %d ", h.Client, h.Epoch)
	return &conn{hello: h, up: env.NewLink[Batch](e, name+"up", s.link(buffer+1)),
		down: env.NewLink[reply](e, name+"down", s.link(buffer+1)), ended: env.NewAtomic[int](e, "ended")}
}

// host runs a server, which may crash and start again. Its log survives.
type host struct {
	settings
	handle func(e env.Env, h *host, c *conn, s *Server) // handles the messages of a connection until its end

	lock     *env.Mutex
	server   *Server // nil while it is down
	log      Ledger
	settled  int                 // messages with their final state, if there are faults
	alarmAt  int                 // messages
	alarm    *env.Chan[struct{}] // receives when so many are settled
	conns    []*conn
	handlers *env.Group
	err      error
}

func newHost(e env.Env, s settings, handle func(e env.Env, h *host, c *conn, s *Server)) *host {
	h := &host{settings: s, handle: handle, lock: e.Mutex("server"), alarm: env.NewChan[struct{}](e, "", 1),
		handlers: e.Group()}
	h.start()
	return h
}

// start starts the server with the marks of its log.
func (h *host) start() {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.server = NewServer(h.delivery, h.log.Marks(), func(client uint64, s Span) error {
		h.log.Add(client, s, Acknowledged)
		return nil
	})
}

// progress counts n messages that have their final state, for the faults: their number must not depend on how many
// messages a design loses.
func (h *host) progress(n int) {
	if h.faults == 0 {
		return
	}
	h.lock.Lock()
	defer h.lock.Unlock()
	before := h.settled
	if h.settled += n; before < h.alarmAt && h.settled >= h.alarmAt {
		h.alarm.TrySend(struct{}{})
	}
}

// crash ends the server, and its connections as the kernel does. It returns when its goroutines have ended.
func (h *host) crash() {
	h.lock.Lock()
	h.server = nil
	open := slices.Clone(h.conns)
	h.lock.Unlock()
	for _, c := range open {
		h.drop(c, false)
	}
	h.handlers.Wait()
}

// accept accepts a connection of a client. ok is false if the server is down.
func (h *host) accept(e env.Env, c *conn) (ok bool) {
	h.lock.Lock()
	defer h.lock.Unlock()
	server := h.server
	if server == nil {
		return false
	}
	w, err := server.Connect(c.hello)
	if err != nil {
		h.err = err
		return false
	}
	h.conns = append(h.conns, c)
	h.handlers.Go(e, "serve", func(e env.Env) {
		c.down.Send(reply{Ack: Ack{Epoch: w.Epoch}, mark: w.Mark}, ackBytes)
		h.handle(e, h, c, server)
	})
	return true
}

// drop ends a connection. What is on its way is lost. A reset is an error for both ends; otherwise they see its end.
func (h *host) drop(c *conn, reset bool) {
	h.lock.Lock()
	again := c.dropped
	if !again {
		c.dropped, c.reset = true, reset
		h.conns = slices.DeleteFunc(h.conns, func(other *conn) bool { return other == c })
	}
	h.lock.Unlock()
	if again {
		return
	}
	c.ended.Store(1)
	c.up.Cut()
	c.down.Cut()
	c.up.Close()
	c.down.Close()
}

// receive stores the messages of a batch, and acknowledges them. ok is false if the server has crashed.
func (h *host) receive(e env.Env, c *conn, s *Server, b Batch) (ok bool) {
	h.lock.Lock()
	if h.server != s {
		h.lock.Unlock()
		return false
	}
	a, any, err := s.Receive(b)
	if err != nil && h.err == nil {
		h.err = err
	}
	h.lock.Unlock()
	if any {
		e.Burn(h.overhead)
		c.down.Send(reply{Ack: a}, ackBytes)
	}
	return true
}

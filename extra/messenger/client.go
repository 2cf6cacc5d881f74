package messenger

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/brewput/brewput/catalog/messenger"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/hist"
)

// maxBatch is the number of bytes of the messages that one transmission has at most, unless a message is larger.
const maxBatch = 64 << 10

const (
	// reconnectLimit is how long a client tries to connect again to a server that is started again, and pause the
	// time between two attempts.
	reconnectLimit = 30 * time.Second
	pause          = 2 * time.Millisecond
	// idleLimit is the number of connections in a row that settle no message, after which a client gives up.
	idleLimit = 20
)

// client sends the messages of one client, over one connection at a time, and connects again when it breaks.
type client struct {
	id     uint64
	n      int // messages
	size   int // bytes of a message
	buffer int // messages that may be queued
	most   int // messages in one transmission
	dialer dialer

	patience time.Duration // how long it tries to connect again; 0: the server will not come back

	first conn // made before the run; nil: it is in use or over

	lock    sync.Mutex // protects what follows
	room    *sync.Cond // the caller may add a message
	ready   *sync.Cond // the sender may send one, or ends
	state   *messenger.Sender
	added   int
	broken  bool     // the connection
	over    bool     // the client has ended
	flights []flight // in order
	settled int      // messages with their final state

	transmissions, connects int

	// Only the goroutine that listens uses these.
	latency *hist.Recorder // from the transmission of a message to its acknowledgement
	landed  []flight
}

// flight is messages that were sent together and are not acknowledged.
type flight struct {
	messenger.Span
	at time.Duration
}

// newClient returns a client of n messages, of which at most limit are in flight. settled gets their final states, and
// is called with the lock held.
func newClient(id uint64, n, limit int, d messenger.Delivery, settled func(messenger.Span, messenger.State)) *client {
	c := &client{id: id, n: n, buffer: 1, most: 1, latency: hist.NewRecorder()}
	c.state = messenger.NewSender(id, d, limit, func(s messenger.Span, state messenger.State) {
		c.settled += s.Len()
		settled(s, state)
	})
	c.room, c.ready = sync.NewCond(&c.lock), sync.NewCond(&c.lock)
	return c
}

// connect makes a connection and resumes on it.
func (c *client) connect() (conn, error) {
	x, err := c.dialer.dial()
	if err != nil {
		return nil, err
	}
	c.lock.Lock()
	hello := c.state.Connect()
	c.connects++
	c.lock.Unlock()
	err = x.send(appendHello(x.buffer(1+2*8), hello))
	var f frame
	if err == nil {
		f, err = receive(x, kindWelcome)
	}
	if err == nil {
		c.lock.Lock()
		if err = c.state.Resume(f.welcome); err != nil {
			err = fmt.Errorf("%w: %w", errProtocol, err)
		}
		c.broken = false
		c.lock.Unlock()
	}
	if err != nil {
		x.close()
		return nil, err
	}
	return x, nil
}

// receive receives a transmission of one of two kinds.
func receive(x conn, kinds ...byte) (frame, error) {
	b, err := x.receive()
	if err != nil {
		return frame{}, err
	}
	f, err := decode(b)
	for _, k := range kinds {
		if err != nil || f.kind == k {
			return f, err
		}
	}
	return f, fmt.Errorf("a client received a transmission of kind %q", f.kind)
}

// connected returns the first connection, or a new one. While the server is away it tries again, and keeps the queued
// messages: clients would be the faster the longer it is away.
func (c *client) connected(e env.Env) (conn, error) {
	if x := c.first; x != nil {
		c.first = nil
		return x, nil
	}
	for deadline := e.Now() + c.patience; ; e.Sleep(pause) {
		x, err := c.connect()
		switch {
		case err == nil || errors.Is(err, errProtocol):
			return x, err
		case e.Now() > deadline:
			return nil, fmt.Errorf("client %d cannot connect: %w", c.id, err)
		}
	}
}

// run sends all messages. body sends on a connection until it breaks or all messages have their state.
func (c *client) run(body func(x conn, e env.Env) error, e env.Env) error {
	before, idle := 0, 0
	for {
		x, err := c.connected(e)
		gone := err != nil
		if !gone {
			err = body(x, e)
			x.close()
		}
		c.lock.Lock()
		c.state.Broken()
		c.flights = c.flights[:0]
		if idle++; c.settled > before {
			before, idle = c.settled, 0
		}
		if !gone && idle == idleLimit && !c.done() {
			gone = true
			err = fmt.Errorf("client %d: no message was settled on the last %d connections: %w", c.id, idle,
				cmp.Or(err, errClosed))
		}
		over := gone || c.done() || errors.Is(err, errProtocol)
		if c.over = over; over {
			c.state.Close()
		}
		c.room.Signal()
		c.lock.Unlock()
		switch {
		case over && (gone || errors.Is(err, errProtocol)):
			return err
		case over:
			return nil
		}
	}
}

// errClosed is the error of a connection that ended without one.
var errClosed = errors.New("the connection was closed")

// errProtocol marks errors of the protocol, after which a client gives up.
var errProtocol = errors.New("the protocol is violated")

// done reports whether all messages have their state. The lock must be held.
func (c *client) done() bool { return c.added == c.n && c.state.Done() }

// add adds a message. The lock must be held.
func (c *client) add() {
	c.state.Add(1)
	c.added++
}

// next returns what to send now. The lock must be held.
func (c *client) next(now time.Duration) (b messenger.Batch, ok bool) {
	if b, ok = c.state.Send(c.most); ok {
		c.transmissions++
		c.flights = append(c.flights, flight{b.Span, now})
	}
	return b, ok
}

// settle records an acknowledgement, and the latencies of the messages. It returns their number.
func (c *client) settle(a messenger.Ack, now time.Duration) (int, error) {
	n, err := c.acknowledge(a)
	if err != nil {
		return n, fmt.Errorf("%w: %w", errProtocol, err)
	}
	for _, f := range c.landed { // without the lock, because a batch has thousands of messages
		for range f.Len() {
			c.latency.Record(int64(now - f.at))
		}
	}
	return n, nil
}

// acknowledge records an acknowledgement, and removes what it settles from the flights.
func (c *client) acknowledge(a messenger.Ack) (int, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	n, err := c.state.Acked(a)
	c.landed = c.landed[:0]
	done := 0
	for left := n; left > 0; { // acknowledgements arrive in order
		f := &c.flights[done]
		part := messenger.Span{From: f.From, To: f.From + uint64(min(left, f.Len())) - 1}
		c.landed = append(c.landed, flight{part, f.at})
		left -= part.Len()
		if f.From = part.To + 1; f.Len() == 0 {
			done++
		}
	}
	c.flights = slices.Delete(c.flights, 0, done)
	c.ready.Signal()
	return n, err
}

// transmit sends a batch.
func (c *client) transmit(x conn, b messenger.Batch) error {
	return x.send(appendBatch(x.buffer(batchBytes(b.Len(), c.size)), b, c.size))
}

package messenger

import (
	"time"

	"github.com/brewput/brewput/env"
)

// client sends its messages to a host, through a queue.
type client struct {
	settings
	number uint64
	host   *host
	queue  *env.Chan[struct{}]
	limit  int // messages in flight
	most   int // messages of a transmission

	lock    *env.Mutex // protects the following
	changed *env.Cond  // the window has opened, or the connection broke
	sender  *Sender
	conn    *conn // the latest one
	ledger  *Ledger
	err     error
	timing  timing

	// Only the goroutine that sends uses these.
	ended                   bool // the queue has ended
	left                    int  // messages that were taken from the queue and not sent
	connects, transmissions int
}

func newClient(e env.Env, h *host, number, limit, most int) *client {
	c := &client{settings: h.settings, number: uint64(number), host: h, limit: limit, most: most,
		queue: env.NewChan[struct{}](e, "queue", h.buffer), lock: e.Mutex("client"), ledger: &Ledger{}}
	c.changed = e.Cond(c.lock)
	c.sender = NewSender(c.number, h.delivery, limit, func(s Span, state State) {
		c.ledger.Add(c.number, s, state)
		h.progress(s.Len())
	})
	return c
}

// produce puts all messages into the queue.
func (c *client) produce(env.Env) {
	for range c.messages {
		c.queue.Send(struct{}{})
	}
	c.queue.Close()
}

// take waits for a message in the queue, and takes what else is in it, at most most messages. It returns 0 at the end
// of the queue.
func (c *client) take() (n int) {
	if c.ended {
		return 0
	}
	if _, ok := c.queue.Recv(); !ok {
		c.ended = true
		return 0
	}
	for n = 1; n < c.most; n++ {
		_, ok, received := c.queue.TryRecv()
		if !ok {
			c.ended = received
			break
		}
	}
	return n
}

// progress is what a client does next.
type progress int

const (
	transmit progress = iota
	reconnect
	finished
)

// next returns the next transmission. It takes messages from the queue if none is left that was not sent, and waits
// until the window is open.
func (c *client) next(e env.Env) (b Batch, on *conn, then progress) {
	added := 0
	if c.left == 0 {
		added = c.take()
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.sender.Add(added)
	for {
		if c.ended && c.sender.Done() || c.err != nil {
			return b, nil, finished
		}
		if !c.sender.Online() {
			return b, nil, reconnect
		}
		if b, ok := c.sender.Send(c.most); ok {
			c.transmissions++
			c.timing.sent(e, b.Span)
			c.left = c.sender.Unsent()
			return b, c.conn, transmit
		}
		c.changed.Wait()
	}
}

// pause is how long a client waits before it tries again to connect.
const pause = time.Millisecond

// connect connects to the host. If that fails, it waits for a while and returns nil. No message is given up: clients
// would be the faster the longer the host is down.
func (c *client) connect(e env.Env) *conn {
	c.connects++
	c.lock.Lock()
	hello := c.sender.Connect()
	c.timing.broken()
	c.lock.Unlock()

	on := newConn(e, c.settings, hello, c.limit)
	e.Wait(c.delay)
	r, ok := reply{}, c.host.accept(e, on)
	if ok {
		r, ok, _ = receive(e, on.down, c.patience())
	}
	if !ok {
		c.host.drop(on, true)
		e.Sleep(pause)
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if ok {
		c.err = c.sender.Resume(Welcome{r.Epoch, r.mark})
		c.conn = on
	} else {
		on = nil
	}
	c.left = c.sender.Unsent()
	return on
}

// receive receives from a link. late is true if patience ends first; 0 means for ever.
func receive(e env.Env, l *env.Link[reply], patience time.Duration) (r reply, ok, late bool) {
	if patience == 0 {
		r, ok = l.Recv()
		return r, ok, false
	}
	i := env.Select(l.OnRecvOK(&r, &ok), e.After(patience).OnRecv(nil))
	return r, ok && i == 0, i == 1
}

// transmit sends a batch.
func (c *client) transmit(e env.Env, on *conn, b Batch) {
	e.Burn(c.overhead)
	on.up.Send(b, c.bytes(b.Len()))
}

// acked handles the next reply on a connection. ok is false if the connection broke, or made no progress.
func (c *client) acked(e env.Env, on *conn) (ok bool) {
	r, ok, late := receive(e, on.down, c.patience())
	if ok {
		e.Burn(c.overhead)
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if late && c.conn == on && c.sender.InFlight() == 0 {
		return true
	}
	if ok {
		_, err := c.sender.Acked(r.Ack)
		c.timing.acked(e, r.Span)
		if err != nil {
			c.err, ok = err, false
		}
	}
	if !ok && c.conn == on {
		c.sender.Broken()
		c.timing.broken()
	}
	c.changed.Signal()
	return ok
}

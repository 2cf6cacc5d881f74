package messenger

import (
	"errors"

	"github.com/brewput/brewput/catalog/messenger"
	"github.com/brewput/brewput/env"
)

// exchange sends one message at a time and waits for its acknowledgement, on one goroutine.
func (c *client) exchange(x conn, e env.Env) error {
	for {
		c.lock.Lock()
		if c.state.Unsent() == 0 && c.added < c.n {
			c.add()
		}
		b, ok := c.next(e.Now())
		c.lock.Unlock()
		if !ok {
			return nil
		}
		err := c.transmit(x, b)
		var f frame
		if err == nil {
			f, err = receive(x, kindAck, kindNothing)
		}
		n := 0
		if err == nil && f.kind == kindAck {
			n, err = c.settle(f.ack, e.Now())
		}
		if err == nil && n == 0 {
			err = errors.New("the message was not acknowledged")
		}
		if err != nil {
			return err
		}
	}
}

// produce adds all messages, and waits while the buffer is full.
func (c *client) produce(env.Env) {
	for range c.n {
		c.lock.Lock()
		for c.state.Unsent() >= c.buffer && !c.over {
			c.room.Wait()
		}
		c.add()
		c.ready.Signal()
		c.lock.Unlock()
	}
}

// pipeline sends what is queued, while a listener receives the acknowledgements.
func (c *client) pipeline(x conn, e env.Env) error {
	listener := e.Group()
	var heard error
	listener.Go(e, "listener", func(e env.Env) {
		heard = c.listen(x, e)
		c.lock.Lock()
		c.broken = true
		c.ready.Signal()
		c.lock.Unlock()
	})
	var err error
	for err == nil {
		c.lock.Lock()
		for c.state.Sendable() == 0 && !c.broken && !c.done() {
			c.ready.Wait()
		}
		b, ok := messenger.Batch{}, false
		if !c.broken {
			b, ok = c.next(e.Now())
			c.room.Signal()
		}
		c.lock.Unlock()
		if !ok {
			break
		}
		err = c.transmit(x, b)
	}
	x.close() // ends the listener
	listener.Wait()
	if errors.Is(heard, errProtocol) {
		return heard
	}
	return err
}

// listen receives acknowledgements until the connection ends.
func (c *client) listen(x conn, e env.Env) error {
	for {
		f, err := receive(x, kindAck)
		if err != nil {
			return err
		}
		if _, err := c.settle(f.ack, e.Now()); err != nil {
			return err
		}
	}
}

package messenger

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newAsync has another goroutine that listens. The server has a goroutine for each message.
func newAsync(e env.Env, p plan.Point) (workload.Job, error) {
	return design{limit: level("buffer"), most: one, send: (*client).stream, handle: handleAsync}.job(e, p)
}

// newInOrder is async, except that the server handles one message after the other.
func newInOrder(e env.Env, p plan.Point) (workload.Job, error) {
	return design{limit: level("buffer"), most: one, send: (*client).stream, handle: handleInOrder}.job(e, p)
}

// newWindow is in-order with a limited number of messages in flight.
func newWindow(e env.Env, p plan.Point) (workload.Job, error) {
	return design{limit: level("window"), most: one, send: (*client).stream, handle: handleInOrder}.job(e, p)
}

// newBatches is in-order, except that all messages that are queued go in one transmission. So batches are as large as
// the sender is slower than the queue is filled, and a message that comes alone is not delayed.
func newBatches(e env.Env, p plan.Point) (workload.Job, error) {
	return design{limit: level("buffer"), most: level("buffer"), send: (*client).stream,
		handle: handleInOrder}.job(e, p)
}

// stream sends transmissions while another goroutine listens to the replies.
func (c *client) stream(e env.Env) {
	listeners := e.Group()
	for {
		b, on, then := c.next(e)
		switch then {
		case transmit:
			c.transmit(e, on, b)
		case reconnect:
			if on := c.connect(e); on != nil {
				listeners.Go(e, "listen", func(e env.Env) {
					for c.acked(e, on) {
					}
					c.host.drop(on, true)
				})
			}
		default:
			if c.conn != nil {
				c.host.drop(c.conn, true)
			}
			listeners.Wait()
			return
		}
	}
}

// handleAsync has a goroutine for each transmission, so that the work is done in parallel. The messages are stored in
// the order in which they arrive: a goroutine stores its own, and those after them that had to wait for it.
func handleAsync(e env.Env, h *host, c *conn, s *Server) {
	type handled struct {
		Batch
		done bool
	}
	all, lock := e.Group(), e.Mutex("order")
	var waiting []*handled
	for b, ok := c.up.Recv(); ok; b, ok = c.up.Recv() {
		e.Burn(h.overhead)
		own := &handled{Batch: b}
		lock.Lock()
		waiting = append(waiting, own)
		lock.Unlock()
		all.Go(e, "handle", func(e env.Env) {
			e.Burn(time.Duration(own.Len()) * h.work)
			lock.Lock()
			defer lock.Unlock()
			own.done = true
			for len(waiting) > 0 && waiting[0].done {
				h.receive(e, c, s, waiting[0].Batch)
				waiting = waiting[1:]
			}
		})
	}
	all.Wait()
}

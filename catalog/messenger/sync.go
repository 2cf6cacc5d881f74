package messenger

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newSync waits for the acknowledgement of each message before it sends the next one.
func newSync(e env.Env, p plan.Point) (workload.Job, error) {
	return design{limit: one, most: one, send: (*client).wait, handle: handleInOrder}.job(e, p)
}

// wait sends one transmission after the other, and waits for the acknowledgement of each.
func (c *client) wait(e env.Env) {
	for {
		b, on, then := c.next(e)
		switch then {
		case finished:
			return
		case reconnect:
			c.connect(e)
			continue
		}
		c.transmit(e, on, b)
		for c.sender.InFlight() > 0 {
			if !c.acked(e, on) {
				c.host.drop(on, true)
				break
			}
		}
	}
}

// handleInOrder handles one transmission after the other.
func handleInOrder(e env.Env, h *host, c *conn, s *Server) {
	for b, ok := c.up.Recv(); ok; b, ok = c.up.Recv() {
		e.Burn(h.overhead + time.Duration(b.Len())*h.work)
		if !h.receive(e, c, s, b) {
			return
		}
	}
}

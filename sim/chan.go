package sim

// sendOnClosed is the panic of a send on a closed channel.
const sendOnClosed = "send on closed channel"

// Chan is a channel of tokens. Its user keeps the values that they stand for.
type Chan struct {
	Name string

	capacity int
	buf      []int64 // a ring, as large as was ever needed
	head, n  int
	closed   bool
	sendq    waitq
	recvq    waitq
}

// NewChan creates a channel with a buffer of capacity tokens.
func NewChan(name string, capacity int) *Chan {
	if capacity < 0 {
		panic("makechan: size out of range")
	}
	return &Chan{Name: name, capacity: capacity}
}

// Len returns the number of buffered tokens.
func (c *Chan) Len() int { return c.n }

// Cap returns the channel's capacity.
func (c *Chan) Cap() int { return c.capacity }

// push appends a token to the buffer.
func (c *Chan) push(token int64) {
	if c.n == len(c.buf) {
		grown := make([]int64, min(c.capacity, max(4, 2*c.n)))
		for i := range c.n {
			grown[i] = c.buf[(c.head+i)%len(c.buf)]
		}
		c.buf, c.head = grown, 0
	}
	i := c.head + c.n
	if i >= len(c.buf) {
		i -= len(c.buf)
	}
	c.buf[i] = token
	c.n++
}

// pop takes the first token of the buffer.
func (c *Chan) pop() int64 {
	token := c.buf[c.head]
	if c.head++; c.head == len(c.buf) {
		c.head = 0
	}
	c.n--
	return token
}

// onChan carries out an operation on a channel.
func (k *Kernel) onChan(g *G, c *Chan, op Op) Outcome {
	switch op.Code {
	case Send:
		return k.send(g, c, op.Token)
	case Recv:
		return k.recv(g, c)
	case Close:
		return k.close(c)
	case TrySend:
		if c.closed {
			return k.panics(sendOnClosed)
		}
		if k.sent = k.trySend(c, op.Token); k.sent {
			return k.moved(g)
		}
		return Done
	}
	var got bool
	if g.token, g.ok, got = k.tryRecv(c); !got {
		g.choice = -1
		return Done
	}
	g.choice = 0
	return k.received(g)
}

// received ends a receive. One from a closed channel is no progress.
func (k *Kernel) received(g *G) Outcome {
	if !g.ok {
		return Done
	}
	return k.moved(g)
}

// send carries out Send.
func (k *Kernel) send(g *G, c *Chan, token int64) Outcome {
	if c.closed {
		return k.panics(sendOnClosed)
	}
	if k.sent = k.trySend(c, token); k.sent {
		return k.moved(g)
	}
	g.sudog = sudog{g: g, c: c, token: token, send: true, index: -1}
	c.sendq.push(&g.sudog)
	return k.park(g, Send, c)
}

// recv carries out Recv.
func (k *Kernel) recv(g *G, c *Chan) Outcome {
	var got bool
	if g.token, g.ok, got = k.tryRecv(c); got {
		g.choice = 0
		return k.received(g)
	}
	g.sudog = sudog{g: g, c: c, index: -1}
	c.recvq.push(&g.sudog)
	return k.park(g, Recv, c)
}

// trySend delivers a token to a channel that is not closed, if that needs no parking.
func (k *Kernel) trySend(c *Chan, token int64) bool {
	if s := c.recvq.take(); s != nil {
		k.handedOff(c, k.cur, s.g)
		k.ready(s.wake(token, true))
		return true
	}
	if c.n < c.capacity {
		c.push(token)
		k.enqueued(c, k.cur)
		return true
	}
	return false
}

// tryRecv takes the next token if there is one. ok is false if there will never be one.
func (k *Kernel) tryRecv(c *Chan) (token int64, ok, got bool) {
	if c.closed && c.n == 0 {
		return 0, false, true
	}
	if s := c.sendq.take(); s != nil {
		token = s.token
		if c.capacity > 0 { // the buffer is full: its first token is taken, and the sender's appended
			token = c.pop()
			c.push(s.token)
			k.dequeued(c, k.cur)
			k.enqueued(c, s.g)
		} else {
			k.handedOff(c, s.g, k.cur)
		}
		k.ready(s.wake(s.token, true))
		return token, true, true
	}
	if c.n > 0 {
		k.dequeued(c, k.cur)
		return c.pop(), true, true
	}
	return 0, false, false
}

// close wakes all waiting goroutines, the last first, as closechan does.
func (k *Kernel) close(c *Chan) Outcome {
	if c.closed {
		return k.panics("close of closed channel")
	}
	c.closed = true
	var woken queue
	for _, q := range []*waitq{&c.recvq, &c.sendq} {
		for s := q.take(); s != nil; s = q.take() {
			woken.pushFront(s.wake(s.token, false))
		}
	}
	for g := woken.pop(); g != nil; g = woken.pop() {
		k.ready(g)
	}
	return Done
}

// ClearCases starts a new list of cases.
func (g *G) ClearCases() { g.cases = g.cases[:0] }

// AddCase adds a case of the next select. A nil channel never proceeds.
func (g *G) AddCase(c *Chan, send bool, token int64) {
	g.cases = append(g.cases, sudog{g: g, c: c, send: send, token: token, index: int32(len(g.cases))})
}

// CaseToken returns the token of case i as given to AddCase.
func (g *G) CaseToken(i int) int64 { return g.cases[i].token }

// selects is selectgo: it checks all cases at one instant, in random order, and takes the first that can proceed.
func (k *Kernel) selects(g *G, block bool) Outcome {
	n := len(g.cases)
	if cap(g.order) < n {
		g.order = make([]uint16, 0, n)
	}
	order := g.order[:0]
	for i := range g.cases {
		if g.cases[i].c == nil {
			continue
		}
		j := int(k.draws.below(uint64(len(order) + 1)))
		order = append(order, uint16(i))
		last := len(order) - 1
		order[last] = order[j]
		order[j] = uint16(i)
	}
	for _, i := range order {
		s := &g.cases[i]
		g.choice = int32(i)
		if s.send {
			if s.c.closed {
				return k.panics(sendOnClosed)
			}
			g.ok = k.trySend(s.c, s.token)
		} else {
			var got bool
			if g.token, g.ok, got = k.tryRecv(s.c); !got {
				continue
			}
		}
		if g.ok || !s.send {
			k.decided(didSelect, g.cpu.id, int64(i))
			return k.received(g)
		}
	}
	g.choice = -1
	if !block {
		return Done
	}
	for i := range g.cases {
		if s := &g.cases[i]; s.c != nil {
			s.queue().push(s)
		}
	}
	return k.park(g, Select, nil)
}

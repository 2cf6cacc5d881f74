package env

// Chan is a channel of T. Create one with [NewChan]. Its methods take no Env: every goroutine of the world may use
// it.
type Chan[T any] struct {
	meter   *Meter // nil without instrumentation; never nil on a machine
	ch      chan T
	virtual *virtualChan[T] // on a machine, instead of ch
}

// NewChan creates a channel with a buffer of capacity values. With capacity 0 every send waits for its receive. The
// name is that of the resource in reports. A channel without a name has no meter.
func NewChan[T any](e Env, name string, capacity int) *Chan[T] {
	e.own()
	if e.t.machine != nil {
		return newVirtualChan[T](e, name, capacity)
	}
	c := &Chan[T]{ch: make(chan T, capacity)}
	if name != "" {
		c.meter = e.t.world.Meter(KindChan, name, capacity)
	}
	return c
}

// Send sends v, and parks until there is room or a receiver. It panics on a closed channel.
func (c *Chan[T]) Send(v T) {
	if c.meter == nil {
		c.ch <- v
		return
	}
	c.sendMetered(v, true)
}

// Recv receives the next value, and parks until there is one. ok is false, and the value zero, once the channel is
// closed and empty.
func (c *Chan[T]) Recv() (v T, ok bool) {
	if c.meter == nil { // written so that the compiler inlines it
		v, ok = <-c.ch
	} else {
		v, ok = c.recvMetered()
	}
	return v, ok
}

// TrySend sends v if that needs no parking, and reports whether it did.
func (c *Chan[T]) TrySend(v T) bool {
	if c.meter != nil {
		return c.sendMetered(v, false)
	}
	select {
	case c.ch <- v:
		return true
	default:
		return false
	}
}

// TryRecv receives a value if one is ready. received is false if Recv would have parked; ok is false on a closed and
// empty channel.
func (c *Chan[T]) TryRecv() (v T, ok, received bool) {
	if c.virtual != nil {
		return c.recvVirtual(false)
	}
	select {
	case v, ok = <-c.ch:
		if ok && c.meter != nil {
			c.meter.served()
		}
		return v, ok, true
	default:
		return v, false, false
	}
}

// sendMetered is Send, or TrySend if it may not park, with a meter or on a machine.
func (c *Chan[T]) sendMetered(v T, mayPark bool) (sent bool) {
	if c.virtual != nil {
		return c.sendVirtual(v, mayPark)
	}
	return c.sendLive(v, mayPark)
}

// sendLive is sendMetered on the Go runtime. A send that panics leaves no trace in the meter.
func (c *Chan[T]) sendLive(v T, mayPark bool) (sent bool) {
	parked := false
	c.meter.queue()
	defer func() {
		if parked {
			c.meter.unparkSend(sent)
		}
		if !sent {
			c.meter.unqueue()
		}
	}()
	select {
	case c.ch <- v:
		return true
	default:
	}
	if mayPark {
		c.meter.parkSend()
		parked = true
		c.ch <- v
	}
	return mayPark
}

// recvMetered is Recv with a meter or on a machine.
func (c *Chan[T]) recvMetered() (v T, ok bool) {
	if c.virtual != nil {
		v, ok, _ = c.recvVirtual(true)
		return v, ok
	}
	select {
	case v, ok = <-c.ch:
	default:
		c.meter.parkRecv()
		v, ok = <-c.ch
		c.meter.unparkRecv(true)
	}
	if ok {
		c.meter.served()
	}
	return v, ok
}

// Close closes the channel. Receivers get the buffered values, and then ok == false.
func (c *Chan[T]) Close() {
	if c.virtual != nil {
		c.virtual.line.Close()
		return
	}
	close(c.ch)
}

// Len returns the number of buffered values.
func (c *Chan[T]) Len() int {
	if c.virtual != nil {
		return c.virtual.line.Len()
	}
	return len(c.ch)
}

// Cap returns the channel's capacity.
func (c *Chan[T]) Cap() int {
	if c.virtual != nil {
		return c.virtual.line.Cap()
	}
	return cap(c.ch)
}

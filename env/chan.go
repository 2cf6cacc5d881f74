package env

// Chan is a channel of T. Make one with [NewChan]. Its methods take no Env: any goroutine of the
// world may use it.
type Chan[T any] struct {
	meter *Meter // nil outside observed trials; never nil on a machine
	ch    chan T
	far   *far[T] // on a machine, in place of ch
}

// NewChan makes a channel with room for capacity values; 0 makes every send meet its receive. The
// name is the resource's in reports; a channel without a name is no resource, and no meter watches it.
func NewChan[T any](e Env, name string, capacity int) *Chan[T] {
	e.own()
	if e.t.machine != nil {
		return farChan[T](e, name, capacity)
	}
	c := &Chan[T]{ch: make(chan T, capacity)}
	if name != "" {
		c.meter = e.t.world.Meter(KindChan, name, capacity)
	}
	return c
}

// Send delivers v, parking until there is room or a receiver. It panics on a closed channel.
func (c *Chan[T]) Send(v T) {
	if c.meter == nil {
		c.ch <- v
		return
	}
	c.sendMetered(v, true)
}

// Recv takes the next value, parking until there is one. ok is false, and the value zero, once the
// channel is closed and empty.
func (c *Chan[T]) Recv() (v T, ok bool) {
	if c.meter == nil { // in this form the compiler inlines it
		v, ok = <-c.ch
	} else {
		v, ok = c.recvMetered()
	}
	return v, ok
}

// TrySend delivers v if that needs no parking and reports whether it did.
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

// TryRecv takes a value if one is ready. received is false where Recv would have parked; ok is
// false on a closed and empty channel.
func (c *Chan[T]) TryRecv() (v T, ok, received bool) {
	if c.far != nil {
		return c.recvFar(false)
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

// sendMetered is Send, or TrySend where it may not park, in an observed trial or on a machine.
func (c *Chan[T]) sendMetered(v T, mayPark bool) (sent bool) {
	if c.far != nil {
		return c.sendFar(v, mayPark)
	}
	return c.sendNear(v, mayPark)
}

// sendNear is sendMetered on the Go runtime. A send that panics leaves nothing in the meter.
func (c *Chan[T]) sendNear(v T, mayPark bool) (sent bool) {
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

func (c *Chan[T]) recvMetered() (v T, ok bool) {
	if c.far != nil {
		v, ok, _ = c.recvFar(true)
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

// Close closes the channel: receivers get what is buffered and then ok == false.
func (c *Chan[T]) Close() {
	if c.far != nil {
		c.far.line.Close()
		return
	}
	close(c.ch)
}

// Len is the number of buffered values.
func (c *Chan[T]) Len() int {
	if c.far != nil {
		return c.far.line.Len()
	}
	return len(c.ch)
}

// Cap is the channel's capacity.
func (c *Chan[T]) Cap() int {
	if c.far != nil {
		return c.far.line.Cap()
	}
	return cap(c.ch)
}

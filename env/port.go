package env

import (
	"reflect"
	"time"
)

// port is a Chan of any element type, as Select needs it. No method may keep its arguments: see onStack.
type port interface {
	// try carries out the case if that needs no parking.
	try(p any, ok *bool, send bool) bool
	// wait carries out the case, parking until it can.
	wait(p any, ok *bool, send bool)
	// native is a native select over the cases. done is false if their types do not allow it.
	native(cases [maxNative]Case, n, fallback int) (i int, ok, done bool)
	// reflected returns the case for package reflect.
	reflected(p any, send bool) reflect.SelectCase
	meterOf() *Meter

	// On a machine: see chooseVirtual.
	machineOf() Machine
	stage(p any, send bool) (l TokenChan, token uint32)
	unstage(token uint32)
	collect(token uint32, open bool, p any, ok *bool)
}

// maxNative is the number of cases, Default included, that fit a native select.
const maxNative = 4

// native tries the channels one after the other, because only the one with the payload's type can name all types.
func native(cases []Case, fallback int) (i int, ok, done bool) {
	if len(cases) > maxNative {
		return 0, false, false
	}
	var all [maxNative]Case
	n := copy(all[:], cases)
	for i := range cases {
		if cases[i].c == nil {
			continue
		}
		if i, ok, done := cases[i].c.native(all, n, fallback); done {
			return i, ok, true
		}
	}
	return 0, false, false
}

// slots are the channels of a native select: those of T, and one receive each of a signal, of an error and from
// [Env.After], which programs often combine. Empty slots are nil channels, which never proceed.
type slots[T any] struct {
	recv, send [maxNative]chan T
	out        [maxNative]T
	signal     chan struct{}
	failed     chan error
	timer      chan time.Duration
	signalAt   int
	failedAt   int
	timerAt    int
}

// fill puts a case into its slot, and reports false if there is none.
func (s *slots[T]) fill(i int, cs *Case) bool {
	switch c := cs.c.(type) {
	case nil, never:
	case *Chan[T]:
		if cs.send {
			s.send[i] = c.ch
			s.out[i] = *cs.p.(*T)
		} else {
			s.recv[i] = c.ch
		}
	case *Chan[struct{}]:
		if cs.send || s.signal != nil {
			return false
		}
		s.signal, s.signalAt = c.ch, i
	case *Chan[error]:
		if cs.send || s.failed != nil {
			return false
		}
		s.failed, s.failedAt = c.ch, i
	case *Chan[time.Duration]:
		if cs.send || s.timer != nil {
			return false
		}
		s.timer, s.timerAt = c.ch, i
	default:
		return false
	}
	return true
}

func (c *Chan[T]) native(cases [maxNative]Case, n, fallback int) (i int, ok, done bool) {
	var s slots[T]
	for i := range n {
		if !s.fill(i, &cases[i]) {
			return 0, false, false
		}
	}
	var got received[T]
	if fallback < 0 {
		i, ok = s.park(&got)
	} else {
		i, ok = s.poll(fallback, &got)
	}
	if cases[i].send {
		return i, ok, true
	}
	switch dst := cases[i].p.(type) {
	case *T:
		store(dst, got.v)
	case *error:
		store(dst, got.err)
	case *time.Duration:
		store(dst, got.at)
	}
	return i, ok, true
}

// received is where a native select puts a value.
type received[T any] struct {
	v   T
	err error
	at  time.Duration
}

func store[T any](dst *T, v T) {
	if dst != nil {
		*dst = v
	}
}

func (s *slots[T]) park(got *received[T]) (i int, ok bool) {
	select {
	case got.v, ok = <-s.recv[0]:
		return 0, ok
	case got.v, ok = <-s.recv[1]:
		return 1, ok
	case got.v, ok = <-s.recv[2]:
		return 2, ok
	case got.v, ok = <-s.recv[3]:
		return 3, ok
	case s.send[0] <- s.out[0]:
		return 0, true
	case s.send[1] <- s.out[1]:
		return 1, true
	case s.send[2] <- s.out[2]:
		return 2, true
	case s.send[3] <- s.out[3]:
		return 3, true
	case _, ok = <-s.signal:
		return s.signalAt, ok
	case got.err, ok = <-s.failed:
		return s.failedAt, ok
	case got.at, ok = <-s.timer:
		return s.timerAt, ok
	}
}

// poll is park with a Default.
func (s *slots[T]) poll(fallback int, got *received[T]) (i int, ok bool) {
	select {
	case got.v, ok = <-s.recv[0]:
		return 0, ok
	case got.v, ok = <-s.recv[1]:
		return 1, ok
	case got.v, ok = <-s.recv[2]:
		return 2, ok
	case got.v, ok = <-s.recv[3]:
		return 3, ok
	case s.send[0] <- s.out[0]:
		return 0, true
	case s.send[1] <- s.out[1]:
		return 1, true
	case s.send[2] <- s.out[2]:
		return 2, true
	case s.send[3] <- s.out[3]:
		return 3, true
	case _, ok = <-s.signal:
		return s.signalAt, ok
	case got.err, ok = <-s.failed:
		return s.failedAt, ok
	case got.at, ok = <-s.timer:
		return s.timerAt, ok
	default:
		return fallback, false
	}
}

func (c *Chan[T]) try(p any, ok *bool, send bool) bool {
	if send {
		return c.TrySend(*p.(*T))
	}
	v, open, received := c.TryRecv()
	if received {
		deliver(v, open, p, ok)
	}
	return received
}

func (c *Chan[T]) wait(p any, ok *bool, send bool) {
	if send {
		c.Send(*p.(*T))
		return
	}
	v, open := c.Recv()
	deliver(v, open, p, ok)
}

// deliver stores a received value at the destination of its case.
func deliver[T any](v T, open bool, p any, ok *bool) {
	store(p.(*T), v)
	if ok != nil {
		*ok = open
	}
}

func (c *Chan[T]) meterOf() *Meter { return c.meter }

func (c *Chan[T]) reflected(p any, send bool) reflect.SelectCase {
	r := reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c.ch)}
	if send {
		v := *p.(*T)
		r.Dir, r.Send = reflect.SelectSend, reflect.ValueOf(&v).Elem()
	}
	return r
}

// reflected is a select of any number of cases of any types.
func reflected(cases []Case) (i int, ok bool) {
	rc := make([]reflect.SelectCase, len(cases))
	for i := range cases {
		rc[i].Dir = reflect.SelectDefault
		if cs := &cases[i]; cs.c != nil {
			rc[i] = cs.c.reflected(cs.p, cs.send)
		}
	}
	i, v, ok := reflect.Select(rc)
	if cs := &cases[i]; cs.c != nil && !cs.send {
		if dst := reflect.ValueOf(cs.p); !dst.IsNil() {
			dst.Elem().Set(v)
		}
	}
	return i, ok
}

// never is the port of a nil channel.
type never struct{}

func (never) try(any, *bool, bool) bool { return false }
func (never) wait(any, *bool, bool)     { select {} }
func (never) meterOf() *Meter           { return nil }

func (never) native([maxNative]Case, int, int) (i int, ok, done bool) { return 0, false, false }

func (never) reflected(any, bool) reflect.SelectCase {
	return reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf((chan struct{})(nil))}
}

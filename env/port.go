package env

import (
	"reflect"
	"time"
)

// port is a Chan of any element type, as Select needs it. Cases come in by value: a pointer to one
// would make every caller's list of cases escape to the heap.
type port interface {
	// try carries out the case if that needs no parking.
	try(p any, ok *bool, send bool) bool
	// wait carries out the case, parking until it can.
	wait(p any, ok *bool, send bool)
	// native is a native select over the cases; done is false where their types do not allow it.
	native(cases [maxNative]Case, n, fallback int) (i int, ok, done bool)
	// reflected is the case for package reflect.
	reflected(p any, send bool) reflect.SelectCase
	meterOf() *Meter
}

// maxNative is the number of cases, Default included, that fit a native select.
const maxNative = 4

// native asks the channels in turn, as only the one with the payload's type can name all types.
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

// slots are the channels of a native select: those of T, and beside them one receive from a channel
// of signals and one from [Env.After], which is what designs mix. Empty slots are nil channels,
// which never proceed.
type slots[T any] struct {
	recv, send [maxNative]chan T
	out        [maxNative]T
	signal     chan struct{}
	timer      chan time.Duration
	signalAt   int
	timerAt    int
}

func (s *slots[T]) fill(i int, cs *Case) bool {
	switch c := cs.c.(type) {
	case nil, never:
	case *Chan[T]:
		if cs.send {
			s.send[i] = c.ch
			s.out[i], _ = cs.p.(T) // a nil value of an interface type T arrives as a nil any
		} else {
			s.recv[i] = c.ch
		}
	case *Chan[struct{}]:
		if cs.send || s.signal != nil {
			return false
		}
		s.signal, s.signalAt = c.ch, i
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
	var v T
	var at time.Duration
	if fallback < 0 {
		i, ok = s.park(&v, &at)
	} else {
		i, ok = s.poll(fallback, &v, &at)
	}
	switch dst := cases[i].p.(type) {
	case *T:
		if !cases[i].send && dst != nil {
			*dst = v
		}
	case *time.Duration:
		if !cases[i].send && dst != nil {
			*dst = at
		}
	}
	return i, ok, true
}

func (s *slots[T]) park(v *T, at *time.Duration) (i int, ok bool) {
	select {
	case *v, ok = <-s.recv[0]:
		return 0, ok
	case *v, ok = <-s.recv[1]:
		return 1, ok
	case *v, ok = <-s.recv[2]:
		return 2, ok
	case *v, ok = <-s.recv[3]:
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
	case *at, ok = <-s.timer:
		return s.timerAt, ok
	}
}

// poll is park with a Default.
func (s *slots[T]) poll(fallback int, v *T, at *time.Duration) (i int, ok bool) {
	select {
	case *v, ok = <-s.recv[0]:
		return 0, ok
	case *v, ok = <-s.recv[1]:
		return 1, ok
	case *v, ok = <-s.recv[2]:
		return 2, ok
	case *v, ok = <-s.recv[3]:
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
	case *at, ok = <-s.timer:
		return s.timerAt, ok
	default:
		return fallback, false
	}
}

func (c *Chan[T]) try(p any, ok *bool, send bool) bool {
	if send {
		v, _ := p.(T)
		return c.TrySend(v)
	}
	v, open, received := c.TryRecv()
	if received {
		deliver(v, open, p, ok)
	}
	return received
}

func (c *Chan[T]) wait(p any, ok *bool, send bool) {
	if send {
		v, _ := p.(T)
		c.Send(v)
		return
	}
	v, open := c.Recv()
	deliver(v, open, p, ok)
}

// deliver stores what a receive got where its case wants it.
func deliver[T any](v T, open bool, p any, ok *bool) {
	if dst := p.(*T); dst != nil {
		*dst = v
	}
	if ok != nil {
		*ok = open
	}
}

func (c *Chan[T]) meterOf() *Meter { return c.meter }

func (c *Chan[T]) reflected(p any, send bool) reflect.SelectCase {
	r := reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c.ch)}
	if send {
		v, _ := p.(T)
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

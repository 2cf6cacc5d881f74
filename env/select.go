package env

import (
	"math/rand/v2"
	"reflect"
)

// Case is one alternative of a [Select]: [Chan.OnRecv], [Chan.OnRecvOK], [Chan.OnSend] or [Default].
type Case struct {
	c    port
	p    any // *T: where a received value goes, or the value to send
	ok   *bool
	send bool
}

// Default is the case taken when no other could proceed.
var Default = Case{}

// port is a Chan of any element type, as Select needs it.
type port interface {
	try(cs *Case) bool
	reflected() reflect.Value
	meterOf() *Meter
}

// OnRecv is the case of receiving into *dst; a nil dst drops the value. On a closed channel the
// case proceeds with the zero value. A nil channel never proceeds.
func (c *Chan[T]) OnRecv(dst *T) Case { return c.OnRecvOK(dst, nil) }

// OnRecvOK is OnRecv and tells in *ok whether a value came, false being a closed channel.
func (c *Chan[T]) OnRecvOK(dst *T, ok *bool) Case {
	if c == nil {
		return Case{c: never{}}
	}
	return Case{c: c, p: dst, ok: ok}
}

// OnSend is the case of sending v. A nil channel never proceeds.
func (c *Chan[T]) OnSend(v T) Case {
	if c == nil {
		return Case{c: never{}}
	}
	return Case{c: c, p: &v, send: true}
}

// Select carries out exactly one of the cases and returns its index. Of those that can proceed it
// takes one with equal probability; if none can, it takes [Default], or without one parks until one
// can. As in Go, at most one Default is allowed, and Select() parks forever.
func Select(cases ...Case) int {
	fallback := -1
	for i := range cases {
		if cases[i].c == nil {
			if fallback >= 0 {
				panic("env: Select with two Default cases")
			}
			fallback = i
		}
	}
	// Trying the cases one by one in a random order is a select whenever one succeeds, and several
	// times cheaper than one through package reflect. Only "none could proceed" needs all channels
	// looked at together: with a single channel the try has done so, else selectSlow does.
	order := shuffled(len(cases))
	for range len(cases) {
		i := int(order & 0xff)
		if len(cases) > maxInline {
			i = rand.IntN(len(cases))
		}
		order >>= 8
		if cases[i].c != nil && cases[i].c.try(&cases[i]) {
			return i
		}
	}
	if fallback >= 0 && len(cases) <= 2 {
		return fallback
	}
	return selectSlow(cases, fallback)
}

// maxInline is the number of cases whose order fits shuffled. Beyond it Select tries cases drawn
// with replacement, which is still uniform over those ready, and then parks.
const maxInline = 8

// shuffled returns a uniform permutation of 0..n-1, one index a byte, first in the low byte; only
// for n <= maxInline.
func shuffled(n int) uint64 {
	var order uint64 = 0x0706050403020100
	if n > maxInline {
		return order
	}
	r := rand.Uint64()
	for k := n - 1; k > 0; k-- {
		// Multiply-shift on 16 bits: the bias is below 8/65536.
		j := int(r & 0xffff * uint64(k+1) >> 16)
		r >>= 16
		if k&3 == 0 {
			r = rand.Uint64()
		}
		a, b := order>>(8*k)&0xff, order>>(8*j)&0xff
		order ^= (a ^ b) << (8 * k)
		order ^= (a ^ b) << (8 * j)
	}
	return order
}

func selectSlow(cases []Case, fallback int) int {
	var fixed [5]reflect.SelectCase
	rc := fixed[:0]
	for i := range cases {
		cs := &cases[i]
		r := reflect.SelectCase{Dir: reflect.SelectDefault}
		if cs.c != nil {
			r.Chan, r.Dir = cs.c.reflected(), reflect.SelectRecv
			if cs.send {
				r.Dir, r.Send = reflect.SelectSend, reflect.ValueOf(cs.p).Elem()
			}
		}
		rc = append(rc, r)
	}
	if fallback < 0 {
		parkAll(cases, -1, true)
	}
	i, v, ok := reflect.Select(rc)
	if fallback < 0 {
		parkAll(cases, i, false)
	}
	cs := &cases[i]
	if cs.c == nil {
		return i
	}
	if cs.send {
		if m := cs.c.meterOf(); m != nil {
			m.queue()
		}
		return i
	}
	if dst := reflect.ValueOf(cs.p); !dst.IsNil() {
		dst.Elem().Set(v)
	}
	if cs.ok != nil {
		*cs.ok = ok
	}
	if m := cs.c.meterOf(); m != nil && ok {
		m.served()
	}
	return i
}

// parkAll tells the meters of all cases that the goroutine parks on them, or no longer does.
func parkAll(cases []Case, won int, park bool) {
	for i := range cases {
		m := cases[i].c.meterOf()
		if m == nil {
			continue
		}
		switch send := cases[i].send; {
		case park && send:
			m.parkSend()
		case park:
			m.parkRecv()
		case send:
			m.unparkSend(i == won)
		default:
			m.unparkRecv(i == won)
		}
	}
}

func (c *Chan[T]) try(cs *Case) bool {
	p := cs.p.(*T)
	if cs.send {
		return c.TrySend(*p)
	}
	v, ok, received := c.TryRecv()
	if !received {
		return false
	}
	if p != nil {
		*p = v
	}
	if cs.ok != nil {
		*cs.ok = ok
	}
	return true
}

func (c *Chan[T]) reflected() reflect.Value { return reflect.ValueOf(c.ch) }
func (c *Chan[T]) meterOf() *Meter          { return c.meter }

// never is the port of a nil channel.
type never struct{}

func (never) try(*Case) bool           { return false }
func (never) reflected() reflect.Value { return reflect.ValueOf((chan struct{})(nil)) }
func (never) meterOf() *Meter          { return nil }

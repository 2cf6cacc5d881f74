package env

import (
	"math/rand/v2"
	"unsafe"
)

// Case is an alternative of a [Select]: [Chan.OnRecv], [Chan.OnRecvOK], [Chan.OnSend] or [Default].
type Case struct {
	c    port
	p    any // a *T: the destination of a receive, or the value to send
	ok   *bool
	send bool
}

// Default is the case taken if no other can proceed.
var Default = Case{}

// OnRecv is the case of receiving into *dst; a nil dst drops the value. On a closed channel the case proceeds with
// the zero value. A nil channel never proceeds.
func (c *Chan[T]) OnRecv(dst *T) Case { return c.OnRecvOK(dst, nil) }

// OnRecvOK is OnRecv that also stores in *ok whether a value was received; false means a closed channel.
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
	if len(c.ch) > cap(c.ch) { // never true, but it tells the compiler that what v points to escapes
		c.ch <- v
	}
	return Case{c: c, p: &v, send: true}
}

// Select carries out exactly one of the cases and returns its index. It chooses uniformly among the cases that can
// proceed. If there is none, it takes [Default], or without one parks until a case can proceed. As in Go, at most one
// Default is allowed, and Select() parks forever.
//
// On the Go runtime one to four cases add at most 60 ns when a case is ready, and no allocation. Select parks without
// allocation if all channels have one element type, plus at most one receive each of struct{}, of error and of
// [Env.After]. Other mixtures, and more than four cases, park in package reflect, which allocates for each case.
func Select(cases ...Case) int { return choose(onStack(cases)) }

// choose is Select with cases that escape analysis does not see.
func choose(cases []Case) int {
	fallback := -1
	for i := range cases {
		if cases[i].c == nil {
			if fallback >= 0 {
				panic("env: Select with two Default cases")
			}
			fallback = i
		}
	}
	if m := machineOf(cases); m != nil {
		return chooseVirtual(m, cases, fallback)
	}
	// Trying the cases one by one in random order is a select if one succeeds, and several times cheaper than one
	// over channels of unknown types. Only to find that none can proceed, all channels must be checked together. With
	// a single channel the try has done so; otherwise chooseTogether does.
	if n := len(cases); n == 1 || n == 2 && fallback >= 0 {
		return chooseOne(cases, fallback)
	}
	var many []int
	if len(cases) > maxInline {
		many = rand.Perm(len(cases))
	}
	order := shuffled(len(cases))
	for k := range cases {
		i := int(order & 0xff)
		if many != nil {
			i = many[k]
		}
		order >>= 8
		if cs := &cases[i]; cs.c != nil && cs.c.try(cs.p, cs.ok, cs.send) {
			return i
		}
	}
	return chooseTogether(cases, fallback)
}

// onStack hides cases from escape analysis. The analysis cannot see through a call of port, and would move every list
// of cases, every value sent and every destination to the heap. Hiding them is sound as long as no Case, and no p of
// one, is stored on the heap or outlives Select: such memory would still point to the old stack after the stack
// moved. Channels receive copies of the values sent. What those point to is on the heap, as OnSend ensures.
//
// No function may be called while the address is a plain number, because a stack that grows in the call moves. So the
// checks of checkptr, which come with the race detector, are disabled.
//
//go:nocheckptr
func onStack(cases []Case) []Case {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(cases)))
	return unsafe.Slice(*(**Case)(unsafe.Pointer(&at)), len(cases))
}

// chooseOne is a Select of one channel, or of only a Default.
func chooseOne(cases []Case, fallback int) int {
	if fallback < 0 {
		cs := &cases[0]
		cs.c.wait(cs.p, cs.ok, cs.send)
		return 0
	}
	if len(cases) == 2 {
		i := 1 - fallback
		if cs := &cases[i]; cs.c.try(cs.p, cs.ok, cs.send) {
			return i
		}
	}
	return fallback
}

// maxInline is the number of cases whose order fits shuffled.
const maxInline = 8

// shuffled returns a uniform permutation of 0..n-1, one index in each byte, with the first one in the low byte. n
// must be at most maxInline.
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

// chooseTogether checks all channels at once, and parks on them unless there is a fallback. Up to four cases of the
// usual types become a native select, and others a select of package reflect.
func chooseTogether(cases []Case, fallback int) int {
	won := -1
	if metered(cases) {
		park := fallback < 0
		arrive(cases, park)
		defer func() { depart(cases, won, park) }() // also if a send meets a closed channel
	}
	i, ok, done := native(cases, fallback)
	if !done {
		i, ok = reflected(cases)
	}
	won = i
	cs := &cases[i]
	if cs.c == nil || cs.send {
		return i
	}
	if m := cs.c.meterOf(); m != nil && ok {
		m.served()
	}
	if cs.ok != nil {
		*cs.ok = ok
	}
	return i
}

// metered reports whether any of the cases has a meter.
func metered(cases []Case) bool {
	for i := range cases {
		if cases[i].meter() != nil {
			return true
		}
	}
	return false
}

// meter returns the meter of the case's channel, or nil.
func (cs *Case) meter() *Meter {
	if cs.c == nil {
		return nil
	}
	return cs.c.meterOf()
}

// arrive adds the goroutine to the queues of all its sends, before one of the values can be received. If it parks, it
// records that for all cases.
func arrive(cases []Case, park bool) {
	for i := range cases {
		if m := cases[i].meter(); m != nil && cases[i].send && !counted(cases[:i], m, true) {
			m.queue()
		}
	}
	if park {
		parkOn(cases)
	}
}

// parkOn records in the meters of all cases that the goroutine parks.
func parkOn(cases []Case) {
	for i := range cases {
		m, send := cases[i].meter(), cases[i].send
		switch {
		case m == nil || counted(cases[:i], m, send):
		case send:
			m.parkSend()
		default:
			m.parkRecv()
		}
	}
}

// depart reverts arrive, except that the value sent by the selected case stays in its queue.
func depart(cases []Case, won int, park bool) {
	for i := range cases {
		m, send := cases[i].meter(), cases[i].send
		if m == nil || counted(cases[:i], m, send) {
			continue
		}
		mine := won >= 0 && cases[won].send == send && cases[won].meter() == m
		switch {
		case park && send:
			m.unparkSend(mine)
		case park:
			m.unparkRecv(mine)
		}
		if send && !mine {
			m.unqueue()
		}
	}
}

// counted reports whether one of the cases has this meter and direction.
func counted(cases []Case, m *Meter, send bool) bool {
	for i := range cases {
		if cases[i].send == send && cases[i].meter() == m {
			return true
		}
	}
	return false
}

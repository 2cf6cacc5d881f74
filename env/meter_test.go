package env

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// clock is a clock moved by hand.
type clock struct{ ns atomic.Int64 }

func (c *clock) now() time.Duration  { return time.Duration(c.ns.Load()) }
func (c *clock) to(t time.Duration)  { c.ns.Store(int64(t)) }
func (c *clock) add(d time.Duration) { c.ns.Add(int64(d)) }

func TestMeterIntegrals(t *testing.T) {
	var c clock
	c.to(100) // a meter counts from its own beginning
	m := NewMeter(KindChan, "m", 4, c.now)
	readers := 0
	for _, s := range []struct {
		at   time.Duration
		step func()
	}{
		{110, m.enter},
		{115, m.queue},
		{118, m.enter},
		{120, m.parkSend},
		{121, m.dequeue},
		{119, m.parkRecv}, // a reading of the clock that arrives late counts as 121
		{125, func() { m.unparkSend(true) }},
		{126, func() { m.unparkRecv(false) }},
		{130, m.leave},
		{131, m.violate},
		{140, m.leave},
		{150, m.queue},
		{152, m.queue},
		{153, m.unqueue},
		{156, m.served},
		{160, func() { m.enterShared(&readers) }},
		{162, func() { m.enterShared(&readers) }},
		{165, func() { m.leaveShared(&readers) }},
		{169, func() { m.leaveShared(&readers) }},
	} {
		c.to(s.at)
		s.step()
	}
	c.to(170)
	want := Reading{
		At:         170,
		Busy:       8*1 + 12*2 + 10*1 + 9, // one inside from 110, two from 118 to 130, one to 140; readers
		Holders:    8*1 + 12*2 + 10*1 + 9 + 3,
		Queue:      6 + 2*1 + 1*2 + 3*1,
		Uses:       5,
		Waits:      2, // dequeue, and a send after parking
		SendParked: 5,
		RecvParked: 5,
		Violations: 1,
	}
	if got := m.Read(); got != want {
		t.Errorf("reading %+v\nwant    %+v", got, want)
	}
	c.to(200)
	want.At = 200
	if got := m.Read(); got != want {
		t.Errorf("an idle meter reads %+v\nwant %+v", got, want)
	}
	m.enter()
	c.to(207)
	if got := m.Read().Busy - want.Busy; got != 7 {
		t.Errorf("a use that is not over has been busy for %v, want 7ns", got)
	}
}

func TestMeterShare(t *testing.T) {
	var c clock
	m := NewMeter(KindStation, "grinder", 1, c.now)
	m.Share()
	if m.Count() != 2 || m.Kind() != KindStation || m.Name() != "grinder" || m.Capacity() != 1 {
		t.Errorf("meter of %d %q, kind %s, capacity %d", m.Count(), m.Name(), m.Kind(), m.Capacity())
	}
}

// lined spins until one goroutine waits at m. Moving the clock shows it: only a line grows.
func lined(c *clock, m *Meter) {
	for {
		before := m.Read().Queue
		c.add(1)
		if m.Read().Queue > before {
			return
		}
		runtime.Gosched()
	}
}

// TestMeteredLocks checks busy and line of contended locks, which laws in a bubble of
// testing/synctest cannot: no time passes there while a goroutine waits for a lock.
func TestMeteredLocks(t *testing.T) {
	type locker interface {
		Lock()
		Unlock()
	}
	for name, lock := range map[string]func(m *Meter) (held, waiting locker){
		"Mutex":         func(m *Meter) (_, _ locker) { l := &Mutex{meter: m}; return l, l },
		"RWMutex":       func(m *Meter) (_, _ locker) { l := &RWMutex{meter: m}; return l, l },
		"RWMutex-read":  func(m *Meter) (_, _ locker) { l := &RWMutex{meter: m}; return l, readLock{l} },
		"RWMutex-write": func(m *Meter) (_, _ locker) { l := &RWMutex{meter: m}; return readLock{l}, l },
	} {
		t.Run(name, func(t *testing.T) {
			var c clock
			m := NewMeter(KindMutex, name, 1, c.now)
			held, waiting := lock(m)
			held.Lock()
			in, out := make(chan int), make(chan int)
			go func() {
				waiting.Lock()
				in <- 1
				<-out
				waiting.Unlock()
				in <- 1
			}()
			lined(&c, m)
			before := m.Read()
			c.add(10)
			r := m.Read()
			if r.Busy-before.Busy != 10 || r.Queue-before.Queue != 10 {
				t.Errorf("with one inside and one waiting, 10 ns count as %v busy and %v in line", r.Busy-before.Busy,
					r.Queue-before.Queue)
			}
			held.Unlock()
			<-in
			before = m.Read()
			c.add(10)
			r = m.Read()
			if r.Busy-before.Busy != 10 || r.Queue != before.Queue {
				t.Errorf("with one inside, 10 ns count as %v busy and %v in line", r.Busy-before.Busy,
					r.Queue-before.Queue)
			}
			out <- 1
			<-in
			before = m.Read()
			c.add(10)
			if r = m.Read(); r.Busy != before.Busy || r.Uses != 2 || r.Waits != 1 {
				t.Errorf("after two uses, one of which waited: %+v", r)
			}
		})
	}
}

type readLock struct{ m *RWMutex }

func (l readLock) Lock()   { l.m.RLock() }
func (l readLock) Unlock() { l.m.RUnlock() }

func TestMeteredTryLock(t *testing.T) {
	var c clock
	l := &Mutex{meter: NewMeter(KindMutex, "m", 1, c.now)}
	if !l.TryLock() || l.TryLock() {
		t.Error("TryLock takes a held Mutex or leaves a free one")
	}
	c.add(5)
	l.Unlock()
	c.add(5)
	if r := l.meter.Read(); r.Busy != 5 || r.Uses != 1 || r.Queue != 0 || r.Waits != 0 {
		t.Errorf("after one TryLock of 5 ns and one in vain: %+v", r)
	}
}

func TestNumbered(t *testing.T) {
	for n, want := range []string{"grinder", "grinder", "grinder#2", "grinder#3"} {
		if got := Numbered("grinder", n); got != want {
			t.Errorf("Numbered(%d) = %q, want %q", n, got, want)
		}
	}
}

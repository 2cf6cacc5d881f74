package env

import (
	"sync"
	"time"
)

// ResourceKind says what a named resource is.
type ResourceKind string

// The kinds of resource.
const (
	KindStation ResourceKind = "station"
	KindMutex   ResourceKind = "mutex"
	KindRWMutex ResourceKind = "rwmutex"
	KindChan    ResourceKind = "chan"
)

// Meter watches the resources of one kind and name in an observed trial: both grinders, or the
// channels that a design makes for each request. It keeps time integrals, so that a reading at
// any instant is exact, work in progress included. A Meter is safe for concurrent use.
//
// A value is in the line of its channel from the call of [Chan.Send], or of the [Select] that sends it,
// to the return of its receive. So Line is the integral L of Little's law, and Line by Uses the mean
// time from the one to the other. A Select that parks with sends to several channels waits in each of
// their lines, but is a use of the one only that it sends to: in the others its time stays as time that
// somebody waited to send there. A Select counts once at each meter and in each direction, however many
// of its cases share it.
type Meter struct {
	kind     ResourceKind
	name     string
	capacity int
	now      func() time.Duration
	clock    *int64 // of a world that uses it alone: in place of now, and without the lock

	mu   sync.Mutex
	n    int // resources that share the meter
	last time.Duration

	busy      level // resources held now; for stations the users inside
	held      level // holders now
	line      level // waiting now; for a channel also the buffered values
	senders   level // parked
	receivers level

	uses, waits, starved, violations int64
}

// level is a number of users or of values, and its integral over time. That is the level times the time, less what each
// step up was too early for, and plus what each step down was: to keep it takes one sum a step.
type level struct{ n, early int64 }

func (l *level) up(at time.Duration) {
	l.n++
	l.early += int64(at)
}

func (l *level) down(at time.Duration) {
	l.n--
	l.early -= int64(at)
}

// until is the integral. Overflow in between does no harm.
func (l *level) until(at time.Duration) time.Duration { return time.Duration(l.n*int64(at) - l.early) }

// Reading is what a meter has counted since its world began. Differences of two readings describe
// the time between them.
type Reading struct {
	At time.Duration // when it was read
	// Busy is the time in which each resource had a holder, summed over those that share the meter;
	// where only one holder is allowed, it is Holders. It is at most the meter's Count times the time
	// gone by, except at stations, where it is the integral of the users, so that a violation shows.
	Busy     time.Duration
	Holders  time.Duration // integral of the holders over time; beyond Busy where readers share an RWMutex
	Line     time.Duration // integral of those waiting over time; channels: of values on their way
	Uses     int64         // acquisitions, entries, values received
	Waits    int64         // uses that parked before they got in; channels: values sent after parking
	Starved  int64         // channels: receives that parked, also those that Close woke
	SendWait time.Duration // channels: integral of the senders parked over time, in Selects too
	RecvWait time.Duration // channels: integral of the receivers parked over time, in Selects too
	// Violations counts a station's entries while another user was inside.
	Violations int64
}

// NewMeter makes the meter of a resource. now is the world's clock.
func NewMeter(kind ResourceKind, name string, capacity int, now func() time.Duration) *Meter {
	return &Meter{kind: kind, name: name, capacity: capacity, now: now, n: 1, last: now()}
}

// NewMeterAlone is NewMeter for a world whose goroutines never run at the same time, and which alone uses it
// while it runs. The world's clock stands at clock, in nanoseconds, and never goes back. It is not safe for concurrent
// use.
func NewMeterAlone(kind ResourceKind, name string, capacity int, clock *int64) *Meter {
	return &Meter{kind: kind, name: name, capacity: capacity, clock: clock, n: 1}
}

// Kind is the resource's kind.
func (m *Meter) Kind() ResourceKind { return m.kind }

// Name is the resource's name as the design gave it.
func (m *Meter) Name() string { return m.name }

// Share adds a resource of the same kind and name to the meter.
func (m *Meter) Share() {
	m.mu.Lock()
	m.n++
	m.mu.Unlock()
}

// Count is the number of resources that share the meter.
func (m *Meter) Count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n
}

// Capacity is the room of a channel; 1 for other kinds.
func (m *Meter) Capacity() int { return m.capacity }

// Read returns the counts up to now.
func (m *Meter) Read() Reading {
	t := m.open()
	defer m.shut()
	return Reading{
		At:       t,
		Busy:     m.busy.until(t),
		Holders:  m.held.until(t),
		Line:     m.line.until(t),
		SendWait: m.senders.until(t),
		RecvWait: m.receivers.until(t),
		Uses:     m.uses, Waits: m.waits, Starved: m.starved, Violations: m.violations,
	}
}

// open and shut enclose every step: it happens at the time that open returns, and no other happens meanwhile. Readings
// of the clock taken by two goroutines may arrive in the wrong order; time never runs backwards here.
func (m *Meter) open() time.Duration {
	if m.clock != nil {
		return time.Duration(*m.clock)
	}
	return m.openShared()
}

func (m *Meter) openShared() time.Duration {
	m.mu.Lock()
	m.last = max(m.last, m.now())
	return m.last
}

func (m *Meter) shut() {
	if m.clock == nil {
		m.mu.Unlock()
	}
}

func (m *Meter) enter() {
	t := m.open()
	m.busy.up(t)
	m.held.up(t)
	m.uses++
	m.shut()
}

func (m *Meter) leave() {
	t := m.open()
	m.busy.down(t)
	m.held.down(t)
	m.shut()
}

// enterShared is enter for a resource that several may hold: only the first makes it busy. holders are
// those of the one resource, guarded by the meter.
func (m *Meter) enterShared(holders *int) {
	t := m.open()
	if *holders == 0 {
		m.busy.up(t)
	}
	*holders++
	m.held.up(t)
	m.uses++
	m.shut()
}

func (m *Meter) leaveShared(holders *int) {
	t := m.open()
	*holders--
	m.held.down(t)
	if *holders == 0 {
		m.busy.down(t)
	}
	m.shut()
}

func (m *Meter) queue() {
	m.line.up(m.open())
	m.shut()
}

func (m *Meter) unqueue() {
	m.line.down(m.open())
	m.shut()
}

func (m *Meter) dequeue() {
	m.line.down(m.open())
	m.waits++
	m.shut()
}

func (m *Meter) served() {
	m.line.down(m.open())
	m.uses++
	m.shut()
}

func (m *Meter) parkSend() {
	m.senders.up(m.open())
	m.shut()
}

func (m *Meter) unparkSend(won bool) {
	m.senders.down(m.open())
	m.waits += one(won)
	m.shut()
}

func (m *Meter) parkRecv() {
	m.receivers.up(m.open())
	m.shut()
}

func (m *Meter) unparkRecv(won bool) {
	m.receivers.down(m.open())
	m.starved += one(won)
	m.shut()
}

func (m *Meter) violate() {
	m.open()
	m.violations++
	m.shut()
}

// waitFar parks a goroutine whose operation on a machine's lock does.
func (m *Meter) waitFar(step Step, lock interface{ Park() }) {
	if step == Parks {
		m.queue()
		lock.Park()
		m.dequeue()
	}
}

func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

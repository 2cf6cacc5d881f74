package env

import (
	"sync"
	"time"
)

// ResourceKind is the kind of a named resource.
type ResourceKind string

// The kinds of resource.
const (
	KindStation ResourceKind = "station"
	KindMutex   ResourceKind = "mutex"
	KindRWMutex ResourceKind = "rwmutex"
	KindChan    ResourceKind = "chan"
)

// Meter measures the resources of one kind and name in an instrumented trial: both grinders, or the channels that a
// design creates for each request. It keeps time integrals, so that a reading at any instant is exact and includes
// operations in progress. A Meter is safe for concurrent use.
//
// A value is in the queue of its channel from the call of [Chan.Send], or of the [Select] that sends it, until its
// receive returns. So Queue is the integral L of Little's law, and Queue divided by Uses is the mean time between the
// two. A Select that parks with sends to several channels waits in the queue of each, but counts as a use only of the
// channel that it sends to. Its time in the other queues is kept as time that a goroutine waited to send there. A
// Select counts once for each meter and direction, however many of its cases share it.
type Meter struct {
	kind     ResourceKind
	name     string
	capacity int
	now      func() time.Duration
	clock    *int64 // of a world that uses the meter without locks: replaces now

	mu   sync.Mutex
	n    int // resources that share the meter
	last time.Duration

	busy      level // resources in use now; for stations the goroutines inside
	held      level // holders now
	line      level // goroutines waiting now; for a channel also the buffered values
	senders   level // parked senders
	receivers level

	uses, waits, starved, violations int64
}

// level is a number and its integral over time. The integral is the number times the time, minus the times of all
// increments, plus the times of all decrements: one sum for each step keeps it.
type level struct{ n, early int64 }

func (l *level) up(at time.Duration) {
	l.n++
	l.early += int64(at)
}

func (l *level) down(at time.Duration) {
	l.n--
	l.early -= int64(at)
}

// until returns the integral. Overflow of intermediate results is harmless.
func (l *level) until(at time.Duration) time.Duration { return time.Duration(l.n*int64(at) - l.early) }

// Reading is the state of a meter since its world began. The difference of two readings describes the time between
// them.
type Reading struct {
	At time.Duration // when it was read
	// Busy is the time during which each resource had a holder, summed over the resources of the meter. If only one
	// holder is allowed, it equals Holders. It is at most the meter's Count times the elapsed time. For stations it
	// is the integral of the goroutines inside, so that a violation shows.
	Busy       time.Duration
	Holders    time.Duration // integral of the holders over time; more than Busy if readers share an RWMutex
	Queue      time.Duration // integral of the waiting goroutines over time; channels: of the values in transit
	Uses       int64         // acquisitions, entries, values received
	Waits      int64         // uses that parked first; channels: values sent after parking
	RecvWaits  int64         // channels: receives that parked, including those that Close woke
	SendParked time.Duration // channels: integral of the parked senders over time, in Selects too
	RecvParked time.Duration // channels: integral of the parked receivers over time, in Selects too
	// Violations counts entries of a station while another goroutine was inside.
	Violations int64
}

// NewMeter creates the meter of a resource. now is the world's clock.
func NewMeter(kind ResourceKind, name string, capacity int, now func() time.Duration) *Meter {
	return &Meter{kind: kind, name: name, capacity: capacity, now: now, n: 1, last: now()}
}

// NewUnsharedMeter is NewMeter for a world whose goroutines never run in parallel. The world's clock is at clock, in
// nanoseconds, and never goes back. The meter is not safe for concurrent use.
func NewUnsharedMeter(kind ResourceKind, name string, capacity int, clock *int64) *Meter {
	return &Meter{kind: kind, name: name, capacity: capacity, clock: clock, n: 1}
}

// Kind returns the kind of the resource.
func (m *Meter) Kind() ResourceKind { return m.kind }

// Name returns the name of the resource as the design gave it.
func (m *Meter) Name() string { return m.name }

// Share adds a resource of the same kind and name to the meter.
func (m *Meter) Share() {
	m.mu.Lock()
	m.n++
	m.mu.Unlock()
}

// Count returns the number of resources that share the meter.
func (m *Meter) Count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n
}

// Capacity returns the capacity of a channel; 1 for other kinds.
func (m *Meter) Capacity() int { return m.capacity }

// Read returns the state now.
func (m *Meter) Read() Reading {
	t := m.open()
	defer m.shut()
	return Reading{
		At:         t,
		Busy:       m.busy.until(t),
		Holders:    m.held.until(t),
		Queue:      m.line.until(t),
		SendParked: m.senders.until(t),
		RecvParked: m.receivers.until(t),
		Uses:       m.uses, Waits: m.waits, RecvWaits: m.starved, Violations: m.violations,
	}
}

// open and shut enclose every step. The step happens at the time that open returns, and no other happens meanwhile.
// Two goroutines may read the clock and arrive in the opposite order; the meter's time never goes back.
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

// enterShared is enter for a resource with several holders: only the first makes it busy. holders counts those of the
// one resource; the meter guards it.
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

// waitVirtual parks a goroutine whose lock operation on a machine has parked.
func (m *Meter) waitVirtual(step Step, lock interface{ Park() }) {
	if step == Parked {
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

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
	alone    bool // it needs no lock

	mu   sync.Mutex
	n    int // resources that share the meter
	last time.Duration
	busy int64 // resources held now; for stations the users inside
	held int64 // holders now
	line int64 // waiting now; for a channel also the buffered values
	r    Reading
}

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

	senders, receivers int64
}

// NewMeter makes the meter of a resource. now is the world's clock.
func NewMeter(kind ResourceKind, name string, capacity int, now func() time.Duration) *Meter {
	return &Meter{kind: kind, name: name, capacity: capacity, now: now, n: 1, last: now()}
}

// NewMeterAlone is NewMeter for a world whose goroutines never run at the same time, and which alone uses it
// while it runs. It is not safe for concurrent use.
func NewMeterAlone(kind ResourceKind, name string, capacity int, now func() time.Duration) *Meter {
	m := NewMeter(kind, name, capacity, now)
	m.alone = true
	return m
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
	m.mu.Lock()
	defer m.mu.Unlock()
	m.advance()
	r := m.r
	r.At = m.last
	return r
}

// advance brings the integrals up to now. Readings of the clock taken by two goroutines may arrive
// in the wrong order; time never runs backwards here.
func (m *Meter) advance() {
	t := m.now()
	d := t - m.last
	if d <= 0 {
		return
	}
	m.last = t
	m.r.Busy += time.Duration(m.busy) * d
	m.r.Holders += time.Duration(m.held) * d
	m.r.Line += time.Duration(m.line) * d
	m.r.SendWait += time.Duration(m.r.senders) * d
	m.r.RecvWait += time.Duration(m.r.receivers) * d
}

// open and shut enclose every step: the integrals reach up to it, and no other happens meanwhile.
func (m *Meter) open() {
	if !m.alone {
		m.mu.Lock()
	}
	m.advance()
}

func (m *Meter) shut() {
	if !m.alone {
		m.mu.Unlock()
	}
}

func (m *Meter) enter() {
	m.open()
	m.busy++
	m.held++
	m.r.Uses++
	m.shut()
}

func (m *Meter) leave() {
	m.open()
	m.busy--
	m.held--
	m.shut()
}

// enterShared is enter for a resource that several may hold: only the first makes it busy. holders are
// those of the one resource, guarded by the meter.
func (m *Meter) enterShared(holders *int) {
	m.open()
	m.busy += one(*holders == 0)
	*holders++
	m.held++
	m.r.Uses++
	m.shut()
}

func (m *Meter) leaveShared(holders *int) {
	m.open()
	*holders--
	m.held--
	m.busy -= one(*holders == 0)
	m.shut()
}

func (m *Meter) queue() {
	m.open()
	m.line++
	m.shut()
}

func (m *Meter) unqueue() {
	m.open()
	m.line--
	m.shut()
}

func (m *Meter) dequeue() {
	m.open()
	m.line--
	m.r.Waits++
	m.shut()
}

func (m *Meter) served() {
	m.open()
	m.line--
	m.r.Uses++
	m.shut()
}

func (m *Meter) parkSend() {
	m.open()
	m.r.senders++
	m.shut()
}

func (m *Meter) unparkSend(won bool) {
	m.open()
	m.r.senders--
	m.r.Waits += one(won)
	m.shut()
}

func (m *Meter) parkRecv() {
	m.open()
	m.r.receivers++
	m.shut()
}

func (m *Meter) unparkRecv(won bool) {
	m.open()
	m.r.receivers--
	m.r.Starved += one(won)
	m.shut()
}

func (m *Meter) violate() {
	m.open()
	m.r.Violations++
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

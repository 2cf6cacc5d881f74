package env

import "time"

// Machine is a world that schedules its goroutines itself: in virtual time, on CPUs of its own. It
// carries out what this package otherwise leaves to the Go runtime. All methods act for the goroutine that
// is running, which the machine knows.
//
// An operation that may park comes in two halves, so that meters learn when the goroutine parks: the
// first returns [Parks], and [Machine.Park] then returns when the operation has been carried out. On
// a machine whose run is over Use, Claim and every operation panic.
type Machine interface {
	World
	// Use panics if the running goroutine is not t, and ends the calling one, and the run, if that is not the running
	// one.
	Use(t *Task)
	// Claim ends the calling goroutine, and the run, if that is not the running one: it is called before anything
	// changes that the machine does not see. In a timer's function it does nothing.
	Claim()
	// Spent is a task of this machine whose goroutine has ended, for another one; nil if there is none.
	Spent() *Task
	// NowOf is Now for t, after Use.
	NowOf(t *Task) time.Duration
	// For is told for which request the running goroutine works from now on, Enter and Leave which station
	// it uses. They are no operations: nothing is decided by them.
	For(request uint64)
	Enter(station string)
	Leave(station string)
	// Park returns when the operation that parked is carried out.
	Park()
	// Poll is told of a look at shared memory: a goroutine that does nothing else makes no progress, and others
	// must have their turn meanwhile. Outside of a run it does nothing.
	Poll()
	NewLock(name string) Lock
	NewRWLock(name string) RWLock
	NewCondition(l Lock) Condition
	NewCounter() Counter
	NewLine(name string, capacity int) Line
	// ClearCases begins a list of cases for Select; AddCase adds one, with a nil line one that never
	// proceeds. CaseToken is what was given for case i.
	ClearCases()
	AddCase(l Line, send bool, token uint32)
	CaseToken(i int) uint32
	// Select carries out one of the cases. Unless it parks, or ends with Stays because it may not park,
	// Selected then tells which and what was received; after parking it does so as well.
	Select(mayPark bool) Step
	Selected() (i int, token uint32, ok bool)
}

// Step is how far an operation of a machine has come.
type Step uint8

// The steps.
const (
	Went  Step = iota // carried out
	Stays             // not carried out, as it may not park
	Parks             // the goroutine parks now; then comes [Machine.Park]
	Shut              // not carried out: the channel is closed
)

// Lock is what a [Mutex] is on a machine.
type Lock interface {
	Lock() Step
	Park()
	TryLock() bool
	Unlock()
}

// RWLock is what an [RWMutex] is on a machine.
type RWLock interface {
	Lock() Step
	Park()
	Unlock()
	RLock() Step
	RUnlock()
}

// Condition is what a [Cond] is on a machine. Add comes before the lock is released, Wait after it.
type Condition interface {
	Add()
	Wait()
	Signal()
	Broadcast()
}

// Counter is what a [Group] is on a machine.
type Counter interface {
	Add(n int)
	Wait()
}

// Line is what a [Chan] is on a machine. It carries tokens; the values stay with the Chan.
type Line interface {
	Send(token uint32, mayPark bool) Step
	// Recv tells what it got if it is carried out.
	Recv(mayPark bool) (step Step, token uint32, ok bool)
	// Outcome is what the last Recv that parked got, or whether the last Send that parked was received.
	Outcome() (token uint32, ok bool)
	Close()
	Len() int
	Cap() int
}

// far is a channel on a machine: its values, and the line of their tokens.
type far[T any] struct {
	machine Machine
	line    Line
	values  []T      // by token
	free    []uint32 // tokens that stand for nothing
}

// keep stores a value until its token is taken or dropped.
func (f *far[T]) keep(v T) uint32 {
	if n := len(f.free); n > 0 {
		token := f.free[n-1]
		f.free = f.free[:n-1]
		f.values[token] = v
		return token
	}
	f.values = append(f.values, v)
	return uint32(len(f.values) - 1)
}

// take returns the value of a token.
func (f *far[T]) take(token uint32) T {
	v := f.values[token]
	f.drop(token)
	return v
}

// drop forgets the value of a token.
func (f *far[T]) drop(token uint32) {
	var zero T
	f.values[token] = zero
	f.free = append(f.free, token)
}

// farChan makes a channel on a machine. One without a name shares a meter that nobody reads: that there is
// one is what leads its operations here.
func farChan[T any](e Env, name string, capacity int) *Chan[T] {
	m := e.t.machine
	return &Chan[T]{
		meter: m.Meter(KindChan, name, capacity),
		far:   &far[T]{machine: m, line: m.NewLine(name, capacity)},
	}
}

// errClosed is what a send on a closed channel panics with.
const errClosed = "send on closed channel"

func (c *Chan[T]) sendFar(v T, mayPark bool) (sent bool) {
	f := c.far
	f.machine.Claim()
	token := f.keep(v)
	c.meter.queue()
	step := f.line.Send(token, mayPark)
	if step == Went {
		return true
	}
	if step == Parks {
		c.meter.parkSend()
		f.machine.Park()
		_, sent = f.line.Outcome()
		c.meter.unparkSend(sent)
		if sent {
			return true
		}
		step = Shut
	}
	c.meter.unqueue()
	f.drop(token)
	if step == Shut {
		panic(errClosed)
	}
	return false
}

func (c *Chan[T]) recvFar(mayPark bool) (v T, ok, received bool) {
	f := c.far
	step, token, ok := f.line.Recv(mayPark)
	switch step {
	case Stays:
		return v, false, false
	case Parks:
		c.meter.parkRecv()
		f.machine.Park()
		c.meter.unparkRecv(true)
		token, ok = f.line.Outcome()
	}
	if ok {
		c.meter.served()
		v = f.take(token)
	}
	return v, ok, true
}

// chooseFar is [Select] on a machine. Cases stay on the stack here, as the machine sees tokens only.
func chooseFar(m Machine, cases []Case, fallback int) int {
	m.ClearCases()
	for i := range cases {
		var line Line
		var token uint32
		if cs := &cases[i]; cs.c != nil {
			line, token = cs.c.stage(cs.p, cs.send)
		}
		m.AddCase(line, cases[i].send, token)
	}
	arrive(cases, false)
	step := m.Select(fallback < 0)
	park := step == Parks
	if park {
		parkOn(cases)
		m.Park()
	}
	if step == Stays {
		depart(cases, -1, false)
		unstage(m, cases, -1)
		return fallback
	}
	won, token, ok := m.Selected()
	if step == Shut || cases[won].send && !ok {
		step, won = Shut, -1
	}
	depart(cases, won, park)
	unstage(m, cases, won)
	if step == Shut {
		panic(errClosed)
	}
	cs := &cases[won]
	if !cs.send {
		cs.c.collect(token, ok, cs.p, cs.ok)
	}
	return won
}

// unstage drops the values of all sends but that of the case that won.
func unstage(m Machine, cases []Case, won int) {
	for i := range cases {
		if cs := &cases[i]; cs.c != nil && cs.send && i != won {
			cs.c.unstage(m.CaseToken(i))
		}
	}
}

// stage prepares a case: it stores the value that a send sends.
func (c *Chan[T]) stage(p any, send bool) (l Line, token uint32) {
	if send {
		token = c.far.keep(*p.(*T))
	}
	return c.far.line, token
}

func (c *Chan[T]) unstage(token uint32) { c.far.drop(token) }

// collect stores what a case received where it wants it.
func (c *Chan[T]) collect(token uint32, open bool, p any, ok *bool) {
	var v T
	if open {
		c.meter.served()
		v = c.far.take(token)
	}
	deliver(v, open, p, ok)
}

func (c *Chan[T]) machineOf() Machine {
	if c.far == nil {
		return nil
	}
	return c.far.machine
}

func (never) stage(any, bool) (l Line, token uint32) { return nil, 0 }
func (never) unstage(uint32)                         {}
func (never) collect(uint32, bool, any, *bool)       {}
func (never) machineOf() Machine                     { return nil }

// machineOf is the machine of the channels of the cases; nil on the Go runtime, or where there is no channel.
func machineOf(cases []Case) Machine {
	for i := range cases {
		if c := cases[i].c; c != nil {
			if m := c.machineOf(); m != nil {
				return m
			}
			if _, none := c.(never); !none {
				return nil
			}
		}
	}
	return nil
}

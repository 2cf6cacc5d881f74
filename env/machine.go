package env

import "time"

// Machine is a world that schedules its goroutines itself, in virtual time and on virtual CPUs. It implements what
// this package otherwise leaves to the Go runtime. All methods act for the running goroutine, which the machine
// knows.
//
// An operation that may park has two halves, so that meters learn when the goroutine parks. The first returns
// [Parked]; [Machine.Park] then returns when the operation is done. After the end of the run, Use, Claim and every
// operation panic.
type Machine interface {
	World
	// Use panics if the running goroutine is not t. If the caller is not the running goroutine, it ends the caller
	// and the run.
	Use(t *Task)
	// Claim ends the caller, and the run, if the caller is not the running goroutine. It is called before a change
	// that the machine does not see. In a timer's function it does nothing.
	Claim()
	// SpareTask returns a task of this machine whose goroutine has ended, to be used again; nil if there is none.
	SpareTask() *Task
	// TaskNow is Now for t, after Use.
	TaskNow(t *Task) time.Duration
	// For declares the request that the running goroutine works for, and Enter and Leave the station that it uses.
	// They are no operations, and no decision depends on them.
	For(request uint64)
	Enter(station string)
	Leave(station string)
	// Park returns when the operation that parked is done.
	Park()
	// Poll counts a read of shared memory. A goroutine that does nothing else makes no progress, and other CPUs must
	// have their turn meanwhile. Outside a run it does nothing.
	Poll()
	NewLock(name string) Lock
	NewRWLock(name string) RWLock
	NewCondition(l Lock) Condition
	NewCounter() Counter
	NewTokenChan(name string, capacity int) TokenChan
	// ClearCases begins a list of cases for Select. AddCase adds one; a case with a nil channel never proceeds.
	// CaseToken returns the token of case i.
	ClearCases()
	AddCase(l TokenChan, send bool, token uint32)
	CaseToken(i int) uint32
	// Select carries out one of the cases. Unless it parks, or returns WouldBlock, Selected then returns which one,
	// and what was received. After parking Selected does so too.
	Select(mayPark bool) Step
	Selected() (i int, token uint32, ok bool)
}

// Step is the progress of an operation of a machine.
type Step uint8

// The steps.
const (
	Done       Step = iota // carried out
	WouldBlock             // not carried out, because it may not park
	Parked                 // the goroutine parks now; [Machine.Park] must follow
	Closed                 // not carried out: the channel is closed
)

// Lock implements a [Mutex] on a machine.
type Lock interface {
	Lock() Step
	Park()
	TryLock() bool
	Unlock()
}

// RWLock implements an [RWMutex] on a machine.
type RWLock interface {
	Lock() Step
	Park()
	Unlock()
	RLock() Step
	RUnlock()
}

// Condition implements a [Cond] on a machine. Add comes before the lock is released, and Wait after it.
type Condition interface {
	Add()
	Wait()
	Signal()
	Broadcast()
}

// Counter implements a [Group] on a machine.
type Counter interface {
	Add(n int)
	Wait()
}

// TokenChan implements a [Chan] on a machine. It carries tokens; the Chan keeps the values.
type TokenChan interface {
	Send(token uint32, mayPark bool) Step
	// Recv returns the token received if the step is Done.
	Recv(mayPark bool) (step Step, token uint32, ok bool)
	// Outcome returns what the last Recv that parked received, or whether the last Send that parked was received.
	Outcome() (token uint32, ok bool)
	Close()
	Len() int
	Cap() int
}

// virtualChan is a channel on a machine: its values, and the channel of their tokens.
type virtualChan[T any] struct {
	machine Machine
	line    TokenChan
	values  []T      // by token
	free    []uint32 // unused tokens
}

// keep stores a value until its token is taken or dropped.
func (f *virtualChan[T]) keep(v T) uint32 {
	if n := len(f.free); n > 0 {
		token := f.free[n-1]
		f.free = f.free[:n-1]
		f.values[token] = v
		return token
	}
	f.values = append(f.values, v)
	return uint32(len(f.values) - 1)
}

// take returns the value of a token, and frees the token.
func (f *virtualChan[T]) take(token uint32) T {
	v := f.values[token]
	f.drop(token)
	return v
}

// drop frees a token and its value.
func (f *virtualChan[T]) drop(token uint32) {
	var zero T
	f.values[token] = zero
	f.free = append(f.free, token)
}

// newVirtualChan creates a channel on a machine. A channel without a name gets a shared meter that is never read: a
// meter that is not nil makes its operations come here.
func newVirtualChan[T any](e Env, name string, capacity int) *Chan[T] {
	m := e.t.machine
	return &Chan[T]{
		meter:   m.Meter(KindChan, name, capacity),
		virtual: &virtualChan[T]{machine: m, line: m.NewTokenChan(name, capacity)},
	}
}

// errClosed is the panic of a send on a closed channel.
const errClosed = "send on closed channel"

// sendVirtual is Send, or TrySend if it may not park, on a machine.
func (c *Chan[T]) sendVirtual(v T, mayPark bool) (sent bool) {
	f := c.virtual
	f.machine.Claim()
	token := f.keep(v)
	c.meter.queue()
	step := f.line.Send(token, mayPark)
	if step == Done {
		return true
	}
	if step == Parked {
		c.meter.parkSend()
		f.machine.Park()
		_, sent = f.line.Outcome()
		c.meter.unparkSend(sent)
		if sent {
			return true
		}
		step = Closed
	}
	c.meter.unqueue()
	f.drop(token)
	if step == Closed {
		panic(errClosed)
	}
	return false
}

// recvVirtual is Recv, or TryRecv if it may not park, on a machine.
func (c *Chan[T]) recvVirtual(mayPark bool) (v T, ok, received bool) {
	f := c.virtual
	step, token, ok := f.line.Recv(mayPark)
	switch step {
	case WouldBlock:
		return v, false, false
	case Parked:
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

// chooseVirtual is [Select] on a machine. Cases stay on the stack here, because the machine sees only tokens.
func chooseVirtual(m Machine, cases []Case, fallback int) int {
	m.ClearCases()
	for i := range cases {
		var line TokenChan
		var token uint32
		if cs := &cases[i]; cs.c != nil {
			line, token = cs.c.stage(cs.p, cs.send)
		}
		m.AddCase(line, cases[i].send, token)
	}
	arrive(cases, false)
	step := m.Select(fallback < 0)
	park := step == Parked
	if park {
		parkOn(cases)
		m.Park()
	}
	if step == WouldBlock {
		depart(cases, -1, false)
		unstage(m, cases, -1)
		return fallback
	}
	won, token, ok := m.Selected()
	if step == Closed || cases[won].send && !ok {
		step, won = Closed, -1
	}
	depart(cases, won, park)
	unstage(m, cases, won)
	if step == Closed {
		panic(errClosed)
	}
	cs := &cases[won]
	if !cs.send {
		cs.c.collect(token, ok, cs.p, cs.ok)
	}
	return won
}

// unstage drops the values of all sends except that of the selected case.
func unstage(m Machine, cases []Case, won int) {
	for i := range cases {
		if cs := &cases[i]; cs.c != nil && cs.send && i != won {
			cs.c.unstage(m.CaseToken(i))
		}
	}
}

// stage prepares a case: it stores the value of a send.
func (c *Chan[T]) stage(p any, send bool) (l TokenChan, token uint32) {
	if send {
		token = c.virtual.keep(*p.(*T))
	}
	return c.virtual.line, token
}

// unstage drops the value of a send.
func (c *Chan[T]) unstage(token uint32) { c.virtual.drop(token) }

// collect stores what a case received at its destination.
func (c *Chan[T]) collect(token uint32, open bool, p any, ok *bool) {
	var v T
	if open {
		c.meter.served()
		v = c.virtual.take(token)
	}
	deliver(v, open, p, ok)
}

// machineOf returns the machine of the channel; nil on the Go runtime.
func (c *Chan[T]) machineOf() Machine {
	if c.virtual == nil {
		return nil
	}
	return c.virtual.machine
}

func (never) stage(any, bool) (l TokenChan, token uint32) { return nil, 0 }
func (never) unstage(uint32)                              {}
func (never) collect(uint32, bool, any, *bool)            {}
func (never) machineOf() Machine                          { return nil }

// machineOf returns the machine of the channels of the cases; nil on the Go runtime, or if there is no channel.
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

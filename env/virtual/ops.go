package virtual

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/self"
	"github.com/brewput/brewput/sim"
)

// maxAborts is how often a goroutine may recover from the abort of the world. One that recovers in an endless loop
// would never end.
const maxAborts = 1000

// check ends the calling goroutine if the world is over.
func (w *World) check() {
	if w.phase.Load() != running {
		w.abort()
	}
}

// abort panics in a goroutine of env and in the one that called Run. In any other goroutine nothing would recover the
// panic, and it would end the process.
func (w *World) abort() {
	phase := w.phase.Load()
	switch {
	case self.ID() == w.caller:
		panic(aborted{"Run has returned"})
	case phase == abandoned && w.k.Current() == nil:
		return // in a timer's function: a goroutine will notice it
	case w.known():
	case phase == computing:
		w.rejectCaller()
	default:
		runtime.Goexit()
	}
	switch phase {
	case computing:
		panic(w.broken())
	case abandoned:
		w.noteReturn()
		w.fail(w.whyEnded())
		fallthrough
	case unwinding:
		if w.co.aborts++; w.co.aborts > maxAborts {
			runtime.Goexit() // recover does not stop it
		}
	}
	panic(aborted{"no goroutine goes on"})
}

// errAbandoned is the error of a world that Run no longer waits for.
var errAbandoned = errors.New("nobody waits for the simulation")

// Use implements env.Machine.
func (w *World) Use(t *env.Task) {
	if w.co.task != t || !w.fastCheck() {
		w.use(t)
	}
}

// use is the slow path of Use.
func (w *World) use(t *env.Task) {
	if w.co.task != t {
		w.rejectEnv(t)
	}
	w.check()
	w.requireRunning()
}

// Claim implements env.Machine.
func (w *World) Claim() {
	if !w.fastCheck() {
		w.check()
		w.claim()
	}
}

// claim ends the caller if it is not a goroutine of the world. A timer's function runs on the kernel's goroutine, or
// on the one that ran last.
func (w *World) claim() {
	if !w.co.mark.Mine() && !w.kernel.Mine() {
		w.rejectCaller()
	}
}

// fastCheck reports whether the running goroutine is the caller, no real code runs, and the world is not over. It may
// report false although all of that holds.
func (w *World) fastCheck() bool { return w.co.mark.OnStack() && w.phase.Load() == running }

// requireRunning ends the caller if it is not the running goroutine.
func (w *World) requireRunning() {
	if !w.co.mark.Mine() {
		w.rejectCaller()
	}
}

// rejectEnv ends a goroutine that uses the Env of another one.
func (w *World) rejectEnv(t *env.Task) {
	w.check()
	if !w.known() {
		w.rejectCaller()
	}
	panic(fmt.Sprintf("goroutine %s uses the Env of %s: give each goroutine its own, the argument of its body",
		w.co.task.Name(), t.Name()))
}

// begin starts an operation of the running goroutine, until it is done or parks. In a timer's function no goroutine
// runs.
func (w *World) begin(op sim.Op) env.Step {
	w.Claim()
	if w.k.Current() == nil {
		return w.step(w.k.Do(nil, op))
	}
	co := w.co
	for {
		out := w.k.Do(&co.G, op)
		if out != sim.Again {
			return w.step(out)
		}
		w.leave(co)
	}
}

// step translates an outcome. For operations on channels, a flag of the token tells whether it was delivered.
func (w *World) step(out sim.Outcome) env.Step {
	switch out {
	case sim.Done:
		return env.Done
	case sim.Parked:
		return env.Parked
	}
	if w.k.Reason() == closed {
		return env.Closed
	}
	panic(w.k.Reason())
}

// closed is the reason that env itself turns into a panic, after its meters have been updated.
const closed = "send on closed channel"

// do makes an operation and returns when it is done.
func (w *World) do(op sim.Op) {
	if w.begin(op) == env.Parked {
		w.leave(w.co)
	}
}

// Park implements env.Machine.
func (w *World) Park() { w.leave(w.co) }

// Poll implements env.Machine.
func (w *World) Poll() {
	if p := w.phase.Load(); p != over && (p != running || w.k.Current() != nil) {
		w.do(sim.Op{Code: sim.Poll})
	}
}

// Spawn implements env.World.
func (w *World) Spawn(t *env.Task) { w.do(sim.Op{Code: sim.Spawn, On: w.goroutine(t)}) }

// Burn implements env.World.
func (w *World) Burn(t *env.Task, d time.Duration) {
	w.Use(t)
	w.useful += max(0, d)
	co := w.co
	for {
		next, again := w.k.Burn(&co.G, int64(d))
		if next != &co.G {
			w.switchTo(co, next)
		}
		if !again {
			return
		}
	}
}

// burnExact burns exactly the time that real code has taken.
func (w *World) burnExact(d time.Duration) {
	w.Claim()
	w.useful += max(0, d)
	w.do(sim.Op{Code: sim.Burn, Token: sim.Exact, N: int64(d)})
}

// Sleep implements env.World.
func (w *World) Sleep(t *env.Task, d time.Duration) {
	w.Use(t)
	w.do(sim.Op{Code: sim.Sleep, N: int64(d)})
}

// Until implements env.World.
func (w *World) Until(t *env.Task, at time.Duration) {
	w.Use(t)
	w.do(sim.Op{Code: sim.Sleep, Token: sim.Polled, N: int64(at - w.clock())})
}

// Wait implements env.World.
func (w *World) Wait(t *env.Task, d time.Duration) { w.Until(t, w.clock()+d) }

// Syscall implements env.World.
func (w *World) Syscall(t *env.Task, d time.Duration) {
	w.Use(t)
	w.do(sim.Op{Code: sim.Syscall, N: int64(d)})
}

// AfterFunc implements env.World.
func (w *World) AfterFunc(d time.Duration, f func()) {
	w.do(sim.Op{Code: sim.After, N: int64(d), On: w.k.NewTimer(f)})
}

// lock is a Mutex of the kernel.
type lock struct {
	sim.Mutex
	w *World
}

// NewLock implements env.Machine.
func (w *World) NewLock(name string) env.Lock {
	l := &lock{w: w}
	l.Name = name
	return l
}

func (l *lock) Lock() env.Step { return l.w.begin(sim.Op{Code: sim.Lock, On: &l.Mutex}) }
func (l *lock) Park()          { l.w.Park() }
func (l *lock) Unlock()        { l.w.do(sim.Op{Code: sim.Unlock, On: &l.Mutex}) }

func (l *lock) TryLock() bool {
	l.w.do(sim.Op{Code: sim.TryLock, On: &l.Mutex})
	return l.w.co.OK()
}

// rwLock is an RWMutex of the kernel.
type rwLock struct {
	sim.RWMutex
	w *World
}

// NewRWLock implements env.Machine.
func (w *World) NewRWLock(name string) env.RWLock {
	l := &rwLock{w: w}
	l.Name = name
	return l
}

func (l *rwLock) Lock() env.Step  { return l.w.begin(sim.Op{Code: sim.WriteLock, On: &l.RWMutex}) }
func (l *rwLock) Park()           { l.w.Park() }
func (l *rwLock) Unlock()         { l.w.do(sim.Op{Code: sim.WriteUnlock, On: &l.RWMutex}) }
func (l *rwLock) RLock() env.Step { return l.w.begin(sim.Op{Code: sim.ReadLock, On: &l.RWMutex}) }
func (l *rwLock) RUnlock()        { l.w.do(sim.Op{Code: sim.ReadUnlock, On: &l.RWMutex}) }

// condition is a Cond of the kernel.
type condition struct {
	sim.Cond
	w *World
}

// NewCondition implements env.Machine.
func (w *World) NewCondition(l env.Lock) env.Condition {
	c := &condition{w: w}
	c.Name = "a condition of " + l.(*lock).Name
	return c
}

func (c *condition) Add()       { c.w.do(sim.Op{Code: sim.CondAdd, On: &c.Cond}) }
func (c *condition) Wait()      { c.w.do(sim.Op{Code: sim.CondWait, On: &c.Cond}) }
func (c *condition) Signal()    { c.w.do(sim.Op{Code: sim.Signal, On: &c.Cond}) }
func (c *condition) Broadcast() { c.w.do(sim.Op{Code: sim.Broadcast, On: &c.Cond}) }

// counter is a Group of the kernel.
type counter struct {
	sim.Group
	w *World
}

// NewCounter implements env.Machine.
func (w *World) NewCounter() env.Counter { return &counter{w: w} }

func (c *counter) Add(n int) { c.w.do(sim.Op{Code: sim.GroupAdd, N: int64(n), On: &c.Group}) }

func (c *counter) Wait() {
	c.w.do(sim.Op{Code: sim.GroupWait, On: &c.Group})
	if !c.w.co.OK() {
		panic("sync: WaitGroup is reused before previous Wait has returned")
	}
}

// line is a Chan of the kernel.
type tokenChan struct {
	*sim.Chan
	w *World
}

// NewLine implements env.Machine.
func (w *World) NewTokenChan(name string, capacity int) env.TokenChan {
	return &tokenChan{sim.NewChan(name, capacity), w}
}

func (l *tokenChan) Send(token uint32, mayPark bool) env.Step {
	w := l.w
	if !mayPark {
		step := w.begin(sim.Op{Code: sim.TrySend, Token: int64(token), On: l.Chan})
		if step == env.Done && !w.k.Sent() {
			return env.WouldBlock
		}
		return step
	}
	co := w.co
	out := w.k.Send(&co.G, l.Chan, int64(token))
	for out == sim.Again {
		w.leave(co)
		out = w.k.Send(&co.G, l.Chan, int64(token))
	}
	return w.step(out)
}

func (l *tokenChan) Recv(mayPark bool) (step env.Step, token uint32, ok bool) {
	w := l.w
	if !mayPark {
		if step = w.begin(sim.Op{Code: sim.TryRecv, On: l.Chan}); step == env.Done && w.co.Choice() < 0 {
			return env.WouldBlock, 0, false
		}
		return step, w.token(), w.co.OK()
	}
	w.Claim()
	co := w.co
	out := w.k.Recv(&co.G, l.Chan)
	for out == sim.Again {
		w.leave(co)
		out = w.k.Recv(&co.G, l.Chan)
	}
	return w.step(out), w.token(), co.OK()
}

// token returns the token that the running goroutine has received.
func (w *World) token() uint32 { return uint32(w.co.Token()) }

func (l *tokenChan) Outcome() (token uint32, ok bool) { return l.w.token(), l.w.co.OK() }
func (l *tokenChan) Close()                           { l.w.do(sim.Op{Code: sim.Close, On: l.Chan}) }

// ClearCases implements env.Machine.
func (w *World) ClearCases() {
	w.Claim()
	w.co.ClearCases()
}

// AddCase implements env.Machine.
func (w *World) AddCase(l env.TokenChan, send bool, token uint32) {
	var c *sim.Chan
	if l != nil {
		c = l.(*tokenChan).Chan
	}
	w.co.AddCase(c, send, int64(token))
}

// CaseToken implements env.Machine.
func (w *World) CaseToken(i int) uint32 { return uint32(w.co.CaseToken(i)) }

// Select implements env.Machine.
func (w *World) Select(mayPark bool) env.Step {
	op := sim.Op{Code: sim.Select}
	if !mayPark {
		op.Code = sim.TrySelect
	}
	step := w.begin(op)
	if step == env.Done && w.co.Choice() < 0 {
		return env.WouldBlock
	}
	return step
}

// Selected implements env.Machine.
func (w *World) Selected() (i int, token uint32, ok bool) {
	return w.co.Choice(), w.token(), w.co.OK()
}

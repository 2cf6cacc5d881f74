package virtual

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual/internal/self"
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

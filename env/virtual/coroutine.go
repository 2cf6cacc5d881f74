package virtual

import (
	"bytes"
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual/internal/self"
	"github.com/brewput/brewput/sim"
)

// coroutine runs goroutines of a design one after the other.
type coroutine struct {
	sim.G
	w    *World
	id   int64     // of its Go goroutine
	mark self.Mark // of its Go goroutine: see claim
	task *env.Task
	// request is the number of the request that the goroutine works for, as set by itself or by its parent.
	request uint64
	next    func() (struct{}, bool)
	stop    func()
	// yield returns to the coroutine that resumed this one; false means that the world is over.
	yield func(struct{}) bool
	// aborts counts the operations that panicked because the world is over.
	aborts int
	below  bool // it has resumed another coroutine, which will return to it
}

// maxDepth is the largest number of coroutines that have resumed each other.
const maxDepth = 16

// aborted is the panic that ends the goroutines of a world that is over.
type aborted struct{ why string }

// Error implements error.
func (a aborted) Error() string { return "the simulation is over: " + a.why }

// goroutine returns a goroutine of the kernel for a task.
func (w *World) goroutine(t *env.Task) *sim.G {
	var co *coroutine
	if n := len(w.spare); n > 0 {
		co, w.spare = w.spare[n-1], w.spare[:n-1]
	} else {
		if len(w.coroutines)%roomInterval == roomInterval-1 && w.cfg.Room != nil {
			w.checkRoom()
		}
		co = &coroutine{w: w}
		co.Bind(co)
		co.next, co.stop = iter.Pull(co.loop)
		w.coroutines = append(w.coroutines, co)
		w.made.Add(1)
	}
	co.task, co.request = t, env.NoRequest
	if w.co != nil {
		co.request = w.co.request
	}
	return &co.G
}

// roomInterval is the number of new coroutines, of some kilobytes each, after which Config.Room is called.
const roomInterval = 1 << 13

// checkRoom ends a run whose goroutines take all memory. Without it the machine would stand still before they exist.
func (w *World) checkRoom() {
	if w.hasRoom() {
		return
	}
	w.full.Store(true)
	w.fail(fmt.Errorf("%s starts one more goroutine: %w", w.co.task.Name(), w.fullMemory()))
	w.leave(w.co)
}

// hasRoom calls Config.Room, and tells the watchdog so.
func (w *World) hasRoom() bool {
	w.asking.Store(true)
	defer w.asking.Store(false)
	return w.cfg.Room()
}

// SpareTask implements env.Machine.
func (w *World) SpareTask() *env.Task {
	n := len(w.spent)
	if n == 0 {
		return nil
	}
	t := w.spent[n-1]
	w.spent = w.spent[:n-1]
	return t
}

// loop runs one goroutine after the other until the world is over.
func (co *coroutine) loop(yield func(struct{}) bool) {
	co.id, co.mark = self.ID(), self.Current()
	co.w.addID(co.id)
	co.yield = yield
	for {
		co.run()
		if co.w.phase.Load() == unwinding {
			return
		}
		co.w.k.Exit(&co.G)
		if co.task != co.w.root { // the end of the root is read later
			co.w.spent = append(co.w.spent, co.task)
		}
		co.task = nil
		co.w.spare = append(co.w.spare, co)
		if !yield(struct{}{}) {
			return
		}
	}
}

// run runs the task, and notices if runtime.Goexit ends it.
func (co *coroutine) run() {
	ended := false
	defer func() {
		if !ended {
			co.w.fail(fmt.Errorf("goroutine %s called runtime.Goexit (testing.FailNow does): end it by returning",
				co.task.Name()))
			// Goexit also ends the coroutines below. Their deferred functions must not park.
			co.w.outcome.Store(&co.w.err)
			co.w.phase.Store(unwinding)
		}
	}()
	co.task.Start()()
	ended = true
}

// Resume implements sim.Runner.
func (co *coroutine) Resume() {
	w := co.w
	w.enter(co)
	w.depth++
	co.next()
	w.depth--
}

// enter records that co is the running coroutine.
func (w *World) enter(co *coroutine) {
	w.co = co
	if w.still.Load() { // a store on every switch would take as long as everything else
		w.still.Store(false)
	}
}

// Name implements sim.Runner.
func (co *coroutine) Name() string { return co.task.Name() }

// leave runs the kernel until the goroutine of co, which is running, continues. If it is the next to run, that needs
// no switch.
func (w *World) leave(co *coroutine) {
	if next := w.k.Next(); next != &co.G {
		w.switchTo(co, next)
	}
}

// switchTo is leave if another goroutine runs next: co resumes it. That takes one switch instead of two by way of the
// kernel's goroutine. A coroutine that is below cannot be resumed again. To reach it, co and all coroutines between
// them yield.
func (w *World) switchTo(co *coroutine, next *sim.G) {
	for next != nil && w.depth < maxDepth {
		other := next.Runner().(*coroutine)
		if other.below {
			break
		}
		co.below = true
		w.enter(other) // inlined from Resume, which would be one more function to return through
		w.depth++
		other.next()
		w.depth--
		co.below = false
		w.enter(co)
		if next = w.k.Next(); next == &co.G {
			return
		}
	}
	w.k.Choose(next)
	if next == nil {
		w.noteReturn()
	}
	if !co.yield(struct{}{}) {
		panic(aborted{"its goroutines are ended"})
	}
	// The coroutine that resumes this one has chosen it.
}

// fail ends the simulation with an error. The first one is kept.
func (w *World) fail(err error) {
	if w.phase.Load() == unwinding {
		return
	}
	if w.err == nil {
		w.err = err
	}
	w.k.Fail(err)
}

// Exit implements env.World. It keeps the panic of a goroutine, with the goroutine's own stack, for Run to return.
func (w *World) Exit(t *env.Task) {
	p := recover()
	if where := w.drop(); where != "" && p == nil {
		w.fail(fmt.Errorf("goroutine %s ended between Begin (%s) and End of a section of real code: "+
			"end the section first", t.Name(), where))
	}
	if p != nil {
		if _, ok := p.(aborted); !ok {
			w.fail(fmt.Errorf("goroutine %s panicked: %v\n%s", t.Name(), p, debug.Stack()))
		}
	}
	if t == w.root {
		w.k.StopAfter(int64(w.cfg.Grace))
	}
}

// rejectCaller ends the world and the calling goroutine, which was not started by env: it would act in place of the
// running goroutine. It ends without a panic, which nothing could recover.
func (w *World) rejectCaller() {
	place := "a goroutine that has ended"
	if t := w.co.task; t != nil {
		place = t.Name()
	}
	var stack [32]uintptr
	operation, where := outermost(stack[:runtime.Callers(2, stack[:])])
	w.fail(fmt.Errorf("a goroutine of a go statement, or of iter.Pull, calls %s (%s) in the place of %s: start it "+
		"with Go of an Env, or of a group", operation, where, place))
	w.outcome.Store(&w.err)
	runtime.Goexit()
}

// known reports whether the calling goroutine is a coroutine of the world. If it is not the running one, it may be
// below that.
func (w *World) known() bool {
	return self.ID() == w.co.id || bytes.Contains(debug.Stack(), []byte("virtual.(*coroutine).loop("))
}

package virtual

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/brewput/brewput/env"
)

// Sections measures or looks up the cost of real code. Its methods are called by the goroutine that runs the code.
// Between Begin and End, or Drop, no other goroutine of the world runs. An error ends the simulation.
type Sections interface {
	// Begin is called right before the code.
	Begin() error
	End(Code) (time.Duration, error)
	// Drop is called instead of End if the code panics or ends early.
	Drop()
}

// Code identifies real code, so that another run finds it again. Sections with the same Code are numbered in order.
type Code struct {
	// Request is the request that the code works for, or env.NoRequest. It identifies the work, whichever goroutine
	// does it.
	Request uint64
	// Goroutine is the goroutine that runs the code. With a request it is the name it was started under, which others
	// share. Otherwise it is its unique name.
	Goroutine string
}

// section is the real code that runs.
type section struct {
	open     bool
	declared time.Duration // its declared cost, or env.Measured
	at       [4]uintptr    // call stack of Begin
}

// Begin implements env.World.
func (w *World) Begin(_ *env.Task, declared time.Duration) time.Duration {
	s := &w.section
	s.declared = declared
	clear(s.at[runtime.Callers(3, s.at[:]):])
	if !w.phase.CompareAndSwap(running, computing) {
		w.check()
	}
	s.open = true
	if declared == env.Measured && w.cfg.Sections != nil {
		if err := w.cfg.Sections.Begin(); err != nil {
			w.close()
			w.Fail(err)
		}
	}
	return 0
}

// End implements env.World.
func (w *World) End(t *env.Task, _ time.Duration) {
	if w.co.task != t {
		w.rejectEnv(t)
	}
	if !w.section.open {
		w.Claim()
		panic(fmt.Sprintf("goroutine %s calls End of a section of real code that is over: call it once for each Begin",
			t.Name()))
	}
	if w.phase.Load() != computing { // it was abandoned meanwhile
		if w.known() {
			w.drop()
		}
		w.check()
	}
	w.requireRunning()
	cost, err := w.section.declared, error(nil)
	if cost == env.Measured {
		if cost = 0; w.cfg.Sections != nil {
			cost, err = w.cfg.Sections.End(w.code(t))
		}
	}
	w.close()
	if err != nil {
		w.Fail(err)
	}
	w.burnExact(cost)
}

// code returns the identity of the code that t runs.
func (w *World) code(t *env.Task) Code {
	c := Code{w.co.request, t.Name()}
	if c.Request != env.NoRequest {
		c.Goroutine = t.BaseName()
	}
	return c
}

// close closes the section. A world that was abandoned meanwhile stays so.
func (w *World) close() {
	w.section.open = false
	w.phase.CompareAndSwap(computing, running)
}

// Fail ends the world with an error, and the calling goroutine, which must be the running one.
func (w *World) Fail(err error) {
	w.check()
	w.fail(err)
	w.leave(w.co)
}

// drop closes a section that does not reach its end, and returns where it began; "" if none is open.
func (w *World) drop() (where string) {
	if !w.section.open {
		return ""
	}
	if w.section.declared == env.Measured && w.cfg.Sections != nil {
		w.cfg.Sections.Drop()
	}
	w.close()
	_, where = outermost(w.section.at[:])
	return where
}

// broken drops the section in which an operation was made, and returns the message for it.
func (w *World) broken() string {
	began := w.drop()
	var stack [32]uintptr
	operation, where := outermost(stack[:runtime.Callers(2, stack[:])])
	return fmt.Sprintf("goroutine %s calls %s (%s) between Begin (%s) and End of a section of real code, for which "+
		"time stands still: end the section first",
		w.co.task.Name(), operation, where, began)
}

// outermost returns the function of package env that a design called, and the file and line of the call.
func outermost(stack []uintptr) (operation, where string) {
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		name, own := strings.CutPrefix(f.Function, ownPackages)
		if !own || !strings.HasPrefix(name, "env.") && !strings.HasPrefix(name, "env/virtual.") ||
			strings.HasSuffix(f.File, "_test.go") {
			return operation, fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		operation = name
		if !more {
			return operation, "?"
		}
	}
}

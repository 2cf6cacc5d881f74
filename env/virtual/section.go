package virtual

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/brewput/brewput/env"
)

// Sections says what real code costs. Its methods are called on the goroutine that runs the code, one after the
// other; between Begin and End, or Drop, no other goroutine of the world runs. An error ends the simulation.
type Sections interface {
	// Begin is called right before the code, and End right after it: it returns the cost.
	Begin() error
	End(Code) (time.Duration, error)
	// Drop is called instead of End if the code does not come there.
	Drop()
}

// Code names real code, so that another run finds it again: together with how many of that name there were before.
type Code struct {
	// Request is for which the code works, env.NoRequest for none. It names the work whoever does it.
	Request uint64
	// Goroutine is who does it: with a request the name that it was started under, which others share, and else
	// its unique name.
	Goroutine string
}

// section is the real code that runs.
type section struct {
	open     bool
	declared time.Duration // its cost, or env.Measured
	at       [4]uintptr    // where it began, callers included
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
		w.stranger(t)
	}
	if !w.section.open {
		w.Claim()
		panic(fmt.Sprintf("goroutine %s calls End of a section of real code that is over: call it once for each Begin",
			t.Name()))
	}
	if w.phase.Load() != computing { // it was given up meanwhile
		if w.known() {
			w.drop()
		}
		w.check()
	}
	w.strict()
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
	w.take(cost)
}

// code is the name of the code that t runs.
func (w *World) code(t *env.Task) Code {
	c := Code{w.co.request, t.Name()}
	if c.Request != env.NoRequest {
		c.Goroutine = t.BaseName()
	}
	return c
}

// close closes the section. A world that was given up meanwhile stays so.
func (w *World) close() {
	w.section.open = false
	w.phase.CompareAndSwap(computing, running)
}

// Fail ends the world with an error, and with it the goroutine that runs, which calls it.
func (w *World) Fail(err error) {
	w.check()
	w.fail(err)
	w.leave(w.co)
}

// drop closes a section that does not come to its end, and says where it began; "" if none is open.
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

// broken drops the section for an operation that was made in it, and says so.
func (w *World) broken() string {
	began := w.drop()
	var stack [32]uintptr
	operation, where := outermost(stack[:runtime.Callers(2, stack[:])])
	return fmt.Sprintf("goroutine %s calls %s (%s) between Begin (%s) and End of a section of real code, for which "+
		"time stands still: end the section first",
		w.co.task.Name(), operation, where, began)
}

// outermost is the function of package env that a design called, and the file and line where it did.
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

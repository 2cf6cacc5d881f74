package gotrace

import (
	"golang.org/x/exp/trace"

	"github.com/brewput/brewput/evidence"
)

// classify adds a goroutine to its class.
func (a *aggregator) classify(g *goroutine, start string, f evidence.Frame, created stackID) {
	if start == "runtime.main" {
		start, f = "main.main", evidence.Frame{Function: "main.main"}
	}

	system, collects := isSystem(start)
	switch {
	case collects:
		g.kind = collectorKind
	case system || g.unknown: // until its first stack; most are the runtime's
		g.kind = systemKind
	default:
		g.kind = userKind
	}
	if f.Function == "" {
		f.Function = start
	}

	g.class = a.classes.class(start, created, f)
	g.class.add(g.born)
}

// identify finds the class of an event's goroutine by its stack, if its start function is unknown.
func (a *aggregator) identify(e *trace.Event) {
	if g := a.find(e.Goroutine()); g != nil && g.unknown && e.Stack() != trace.NoStack {
		a.reclass(g, e.Stack())
	}
}

// reclass moves a goroutine with an unknown start function to its class, by its first stack.
func (a *aggregator) reclass(g *goroutine, stack trace.Stack) {
	id := a.stacks.id(stack)
	if id == 0 {
		return
	}

	g.unknown = false
	a.unknown--
	a.leave(g, g.state)
	g.class.remove(a.now, a.cpus)
	g.class.count--
	entry := a.stacks.list[id].entry
	a.classify(g, entry.Function, entry, 0)
	a.enter(g, g.state)
}

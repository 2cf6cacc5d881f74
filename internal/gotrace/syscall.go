package gotrace

import "golang.org/x/exp/trace"

// syscallSite is a site that makes system calls.
type syscallSite struct {
	each  latencies
	lost  int64
	class *class
}

// enterSyscall records that a goroutine enters a system call.
func (a *aggregator) enterSyscall(e *trace.Event, s *trace.StateTransition, g *goroutine) {
	a.setState(g, inSyscall)
	g.syscallStack, g.syscallFrom, g.syscallLost = a.stacks.id(s.Stack), a.now, false
	if id := e.Proc(); id != trace.NoProc {
		a.procAt(id).calling = g
	}
}

// exitSyscall records that a system call has ended. lost says that the goroutine lost its CPU.
func (a *aggregator) exitSyscall(g *goroutine, lost bool) {
	if g.kind != userKind || g.syscallFrom == 0 {
		return
	}

	c := a.calls[g.syscallStack]
	if c == nil {
		if len(a.calls) == maxSites {
			return
		}
		c = &syscallSite{class: g.class}
		a.calls[g.syscallStack] = c
	}

	c.each.add(a.now - g.syscallFrom)
	if lost {
		c.lost++
	}

	g.syscallFrom = 0
}

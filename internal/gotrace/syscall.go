package gotrace

import "golang.org/x/exp/trace"

// syscallSite is a site that makes system calls.
type syscallSite struct {
	each  latencies
	lost  int64
	class *class
}

// enterSyscall records that a goroutine enters a system call.
func (t *aggregator) enterSyscall(e *trace.Event, s *trace.StateTransition, g *goroutine) {
	t.setState(g, inSyscall)
	g.syscallStack, g.syscallFrom, g.syscallLost = t.stacks.id(s.Stack), t.now, false
	if id := e.Proc(); id != trace.NoProc {
		t.procAt(id).calling = g
	}
}

// exitSyscall records that a system call has ended. lost says that the goroutine lost its CPU.
func (t *aggregator) exitSyscall(g *goroutine, lost bool) {
	if g.kind != userKind || g.syscallFrom == 0 {
		return
	}

	c := t.calls[g.syscallStack]
	if c == nil {
		if len(t.calls) == maxSites {
			return
		}
		c = &syscallSite{class: g.class}
		t.calls[g.syscallStack] = c
	}

	c.each.add(t.now - g.syscallFrom)
	if lost {
		c.lost++
	}

	g.syscallFrom = 0
}

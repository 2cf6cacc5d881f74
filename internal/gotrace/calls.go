package gotrace

import "golang.org/x/exp/trace"

// calls are the system calls made at a site.
type syscallSite struct {
	each  latencies
	lost  int64
	class *class
}

// call lets a goroutine enter a system call.
func (t *aggregator) enterSyscall(e *trace.Event, s *trace.StateTransition, g *goroutine) {
	t.setState(g, inSyscall)
	g.syscallStack, g.syscallFrom, g.syscallLost = t.stacks.id(s.Stack), t.now, false
	if id := e.Proc(); id != trace.NoProc {
		t.procAt(id).calling = g
	}
}

// returned counts a system call that has ended.
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

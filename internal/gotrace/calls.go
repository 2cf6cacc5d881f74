package gotrace

import "golang.org/x/exp/trace"

// calls are the system calls made at a site.
type calls struct {
	each  latencies
	lost  int64
	class *class
}

// call lets a goroutine enter a system call.
func (t *tally) call(e *trace.Event, s *trace.StateTransition, g *goroutine) {
	t.move(g, calling)
	g.called, g.callFrom, g.callLost = t.stacks.id(s.Stack), t.now, false
	if id := e.Proc(); id != trace.NoProc {
		t.on(id).calling = g
	}
}

// returned counts a system call that has ended.
func (t *tally) returned(g *goroutine, lost bool) {
	if g.kind != users || g.callFrom == 0 {
		return
	}
	c := t.calls[g.called]
	if c == nil {
		if len(t.calls) == maxSites {
			return
		}
		c = &calls{class: g.class}
		t.calls[g.called] = c
	}
	c.each.add(t.now - g.callFrom)
	if lost {
		c.lost++
	}
	g.callFrom = 0
}

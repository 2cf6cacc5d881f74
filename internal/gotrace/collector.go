package gotrace

import (
	"strings"

	"golang.org/x/exp/trace"
)

// collector holds the times of garbage collection and of stops of the world.
type collector struct {
	marking    int64
	markedFrom int64
	cycles     int
	assists    int64
	stops      latencies
	reasons    map[stopKey]*stopped
}

// stopKey identifies the stops of the world for one reason at one site.
type stopKey struct {
	reason string
	stack  stackID
}

type stopped struct{ count, spent int64 }

func (c *collector) init() { c.reasons = map[stopKey]*stopped{}; c.markedFrom = -1 }

// rangeEvent records the beginning or end of a range: a mark phase, an assist, or a stop of the world.
func (a *aggregator) rangeEvent(e *trace.Event, kind trace.EventKind) {
	r := e.Range()
	begin := kind != trace.EventRangeEnd
	switch {
	case r.Name == "GC concurrent mark phase":
		if begin {
			if a.gc.markedFrom < 0 {
				a.gc.markedFrom = a.now
				a.gc.cycles++
			}
		} else if a.gc.markedFrom >= 0 {
			a.gc.marking += a.now - a.gc.markedFrom
			a.gc.markedFrom = -1
		}
	case r.Name == "GC mark assist":
		if r.Scope.Kind == trace.ResourceGoroutine {
			a.assist(r.Scope.Goroutine(), begin)
		}
	case strings.HasPrefix(r.Name, "stop-the-world ("):
		a.stop(e, strings.TrimSuffix(strings.TrimPrefix(r.Name, "stop-the-world ("), ")"), begin)
	}
}

// assist adds the running time of a mark assist.
func (a *aggregator) assist(id trace.GoID, begin bool) {
	g := a.find(id)
	if g == nil {
		return
	}

	ran := g.running
	if g.state == running {
		ran += a.now - g.since
	}

	switch {
	case begin:
		g.assistFrom = ran + 1
	case g.assistFrom > 0:
		a.gc.assists += ran + 1 - g.assistFrom
		g.assistFrom = 0
	}
}

// stop adds a stop of the world. Only one goroutine at a time can stop the world, and it runs meanwhile.
func (a *aggregator) stop(e *trace.Event, reason string, begin bool) {
	if reason == "start trace" || reason == "stop trace" {
		return
	}

	g := a.find(e.Goroutine())
	if g == nil {
		return
	}
	if begin {
		g.stopFrom = a.now
		g.stopAt = stopKey{reason, a.stacks.id(e.Stack())}
		return
	}
	if g.stopFrom == 0 {
		return
	}

	spent := a.now - g.stopFrom
	g.stopFrom = 0
	a.gc.stops.add(spent)
	s := a.gc.reasons[g.stopAt]
	if s == nil {
		if len(a.gc.reasons) == maxWakers {
			return
		}
		s = &stopped{}
		a.gc.reasons[g.stopAt] = s
	}

	s.count++
	s.spent += spent
}

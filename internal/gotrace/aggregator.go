package gotrace

import (
	"strings"

	"golang.org/x/exp/trace"
)

// aggregator summarizes the events of a trace. Times are in ns.
type aggregator struct {
	events       int64
	start, now   int64 // ns
	stacks       *stacks
	goroutines   map[trace.GoID]*goroutine
	recent       [cacheSize]*goroutine // cache by the lowest bits of the IDs: most events are about few goroutines
	procs        map[trace.ProcID]*proc
	first        [cacheSize]*proc // procs with small IDs
	cpus         int              // current GOMAXPROCS
	most         int
	runningProcs int // number of running procs
	unknown      int // number of goroutines with an unknown start function
	demand       demand
	used         used
	classes      classes
	sites        sites
	calls        map[stackID]*syscallSite
	spawns       map[spawn]int64
	resources    resources
	gc           collector
	queueing     [3]latencies // with an idle CPU, without one, all
}

// cacheSize is the number of goroutines and procs that are found without a map.
const cacheSize = 256

// find returns the goroutine with an ID, or nil if it is unknown.
func (t *aggregator) find(id trace.GoID) *goroutine {
	at := &t.recent[uint64(id)%cacheSize]
	if g := *at; g != nil && g.id == id {
		return g
	}
	g := t.goroutines[id]
	if g != nil {
		*at = g
	}
	return g
}

// forget removes a goroutine that has ended. IDs are not reused.
func (t *aggregator) forget(id trace.GoID) {
	delete(t.goroutines, id)
	if at := &t.recent[uint64(id)%cacheSize]; *at != nil && (*at).id == id {
		*at = nil
	}
}

// procAt returns the proc with an ID.
func (t *aggregator) procAt(id trace.ProcID) *proc {
	small := id >= 0 && id < cacheSize
	if small && t.first[id] != nil {
		return t.first[id]
	}

	p := t.procs[id]
	if p == nil {
		p = &proc{}
		t.procs[id] = p
	}
	if small {
		t.first[id] = p
	}

	return p
}

// proc is one of the GOMAXPROCS logical processors (P).
type proc struct {
	running bool
	calling *goroutine // goroutine in a system call on it
}

// used holds CPU times in ns: of the program's goroutines, the runtime's and the collector's, without a goroutine, and
// idle.
type used struct {
	user, system, collector, searching, idle int64
	// Numbers of goroutines that run now.
	users, systems, collectors int
}

type spawn struct {
	stack stackID
	class *class
}

func newAggregator() *aggregator {
	t := &aggregator{
		stacks: newStacks(), goroutines: map[trace.GoID]*goroutine{}, procs: map[trace.ProcID]*proc{},
		calls: map[stackID]*syscallSite{}, spawns: map[spawn]int64{}, cpus: 1,
	}
	t.classes.init()
	t.sites.init()
	t.gc.init()
	t.demand.init()
	return t
}

// isUsable reports whether there were enough events for a summary.
func (t *aggregator) usable() bool { return t.events > 16 && t.now > t.start }

func (t *aggregator) event(e *trace.Event) {
	t.events++
	kind := e.Kind()
	if kind == trace.EventSync {
		t.stacks.generation()
		return
	}

	at := int64(e.Time())
	if t.start == 0 {
		t.start, t.now = at, at
	}
	if at-t.start > maxDuration || at < t.start {
		t.now = max(t.now, at)
		return
	}
	if at > t.now {
		t.advance(at)
	}
	if t.unknown > 0 && kind == trace.EventStateTransition {
		t.identify(e)
	}

	switch kind {
	case trace.EventStateTransition:
		s := e.StateTransition()
		switch s.Resource.Kind {
		case trace.ResourceGoroutine:
			t.goroutine(e, &s)
		case trace.ResourceProc:
			t.proc(&s)
		}
	case trace.EventMetric:
		if m := e.Metric(); m.Name == "/sched/gomaxprocs:threads" {
			t.cpus = max(1, int(m.Value.Uint64()))
			t.most = max(t.most, t.cpus)
		}
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		t.rangeEvent(e, kind)
	}
}

// advance adds the time up to an event.
func (t *aggregator) advance(at int64) {
	dt := at - t.now
	u := &t.used
	u.user += dt * int64(u.users)
	u.system += dt * int64(u.systems)
	u.collector += dt * int64(u.collectors)
	u.searching += dt * int64(max(0, t.runningProcs-u.users-u.systems-u.collectors))
	u.idle += dt * int64(max(0, t.cpus-t.runningProcs))
	t.demand.advance(t.now-t.start, dt, t.cpus)
	if d := &t.demand; d.wants == 1 && d.alone >= 0 && d.alone < len(t.classes.list) {
		t.classes.list[d.alone].addAlone(dt)
	}

	t.resources.advance(dt, t.demand.wants < t.cpus)
	t.now = at
}

func (t *aggregator) proc(s *trace.StateTransition) {
	p := t.procAt(s.Resource.Proc())
	_, to := s.Proc()
	runs := to == trace.ProcRunning
	if runs == p.running {
		return
	}

	p.running = runs
	if runs {
		t.runningProcs++
		return
	}

	t.runningProcs--
	if g := p.calling; g != nil { // The goroutine in the system call loses its CPU.
		p.calling = nil
		if g.state == inSyscall {
			t.leave(g, inSyscall)
			t.addTime(g)
			g.state, g.since = inSyscallNoCPU, t.now
			t.enter(g, inSyscallNoCPU)
		}
	}
}

// collector holds the times of garbage collection and of stops of the world.
type collector struct {
	marking    int64
	markedFrom int64
	cycles     int
	assists    int64
	stops      latencies
	reasons    map[stopKey]*stopped
}

type stopKey struct {
	reason string
	stack  stackID
}

type stopped struct{ count, spent int64 }

func (c *collector) init() { c.reasons = map[stopKey]*stopped{}; c.markedFrom = -1 }

// rangeEvent records the beginning or end of a range: a mark phase, an assist, or a stop of the world.
func (t *aggregator) rangeEvent(e *trace.Event, kind trace.EventKind) {
	r := e.Range()
	begin := kind != trace.EventRangeEnd
	switch {
	case r.Name == "GC concurrent mark phase":
		if begin {
			if t.gc.markedFrom < 0 {
				t.gc.markedFrom = t.now
				t.gc.cycles++
			}
		} else if t.gc.markedFrom >= 0 {
			t.gc.marking += t.now - t.gc.markedFrom
			t.gc.markedFrom = -1
		}
	case r.Name == "GC mark assist":
		if r.Scope.Kind == trace.ResourceGoroutine {
			t.assist(r.Scope.Goroutine(), begin)
		}
	case strings.HasPrefix(r.Name, "stop-the-world ("):
		t.stop(e, strings.TrimSuffix(strings.TrimPrefix(r.Name, "stop-the-world ("), ")"), begin)
	}
}

// assist adds the running time of a mark assist.
func (t *aggregator) assist(id trace.GoID, begin bool) {
	g := t.find(id)
	if g == nil {
		return
	}

	ran := g.running
	if g.state == running {
		ran += t.now - g.since
	}

	switch {
	case begin:
		g.assistFrom = ran + 1
	case g.assistFrom > 0:
		t.gc.assists += ran + 1 - g.assistFrom
		g.assistFrom = 0
	}
}

// stop adds a stop of the world. Only one goroutine at a time can stop the world, and it runs meanwhile.
func (t *aggregator) stop(e *trace.Event, reason string, begin bool) {
	if reason == "start trace" || reason == "stop trace" {
		return
	}

	g := t.find(e.Goroutine())
	if g == nil {
		return
	}
	if begin {
		g.stopFrom = t.now
		g.stopAt = stopKey{reason, t.stacks.id(e.Stack())}
		return
	}
	if g.stopFrom == 0 {
		return
	}

	spent := t.now - g.stopFrom
	g.stopFrom = 0
	t.gc.stops.add(spent)
	s := t.gc.reasons[g.stopAt]
	if s == nil {
		if len(t.gc.reasons) == maxWakers {
			return
		}
		s = &stopped{}
		t.gc.reasons[g.stopAt] = s
	}

	s.count++
	s.spent += spent
}

// isSystem reports whether a start function belongs to the runtime or to profilers, and whether it belongs to the
// garbage collector.
func isSystem(start string) (system, collects bool) {
	switch {
	case start == "runtime.main" || start == "main.main":
		return false, false
	case strings.HasPrefix(start, "runtime.gcBgMark"), start == "runtime.bgsweep", start == "runtime.bgscavenge":
		return true, true
	case strings.HasPrefix(start, "runtime."), strings.HasPrefix(start, "runtime/trace."),
		strings.HasPrefix(start, "runtime/pprof."),
		strings.HasPrefix(start, "os/signal."), strings.HasPrefix(start, "internal/trace"),
		strings.HasPrefix(start, "main.(*brewput"), strings.HasPrefix(start, "main.brewput"): // the hook
		return true, false
	}

	return false, false
}

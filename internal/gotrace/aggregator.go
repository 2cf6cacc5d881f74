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
	maxCPUs      int
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
func (a *aggregator) find(id trace.GoID) *goroutine {
	at := &a.recent[uint64(id)%cacheSize]
	if g := *at; g != nil && g.id == id {
		return g
	}
	g := a.goroutines[id]
	if g != nil {
		*at = g
	}
	return g
}

// forget removes a goroutine that has ended. IDs are not reused.
func (a *aggregator) forget(id trace.GoID) {
	delete(a.goroutines, id)
	if at := &a.recent[uint64(id)%cacheSize]; *at != nil && (*at).id == id {
		*at = nil
	}
}

// procAt returns the proc with an ID.
func (a *aggregator) procAt(id trace.ProcID) *proc {
	small := id >= 0 && id < cacheSize
	if small && a.first[id] != nil {
		return a.first[id]
	}

	p := a.procs[id]
	if p == nil {
		p = &proc{}
		a.procs[id] = p
	}
	if small {
		a.first[id] = p
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

// spawn is a site that starts goroutines of a class.
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

// usable reports whether there were enough events for a summary.
func (a *aggregator) usable() bool { return a.events > 16 && a.now > a.start }

// event adds one event.
func (a *aggregator) event(e *trace.Event) {
	a.events++
	kind := e.Kind()
	if kind == trace.EventSync {
		a.stacks.generation()
		return
	}

	at := int64(e.Time())
	if a.start == 0 {
		a.start, a.now = at, at
	}
	if at-a.start > maxDuration || at < a.start {
		a.now = max(a.now, at)
		return
	}
	if at > a.now {
		a.advance(at)
	}
	if a.unknown > 0 && kind == trace.EventStateTransition {
		a.identify(e)
	}

	switch kind {
	case trace.EventStateTransition:
		s := e.StateTransition()
		switch s.Resource.Kind {
		case trace.ResourceGoroutine:
			a.goroutine(e, &s)
		case trace.ResourceProc:
			a.proc(&s)
		}
	case trace.EventMetric:
		if m := e.Metric(); m.Name == "/sched/gomaxprocs:threads" {
			a.cpus = max(1, int(m.Value.Uint64()))
			a.maxCPUs = max(a.maxCPUs, a.cpus)
		}
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		a.rangeEvent(e, kind)
	}
}

// advance adds the time up to an event.
func (a *aggregator) advance(at int64) {
	dt := at - a.now
	u := &a.used
	u.user += dt * int64(u.users)
	u.system += dt * int64(u.systems)
	u.collector += dt * int64(u.collectors)
	u.searching += dt * int64(max(0, a.runningProcs-u.users-u.systems-u.collectors))
	u.idle += dt * int64(max(0, a.cpus-a.runningProcs))
	a.demand.advance(a.now-a.start, dt, a.cpus)
	if d := &a.demand; d.wants == 1 && d.alone >= 0 && d.alone < len(a.classes.list) {
		a.classes.list[d.alone].addAlone(dt)
	}

	a.resources.advance(dt, a.demand.wants < a.cpus)
	a.now = at
}

// proc records that a proc starts or stops running.
func (a *aggregator) proc(s *trace.StateTransition) {
	p := a.procAt(s.Resource.Proc())
	_, to := s.Proc()
	runs := to == trace.ProcRunning
	if runs == p.running {
		return
	}

	p.running = runs
	if runs {
		a.runningProcs++
		return
	}

	a.runningProcs--
	if g := p.calling; g != nil { // The goroutine in the system call loses its CPU.
		p.calling = nil
		if g.state == inSyscall {
			a.leave(g, inSyscall)
			a.addTime(g)
			g.state, g.since = inSyscallNoCPU, a.now
			a.enter(g, inSyscallNoCPU)
		}
	}
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

package gotrace

import (
	"strings"

	"golang.org/x/exp/trace"

	"github.com/brewput/brewput/evidence"
)

// state is the scheduling state of a goroutine.
type state uint8

const (
	none     state = iota
	runnable       // in a run queue
	running
	inSyscall      // in a system call, and keeps its CPU
	inSyscallNoCPU // in a system call, and has lost its CPU
	waiting
)

// kind is the owner of a goroutine: the program, the runtime or the garbage collector.
type kind uint8

const (
	userKind kind = iota
	systemKind
	collectorKind
)

// goroutine is a goroutine that lives. Times are in ns.
type goroutine struct {
	id           trace.GoID
	class        *class
	kind         kind
	unknown      bool // it is older than the trace, and its start function is not known yet
	state        state
	since        int64
	born         int64
	burst        int64 // when it got a CPU
	running      int64 // total times by state
	queued       int64
	channels     int64
	locks        int64
	external     int64
	parked       trace.Stack
	site         *site   // where it waits, or waited before it became runnable
	woken        bool    // it is runnable because a goroutine or timer woke it
	idle         bool    // a CPU was idle when it was woken
	syscallStack stackID // stack of its system call
	syscallFrom  int64
	syscallLost  bool
	node         int32 // resource for which it waits; -1 if there is none
	held         int32 // lock that it got after a wait; -1 if there is none
	heldFrom     int64
	heldRan      int64
	assistFrom,
	stopFrom int64
	stopAt stopKey
}

// goroutine records a state transition.
func (a *aggregator) goroutine(e *trace.Event, s *trace.StateTransition) {
	from, to := s.Goroutine()
	id := s.Resource.Goroutine()
	g := a.find(id)
	if g == nil {
		if to == trace.GoNotExist {
			return
		}
		g = a.create(e, s, id, from == trace.GoNotExist)
	}
	if g.unknown && s.Stack != trace.NoStack {
		a.reclass(g, s.Stack)
	}
	if from == to { // A new generation of the trace begins, and the goroutine continues what it did.
		return
	}

	switch to {
	case trace.GoRunnable:
		a.ready(e, s, g)
	case trace.GoRunning:
		a.run(g)
	case trace.GoSyscall:
		if from == trace.GoUndetermined { // It is older than the trace, so that it has lost its CPU.
			a.setState(g, inSyscallNoCPU)
			g.since = a.start
			break
		}
		a.enterSyscall(e, s, g)
	case trace.GoWaiting:
		a.park(s, g)
		if from == trace.GoUndetermined {
			g.since = a.start
		}
	case trace.GoNotExist:
		a.end(g)
	}
}

// create returns a goroutine that is new, or that appears in the trace for the first time.
func (a *aggregator) create(e *trace.Event, s *trace.StateTransition, id trace.GoID, made bool) *goroutine {
	g := &goroutine{id: id, since: a.now, born: a.now, node: -1, held: -1}
	if !made { // An older goroutine may appear only after a second.
		g.born = a.start
	}

	a.goroutines[id] = g
	start := ""
	if stack := a.stacks.id(s.Stack); stack != 0 {
		start = a.stacks.list[stack].root
	}

	created := stackID(0)
	switch {
	case made:
		created = a.stacks.id(e.Stack())
	case id == 1:
		start = "main.main"
	case start == "":
		g.unknown = true
		a.unknown++
	}

	f := evidence.Frame{Function: start}
	if place := a.stacks.frames(a.stacks.id(s.Stack)); len(place) > 0 && place[len(place)-1].Function == start {
		f = place[len(place)-1]
	}

	a.classify(g, start, f, created)
	if made && g.kind == userKind {
		a.addSpawn(spawn{created, g.class})
	}

	return g
}

// ready records that a goroutine became runnable: it was started, woken or preempted, or lost its CPU in a system call.
func (a *aggregator) ready(e *trace.Event, s *trace.StateTransition, g *goroutine) {
	was := g.state
	a.setState(g, runnable)
	g.woken = false
	switch was {
	case waiting:
		g.woken = true
		g.idle = a.runningProcs < a.cpus
		a.wake(e, g)
	case inSyscall, inSyscallNoCPU:
		a.exitSyscall(g, true)
	case running:
		if s.Reason == "runtime.Gosched" && g.kind == userKind {
			a.sites.at(a.stacks, "runtime.Gosched", a.stacks.id(s.Stack)).count++
		}
	}
}

// wake records what woke a goroutine at the site where it waited.
func (a *aggregator) wake(e *trace.Event, g *goroutine) {
	if g.site == nil || g.kind != userKind {
		return
	}

	waker := a.find(e.Goroutine())
	if waker == nil || waker.kind != userKind {
		g.site.addWaker(0, nil)
		return
	}

	stack := a.stacks.id(e.Stack())
	g.site.addWaker(stack, waker.class)
	if g.node < 0 || stack == 0 {
		return
	}

	a.resources.link(g.node, a.stacks, stack)
	if waker.held >= 0 && a.resources.find(waker.held) == a.resources.find(g.node) {
		ran := waker.running
		if waker.state == running {
			ran += a.now - waker.since
		}
		a.resources.hold(waker.held, a.now-waker.heldFrom, ran-waker.heldRan)
		waker.held = -1
	}
}

// run records that a goroutine got a CPU.
func (a *aggregator) run(g *goroutine) {
	was := g.state
	waited := a.now - g.since
	a.setState(g, running)
	switch was {
	case inSyscall, inSyscallNoCPU:
		a.exitSyscall(g, false)
		return
	case runnable:
		a.addQueueing(g, waited)
	}

	g.burst = a.now
	if g.node >= 0 {
		kind := a.resources.resume(g.node)
		if kind == evidence.ResourceMutex || kind == evidence.ResourceRWMutex {
			g.held, g.heldFrom, g.heldRan = g.node, a.now, g.running
		}
		g.node = -1
	}
}

// park records that a goroutine began to wait.
func (a *aggregator) park(s *trace.StateTransition, g *goroutine) {
	a.setState(g, waiting)
	g.node = -1
	if g.kind != userKind {
		return
	}
	if s.Stack != g.parked || g.site == nil || g.site.reason != s.Reason { // The site is usually the same as before.
		g.parked = s.Stack
		stack, reason := a.stacks.id(s.Stack), s.Reason
		if reason == "" { // The wait is older than the trace.
			reason = reasonOf(a.stacks.frames(stack))
		}
		g.site = a.sites.at(a.stacks, reason, stack)
	}

	stack := g.site.stack
	if entry := a.stacks.list[stack].entry; g.class.wrapped && stack != 0 && isEntry(entry) {
		g.class.start, g.class.wrapped = entry, false
	}

	g.site.count++
	g.site.addClass(g.class)
	if g.held >= 0 && g.site.op == evidence.OpMutex {
		g.held = -1 // it waits for another lock, or for this one again
	}
	if stack != 0 {
		g.node = a.resources.park(stack, g.site)
	}
}

// isEntry reports whether a frame can be where the program's code begins in a goroutine of a wrapper. A goroutine that
// is stopped while it ends has frames of the runtime only, and one that is stopped in the wrapper has only that.
func isEntry(f evidence.Frame) bool {
	return !evidence.IsWrapper(f.Function) && !strings.HasPrefix(f.Function, "runtime.")
}

// end records that a goroutine ended.
func (a *aggregator) end(g *goroutine) {
	a.setState(g, none)
	g.class.remove(a.now, a.cpus)
	g.class.addEnded(g, a.now-a.start)
	g.class.keepMember(g, a.now, a.start)
	a.forget(g.id)
	if g.unknown {
		a.unknown--
	}
}

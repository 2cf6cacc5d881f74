package gotrace

import (
	"slices"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
	"golang.org/x/exp/trace"
)

// script builds events by hand, so that times are exact.
type script struct {
	t   *testing.T
	all *aggregator
}

func newScript(t *testing.T, cpus uint64) *script {
	s := &script{t, newAggregator()}
	s.send(trace.EventConfig[trace.Metric]{Kind: trace.EventMetric, Time: 1000, Goroutine: trace.NoGoroutine,
		Proc:    trace.NoProc,
		Details: trace.Metric{Name: "/sched/gomaxprocs:threads", Value: trace.Uint64Value(cpus)}})
	return s
}

func (s *script) send(c any) {
	s.t.Helper()
	var e trace.Event
	var err error
	switch c := c.(type) {
	case trace.EventConfig[trace.Metric]:
		e, err = trace.MakeEvent(c)
	case trace.EventConfig[trace.StateTransition]:
		e, err = trace.MakeEvent(c)
	case trace.EventConfig[trace.Range]:
		e, err = trace.MakeEvent(c)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.all.event(&e)
}

// proc starts or idles a proc at a time in us.
func (s *script) proc(us int, p trace.ProcID, from, to trace.ProcState) {
	s.t.Helper()
	s.send(trace.EventConfig[trace.StateTransition]{Kind: trace.EventStateTransition, Time: at(us),
		Goroutine: trace.NoGoroutine, Proc: trace.NoProc,
		Details: trace.MakeProcStateTransition(p, from, to)})
}

// move changes a goroutine's state at a time in us. by is the goroutine that causes the change, with the second stack.
func (s *script) move(us int, g trace.GoID, from, to trace.GoState, reason string, by trace.GoID, p trace.ProcID, stack,
	bys trace.Stack) {
	s.t.Helper()
	d := trace.MakeGoStateTransition(g, from, to)
	d.Reason, d.Stack = reason, stack
	if by == g { // both stacks are its own
		bys = stack
	}
	s.send(trace.EventConfig[trace.StateTransition]{Kind: trace.EventStateTransition, Time: at(us), Goroutine: by,
		Proc: p, Stack: bys, Details: d})
}

func at(us int) trace.Time { return trace.Time(1000 + 1000*us) }

// stackOf returns a stack of functions, the innermost first. Positions are derived from the names.
func stackOf(names ...string) trace.Stack {
	var frames []trace.StackFrame
	for _, n := range names {
		pc := uint64(1)
		for _, c := range n {
			pc = pc*131 + uint64(c)
		}
		frames = append(frames, trace.StackFrame{PC: pc, Func: n, File: "main.go", Line: pc % 1000})
	}
	return trace.MakeStack(frames)
}

const us = time.Microsecond

// lockScript is two workers and one lock on two CPUs. A holds it for 100 us while B waits, and then B for 50 us.
func lockScript(t *testing.T) *evidence.Trace {
	s := newScript(t, 2)
	no, none := trace.NoStack, trace.NoGoroutine
	start := stackOf("main.worker")
	lock := stackOf("sync.(*Mutex).Lock", "main.step", "main.worker")
	unlock := stackOf("sync.(*Mutex).Unlock", "main.step", "main.worker")
	s.proc(0, 0, trace.ProcUndetermined, trace.ProcRunning)
	s.proc(0, 1, trace.ProcUndetermined, trace.ProcRunning)
	s.move(0, 1, trace.GoUndetermined, trace.GoRunning, "", none, 0, no, no)
	s.move(0, 7, trace.GoNotExist, trace.GoRunnable, "", 1, 0, start, stackOf("main.main"))
	s.move(0, 8, trace.GoNotExist, trace.GoRunnable, "", 1, 0, start, stackOf("main.main"))
	s.move(0, 1, trace.GoRunning, trace.GoWaiting, "sync", 1, 0, stackOf("sync.(*WaitGroup).Wait", "main.main"), no)
	s.move(0, 7, trace.GoRunnable, trace.GoRunning, "", none, 0, no, no)
	s.move(10, 8, trace.GoRunnable, trace.GoRunning, "", none, 1, no, no)
	s.move(20, 8, trace.GoRunning, trace.GoWaiting, "sync", 8, 1, lock, no)
	s.proc(20, 1, trace.ProcRunning, trace.ProcIdle)
	s.move(120, 8, trace.GoWaiting, trace.GoRunnable, "", 7, 0, no, unlock)
	s.proc(140, 1, trace.ProcIdle, trace.ProcRunning)
	s.move(150, 8, trace.GoRunnable, trace.GoRunning, "", none, 1, no, no)
	s.move(160, 7, trace.GoRunning, trace.GoWaiting, "sync", 7, 0, lock, no)
	s.move(200, 7, trace.GoWaiting, trace.GoRunnable, "", 8, 1, no, unlock)
	s.move(200, 7, trace.GoRunnable, trace.GoRunning, "", none, 0, no, no)
	s.move(250, 8, trace.GoRunning, trace.GoNotExist, "", 8, 1, no, no)
	s.move(300, 7, trace.GoRunning, trace.GoNotExist, "", 7, 0, no, no)
	return s.all.finish()
}

func TestDemandIsExact(t *testing.T) {
	tr := lockScript(t)
	// B wants a CPU from 0 to 20, and from 120 to 250; A from 0 to 160, and from 200 to 300.
	want := map[int]time.Duration{0: 0, 1: 100*us + 40*us + 50*us, 2: 20*us + 40*us + 50*us}
	for n, d := range want {
		if got := tr.Demand.Time[n]; got != d {
			t.Errorf("%d goroutines wanted a CPU for %v, not %v", n, got, d)
		}
	}
	if got := tr.Demand.CPUTime[2]; got != 2*110*us-10*us-30*us {
		t.Errorf("work while two wanted: %v", got)
	}
	if tr.Duration != 300*us || tr.Demand.Spare != want[1] || tr.Idle != 120*us || tr.Demand.Peak != 2 {
		t.Errorf("duration %v, spare %v, idle %v, peak %d", tr.Duration, tr.Demand.Spare, tr.Idle, tr.Demand.Peak)
	}
	if tr.Searching != 10*us+10*us+40*us+50*us {
		t.Errorf("CPUs without a goroutine for %v", tr.Searching)
	}
}

func TestLock(t *testing.T) {
	tr := lockScript(t)
	if len(tr.Resources) != 1 {
		t.Fatalf("%d resources: %+v", len(tr.Resources), tr.Resources)
	}
	r := tr.Resources[0]
	// The lock had waiters, parked or queued, from 20 to 150 and from 160 to 200. One CPU had nothing to do from 20 to
	// 120 and from 160 to 200.
	if r.Kind != evidence.ResourceMutex || r.Count != 2 || r.Busy != 170*us || r.Starved != 140*us ||
		len(r.Sites) != 2 {
		t.Errorf("resource %+v", r)
	}
	// B held it from 150 to 200. A's holding time does not count, because A did not wait.
	if r.Holds.Count != 1 || r.Holds.Sum != 50*us || r.HeldRunning != 50*us {
		t.Errorf("holds %+v, running %v", r.Holds, r.HeldRunning)
	}
	w := tr.Waits[r.Waits[0]]
	if w.Op != evidence.OpMutex || w.Count != 2 || w.Waited != 140*us || w.Queued != 30*us || len(w.Wakers) != 1 ||
		w.Wakers[0].Count != 2 {
		t.Errorf("wait %+v", w)
	}
	if tr.WakeIdle.Count != 1 || tr.WakeIdle.Sum != 30*us || tr.WakeBusy.Count != 1 {
		t.Errorf("wakes: idle %+v, busy %+v", tr.WakeIdle, tr.WakeBusy)
	}
}

func TestClasses(t *testing.T) {
	tr := lockScript(t)
	var c *evidence.Class
	for i := range tr.Classes {
		if tr.Classes[i].Start.Function == "main.worker" {
			c = &tr.Classes[i]
		}
	}
	if c == nil || c.Count != 2 || c.Peak != 2 || c.Batches != 1 || len(c.Members) != 2 {
		t.Fatalf("class %+v", c)
	}
	if c.Running != 160*us+100*us+10*us+100*us || c.Runnable != 10*us+30*us || c.Waiting["sync"] != 140*us {
		t.Errorf("running %v, runnable %v, waiting %v", c.Running, c.Runnable, c.Waiting)
	}
	if c.Alone != 190*us || c.Tail != 50*us {
		t.Errorf("alone %v, of which after the other had ended %v", c.Alone, c.Tail)
	}
	if m := c.Members[0]; m.Running != 260*us || m.LockWait != 40*us || m.Ended != 300*us {
		t.Errorf("the one that ran longest: %+v", m)
	}
	if len(c.Created) != 1 || c.Created[0].Function != "main.main" || len(tr.Spawns) != 1 || tr.Spawns[0].Count != 2 {
		t.Errorf("created at %v, spawns %+v", c.Created, tr.Spawns)
	}
}

// A goroutine started by a wrapper belongs to the function that the wrapper runs. The first stack on which it parks
// shows that function, or its first stack if it is older than the trace.
func TestWrappers(t *testing.T) {
	below := func(function string) trace.Stack {
		deep := []string{"runtime.chanrecv1"}
		for range 2 * maxFrames {
			deep = append(deep, function+".descend")
		}
		return stackOf(append(deep, function, "sync.(*WaitGroup).Go.func1")...)
	}
	s := newScript(t, 1)
	no, none := trace.NoStack, trace.NoGoroutine
	s.proc(0, 0, trace.ProcUndetermined, trace.ProcRunning)
	s.move(0, 1, trace.GoUndetermined, trace.GoRunning, "", none, 0, no, no)
	s.move(10, 7, trace.GoNotExist, trace.GoRunnable, "", 1, 0, stackOf("sync.(*WaitGroup).Go.func1"),
		stackOf("main.main"))
	s.move(20, 1, trace.GoRunning, trace.GoWaiting, "sync", 1, 0, stackOf("sync.(*WaitGroup).Wait", "main.main"), no)
	s.move(20, 7, trace.GoRunnable, trace.GoRunning, "", none, 0, no, no)
	for _, stopped := range []trace.Stack{stackOf("runtime.goexit1"), stackOf("sync.(*WaitGroup).Go.func1")} {
		s.move(25, 7, trace.GoRunning, trace.GoWaiting, "preempted", 7, 0, stopped, no)
		s.move(26, 7, trace.GoWaiting, trace.GoRunnable, "", none, 0, no, no)
		s.move(27, 7, trace.GoRunnable, trace.GoRunning, "", none, 0, no, no)
	}
	s.move(30, 7, trace.GoRunning, trace.GoWaiting, "chan receive", 7, 0, below("main.main.func1"), no)
	there := trace.GoID(7 + cacheSize)
	s.move(30, there, trace.GoUndetermined, trace.GoRunning, "", none, 0, no, no)
	s.move(40, there, trace.GoRunning, trace.GoWaiting, "chan receive", there, 0, below("main.serve"), no)
	s.move(50, 7, trace.GoWaiting, trace.GoRunnable, "", none, 0, no, no)
	classes := s.all.finish().Classes
	for _, want := range []string{"main.main.func1", "main.serve"} {
		if i := slices.IndexFunc(classes, func(c evidence.Class) bool { return c.Start.Function == want }); i < 0 ||
			classes[i].Start.File != "main.go" || classes[i].Count != 1 {
			t.Errorf("no class of one goroutine that begins in %s: %+v", want, classes)
		}
	}
}

func TestSystemCallThatLosesItsCPU(t *testing.T) {
	s := newScript(t, 1)
	no, none := trace.NoStack, trace.NoGoroutine
	read := stackOf("syscall.Read", "os.(*File).Read", "main.main")
	s.proc(0, 0, trace.ProcUndetermined, trace.ProcRunning)
	s.move(0, 1, trace.GoUndetermined, trace.GoRunning, "", none, 0, no, no)
	s.move(10, 1, trace.GoRunning, trace.GoSyscall, "", 1, 0, read, no)
	s.move(12, 1, trace.GoSyscall, trace.GoRunning, "", 1, 0, no, no) // it keeps its CPU
	s.move(20, 1, trace.GoRunning, trace.GoSyscall, "", 1, 0, read, no)
	s.proc(50, 0, trace.ProcRunning, trace.ProcIdle) // the proc is taken away
	s.move(100, 1, trace.GoSyscall, trace.GoRunnable, "", none, trace.NoProc, no, no)
	s.proc(110, 0, trace.ProcIdle, trace.ProcRunning)
	s.move(110, 1, trace.GoRunnable, trace.GoRunning, "", none, 0, no, no)
	s.move(120, 1, trace.GoRunning, trace.GoNotExist, "", 1, 0, no, no)
	tr := s.all.finish()
	if tr.Demand.Time[0] != 50*us || tr.Demand.CPUTime[1] != 60*us {
		t.Errorf("nobody wanted a CPU for %v, one had it for %v", tr.Demand.Time[0], tr.Demand.CPUTime[1])
	}
	if len(tr.Syscalls) != 1 || tr.Syscalls[0].Count != 2 || tr.Syscalls[0].Lost != 1 || tr.Syscalls[0].Spent != 82*us {
		t.Errorf("calls %+v", tr.Syscalls)
	}
	if m := tr.Classes[tr.Syscalls[0].Class].Members[0]; m.External != 50*us || m.Running != 60*us {
		t.Errorf("main %+v", m)
	}
}

func TestCollectorAndStops(t *testing.T) {
	s := newScript(t, 1)
	no, none := trace.NoStack, trace.NoGoroutine
	s.proc(0, 0, trace.ProcUndetermined, trace.ProcRunning)
	s.move(0, 1, trace.GoUndetermined, trace.GoRunning, "", none, 0, no, no)
	span := func(us int, kind trace.EventKind, name string, scope trace.ResourceID) {
		s.send(trace.EventConfig[trace.Range]{Kind: kind, Time: at(us), Goroutine: 1, Proc: 0,
			Details: trace.Range{Name: name, Scope: scope}})
	}
	g := trace.MakeResourceID(trace.GoID(1))
	span(10, trace.EventRangeBegin, "stop-the-world (GC sweep termination)", g)
	span(12, trace.EventRangeEnd, "stop-the-world (GC sweep termination)", g)
	span(12, trace.EventRangeBegin, "GC concurrent mark phase", trace.ResourceID{})
	span(20, trace.EventRangeBegin, "GC mark assist", g)
	span(25, trace.EventRangeEnd, "GC mark assist", g)
	span(40, trace.EventRangeEnd, "GC concurrent mark phase", trace.ResourceID{})
	s.move(50, 1, trace.GoRunning, trace.GoNotExist, "", 1, 0, no, no)
	gc := s.all.finish().GC
	if gc.Cycles != 1 || gc.Marking != 28*us || gc.Assists != 5*us || gc.Stopped != 2*us || len(gc.Stops) != 1 ||
		gc.Stops[0].Reason != "GC sweep termination" {
		t.Errorf("%+v", gc)
	}
}

func TestOps(t *testing.T) {
	frames := func(names ...string) (out []evidence.Frame) {
		for _, n := range names {
			out = append(out, evidence.Frame{Function: n})
		}
		return out
	}
	for _, c := range []struct {
		reason string
		stack  []evidence.Frame
		want   evidence.Op
	}{
		{"chan send", nil, evidence.OpSend},
		{"sync", frames("sync.(*Mutex).Lock", "main.f"), evidence.OpMutex},
		{"sync", frames("sync.(*RWMutex).RLock", "main.f"), evidence.OpRWMutex},
		{"sync", frames("sync.(*Mutex).Lock", "sync.(*RWMutex).Lock", "main.f"), evidence.OpRWMutex},
		{"sync", frames("sync.(*WaitGroup).Wait", "main.f"), evidence.OpWaitGroup},
		{"sync.(*Cond).Wait", frames("sync.(*Cond).Wait", "main.f"), evidence.OpCond},
		{"sync", frames("main.f", "sync.(*Mutex).Lock"), evidence.OpOther},
		{"GC mark assist wait for work", nil, evidence.OpCollector},
		{"preempted", nil, evidence.OpOther},
	} {
		if got := op(c.reason, c.stack); got != c.want {
			t.Errorf("%q on %v is %q, not %q", c.reason, c.stack, got, c.want)
		}
	}
}

func TestLatencies(t *testing.T) {
	var l latencies
	for i := range int64(1000) {
		l.add(i * 1000)
	}
	x := l.export()
	for _, c := range []struct {
		got, want time.Duration
	}{{x.P10, 100 * us}, {x.P50, 500 * us}, {x.P90, 900 * us}, {x.P99, 990 * us}} {
		if r := float64(c.got) / float64(c.want); r < 1-1.0/16 || r > 1+1.0/16 {
			t.Errorf("quantile %v, not %v", c.got, c.want)
		}
	}
	if x.Count != 1000 || x.Sum != 499500*us || x.Max != 999*us {
		t.Errorf("%+v", x)
	}
}

// Slices are merged in pairs if there are too many; the integrals stay the same.
func TestSlicesKeepIntegrals(t *testing.T) {
	var d demand
	d.init()
	d.wants, d.runs = 3, 2
	from := int64(0)
	for range 5 * maxSlices {
		d.advance(from, 3<<(firstBits-1), 2)
		from += 3 << (firstBits - 1)
	}
	out := d.export(from)
	if len(out.Mean) > maxSlices || len(out.Mean) < maxSlices/2 {
		t.Errorf("%d slices", len(out.Mean))
	}
	for i, w := range out.Mean {
		if w < 2.99 || w > 3.01 || out.Running[i] < 1.99 || out.Running[i] > 2.01 {
			t.Fatalf("slice %d of %d has %v, %v", i, len(out.Mean), w, out.Running[i])
		}
	}
}

// A goroutine that is in a system call when the trace or a generation begins keeps no CPU.
func TestOldSystemCall(t *testing.T) {
	s := newScript(t, 2)
	no, none := trace.NoStack, trace.NoGoroutine
	s.proc(0, 0, trace.ProcUndetermined, trace.ProcRunning)
	s.move(0, 7, trace.GoNotExist, trace.GoRunnable, "", none, 0, stackOf("main.worker"), no)
	s.move(0, 7, trace.GoRunnable, trace.GoRunning, "", none, 0, no, no)
	s.move(100, 1, trace.GoUndetermined, trace.GoSyscall, "", none, trace.NoProc, no, no)
	s.move(300, 7, trace.GoRunning, trace.GoNotExist, "", 7, 0, no, no)
	tr := s.all.finish()
	if tr.Demand.Time[1] != 300*us || tr.Demand.Peak != 1 {
		t.Errorf("one goroutine wanted a CPU for %v of 300us, and at most %d did", tr.Demand.Time[1], tr.Demand.Peak)
	}
}

// Each generation of a trace repeats the states of all goroutines, which changes nothing.
func TestGenerations(t *testing.T) {
	s := newScript(t, 2)
	no, none := trace.NoStack, trace.NoGoroutine
	receive, write := stackOf("runtime.chanrecv1", "main.main"), stackOf("syscall.write", "main.log")
	s.proc(0, 0, trace.ProcUndetermined, trace.ProcRunning)
	s.move(0, 1, trace.GoUndetermined, trace.GoRunning, "", none, 0, no, no)
	s.move(0, 7, trace.GoNotExist, trace.GoRunnable, "", 1, 0, stackOf("main.log"), stackOf("main.main"))
	s.move(0, 8, trace.GoNotExist, trace.GoRunnable, "", 1, 0, stackOf("main.late"), stackOf("main.main"))
	s.move(0, 1, trace.GoRunning, trace.GoWaiting, "chan receive", 1, 0, receive, no)
	s.move(0, 7, trace.GoRunnable, trace.GoRunning, "", none, 0, no, no)
	s.move(100, 7, trace.GoRunning, trace.GoSyscall, "", 7, 0, write, no)
	for _, at := range []int{200, 400} {
		s.move(at, 1, trace.GoWaiting, trace.GoWaiting, "", none, 0,
			stackOf("runtime.gopark", "runtime.chanrecv", "runtime.chanrecv1", "main.main"), no)
		s.move(at, 7, trace.GoSyscall, trace.GoSyscall, "", 7, 0, no, no)
		s.move(at, 8, trace.GoRunnable, trace.GoRunnable, "", none, 0, no, no)
	}
	s.move(500, 7, trace.GoSyscall, trace.GoRunning, "", 7, 0, no, no)
	s.move(600, 7, trace.GoRunning, trace.GoRunning, "", 7, 0, no, no)
	s.move(700, 1, trace.GoWaiting, trace.GoRunnable, "", 7, 0, no, stackOf("runtime.chansend1", "main.log"))
	s.move(700, 7, trace.GoRunning, trace.GoNotExist, "", 7, 0, no, no)
	s.move(700, 1, trace.GoRunnable, trace.GoRunning, "", none, 0, no, no)
	s.move(800, 1, trace.GoRunning, trace.GoWaiting, "chan receive", 1, 0, receive, no)
	s.move(800, 8, trace.GoRunnable, trace.GoRunning, "", none, 0, no, no)
	s.move(900, 8, trace.GoRunning, trace.GoNotExist, "", 8, 0, no, no)
	tr := s.all.finish()
	waits := slices.DeleteFunc(tr.Waits, func(w evidence.Wait) bool { return w.Waited == 0 })
	if len(waits) != 1 || waits[0].Op != evidence.OpReceive || waits[0].Waited != 700*us ||
		waits[0].Pending != 100*us ||
		len(waits[0].Wakers) != 1 || waits[0].Wakers[0].Stack[0].Function != "runtime.chansend1" {
		t.Errorf("waits %+v", waits)
	}
	if len(tr.Syscalls) != 1 || tr.Syscalls[0].Count != 1 || tr.Syscalls[0].Spent != 400*us {
		t.Errorf("calls %+v", tr.Syscalls)
	}
	i := slices.IndexFunc(tr.Classes, func(c evidence.Class) bool { return c.Start.Function == "main.log" })
	if i < 0 || tr.Classes[i].Bursts.Count != 1 || tr.Classes[i].Bursts.Max < 690*us ||
		tr.Classes[i].Running != 700*us {
		t.Errorf("classes %+v", tr.Classes)
	}
	if l := tr.Scheduling; l.Max < 790*us {
		t.Errorf("one queued for 800 us: %+v", l)
	}
}

// The reason of a wait that is older than the trace comes from its stack.
func TestWaitBeforeTrace(t *testing.T) {
	s := newScript(t, 2)
	no, none := trace.NoStack, trace.NoGoroutine
	s.proc(0, 0, trace.ProcUndetermined, trace.ProcRunning)
	for i, c := range []struct {
		stack []string
		want  evidence.Op
	}{
		{[]string{"runtime.gopark", "time.Sleep", "main.main"}, evidence.OpSleep},
		{[]string{"runtime.gopark", "runtime.chanrecv", "runtime.chanrecv1", "main.a"}, evidence.OpReceive},
		{[]string{"runtime.gopark", "runtime.chansend", "runtime.chansend1", "main.b"}, evidence.OpSend},
		{[]string{"runtime.gopark", "runtime.selectgo", "main.c"}, evidence.OpSelect},
		{[]string{"runtime.gopark", "runtime.netpollblock", "internal/poll.runtime_pollWait", "net.(*conn).Read",
			"main.d"}, evidence.OpNetwork},
		{[]string{"runtime.gopark", "runtime.goparkunlock", "sync.runtime_SemacquireWaitGroup",
			"sync.(*WaitGroup).Wait", "main.e"}, evidence.OpWaitGroup},
		{[]string{"runtime.gopark", "internal/sync.runtime_SemacquireMutex", "internal/sync.(*Mutex).lockSlow",
			"sync.(*Mutex).Lock", "main.f"}, evidence.OpMutex},
		{[]string{"runtime.gopark", "os/signal.signal_recv", "main.g"}, evidence.OpOther},
	} {
		id := trace.GoID(10 + i)
		s.move(200*i+10, id, trace.GoUndetermined, trace.GoWaiting, "", none, 0, stackOf(c.stack...),
			stackOf(c.stack...))
		s.move(200*i+110, id, trace.GoWaiting, trace.GoRunnable, "", none, 0, no, no)
		last := s.all.sites.list[len(s.all.sites.list)-1]
		if last.op != c.want || last.waits.sum != int64(time.Duration(200*i+110)*us) {
			t.Errorf("%v: %v, %d ns; want %v", c.stack, last.op, last.waits.sum, c.want)
		}
	}
}

// A goroutine that does nothing appears at the end of the first second. It has waited since the beginning of the trace.
func TestGoroutineBeforeTrace(t *testing.T) {
	s := newScript(t, 2)
	no, none := trace.NoStack, trace.NoGoroutine
	idle := stackOf("runtime.gopark", "runtime.chanrecv", "runtime.chanrecv1", "main.worker")
	s.proc(0, 0, trace.ProcUndetermined, trace.ProcRunning)
	s.move(10, 7, trace.GoUndetermined, trace.GoWaiting, "", none, 0, idle, idle)
	s.move(1000, 8, trace.GoUndetermined, trace.GoWaiting, "", none, 0, idle, idle)
	s.move(1500, 7, trace.GoWaiting, trace.GoRunnable, "", none, 0, no, no)
	reads := stackOf("syscall.read", "main.reader")
	s.move(1000, 9, trace.GoUndetermined, trace.GoSyscall, "", none, 0, reads, reads)
	s.move(2000, 7, trace.GoRunnable, trace.GoRunning, "", none, 0, no, no)
	tr := s.all.finish()
	if i := slices.IndexFunc(tr.Classes,
		func(c evidence.Class) bool { return c.Start.Function == "main.reader" }); i < 0 ||
		tr.Classes[i].Syscall != 2000*us {
		t.Errorf("%+v", tr.Classes)
	}
	i := slices.IndexFunc(tr.Classes, func(c evidence.Class) bool { return c.Start.Function == "main.worker" })
	if i < 0 || tr.Classes[i].First != 0 || tr.Classes[i].Last != 0 || tr.Classes[i].Members[0].Born != 0 {
		t.Fatalf("%+v", tr.Classes)
	}
	if w := tr.Waits[len(tr.Waits)-1]; w.Op != evidence.OpReceive || w.Waited != 1500*us || w.Pending != 2000*us {
		t.Errorf("%+v", w)
	}
}

package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// semaphoreCase is a channel used as a semaphore by 20 goroutines. If outside, the holders sleep.
func semaphoreCase(outside bool) *testCase {
	c := newCase()
	if outside {
		c.demand(900, 50, 50)
	} else {
		c.demand(50, 900, 50)
	}
	c.class("main.main", 1, 1, time.Millisecond, time.Millisecond)
	w := c.class("main.query", 20, 20, 900*time.Millisecond, 10*time.Millisecond)
	at := c.wait(evidence.OpReceive, w, 400, 5*second, w, "runtime.chanrecv1", "main.take:4")
	c.evidence.Trace.Resources = []evidence.Resource{{Kind: evidence.ResourceChannel, Waits: []int{at}, Count: 400,
		Busy:       950 * time.Millisecond,
		Empty:      950 * time.Millisecond,
		EmptyCount: 400, Starved: 900 * time.Millisecond,
		Sites: [][]evidence.Frame{frames("main.take:4"), frames("main.give:5")}}}
	c.evidence.Runs[0].User = time.Second
	return c
}

// A semaphore is too small, or it guards a resource that is always in use.
func TestSemaphore(t *testing.T) {
	if f := semaphoreCase(true).first(); f.Name != "saturated-resource" || f.Gain == nil ||
		!slices.Contains(f.Where, "main.go:4") {
		t.Errorf("holders that wait outside: %s", f.Name)
	}
	if f := semaphoreCase(false).first(); f.Name != "too-few-workers" || f.Gain == nil ||
		!slices.Contains(f.Where, "main.go:4") {
		t.Errorf("holders that compute: %s", f.Name)
	}
	both := semaphoreCase(true)
	both.evidence.Trace.Resources[0].FullCount = 300
	if names := both.names(); slices.Contains(names, "saturated-resource") {
		t.Errorf("a channel that is now full, now empty, gives nothing out: %v", names)
	}
	fed := semaphoreCase(true)
	fed.evidence.Trace.Waits[0].Wakers[0].Class = 1
	if names := fed.names(); slices.Contains(names, "saturated-resource") {
		t.Errorf("they wait for main, not for each other: %v", names)
	}
	mixed := semaphoreCase(true)
	mixed.evidence.Trace.Waits[0].Wakers = append(mixed.evidence.Trace.Waits[0].Wakers,
		evidence.Waker{Stack: frames("main.feed:8"), Count: 200, Class: 1})
	if names := mixed.names(); slices.Contains(names, "saturated-resource") {
		t.Errorf("a third of them wait for main: %v", names)
	}
}

// Holders of a semaphore that queue for a lock are limited by the lock. Parallel tests have an option for more slots.
func TestSemaphoreBeforeLock(t *testing.T) {
	build := func(busy time.Duration, class int) *testCase {
		c := semaphoreCase(true)
		c.evidence.Trace.Waits[0].Stack = frames("runtime.chanrecv1", "testing.(*testState).waitParallel",
			"testing.(*T).Parallel", "main.TestQuery:4")
		at := c.wait(evidence.OpMutex, class, 100, busy, 1, "sync.(*Mutex).Lock", "main.lock:7")
		c.evidence.Trace.Resources = append(c.evidence.Trace.Resources, evidence.Resource{Kind: evidence.ResourceMutex,
			Waits: []int{at}, Count: 100, Busy: busy, Starved: busy, Sites: [][]evidence.Frame{frames("main.lock:7")}})
		return c
	}
	users := slices.IndexFunc(semaphoreCase(true).evidence.Trace.Classes,
		func(c evidence.Class) bool { return c.Start.Function == "main.query" })
	shared := build(980*time.Millisecond, 1)
	lock := &shared.evidence.Trace.Resources[1]
	lock.Waits = append(lock.Waits, shared.wait(evidence.OpMutex, users, 5, 10*time.Millisecond, 1,
		"sync.(*Mutex).Lock", "main.lock:7"))
	for _, x := range []struct {
		what      string
		c         *testCase
		semaphore bool
	}{
		{"others queue for it, and holders seldom do", shared, true},
		{"holders queue for a lock", build(980*time.Millisecond, users), false},
		{"they seldom do", build(100*time.Millisecond, users), true},
		{"others queue for it", build(980*time.Millisecond, 1), true},
	} {
		findings := explainWith(nil, &x.c.evidence).Findings
		i := slices.IndexFunc(findings, func(f Finding) bool { return slices.Contains(f.Where, "main.go:4") })
		if (i >= 0) != x.semaphore || i >= 0 && !strings.Contains(findings[i].Fix, "go test -parallel N") {
			t.Errorf("%s: %v", x.what, findings)
		}
	}
}

// If goroutines take a slot while they hold a lock, the queue for the lock is that of the semaphore.
func TestSemaphoreUnderLock(t *testing.T) {
	build := func(lock, slot, unlock string, waited time.Duration) *testCase {
		c := semaphoreCase(true)
		c.evidence.Trace.Resources[0].Busy = waited
		stack := func(innermost string, at string) []evidence.Frame {
			return frames(innermost, at, "main.query:9", "main.worker:3")
		}
		w := &c.evidence.Trace.Waits[0]
		w.Stack, w.Waited = stack("runtime.chansend1", slot), waited
		at := c.wait(evidence.OpMutex, w.Classes[0], 400, 15*second, w.Classes[0])
		l := &c.evidence.Trace.Waits[at]
		l.Stack = stack("sync.(*Mutex).Lock", lock)
		l.Wakers[0].Stack = stack("sync.(*Mutex).Unlock", unlock)
		c.evidence.Trace.Resources = append(c.evidence.Trace.Resources, evidence.Resource{Kind: evidence.ResourceMutex,
			Waits: []int{at}, Count: 400, Busy: 980 * time.Millisecond, Starved: 900 * time.Millisecond,
			Sites: [][]evidence.Frame{frames(lock)}})
		c.evidence.Runs[0].User = 100 * time.Millisecond
		return c
	}
	for _, x := range []struct {
		what               string
		lock, slot, unlock string
		waited             time.Duration // for the slot, in ms; the lock is held for 980 ms
		semaphore          bool
	}{
		{"slot under the lock", "main.take:2", "main.take:4", "main.take:6", 950, true},
		{"slot under a lock that is held for other work", "main.take:2", "main.take:4", "main.take:6", 450, false},
		{"lock under the slot", "main.take:5", "main.take:4", "main.take:6", 950, false},
		{"lock before the slot", "main.take:2", "main.take:4", "main.take:3", 950, false},
		{"taken in another function", "main.lock:2", "main.take:4", "main.take:6", 950, false},
		{"released in another function", "main.take:2", "main.take:4", "main.unlock:6", 950, false},
	} {
		c := build(x.lock, x.slot, x.unlock, x.waited*time.Millisecond)
		f := explainWith(nil, &c.evidence).Findings
		name, want := CoarseLock, "main.go:"+x.lock[len(x.lock)-1:]
		if x.semaphore {
			name, want = SaturatedResource, "main.go:4"
		}
		if len(f) != 1 || f[0].Name != name || f[0].Where[0] != want || x.semaphore && f[0].Gain.Estimate < 0.7 {
			t.Errorf("%s: %+v; want %s at %s", x.what, f, name, want)
		}
	}

	// The lock is held for 380 ms of other work, which more slots do not save.
	f := build("main.take:2", "main.take:4", "main.take:6", 600*time.Millisecond).first()
	if f.Name != SaturatedResource || f.Gain == nil || f.Gain.High > 0.621 || f.Gain.High < 0.5 {
		t.Errorf("other work under the lock: %s, %+v", f.Name, f.Gain)
	}

	// After it waited for the slot, the holder of the lock queues for a CPU for 200 ms: more slots save this, too.
	queued := build("main.take:2", "main.take:4", "main.take:6", 600*time.Millisecond)
	queued.evidence.Trace.Waits[0].Queued = 200 * time.Millisecond
	if f := queued.first(); f.Name != SaturatedResource || f.Gain == nil || f.Gain.High != 0.82 {
		t.Errorf("queued under the lock: %s, %+v; 180 of 1000 ms remain", f.Name, f.Gain)
	}

	// More slots save nothing while the CPUs are busy, mainly with the lock.
	busy := build("main.take:2", "main.take:4", "main.take:6", 950*time.Millisecond)
	busy.evidence.Trace.Demand = evidence.Demand{}
	busy.demand(10, 40, 950)
	busy.cpu(80, "internal/sync.(*Mutex).lockSlow", "sync.(*Mutex).Lock", "main.take:2", "main.query:9",
		"main.worker:3")
	busy.cpu(110, "main.f:5", "main.query:9", "main.worker:3")
	if names := busy.names(); !slices.Contains(names, string(LockConvoy)) {
		t.Errorf("a lock around slots while the CPUs are busy: %v", names)
	}

	// Most slots are taken without the lock.
	c := build("main.take:2", "main.take:4", "main.take:6", 100*time.Millisecond)
	users, slots := c.evidence.Trace.Waits[0].Classes[0], &c.evidence.Trace.Resources[0]
	slots.Waits = append(slots.Waits, c.wait(evidence.OpSend, users, 400, 5*second, users, "runtime.chansend1",
		"main.other:8", "main.worker:3"))
	slots.Busy = 950 * time.Millisecond
	if f := c.first(); f.Name != CoarseLock {
		t.Errorf("slots without the lock: %s, %+v", f.Name, f.Gain)
	}
}

// Each condition for a semaphore in a select is removed in turn.
func TestSelectDecoys(t *testing.T) {
	build := func(by string, idle int) *testCase {
		c := newCase()
		c.demand(idle, 1000-idle)
		c.class("main.main", 1, 1, time.Millisecond, time.Millisecond)
		w := c.class("main.query", 20, 20, 50*time.Millisecond, 10*time.Millisecond)
		at := c.wait(evidence.OpSelect, w, 400, 18*second, w, "runtime.selectgo", "main.do:4")
		c.evidence.Trace.Waits[at].Wakers[0].Stack = frames(by, "main.do:5")
		return c
	}
	if f := build("runtime.chansend1", 950).first(); f.Name != "saturated-resource" {
		t.Fatalf("a place that is given back: %s", f.Name)
	}
	if names := build("runtime.closechan", 950).names(); slices.Contains(names, "saturated-resource") {
		t.Errorf("a channel that is closed gives nothing back: %v", names)
	}
	if names := build("runtime.chansend1", 100).names(); slices.Contains(names, "saturated-resource") {
		t.Errorf("whoever holds it computes: %v", names)
	}
}

// Each condition for a stage-limited pipeline, or one in lockstep, is removed in turn.
func TestPipelineDecoys(t *testing.T) {
	for what, c := range map[string]*testCase{
		"nobody waits for it": func() *testCase {
			c := pipeline(950, 100)
			c.evidence.Trace.Waits[0].Waited = 100 *
				time.Millisecond
			return c
		}(),
		"the next is as busy": func() *testCase {
			c := pipeline(950, 900)
			c.evidence.Trace.Waits[0].Waited = 500 *
				time.Millisecond
			return c
		}(),
		"there are two of it": func() *testCase {
			c := pipeline(950,
				100)
			c.evidence.Trace.Classes[1].Peak = 2
			return c
		}(),
		"it sleeps, nobody pushes": func() *testCase { c := pipeline(950, 100); c.makeSleep(1); return c }(),
	} {
		if names := c.names(); slices.Contains(names, "stage-limited") {
			t.Errorf("%s: %v", what, names)
		}
	}
	c := pipeline(950, 100)
	c.class("main.other", 1, 1, 900*time.Millisecond, 0)
	if f := c.first(); f.Name != "stage-limited" {
		t.Errorf("a goroutine beside the line, that waits for nobody and that nobody waits for: %s", f.Name)
	}
	c = pipeline(600, 550)
	c.evidence.Trace.Resources = []evidence.Resource{{Kind: evidence.ResourceChannel, Count: 1000, Busy: second,
		Starved: 10 * time.Millisecond,
		Full:    300 * time.Millisecond, Empty: 300 * time.Millisecond, FullCount: 500, EmptyCount: 500,
		Sites: [][]evidence.Frame{frames("main.f:5")}}}
	if names := c.names(); slices.Contains(names, "unbuffered-lockstep") {
		t.Errorf("no CPU is without work while they wait: %v", names)
	}
}

// makeSleep makes a class sleep instead of run, so that senders to it wait for the same time.
func (c *testCase) makeSleep(class int) {
	x := &c.evidence.Trace.Classes[class]
	for i := range x.Members {
		x.Members[i].External, x.Members[i].Running = x.Members[i].Running, 0
	}
	x.Running = 0
	c.evidence.Trace.Waits[0].Op = evidence.OpReceive
}

// Without a trace, a lock serializes if a goroutine nearly always waits for it.
func TestLockByMutexProfile(t *testing.T) {
	build := func(waited time.Duration) *testCase {
		c := newCase()
		c.evidence.Trace = nil
		c.evidence.Runs[0].User = 1100 * time.Millisecond
		c.cpu(100, "main.f:5", "main.update:7", "main.worker:3")
		c.evidence.Profiles = append(c.evidence.Profiles,
			evidence.Profile{Kind: evidence.Mutex, Types: []string{"contentions/count", "delay/nanoseconds"},
				Samples: []evidence.Sample{
					{Stack: frames("sync.(*Mutex).Unlock", "main.update:8", "main.worker:3"),
						Values: []int64{1000, int64(waited)}}}})
		return c
	}
	if f := build(2 * second).first(); f.Name != "coarse-lock" {
		t.Errorf("two wait for it all the time: %s", f.Name)
	}
	if names := build(700 * time.Millisecond).names(); slices.Contains(names, "coarse-lock") {
		t.Errorf("nobody waits for it for a third of the time: %v", names)
	}
	// If the CPUs are used there is no finding, although the scheduler, which wakes the collector's workers, has its
	// share.
	busy := build(2 * second)
	busy.evidence.Runs[0].User = 1670 * time.Millisecond
	busy.cpu(40, "runtime.futex", "runtime.findRunnable", "runtime.schedule", "runtime.park_m", "runtime.mcall")
	if names := busy.names(); slices.Contains(names, "coarse-lock") {
		t.Errorf("1.67 of 2 CPUs are used: %v", names)
	}
}

// Without a trace, one CPU's worth of work can be divided if it belongs to the main goroutine. Other goroutines may
// take turns.
func TestSingleThreadedByProfile(t *testing.T) {
	build := func(root string) Finding {
		c := newCase()
		c.evidence.Trace = nil
		c.evidence.Runs[0].User = 990 * time.Millisecond
		c.cpu(99, "main.f:5", root)
		return c.first()
	}
	if f := build("main.main:3"); f.Name != "single-threaded" || f.Gain == nil {
		t.Errorf("main does all: %s %v", f.Name, f.Gain)
	}
	if f := build("testing.(*B).launch"); f.Name != "single-threaded" || f.Gain == nil {
		t.Errorf("a benchmark: %s %v", f.Name, f.Gain)
	}
	if f := build("testing.(*B).RunParallel.func1"); f.Name != "single-threaded" || f.Gain != nil {
		t.Errorf("a parallel benchmark: %s %v", f.Name, f.Gain)
	}
	if f := build("main.worker:3"); f.Name != "single-threaded" || f.Gain != nil {
		t.Errorf("workers that may take turns: %s %v", f.Name, f.Gain)
	}
}

// feedCase is a program that prepares its input alone, and then feeds it through a pipeline whose middle stage computes
// for most of the pipeline's life. Two CPUs are no faster than one. The numbers are those of a program that parses
// records, with one record for each send.
func feedCase(running time.Duration) *testCase {
	c := newCase()
	c.demand(2, 150, 150, 698)
	c.evidence.Trace.Searching = 700 * time.Millisecond
	c.class("main.main", 1, 1, 150*time.Millisecond, 145*time.Millisecond)
	read := c.class("main.read", 1, 1, 60*time.Millisecond, 0)
	stage := c.class("main.transform", 1, 1, running, 0)
	total := c.class("main.total", 1, 1, 110*time.Millisecond, 0)
	c.bursts(5 * time.Microsecond)
	for i := read; i <= total; i++ {
		c.evidence.Trace.Classes[i].Members[0].Born = 150 * time.Millisecond
	}
	c.evidence.Trace.Classes[stage].Bursts.P50 = 190 * time.Microsecond
	c.wait(evidence.OpSend, read, 9000, 40*time.Millisecond, stage, "runtime.chansend1", "main.read:4")
	c.wait(evidence.OpReceive, total, 9000, 30*time.Millisecond, stage, "runtime.chanrecv2", "main.total:6")
	c.wait(evidence.OpReceive, stage, 1700, 10*time.Millisecond, read, "runtime.chanrecv2", "main.transform:5")
	for i, w := range []int{read, total} {
		c.evidence.Trace.Classes[w].Runnable = 700 * time.Millisecond
		c.evidence.Trace.Waits[i].Queued = 700 * time.Millisecond
	}

	c.cpu(15, "main.input:2", "main.main:3", "runtime.main")
	c.cpu(81, "main.f:5", "main.transform:3")
	c.cpu(5, "main.g:5", "main.total:3")
	c.cpu(8, "runtime.chansend", "runtime.chansend1", "main.transform:5")
	c.cpu(7, "runtime.chansend", "runtime.chansend1", "main.read:4")
	c.cpu(11, "runtime.chanrecv", "runtime.chanrecv2", "main.total:6")
	c.cpu(14, "runtime.futex", "runtime.findRunnable", "runtime.schedule", "runtime.park_m", "runtime.mcall")
	c.evidence.Runs[0].User = 1450 * time.Millisecond
	c.evidence.Runs = append(c.evidence.Runs, c.evidence.Runs[0])
	one := &c.evidence.Runs[0]
	one.CPUs, one.Wall, one.User = 1, 950*time.Millisecond, 940*time.Millisecond
	return c
}

// A stage that computes all its life limits the pipeline, although the program prepares its input before. The handoffs
// then cost only what the others would wait for anyway.
func TestStageWithinItsLife(t *testing.T) {
	// Of 141 samples, 101 are of the program's own work, 26 of channels, and the rest of the scheduler.
	f := feedCase(800 * time.Millisecond).first()
	usual, most := 1-1.45*127/141/2, 1-1.45*101/141/2
	if want := newGain(0.85*usual, 0.5*usual, most); f.Name != StageLimited || f.Gain == nil || *f.Gain != *want {
		t.Errorf("a stage busy for 800 of 850 ms: %s %+v, not %+v", f.Name, f.Gain, want)
	}
	if names := feedCase(800 * time.Millisecond).names(); slices.Contains(names, string(ChanHandoff)) {
		t.Errorf("two CPUs are no faster than one because of the stage, not of handoffs: %v", names)
	}

	brief := feedCase(800 * time.Millisecond)
	brief.evidence.Runs = brief.evidence.Runs[1:] // without a run on one CPU nothing looks like a handoff
	brief.evidence.Trace.Classes[3].Running = 250 * time.Millisecond
	brief.evidence.Trace.Classes[3].Members[0] = evidence.Member{Born: 740 * time.Millisecond, Ended: second,
		Running: 250 * time.Millisecond}
	if names := brief.names(); slices.Contains(names, string(StageLimited)) {
		t.Errorf("a goroutine that lives for a quarter of the run: %v", names)
	}
}

// Without handoffs, the busiest stage still computes, and the program still prepares its input.
func TestHandoffGainWithBusyStage(t *testing.T) {
	// The stage computes for 700 ms less its 8 of 89 samples in channels, and main alone for 145 ms.
	f := feedCase(700 * time.Millisecond).first()
	if most := 1 - 0.7*81/89 - 0.145; f.Name != ChanHandoff || f.Gain == nil || f.Gain.High > most+0.001 ||
		f.Gain.High < most-0.001 {
		t.Errorf("a stage busy for 700 of 850 ms: %s %+v, not at most %.3f", f.Name, f.Gain, most)
	}

	// The profile shows less of the stage than the trace does.
	c := handoffCase()
	stage := &c.evidence.Trace.Classes[2]
	stage.Running, stage.Members[0].Running = 920*time.Millisecond, 920*time.Millisecond
	stage.Bursts.P50 = time.Millisecond
	found := explainWith(nil, &c.evidence).Findings
	i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == ChanHandoff })
	if i < 0 || found[i].Gain == nil || found[i].Gain.High > 0.08 {
		t.Errorf("a stage busy for 920 ms: %+v", found)
	}

	// It makes no difference whether one goroutine is the stage or several, one after the other.
	c = handoffCase()
	c.evidence.Trace.Classes[2].Count = 3
	if one, all := handoffCase().first(), c.first(); all.Name != ChanHandoff || *all.Gain != *one.Gain {
		t.Errorf("three stages in sequence: %s %+v, not %+v", all.Name, all.Gain, one.Gain)
	}
}

// TestHandoffInLibrary: handoffs with a goroutine of another module are named at the program's own line first, and
// those between two of its goroutines at its lines.
func TestHandoffInLibrary(t *testing.T) {
	c := handoffCase()
	c.evidence.Program.Module = "shop"
	w := &c.evidence.Trace.Waits[0] // the first of two sites with as many waits
	w.Stack, w.Wakers[0].Stack = frames("runtime.chanrecv2", "example.com/bus.(*Bus).run:6"),
		frames("runtime.chansend1", "example.com/bus.(*Bus).Publish", "main.publish:4", "main.main:7")
	if f := c.named(t, ChanHandoff); len(f.Where) != 2 || f.Where[0] != "main.go:4" ||
		f.Where[1] == "main.go:7" {
		t.Errorf("at %v", f.Where)
	}
	w.Wakers[0].Stack = frames("runtime.chansend1", "example.com/bus.(*Bus).deliver:3")
	if f := c.named(t, ChanHandoff); len(f.Where) != 2 || strings.HasPrefix(f.Where[0], "main.go") {
		t.Errorf("without a line of its own at %v", f.Where)
	}
}

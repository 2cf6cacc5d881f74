package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// first returns the first finding for some evidence.
func (c *testCase) first() Finding { return explainWith(nil, &c.evidence).Findings[0] }

// A brief run predicts no gain, because the start of the process is a large part of it. Findings that rest on kernel
// counts keep theirs.
func TestBriefRunsHaveNoGain(t *testing.T) {
	c := singleCase()
	c.evidence.Runs[0].Wall = 60 * time.Millisecond
	c.evidence.Runs[0].User = 60 * time.Millisecond
	found := explainWith(nil, &c.evidence).Findings
	if found[0].Name != "too-few-samples" || found[1].Name != "single-threaded" {
		t.Fatalf("findings: %v", c.names())
	}
	if found[0].Claim != "A run takes 60ms: too short to predict a gain." {
		t.Errorf("without a gain: %s", found[0].Claim)
	}
	for _, f := range found {
		if f.Gain != nil {
			t.Errorf("%s promises %v of a run of 60 ms", f.Name, f.Gain)
		}
	}
	c = newCase()
	c.demand(10, 990)
	c.class("main.main", 1, 1, 990*time.Millisecond, 990*time.Millisecond)
	c.cpu(80, "syscall.read", "internal/poll.(*FD).Read", "os.(*File).Read", "main.f:5", "main.main:3", "runtime.main")
	c.evidence.Runs[0].Wall, c.evidence.Runs[0].User = 60*time.Millisecond, 60*time.Millisecond
	c.evidence.Runs[0].Reads, c.evidence.Runs[0].ReadBytes = 100000, 100000
	if f := c.first(); f.Name != "unbuffered-io" || f.Gain == nil {
		t.Errorf("100000 calls in 60 ms: %v", c.names())
	}
	if f := c.named(t, TooFewSamples); f.Claim != "A run takes 60ms: too short to predict other gains." {
		t.Errorf("beside a gain: %s", f.Claim)
	}
	// The start may take nearly all of a run of 16 ms: a saving of two thirds is no prediction.
	c.cpu(40, "main.g:7", "main.main:3", "runtime.main")
	c.evidence.Runs[0].Wall, c.evidence.Runs[0].User = 16*time.Millisecond, 16*time.Millisecond
	if i := slices.IndexFunc(explainWith(nil, &c.evidence).Findings,
		func(f Finding) bool { return f.Name == "unbuffered-io" && f.Gain != nil }); i >= 0 {
		t.Errorf("100000 calls in 16 ms promise %v", explainWith(nil, &c.evidence).Findings[i].Gain)
	}
}

// Small writes of the parts of a message count together, and those of another function do not.
func TestPartsOfMessage(t *testing.T) {
	for name, x := range map[string]struct {
		second string // line of the second write
		found  bool
	}{"one function": {"main.send:6", true}, "two functions": {"main.log:6", false}} {
		c := wideCase()
		c.evidence.Profiles = nil
		for _, at := range []string{"main.send:5", x.second} {
			c.cpu(24, "syscall.write", "internal/poll.(*FD).Write", "net.(*conn).Write", at, "main.worker:3")
		}
		c.cpu(152, "main.worker:9")
		c.evidence.Runs[0].Writes, c.evidence.Runs[0].WriteBytes = 1000000, 20*1000000
		if found := slices.Contains(c.names(), string(UnbufferedIO)); found != x.found {
			t.Errorf("%s: %v", name, c.names())
		}
	}
}

// False sharing is at the line that adds to memory, although more samples are at the next statement, that of its loop.
func TestWhereOfFalseSharing(t *testing.T) {
	c := wideCase()
	c.evidence.Profiles = nil
	c.evidence.Program.Main = "main"
	c.cpu(150, "testing.(*PB).Next", "main.count:3", "main.worker:2")
	c.cpu(40, "sync/atomic.(*Int64).Add", "main.inc:5", "main.count:4", "main.worker:2")
	c.evidence.Program.Source = func(_ string, n int) string {
		return []string{"", "", "go count()", "for pb.Next() {", "s.inc(me)", "s.n[i&7].Add(1)"}[n%6]
	}
	c.evidence.Runs = append(c.evidence.Runs, c.evidence.Runs[0])
	c.evidence.Runs[0].CPUs, c.evidence.Runs[0].User = 1, 300*time.Millisecond
	c.evidence.Runs[0].Wall = 300 * time.Millisecond
	if f := c.named(t, WorkInflation); !slices.Equal(f.Where, []string{"main.go:5", "main.go:3"}) {
		t.Errorf("%q %q", f.Where, f.Evidence)
	}
}

// A stage that is in use because it sleeps must not be doubled, unless work queues for it.
func TestStageInExternalWait(t *testing.T) {
	sleepy := func(op evidence.Op) *testCase {
		c := newCase()
		c.demand(950, 50)
		c.class("main.main", 1, 1, time.Millisecond, time.Millisecond)
		a := c.class("main.device", 1, 1, 30*time.Millisecond, 10*time.Millisecond)
		b := c.class("main.average", 1, 1, 30*time.Millisecond, 10*time.Millisecond)
		c.evidence.Trace.Classes[a].Members[0].External = 950 * time.Millisecond
		c.wait(op, b, 200, 950*time.Millisecond, a, "runtime.chanrecv1", "main.average:4")
		c.wait(evidence.OpSend, a, 20, time.Millisecond, b, "runtime.chansend1", "main.device:5")
		c.wait(evidence.OpSleep, a, 200, 950*time.Millisecond, -1, "time.Sleep", "main.device:6")
		return c
	}
	if f := sleepy(evidence.OpReceive).first(); f.Name != "dependency-wait" {
		t.Errorf("a reader waits for a device that sleeps: %s", f.Name)
	}
	if f := sleepy(evidence.OpSend).first(); f.Name != "stage-limited" {
		t.Errorf("a sender waits for a stage that sleeps: %s", f.Name)
	}
}

// Goroutines that wait in a select, or on a condition variable, for a slot that their own class releases wait for a
// resource.
func TestSemaphoreInSelect(t *testing.T) {
	const condWait = "sync.(*Cond).Wait"
	pooled := func(own bool, op evidence.Op, waker string) *testCase {
		c := newCase()
		c.demand(950, 50)
		c.class("main.main", 1, 1, time.Millisecond, time.Millisecond)
		w := c.class("main.query", 20, 20, 50*time.Millisecond, 10*time.Millisecond)
		by := w
		if !own {
			by = w - 1
		}
		at := c.wait(op, w, 400, 18*second, by, map[evidence.Op]string{evidence.OpSelect: "runtime.selectgo",
			evidence.OpCond: condWait}[op],
			"main.do:4")
		c.evidence.Trace.Waits[at].Wakers[0].Stack = frames(waker, "main.do:5")
		return c
	}
	for op, waker := range map[evidence.Op]string{evidence.OpSelect: "runtime.chansend1",
		evidence.OpCond: "sync.(*Cond).Signal"} {
		if f := pooled(true, op, waker).first(); f.Name != "saturated-resource" || f.Gain == nil ||
			f.Gain.Estimate < 0.7 {
			t.Errorf("%s: 20 wait for one: %s %v", op, f.Name, f.Gain)
		}
		if f := pooled(false, op, waker).first(); f.Name == "saturated-resource" {
			t.Errorf("%s: they wait for work that main gives them, not for each other", op)
		}
	}
	weighted := pooled(true, evidence.OpSelect, "")
	weighted.evidence.Trace.Waits[0].Stack = frames("runtime.selectgo",
		"golang.org/x/sync/semaphore.(*Weighted).Acquire", "main.do:4")
	weighted.evidence.Trace.Waits[0].Wakers[0].Stack = frames("runtime.closechan",
		"golang.org/x/sync/semaphore.(*Weighted).notifyWaiters", "golang.org/x/sync/semaphore.(*Weighted).Release",
		"main.do:5")
	if f := weighted.first(); f.Name != "saturated-resource" ||
		!strings.HasPrefix(f.Claim, "Goroutines wait for the semaphore") ||
		!slices.Equal(f.Where, []string{"main.go:4", "main.go:5"}) {
		t.Errorf("a weighted semaphore: %+v", f)
	}
	database := pooled(true, evidence.OpSelect, "runtime.chansend1")
	database.evidence.Trace.Waits[0].Stack = frames("runtime.selectgo", "database/sql.(*DB).conn", "main.do:4")
	if f := database.first(); f.Name != "saturated-resource" || !strings.Contains(f.Fix, "SetMaxOpenConns") ||
		!strings.HasPrefix(f.Claim, "All connections to the database are in use") {
		t.Errorf("a pool of connections: %+v", f)
	}
	if f := pooled(true, evidence.OpSelect, "runtime.closechan").first(); f.Name == "saturated-resource" {
		t.Error("who closes a channel gives no place to each")
	}
	if f := pooled(true, evidence.OpCond, "sync.(*Cond).Broadcast").first(); f.Name == "saturated-resource" {
		t.Error("who wakes all at once ends a phase: it gives no place to each")
	}
}

// A fork and join has a short serial beginning and end, which is no finding.
func TestShortSerialPhase(t *testing.T) {
	ends := func(alone time.Duration) *testCase {
		c := newCase()
		ms := int(alone / time.Millisecond)
		c.demand(5, ms, 995-ms)
		c.class("main.main", 1, 1, alone, alone)
		c.class("main.worker", 2, 2, 2*(995*time.Millisecond-alone), 0)
		c.cpu(ms/10, "main.merge:4", "main.main:7", "runtime.main")
		c.cpu(2*(995-ms)/10, "main.f:5", "main.worker:3")
		return c
	}
	brief := explainWith(nil, &ends(150*time.Millisecond).evidence).Findings
	i := slices.IndexFunc(brief, func(f Finding) bool { return f.Name == "serial-phase" })
	if i < 1 || brief[i].Gain != nil || brief[0].Name != "cpu-saturated" ||
		!strings.Contains(strings.Join(brief[i].Evidence, " "), "by Amdahl's law at most") {
		t.Errorf("a final merge of a seventh of the time is named last, and promises nothing: %+v", brief)
	}
	if names := ends(40 * time.Millisecond).names(); slices.Contains(names, "serial-phase") {
		t.Errorf("a twenty-fifth of the time: %v", names)
	}
	if f := ends(400 * time.Millisecond).first(); f.Name != "serial-phase" {
		t.Errorf("two fifths of the time: %s", f.Name)
	}
}

// A heap profile counts small objects without pointers in blocks of 16 bytes.
func TestTinyObjects(t *testing.T) {
	c := singleCase()
	c.evidence.Runs[0].Reads = 300000
	c.evidence.Profiles = append(c.evidence.Profiles, evidence.Profile{Kind: evidence.Heap,
		Types: []string{"alloc_objects/count", "alloc_space/bytes"},
		Samples: []evidence.Sample{
			{Stack: frames("runtime.newobject", "main.f:5"), Values: []int64{18750, 300001}}}})
	c.evidence.Escapes = []evidence.Escape{{File: "main.go", Line: 5, Reason: "moved to heap: buf"}}
	if !slices.Contains(c.names(), "escape-per-op") {
		t.Errorf("a byte for each of 300000 calls, in 18750 blocks: %v", c.names())
	}
	c.evidence.Runs[0].Reads = 200000
	if slices.Contains(c.names(), "escape-per-op") {
		t.Error("18750 blocks do not go into 200000 calls")
	}
}

// In a pipeline in lockstep, time lost to wake-ups counts as slack although goroutines wanted the CPUs.
func TestSlackInPipeline(t *testing.T) {
	c := pipeline(600, 550)
	c.evidence.Trace.Demand = evidence.Demand{}
	c.demand(0, 140, 860)
	c.evidence.Trace.Resources = []evidence.Resource{{Kind: evidence.ResourceChannel, Count: 1000, Busy: second,
		Starved: 130 * time.Millisecond,
		Full:    300 * time.Millisecond, Empty: 300 * time.Millisecond, FullCount: 500, EmptyCount: 500,
		Sites: [][]evidence.Frame{frames("main.f:5")}}}
	c.evidence.Runs[0].User = 1700 * time.Millisecond
	if f := c.first(); f.Name != "unbuffered-lockstep" {
		t.Errorf("15%% of the CPUs unused in a line without buffers: %v", c.names())
	}
	c.evidence.Runs[0].User = 1850 * time.Millisecond
	if f := c.first(); f.Name != "unbuffered-lockstep" || f.Gain == nil || f.Gain.Estimate < minGain {
		t.Errorf("7.5%% of the CPUs unused: %v", c.names())
	}
	c.evidence.Runs[0].User = 1700 * time.Millisecond
	c.evidence.Program.Name = "coffee/linearpipe (buffer=10)"
	if f := c.first(); f.Gain != nil {
		t.Errorf("the same with buffers: %v", c.names())
	}
}

// A goroutine started by a wrapper belongs to the function that the wrapper runs.
func TestStartFrame(t *testing.T) {
	for _, c := range []struct {
		want  string
		stack []evidence.Frame
	}{
		{"main.worker", frames("runtime.chanrecv1", "main.worker:4")},
		{"main.main.func1", frames("runtime.chanrecv1", "main.get:2", "main.main.func1:4",
			"sync.(*WaitGroup).Go.func1")},
		{"main.serve", frames("main.serve:2", "golang.org/x/sync/errgroup.(*Group).add.func1",
			"golang.org/x/sync/errgroup.(*Group).Go.func1")},
		{"sync.(*WaitGroup).Go.func1", frames("runtime.gopark", "sync.(*WaitGroup).Go.func1")},
	} {
		if got := evidence.StartFrame(c.stack).Function; got != c.want {
			t.Errorf("%v begins in %s", c.stack, got)
		}
	}
}

// Findings that need no trace.
func TestProfilesOnly(t *testing.T) {
	for _, x := range []struct {
		name Name
		make func() *testCase
	}{
		{"goroutine-too-fine", func() *testCase {
			c := wideCase()
			c.evidence.Profiles = nil
			c.cpu(60, "runtime.malg", "runtime.newproc1", "runtime.newproc", "main.sort:4", "main.main:3",
				"runtime.main")
			c.cpu(80, "runtime.findRunnable", "runtime.schedule", "runtime.goexit0", "runtime.mcall")
			c.cpu(50, "main.f:5", "main.sort:3")
			return c
		}},
		{"lock-convoy", func() *testCase {
			c := wideCase()
			c.evidence.Profiles = nil
			c.cpu(120, "internal/sync.(*Mutex).lockSlow", "sync.(*Mutex).Lock", "main.book:5", "main.worker:3")
			c.cpu(60, "main.f:5", "main.worker:3")
			c.evidence.Runs = append(c.evidence.Runs, c.evidence.Runs[0])
			c.evidence.Runs[0].CPUs, c.evidence.Runs[0].Wall = 1, 500*time.Millisecond
			return c
		}},
		{"blocking-syscall", func() *testCase {
			c := singleCase()
			c.evidence.Profiles = nil
			c.cpu(40, "syscall.fsync", "internal/poll.(*FD).Fsync", "os.(*File).Sync", "main.log:5", "main.main:3",
				"runtime.main")
			c.evidence.Runs[0].User, c.evidence.Runs[0].System, c.evidence.Runs[0].Voluntary,
				c.evidence.Runs[0].Writes = 30*time.Millisecond,
				400*time.Millisecond, 9000, 2500
			return c
		}},
		{"dependency-wait", func() *testCase {
			c := singleCase()
			c.evidence.Profiles = []evidence.Profile{{Kind: evidence.Block,
				Types: []string{"contentions/count", "delay/nanoseconds"},
				Samples: []evidence.Sample{
					{Stack: frames("runtime.selectgo", "main.query:4"), Values: []int64{400, 940e6}}}}}
			c.evidence.Runs[0].User = 30 * time.Millisecond
			return c
		}},
	} {
		c := x.make()
		c.evidence.Trace = nil
		if f := c.first(); f.Name != x.name {
			t.Errorf("%s: found %v", x.name, c.names())
		}
	}
	c := singleCase()
	c.evidence.Trace, c.evidence.Runs[0].User = nil, 30*time.Millisecond
	c.evidence.Profiles = []evidence.Profile{{Kind: evidence.Goroutine, Types: []string{"goroutine/count"},
		Samples: []evidence.Sample{{Stack: frames("net.(*TCPListener).Accept", "main.main:4"), Values: []int64{1}}}}}
	if f := c.first(); f.Name == "dependency-wait" {
		t.Error("a server that waits for work")
	}
}

// stallCase is a pipeline whose goroutines process ten items, in 60 us, between two parkings. Little of the CPU time is
// in channels, but two CPUs are no faster than one. The numbers are those of a pipeline with one producer and two
// consumers.
func stallCase() *testCase {
	c := newCase()
	c.demand(4, 43, 142, 811)
	a := c.class("main.main", 1, 1, 253*time.Millisecond, 10*time.Millisecond)
	b := c.class("main.consumer", 2, 2, 820*time.Millisecond, 10*time.Millisecond)
	c.evidence.Trace.Classes[a].Bursts.P50, c.evidence.Trace.Classes[b].Bursts.P50 = 26*time.Microsecond,
		70*time.Microsecond
	c.wait(evidence.OpSend, a, 7900, 72*time.Millisecond, b, "runtime.chansend1", "main.main:4")
	c.wait(evidence.OpReceive, b, 9800, 130*time.Millisecond, a, "runtime.chanrecv2", "main.consumer:6")
	c.cpu(90, "main.f:5", "main.consumer:3")
	c.cpu(30, "main.g:5", "main.main:3", "runtime.main")
	c.cpu(4, "runtime.chansend", "runtime.chansend1", "main.main:4", "runtime.main")
	c.cpu(16, "runtime.futex", "runtime.findRunnable", "runtime.schedule", "runtime.park_m", "runtime.mcall")
	c.evidence.Runs[0].User = 1400 * time.Millisecond
	c.evidence.Runs = append(c.evidence.Runs, c.evidence.Runs[0])
	one := &c.evidence.Runs[0]
	one.CPUs, one.Wall, one.User = 1, 930*time.Millisecond, 920*time.Millisecond
	return c
}

// The cost of handoffs need not be in the CPU profile. Each condition is removed in turn.
func TestStalls(t *testing.T) {
	if f := stallCase().first(); f.Name != "chan-handoff" || f.Gain == nil || f.Gain.Estimate < 0.15 ||
		f.Gain.Estimate > 0.4 {
		t.Fatalf("two CPUs stall on hand-overs: %s %v", f.Name, f.Gain)
	}
	for what, change := range map[string]func(c *testCase){
		"two CPUs are faster than one": func(c *testCase) {
			c.evidence.Runs[0].Wall, c.evidence.Runs[0].User = 1200*time.Millisecond,
				1190*time.Millisecond
		},
		"both CPUs are used":           func(c *testCase) { c.evidence.Runs[1].User = 1700 * time.Millisecond },
		"it waits on one CPU, too":     func(c *testCase) { c.evidence.Runs[0].User = 600 * time.Millisecond },
		"too few runs to compare":      func(c *testCase) { c.evidence.Runs[0].Count = 2 },
		"long pieces between parkings": func(c *testCase) { c.bursts(300 * time.Microsecond) },
		"they park now and then": func(c *testCase) {
			c.evidence.Trace.Waits[0].Count, c.evidence.Trace.Waits[1].Count = 1000,
				1000
		},
		"others take a CPU": func(c *testCase) {
			for i := range c.evidence.Runs {
				c.evidence.Runs[i].OtherCPUs = 1
			}
		},
		"they wait for a lock": func(c *testCase) {
			at := c.wait(evidence.OpMutex, 2, 9000, 900*time.Millisecond, 2, "sync.(*Mutex).Lock", "main.consumer:7")
			c.evidence.Trace.Resources = []evidence.Resource{{Kind: evidence.ResourceMutex, Waits: []int{at},
				Busy: 900 * time.Millisecond, Count: 9000, HeldRunning: 700 * time.Millisecond,
				Holds: evidence.Latencies{Count: 9000, Sum: 800 * time.Millisecond, P50: 80 * time.Microsecond}}}
		},
		"often nobody wants a CPU": func(c *testCase) { c.evidence.Trace.Demand.Time[0] = 100 * time.Millisecond },
	} {
		c := stallCase()
		change(c)
		if slices.Contains(c.names(), "chan-handoff") {
			t.Errorf("%s: %v", what, c.names())
		}
	}
}

// TestStallsOfRequests: the channels of an HTTP client are not the program's own. One that waits for each reply of a
// server in the program stops and waits. Each condition is removed in turn.
func TestStallsOfRequests(t *testing.T) {
	requests := func(class int, count int64) *testCase {
		c := stallCase()
		c.evidence.Trace.Waits = nil
		c.wait(evidence.OpSelect, class, count, 300*time.Millisecond, -1, "runtime.selectgo",
			"net/http.(*persistConn).roundTrip", "net/http.(*Client).Do", "main.main:7")
		return c
	}
	accept := func(c *testCase) *testCase {
		c.wait(evidence.OpNetwork, 2, 1, 900*time.Millisecond, -1, "internal/poll.(*FD).Accept", "net.(*netFD).accept",
			"net.(*TCPListener).Accept", "main.consumer:5")
		return c
	}
	c := accept(requests(1, 20000))
	f := c.named(t, StopAndWait)
	// 1.4 s of CPU time on 2 CPUs take 0.7 s at least.
	if slices.Contains(c.names(), string(ChanHandoff)) || f.Gain == nil || f.Gain.Estimate < 0.2 ||
		f.Gain.Estimate > 0.3 || !slices.Contains(f.Where, "main.go:7") {
		t.Errorf("%v %+v %+v", c.names(), f, f.Gain)
	}
	for what, c := range map[string]*testCase{
		"several at a time":    accept(requests(2, 20000)),
		"seldom":               accept(requests(1, 900)),
		"a server elsewhere":   requests(1, 20000),
		"two CPUs are faster":  accept(requests(1, 20000)).slowOnOne(),
		"other work meanwhile": accept(requests(1, 20000)).receives(1),
		"one long reply":       accept(requests(1, 900)).reads(1),
	} {
		if names := c.names(); slices.Contains(names, string(StopAndWait)) ||
			slices.Contains(names, string(ChanHandoff)) {
			t.Errorf("%s: %v", what, names)
		}
	}
	c = accept(requests(1, 600)) // at two lines
	c.wait(evidence.OpSelect, 1, 600, 300*time.Millisecond, -1, "runtime.selectgo",
		"net/http.(*persistConn).roundTrip", "net/http.(*Client).Post", "main.main:8")
	c.evidence.Trace.Classes[1].Waiting = map[string]time.Duration{"select": 600 * time.Millisecond}
	if !slices.Contains(c.names(), string(StopAndWait)) {
		t.Errorf("at two lines: %v", c.names())
	}
	c = accept(stallCase()) // its own channels count beside a client's
	c.wait(evidence.OpSelect, 1, 30000, 300*time.Millisecond, -1, "runtime.selectgo",
		"net/http.(*http2ClientConn).roundTrip", "main.main:7")
	if f := c.named(t, ChanHandoff); slices.Contains(f.Where, "main.go:7") {
		t.Errorf("%+v", f)
	}
}

// slowOnOne makes the run on one CPU clearly slower.
func (c *testCase) slowOnOne() *testCase {
	c.evidence.Runs[0].Wall, c.evidence.Runs[0].User = 1200*time.Millisecond, 1190*time.Millisecond
	return c
}

// reads makes goroutines of a class read the body of a reply.
func (c *testCase) reads(class int) *testCase {
	c.wait(evidence.OpNetwork, class, 20000, 300*time.Millisecond, -1, "internal/poll.(*FD).Read",
		"net.(*conn).Read", "net/http.(*persistConn).Read", "bufio.(*Reader).Read", "main.main:9")
	return c
}

// receives makes goroutines of a class wait for values, too.
func (c *testCase) receives(class int) *testCase {
	c.evidence.Trace.Classes[class].Waiting = map[string]time.Duration{"chan receive": 600 * time.Millisecond}
	return c
}

// bursts sets how long goroutines run between two parkings.
func (c *testCase) bursts(d time.Duration) {
	for i := range c.evidence.Trace.Classes {
		c.evidence.Trace.Classes[i].Bursts.P50 = d
	}
}

// The slowest stage of a pipeline never waits itself. Wake-ups of CPUs for the other stages do not make it a handoff
// problem.
func TestStageWithoutWaits(t *testing.T) {
	hub := func(runs time.Duration) *testCase {
		c := stallCase()
		main := &c.evidence.Trace.Classes[1]
		main.Running, main.Members[0].Running = runs, runs
		c.evidence.Trace.Waits = nil
		source := c.class("main.source", 1, 1, 10*time.Millisecond, 0)
		c.wait(evidence.OpReceive, 2, 9800, 2500*time.Millisecond, 1, "runtime.chanrecv2", "main.consumer:6")
		c.wait(evidence.OpSend, source, 700, 400*time.Millisecond, 1, "runtime.chansend1", "main.source:4")
		members := c.evidence.Trace.Classes[2].Members
		c.evidence.Trace.Classes[2].Running, members[0].Running, members[1].Running = 60*time.Millisecond,
			30*time.Millisecond,
			30*time.Millisecond
		return c
	}
	if f := hub(950 * time.Millisecond).first(); f.Name != "stage-limited" || f.Gain == nil || f.Gain.Estimate < 0.15 {
		t.Errorf("one goroutine runs all the time, six wait for it: %s %v", f.Name, f.Gain)
	}
	if f := hub(600 * time.Millisecond).first(); f.Name != "chan-handoff" {
		t.Errorf("none runs all the time: %s", f.Name)
	}
}

// A lock that is passed often to goroutines that then queue for a CPU does not serialize. A lock that serializes has
// nearly all its users parked.
func TestLockWithRunnableWaiters(t *testing.T) {
	build := func(parked time.Duration) *testCase {
		c := coarseLock()
		c.evidence.Trace.Resources[0].Starved = 0
		c.evidence.Trace.Waits[0].Waited = parked
		return c
	}
	if names := build(2 * second).names(); names[0] != "coarse-lock" {
		t.Errorf("two of four parked: %v", names)
	}
	if names := build(600 * time.Millisecond).names(); slices.Contains(names, "coarse-lock") {
		t.Errorf("one of four parked, now and then: %v", names)
	}
	for inside, held := range map[string]bool{"main.f:5 main.update:7 main.worker:3": true, // without waiting before
		"main.f:5 main.worker:3": false, "syscall.Syscall main.update:7 main.worker:3": false,
		"main.f:5 main.update:7 main.worker:3 ":   false, // more than one at a time
		"main.f:5 main.update:7 main.worker:3  ":  true,  // as readers do
		"main.f:5 main.update:7 main.worker:3   ": true,  // readers wait
		"main.f:5 main.worker:7":                  false, // it takes the lock, and works besides
		"main.f:5 main.update:9 main.worker:3":    false, // in a loop
	} {
		brief := build(2 * second) // the holding times that are known are a tenth of the time
		brief.evidence.Trace.Resources[0].Holds.Sum = 100 * time.Millisecond
		brief.evidence.Profiles = nil
		if strings.HasSuffix(inside, "   ") {
			brief.evidence.Trace.Waits[0].Stack = frames("sync.(*RWMutex).RLock", "main.update:7", "main.worker:3")
		} else if strings.HasSuffix(inside, "  ") {
			brief.evidence.Trace.Waits[0].Wakers = []evidence.Waker{{Stack: frames("sync.(*RWMutex).RUnlock",
				"main.get:8"), Count: 100, Class: 1}}
		}
		if strings.HasSuffix(inside, " ") {
			brief.evidence.Runs[0].User = 3 * second / 2
			brief.cpu(400, strings.Fields(inside)...)
		}
		if strings.Contains(inside, ":9") {
			brief.evidence.Trace.Waits[0].Stack = frames("sync.(*Mutex).Lock", "main.update:9", "main.worker:3")
			brief.evidence.Program.Source = sourceOf("package main" + strings.Repeat("\n", 6) +
				"func update() {\nfor {\nmu.Lock()\n}\n}\n")
		}
		if strings.HasSuffix(inside, ":7") {
			brief.evidence.Trace.Waits[0].Stack = frames("sync.(*Mutex).Lock", "main.worker:7")
		}
		brief.cpu(45, strings.Fields(inside)...)
		brief.cpu(55, "main.g:6", "main.worker:3")
		names := brief.names()
		found := slices.Contains(names, "coarse-lock") || slices.Contains(names, "saturated-resource") ||
			slices.Contains(names, "rwmutex-misuse")
		if found != held {
			t.Errorf("%s: %v", inside, names)
		}
	}
}

// A sample may be on the line after the one that takes long, or at the head of the loop.
func TestFollowsUpdate(t *testing.T) {
	text := "package main\nfunc parse(s *stats, x int) {\ns.lines++\nif x&255 == 0 {\nreturn\n}\ns.bytes += x\n}\n" +
		"func work(s *stats, n int) {\nfor range n {\nparse(s, n)\n}\nfor range n {\ns.lines++\n}\n" +
		"for range n {\nuse(s.lines)\n}\nfor range n {\n}\nx = s.lines\n}\n"
	p := newProgram(&evidence.Program{Source: sourceOf(text)})
	for line, want := range map[int]bool{2: false, 4: true, 5: false, 10: true, 11: false, 13: true, 16: false,
		19: false} {
		if got := p.followsUpdate(evidence.Frame{File: "main.go", Line: line}); got != want {
			t.Errorf("line %d: %v", line, got)
		}
	}
	if newProgram(&evidence.Program{}).followsUpdate(evidence.Frame{File: "main.go", Line: 4}) {
		t.Error("without source")
	}
}

// False sharing takes more CPU time on several CPUs, though less than twice as much.
func TestFalseSharing(t *testing.T) {
	build := func(line string, one time.Duration) *testCase {
		c := wideCase()
		c.evidence.Program.Source = func(_ string, n int) string {
			if n == 5 {
				return line
			}
			return ""
		}
		c.evidence.Runs = append(c.evidence.Runs, c.evidence.Runs[0])
		c.evidence.Runs[0].CPUs, c.evidence.Runs[0].User, c.evidence.Runs[0].Wall = 1, one, one
		return c
	}
	for _, line := range []string{"t.east++", "sums[w] += x", "p.n -= 2"} {
		if f := build(line, 1300*time.Millisecond).first(); f.Name != "work-inflation" {
			t.Errorf("%s, 1.5 times the CPU time: %s", line, f.Name)
		}
		if f := build(line, 1700*time.Millisecond).first(); f.Name == "work-inflation" {
			t.Errorf("%s, 1.2 times the CPU time: %s", line, f.Name)
		}
	}
	for _, line := range []string{"x = x*5 + 1", "sum += x", "x ^= x << 13", "return t.n"} {
		if f := build(line, 1300*time.Millisecond).first(); f.Name == "work-inflation" {
			t.Errorf("%s adds to no memory: %s", line, f.Name)
		}
	}
}

// Counters that goroutines update beside each other inflate the work, without a line that stands out.
func TestAdjacentCounters(t *testing.T) {
	const loop = "t := &tallies[worker]\nfor i := range n {\nif hit(i) {\nt.hits++\n}\n}"
	const own = "func f(worker int) {\n" + loop + "\n}\n"
	for name, x := range map[string]struct {
		source string
		found  bool
		line   int // of the samples; 0 is 5
	}{
		"by index":     {own, true, 0},
		"in a closure": {"func f(worker int) {\ngo func() {\n" + loop + "\n}()\n}", true, 0},
		"of a closure": {"func f() {\nfor w := range workers {\nt := &tallies[w]\n" +
			"wg.Go(func() {\nfor i := range n {\nt.hits++\n}\n})\n}\n}", true, 7},
		"of a goroutine": {"func f(worker int) {\nt := &tallies[worker]\n" +
			"go func() {\nfor i := range n {\nt.hits++\n}\n}()\n}", true, 6},
		"a local of a goroutine": {"func f() {\nfor w := range workers {\nt := &tallies[w]\n" +
			"wg.Go(func() {\nt := tally{}\nfor i := range n {\nt.hits++\n}\n})\n}\n}", false, 8},
		"a variable of a goroutine": {"func f() {\nfor w := range workers {\nt := &tallies[w]\n" +
			"wg.Go(func() {\nvar t tally\nfor i := range n {\nt.hits++\n}\n})\n}\n}", false, 8},
		"a parameter of a callback": {"func f(w int) {\nt := &tallies[w]\n" +
			"each(func(t *tally) {\nfor i := range n {\nt.hits++\n}\n})\n}", false, 6},
		"in a callback": {"func f(w int) {\nt := &tallies[w]\n" +
			"each(func() {\nfor i := range n {\nt.hits++\n}\n})\n}", true, 6},
		"after a callback": {"func f(w int) {\nt := &tallies[w]\neach(func(t *tally) {})\n" +
			"for i := range n {\nt.hits++\n}\n}", true, 6},
		"of a block": {"func f(t *tally) {\nif debug {\nt := &tallies[w]\nlog(t)\n}\n" +
			"for i := range n {\nt.hits++\n}\n}", false, 8},
		"of a condition": {"func f(t *tally) {\nif t := &tallies[w]; debug {\nlog(t)\n}\n" +
			"for i := range n {\nt.hits++\n}\n}", false, 7},
		"in a block": {"func f(w int) {\nt := &tallies[w]\nif w > 0 {\n" +
			"for i := range n {\nt.hits++\n}\n}\n}", true, 6},
		"in a case": {"func f(w int) {\nt := &tallies[w]\nswitch {\ncase w > 0:\n" +
			"for i := range n {\nt.hits++\n}\n}\n}", true, 7},
		"of another loop": {"func f(p *tally) {\nfor i := range list {\np := &list[i]\np.init()\n}\n" +
			"go func() {\nfor range n {\np.count++\n}\n}()\n}", false, 9},
		"set in a block": {"func f(w int) {\nt := &tallies[w]\nif w > 0 {\nt = next()\n}\n" +
			"for i := range n {\nt.hits++\n}\n}", false, 8},
		"set before a goroutine": {"func f(w int) {\nt := &tallies[w]\nif w > 0 {\nt = next()\n}\n" +
			"go func() {\nfor i := range n {\nt.hits++\n}\n}()\n}", false, 9},
		"set by a literal": {"func f(w int) {\nt := &tallies[w]\nreset := func() { t = new(tally) }\nreset()\n" +
			"for i := range n {\nt.hits++\n}\n}", false, 7},
		"set by a goroutine": {"func f(w int) {\nt := &tallies[w]\ngo func() { t = next() }()\n" +
			"for i := range n {\nt.hits++\n}\n}", false, 6},
		"set by a range": {"func f(w int) {\nt := &tallies[w]\nfor _, t = range list {\nuse(t)\n}\n" +
			"for i := range n {\nt.hits++\n}\n}", false, 8},
		"a result of a literal": {"func f(w int) {\nt := &tallies[w]\n" +
			"each(func() (t *tally) {\nfor i := range n {\nt.hits++\n}\nreturn\n})\n}", false, 6},
		"a parameter of a goroutine": {"func f() {\nfor w := range workers {\nt := &tallies[w]\n" +
			"go func(t *tally) {\nfor i := range n {\nt.hits++\n}\n}(mine[w])\n}\n}", false, 7},
		"of a callback": {"func f() {\nfor i := range n {\np := &list[i]\n" +
			"p.each(func(e edge) {\nfor _, k := range e.keys {\np.sum += k\n}\n})\n}\n}", false, 7},
		"a range's own": {"func f(root int) {\nn := &nodes[root]\n" +
			"for _, n := range n.children {\nn.visits++\n}\n}", false, 5},
		"declared in the loop": {"func f(root int) {\nn := &nodes[root]\n" +
			"for n.more() {\nvar n = next()\nn.visits++\n}\n}", false, 6},
		"not to be copied": {own + "type tally struct{ hits int64; _ noCopy }", true, 0},
		"a layout":         {own + "type tally struct{ _ structs.HostLayout; hits int64 }", true, 0},
		"added": {"func f(worker int) {\n" + strings.ReplaceAll(loop, "t.hits++", "t.sum += i") +
			"\n}", true, 0},
		"padded": {own +
			"type tally struct{ hits int64; _ [56]byte }", false, 0},
		"padded by name":   {own + "type tally struct{ hits int64; pad [7]int64 }", false, 0},
		"padded below":     {own + "type tally struct{ hits int64; _pad [7]int64 }", false, 0},
		"padded by a type": {own + "type tally struct{ hits int64; _ line }", false, 0},
		"padded for x/sys": {own + "type tally struct{ hits int64; x cpu.CacheLinePad }",
			false, 0},
		"not comparable": {own + "type tally struct{ hits int64; _ [0]func() }", true, 0},
		"a list":         {own + "type block struct{ padding []byte }", true, 0},
		"once":           {"func f(worker int) {\nt := &tallies[worker]\nt.hits++\n}", false, 0},
		"each element":   {"func f() {\nfor i := range n {\np := &list[i]\np.x += p.v\n}\n}", false, 4},
		"an outer loop's choice": {"func f() {\nfor i := range n {\nb := &list[i]\n" +
			"for j := range list {\nb.v += g(j)\n}\n}\n}", false, 6},
		"another loop's": {"func f(id int) {\nr := &results[id]\nfor i := range rows {\nfor j := range m {\n" +
			"sum += a[i] * x[j]\n}\nr.rows++\n}\n}", false, 6},
		"in an inner loop": {"func f(id int) {\nr := &results[id]\nfor i := range rows {\nx := cost(i)\n" +
			"for x > 0 {\nx /= 2\nr.halves++\n}\n}\n}", false, 5},
		"chosen again": {"func f(root int) {\nn := &nodes[root]\nfor n.child >= 0 {\nn.visits++\n" +
			"n = &nodes[n.child]\n}\n}", false, 5},
		"a shadow": {"func f(lo, hi int) {\np := &list[lo]\nfor i := lo; i < hi; i++ {\np := &list[i]\np.seen++\n}\n}",
			false, 6},
		"below a chosen one": {"func f(root int) {\nn := &nodes[root]\nfor range depth {\nfor range width {\n" +
			"n.visits++\n}\nn = &nodes[n.child]\n}\n}", false, 6},
		"in the library":       {own, false, 0},
		"rarely":               {own, false, 0},
		"often enough":         {own, true, 0},
		"called from the loop": {own, false, 0},
		"a local variable":     {"func f(worker int) {\nvar t tally\nfor i := range n {\nt.hits++\n}\n}", false, 4},
		"a constant":           {"func f() {\nt := &tallies[0]\nfor i := range n {\nt.hits++\n}\n}", false, 4},
		"only set": {"func f(worker int) {\nt := &tallies[worker]\n" +
			"for i := range n {\nt.last = i\n}\n}", false, 0},
		"the loop's choice": {"func f() {\nfor w := range n {\nt := &tallies[w]\nt.hits++\n}\n}", false, 4},
	} {
		c := wideCase()
		c.evidence.Program.Source = sourceOf("package main\n" + x.source)
		c.evidence.Profiles = nil
		line := 5
		if x.line > 0 {
			line = x.line
		}
		at := fmt.Sprintf("main.f:%d", line)
		switch name {
		case "called from the loop":
			c.cpu(198, "main.process:9", at, "main.worker:9")
		case "in the library":
			c.cpu(198, "strings.Fields:5", at, "main.worker:9") // its source would be found too
		case "rarely":
			c.cpu(36, at, "main.worker:9")
			c.cpu(162, "main.g:9", "main.worker:9")
		case "often enough":
			c.cpu(42, at, "main.worker:9")
			c.cpu(156, "main.g:9", "main.worker:9")
		default:
			c.cpu(198, at, "main.worker:9")
		}
		c.evidence.Runs = append(c.evidence.Runs, c.evidence.Runs[0])
		c.evidence.Runs[0].CPUs, c.evidence.Runs[0].User, c.evidence.Runs[0].Wall = 1, 1300*time.Millisecond,
			1300*time.Millisecond
		found := explainWith(nil, &c.evidence).Findings
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == WorkInflation })
		// Lines that add to memory are a reason of their own; see TestMemoryUpdates.
		if _, adjacent := newAnalysis(&c.evidence).adjacentCounter(); adjacent != x.found || adjacent && i < 0 {
			t.Errorf("%s: %v, %v", name, adjacent, c.names())
		} else if adjacent && !strings.Contains(strings.Join(found[i].Evidence, "\n"), "t := &tallies[w") {
			t.Errorf("%s: %q", name, found[i].Evidence)
		}
	}
}

// If findings explain each other, the one with the larger gain stays, or else the first; they never both disappear.
func TestDropSymptoms(t *testing.T) {
	pairs := 0
	for a := range traits {
		for _, b := range traits[a].symptoms {
			if a == b || !slices.Contains(traits[b].symptoms, a) {
				continue
			}
			pairs++
			less, more := newGain(0.4, 0.3, 0.5), newGain(0.5, 0.4, 0.6)
			if got := dropSymptoms([]Finding{{Name: a, Gain: less}, {Name: b, Gain: more}}); len(got) != 1 ||
				got[0].Name != b {
				t.Errorf("%s of less, %s of more: %v", a, b, got)
			}
			if got := dropSymptoms([]Finding{{Name: a, Gain: less}, {Name: b, Gain: less}}); len(got) != 1 ||
				got[0].Name != a {
				t.Errorf("%s, %s of the same: %v", a, b, got)
			}
			if got := dropSymptoms([]Finding{{Name: a}, {Name: b, Gain: less}}); len(got) != 1 || got[0].Name != b {
				t.Errorf("%s without a gain, %s with one: %v", a, b, got)
			}
		}
	}
	less := newGain(0.4, 0.3, 0.5)
	for _, c := range []struct {
		cause Finding
		f     Finding
		hides bool
	}{
		{Finding{Name: "coarse-lock", Level: ProfileLevel}, Finding{Name: "hot-function", Gain: less}, false},
		{Finding{Name: "busy-wait", Level: ProfileLevel, Share: 0.5},
			Finding{Name: "hot-function", Share: 0.4, Gain: less},
			true},
		{Finding{Name: "busy-wait", Level: ProfileLevel, Share: 0.1},
			Finding{Name: "hot-function", Share: 0.6, Gain: less},
			false},
		{Finding{Name: "busy-wait", Level: TraceLevel, Share: 0.5},
			Finding{Name: "hot-function", Share: 0.4, Gain: less},
			false},
		{Finding{Name: "load-imbalance"}, Finding{Name: "cpu-saturated"}, false},
		{Finding{Name: "load-imbalance", Gain: less}, Finding{Name: "cpu-saturated"}, true},
		{Finding{Name: "unbounded-spawn"}, Finding{Name: "cpu-saturated"}, true},
	} {
		if got := dropSymptoms([]Finding{c.cause, c.f}); (len(got) == 1) != c.hides {
			t.Errorf("%s of tier %s, %v, and %s, %v: %v", c.cause.Name, c.cause.Level, c.cause.Gain, c.f.Name, c.f.Gain,
				got)
		}
	}
	if pairs == 0 {
		t.Error("no two explain each other: this tests nothing")
	}
}

// The scheduler's time counts for a lock only as far as its waits can explain it. The numbers are those of a service
// whose garbage collector wakes its workers all the time; without its lock it is no faster.
func TestSchedulerTimeNotOfLock(t *testing.T) {
	busy := func(waits int64) *testCase {
		c := coarseLock()
		r := &c.evidence.Trace.Resources[0]
		r.Count, r.Starved, r.Busy = waits, 10*time.Millisecond, 780*time.Millisecond
		for _, i := range r.Waits {
			c.evidence.Trace.Waits[i].Count = waits
		}
		c.evidence.Trace.Demand = evidence.Demand{}
		c.demand(5, 30, 200, 765)
		c.evidence.Runs[0].User = 1900 * time.Millisecond
		c.evidence.Profiles = nil
		c.cpu(130, "main.encode:37", "main.worker:3")
		c.cpu(60, "runtime.futex", "runtime.findRunnable", "runtime.schedule", "runtime.park_m", "runtime.mcall")
		return c
	}
	lock := func(n string) bool { return n == "coarse-lock" || n == "saturated-resource" || n == "lock-convoy" }
	if names := busy(550).names(); slices.ContainsFunc(names, lock) {
		t.Errorf("550 waits a second: %v", names)
	}
	if names := busy(20000).names(); !slices.ContainsFunc(names, lock) {
		t.Errorf("20000 waits a second: %v", names)
	}
}

// A lock that is held briefly and costs little CPU time, but for which a goroutine always waits, serializes its users.
func TestShortCheapLock(t *testing.T) {
	c := coarseLock()
	r := &c.evidence.Trace.Resources[0] // goroutines that did not wait hold it for the rest of the time
	r.Holds.P50, r.Holds.Sum = 5*time.Microsecond, time.Duration(r.Holds.Count)*5*time.Microsecond
	r.HeldRunning = r.Holds.Sum
	if f := c.first(); f.Name != "coarse-lock" {
		t.Errorf("%s", f.Name)
	}
}

// A goroutine that waits for a timer in a select is in an external wait, unless others send to it.
func TestTimerInSelect(t *testing.T) {
	waiting := func(waker int) *testCase {
		c := newCase()
		c.demand(950, 50)
		c.class("main.main", 1, 1, 50*time.Millisecond, 50*time.Millisecond)
		at := c.wait(evidence.OpSelect, 1, 120, 950*time.Millisecond, 1, "runtime.selectgo", "main.call:4",
			"main.main:3")
		c.evidence.Trace.Waits[at].Wakers = []evidence.Waker{{Count: 119, Class: waker}, {Count: 1, Class: 1}}
		return c
	}
	if f := waiting(-1).first(); f.Name != "dependency-wait" || f.Gain != nil ||
		!strings.Contains(f.Claim, "main goroutine") {
		t.Errorf("a timer, and once a goroutine that cancels: %s %v %q", f.Name, f.Gain, f.Claim)
	}
	if f := waiting(1).first(); f.Name == "dependency-wait" {
		t.Error("a goroutine that sends is nothing outside")
	}
	both := waiting(-1)
	w := both.class("main.ask", 1, 1, time.Millisecond, time.Millisecond)
	both.wait(evidence.OpNetwork, w, 10, 310*time.Millisecond, -1, "net.(*conn).Read", "main.ask:7")
	if f := both.first(); f.Name != "dependency-wait" || !strings.Contains(f.Claim, "main goroutine") {
		t.Errorf("what waits longest is named: %s %q", f.Name, f.Claim)
	}
	for name, ends := range map[string]func(c *testCase){ // a load test that main ends after its time
		"one sleep": func(c *testCase) {
			c.wait(evidence.OpSleep, 1, 1, 990*time.Millisecond, -1, "time.Sleep",
				"main.main:8")
		},
		"a sleep to warm up before": func(c *testCase) {
			c.wait(evidence.OpSleep, 1, 1, 200*time.Millisecond, -1, "time.Sleep", "main.main:8")
			c.wait(evidence.OpSleep, 1, 1, 750*time.Millisecond, -1, "time.Sleep", "main.main:9")
		},
		"a sleep that outlasts the trace": func(c *testCase) {
			c.evidence.Trace.Waits[c.wait(evidence.OpSleep, 1, 1, 0, -1, "time.Sleep",
				"main.main:8")].Pending = 950 * time.Millisecond
		},
		"a timer that outlasts the trace": func(c *testCase) {
			c.evidence.Trace.Waits[c.wait(evidence.OpReceive, 1, 1, 0, -1, "runtime.chanrecv1",
				"main.main:8")].Pending = 950 *
				time.Millisecond
			c.evidence.Program.Source = func(string, int) string { return "<-time.NewTimer(time.Minute).C // at last" }
		},
		"a context's deadline": func(c *testCase) {
			w := c.class("context.WithDeadlineCause.func2", 1, 1, time.Millisecond, 0)
			c.wait(evidence.OpReceive, 1, 1, 950*time.Millisecond, w, "runtime.chanrecv1", "main.main:8")
		},
	} {
		lasts := client(0)
		ends(lasts)
		if f := lasts.first(); f.Name != "dependency-wait" || f.Gain != nil || !strings.Contains(f.Claim, "client") ||
			!strings.Contains(f.Alternative, "load test") {
			t.Errorf("main ends it by %s: %s %v %q %q", name, f.Name, f.Gain, f.Claim, f.Alternative)
		}
	}
	load := poolCase(0)
	load.wait(evidence.OpSleep, 1, 1, 990*time.Millisecond, -1, "time.Sleep", "main.main:8")
	if r := explainWith(nil, &load.evidence); r.Findings[0].Gain == nil ||
		!slices.ContainsFunc(r.Notes, func(n string) bool {
			return strings.HasPrefix(n,
				"a timer in the main goroutine seems to end the run")
		}) {
		t.Errorf("nothing says that the run takes as long: %+v %q", r.Findings[0], r.Notes)
	}
	for name, polls := range map[string]func(c *testCase){
		"now and then": func(c *testCase) {
			c.wait(evidence.OpSleep, 1, 20, 990*time.Millisecond, -1, "time.Sleep",
				"main.main:8")
		},
		"every second": func(c *testCase) {
			c.evidence.Trace.Waits[c.wait(evidence.OpSleep, 1, 2, 600*time.Millisecond, -1, "time.Sleep",
				"main.main:8")].Pending = 390 * time.Millisecond
		},
		"for others": func(c *testCase) {
			c.evidence.Trace.Waits[c.wait(evidence.OpReceive, 1, 1, 0, -1, "runtime.chanrecv1",
				"main.main:8")].Pending = 950 *
				time.Millisecond
			c.evidence.Program.Source = func(string, int) string { return "<-results // not time.After(x)" }
		},
		"for a signal": func(c *testCase) {
			c.evidence.Trace.Waits[c.wait(evidence.OpReceive, 1, 1, 0, -1, "runtime.chanrecv1",
				"main.main:8")].Pending = 950 *
				time.Millisecond
			c.evidence.Program.Source = func(string, int) string { return "<-ctx.Done()" }
		},
	} {
		c := client(0)
		polls(c)
		if f := c.first(); f.Name != "stop-and-wait" {
			t.Errorf("main looks %s beside it: %s %q", name, f.Name, f.Claim)
		}
	}
	long := newCase() // one query, without a reply before the end of the trace
	long.demand(950, 50)
	long.class("main.main", 1, 1, 50*time.Millisecond, 50*time.Millisecond)
	long.evidence.Trace.Waits[long.wait(evidence.OpNetwork, 1, 1, 0, -1, "internal/poll.(*FD).Read", "net.(*conn).Read",
		"main.main:5")].Pending = 950 * time.Millisecond
	if f := long.first(); f.Name != "dependency-wait" {
		t.Errorf("one query that outlasts the trace: %s", f.Name)
	}
	last := client(0) // the last of many replies is missing
	answers := &last.evidence.Trace.Waits[0]
	answers.Waited, answers.Pending = 30*time.Millisecond, 900*time.Millisecond
	last.evidence.Trace.Classes[2].Waiting["network"] = 930 * time.Millisecond
	if f := last.first(); f.Name != "dependency-wait" || f.Gain != nil {
		t.Errorf("one answer of many outlasts the trace: %s %v", f.Name, f.Gain)
	}
	halves := newCase() // one long reply has arrived, the next has not
	halves.demand(550, 450)
	halves.class("main.main", 1, 1, 450*time.Millisecond, 450*time.Millisecond)
	half := halves.wait(evidence.OpNetwork, 1, 2, 280*time.Millisecond, -1, "internal/poll.(*FD).Read",
		"net.(*conn).Read",
		"main.main:5")
	halves.evidence.Trace.Waits[half].Pending = 270 * time.Millisecond
	if f := halves.first(); f.Name != "dependency-wait" {
		t.Errorf("two long answers, the second of which outlasts the trace: %s", f.Name)
	}
	serving := poolCase(0)
	serving.wait(evidence.OpSleep, 1, 1, 990*time.Millisecond, -1, "time.Sleep", "main.main:8")
	serving.wait(evidence.OpNetwork, 2, 1, time.Millisecond, -1, "internal/poll.(*FD).Accept", "net.(*netFD).accept",
		"net.(*TCPListener).Accept", "main.serve:3")
	if r := explainWith(nil, &serving.evidence); slices.ContainsFunc(r.Notes,
		func(n string) bool { return strings.HasPrefix(n, "a timer in the main goroutine") }) {
		t.Errorf("a server is said to end by a timer: %q", r.Notes)
	}
	shows := client(0) // main displays the progress until all is done
	at := shows.wait(evidence.OpSelect, 1, 100, 990*time.Millisecond, -1, "runtime.selectgo", "main.main:8")
	shows.evidence.Trace.Waits[at].Wakers = []evidence.Waker{{Count: 99, Class: -1}, {Count: 1, Class: 2}}
	if f := shows.first(); f.Name != "stop-and-wait" {
		t.Errorf("main shows the progress beside it: %s %q", f.Name, f.Claim)
	}
	sleeps := client(0) // another goroutine sleeps and displays the progress
	p := sleeps.class("main.progress", 1, 1, time.Millisecond, 0)
	sleeps.wait(evidence.OpSleep, p, 100, 990*time.Millisecond, -1, "time.Sleep", "main.progress:8")
	if f := sleeps.first(); f.Name != "stop-and-wait" {
		t.Errorf("a sleeper beside it: %s %q", f.Name, f.Claim)
	}
	tick := client(0) // and a goroutine that shows the progress
	k := tick.class("main.progress", 1, 1, time.Millisecond, 0)
	tick.wait(evidence.OpSelect, k, 100, 990*time.Millisecond, -1, "runtime.selectgo", "main.progress:8")
	tick.evidence.Trace.Waits[1].Wakers = []evidence.Waker{{Count: 100, Class: -1}}
	if f := tick.first(); f.Name != "stop-and-wait" {
		t.Errorf("a ticker beside it: %s %q", f.Name, f.Claim)
	}
}

// The slowest stage of a pipeline may be in an external wait all the time, and never wait for work or for room.
func TestSleepingStage(t *testing.T) {
	c := newCase()
	c.demand(970, 30)
	c.class("main.main", 1, 1, 10*time.Millisecond, time.Millisecond)
	a := c.class("main.enrich", 1, 1, 10*time.Millisecond, 5*time.Millisecond)
	b := c.class("main.parse", 1, 1, 10*time.Millisecond, 5*time.Millisecond)
	c.evidence.Trace.Classes[a].Members[0].External = 980 * time.Millisecond
	c.wait(evidence.OpSleep, a, 300, 980*time.Millisecond, -1, "time.Sleep", "main.name:6", "main.enrich:4")
	c.wait(evidence.OpSend, b, 283, 930*time.Millisecond, a, "runtime.chansend1", "main.parse:5")
	c.wait(evidence.OpReceive, 1, 300, 970*time.Millisecond, a, "runtime.chanrecv2", "main.main:9")
	if f := c.first(); f.Name != "stage-limited" || f.Gain == nil || f.Gain.Estimate < 0.5 {
		t.Errorf("%s %v", f.Name, f.Gain)
	}
}

// A program may set GOMAXPROCS to 1 itself, whatever its environment says.
func TestProgramSetsOneCPU(t *testing.T) {
	build := func(set float64) *testCase {
		c := newCase()
		c.demand(10, 100, 200, 690)
		c.class("main.main", 1, 1, time.Millisecond, time.Millisecond)
		c.class("main.worker", 4, 4, 980*time.Millisecond, 5*time.Millisecond)
		c.evidence.Trace.Running = 980 * time.Millisecond
		c.evidence.Runs[0].User = 980 * time.Millisecond
		c.evidence.Runs[0].Metrics = map[string]float64{"/sched/gomaxprocs:threads": set}
		return c
	}
	if f := build(1).first(); f.Name != "one-cpu-pathology" || f.Gain == nil || f.Gain.Estimate < 0.3 ||
		!strings.Contains(f.Fix, "runtime.GOMAXPROCS") {
		t.Errorf("it sets 1: %s %v %q", f.Name, f.Gain, f.Fix)
	}
	byProfile := build(1)
	byProfile.evidence.Trace = nil
	byProfile.cpu(98, "main.f:5", "main.worker:3")
	if f := byProfile.first(); f.Name != "one-cpu-pathology" || f.Gain != nil {
		t.Errorf("it sets 1, without a trace: %s %v", f.Name, f.Gain)
	}
	one := build(1)
	one.evidence.Trace = nil
	one.cpu(98, "main.f:5", "main.main:3")
	if f := one.first(); f.Name != "single-threaded" || f.Gain == nil {
		t.Errorf("it sets 1, and main does all: %s %v", f.Name, f.Gain)
	}
	full := build(2)
	full.evidence.Runs[0].CPUs, full.evidence.Runs[0].MachineCPUs, full.evidence.Runs[0].User = 8, 8,
		1950*time.Millisecond
	full.evidence.Trace.Demand = evidence.Demand{}
	full.demand(5, 10, 85, 900)
	if f := full.first(); f.Name != "cpu-saturated" || !strings.Contains(f.Fix, "GOMAXPROCS") {
		t.Errorf("it sets 2 of 8: %s %q", f.Name, f.Fix)
	}
	idle := build(1)
	idle.evidence.Trace, idle.evidence.Runs[0].User = nil, 300*time.Millisecond
	idle.cpu(98, "main.f:5", "main.worker:3")
	if names := idle.names(); slices.Contains(names, "one-cpu-pathology") {
		t.Errorf("it does not use it: %v", names)
	}
	alone := build(1)
	alone.evidence.Trace.Demand = evidence.Demand{}
	alone.demand(10, 990)
	alone.evidence.Trace.Classes = alone.evidence.Trace.Classes[:1]
	alone.class("main.main", 1, 1, 990*time.Millisecond, 990*time.Millisecond)
	if f := alone.first(); f.Name != "single-threaded" || f.Gain == nil || !strings.Contains(f.Fix, "GOMAXPROCS") {
		t.Errorf("it sets 1, and one goroutine works: %s %q", f.Name, f.Fix)
	}
	if f := build(32).first(); f.Name != "os-oversubscription" {
		t.Errorf("it sets 32 on 2 CPUs: %s", f.Name)
	}
	if names := build(2).names(); slices.Contains(names, "one-cpu-pathology") {
		t.Errorf("it sets 2: %v", names)
	}
}

// A goroutine that sleeps all the time and sends now and then is no stage of a pipeline, unless others bring it work.
func TestTickerBesidePipeline(t *testing.T) {
	c := pipeline(950, 300)
	tick := c.class("main.flush", 1, 1, time.Millisecond, 0)
	c.evidence.Trace.Classes[tick].Members[0].External = 990 * time.Millisecond
	c.wait(evidence.OpReceive, 2, 100, 20*time.Millisecond, tick, "runtime.chanrecv1", "main.slow:8")
	if f := c.first(); f.Name != "stage-limited" || !slices.Contains(f.Where, "main.go:5") {
		t.Errorf("%s %v", f.Name, f.Where)
	}
}

// The number of a library's goroutines, one for each connection, is no setting of the program.
func TestLibraryPool(t *testing.T) {
	c := poolCase(0)
	for i := range c.evidence.Trace.Classes {
		if x := &c.evidence.Trace.Classes[i]; x.Start.Function == "main.worker" {
			x.Start, x.Created = frames("net/http.(*conn).serve")[0], frames("net/http.(*Server).Serve", "main.main")
		}
	}
	if names := c.names(); slices.Contains(names, "too-few-workers") {
		t.Errorf("%v", names)
	}
}

// In a large pool in external waits each goroutine has its own job. Of goroutines that compute there are too few while
// CPUs are idle.
func TestLargePools(t *testing.T) {
	build := func(running, outside time.Duration) []string {
		c := newCase()
		c.evidence.Runs[0].CPUs, c.evidence.Runs[0].MachineCPUs, c.evidence.Trace.CPUs = 80, 80, 80
		c.demand(1000)
		if running > 0 {
			c.evidence.Trace.Demand = evidence.Demand{}
			c.demand(append(make([]int, 40), 1000)...)
		}
		c.class("main.main", 1, 1, time.Millisecond, 0)
		w := c.class("main.worker", 40, 40, 40*running, 0)
		c.evidence.Runs[0].User = 40 * running
		c.evidence.Trace.Classes[w].Waiting["sleep"] = 40 * outside
		for i := range c.evidence.Trace.Classes[w].Members {
			c.evidence.Trace.Classes[w].Members[i].External = outside
		}
		return c.names()
	}
	if names := build(960*time.Millisecond, 0); !slices.Contains(names, "too-few-workers") {
		t.Errorf("40 of 80 CPUs are used by 40 workers: %v", names)
	}
	if names := build(0, 950*time.Millisecond); slices.Contains(names, "too-few-workers") {
		t.Errorf("40 wait outside: %v", names)
	}
}

// Many locks together cost as much as one.
func TestManyLocks(t *testing.T) {
	c := coarseLock()
	c.evidence.Trace.Resources[0].Starved = 10 * time.Millisecond
	c.evidence.Runs[0].User = 1950 * time.Millisecond
	c.evidence.Profiles = nil
	c.cpu(130, "main.encode:37", "main.worker:3")
	c.cpu(60, "runtime.futex", "runtime.findRunnable", "runtime.schedule", "runtime.park_m", "runtime.mcall")
	if names := c.names(); slices.Contains(names, "coarse-lock") {
		t.Errorf("one, waited for 1000 times a second: %v", names)
	}
	for range 15 {
		c.evidence.Trace.Resources = append(c.evidence.Trace.Resources,
			evidence.Resource{Kind: evidence.ResourceMutex, Count: 1000, Busy: 300 * time.Millisecond})
	}
	found := explainWith(nil, &c.evidence).Findings
	i := slices.IndexFunc(found, func(f Finding) bool {
		return f.Name == "coarse-lock" || f.Name == "lock-convoy" || f.Name == "saturated-resource"
	})
	if i < 0 || found[i].Gain != nil || !strings.Contains(strings.Join(found[i].Evidence, " "),
		"other locks too, 15000 times") {
		t.Errorf("sixteen: %+v", found)
	}
}

// The scheduler's time counts for a channel only as far as its parkings can explain it.
func TestSchedulerTimeNotOfChannels(t *testing.T) {
	if !slices.Contains(handoffCase().names(), "chan-handoff") {
		t.Error("not even with 100000 parkings")
	}
	c := handoffCase()
	for i := range c.evidence.Trace.Waits {
		c.evidence.Trace.Waits[i].Count = 1600
	}
	c.evidence.Profiles = nil
	c.cpu(50, "main.f:5", "main.stage:3")
	c.cpu(15, "runtime.lock2", "runtime.chansend", "runtime.chansend1", "main.main:4", "runtime.main")
	c.cpu(40, "runtime.futex", "runtime.findRunnable", "runtime.schedule", "runtime.park_m", "runtime.mcall")
	if names := c.names(); slices.Contains(names, "chan-handoff") {
		t.Errorf("3200 parkings a second cannot take 40%% of the time: %v", names)
	}
}

// A program that sets GOMAXPROCS itself has no run on one CPU for comparison.
func TestNoRunOnOneCPU(t *testing.T) {
	c := stallCase()
	if !slices.Contains(c.names(), "chan-handoff") {
		t.Error("with a run on one CPU")
	}
	for i := range c.evidence.Runs {
		if c.evidence.Runs[i].CPUs == 1 {
			c.evidence.Runs[i].Metrics = map[string]float64{procsMetric: 2}
		}
	}
	if names := c.names(); slices.Contains(names, "chan-handoff") {
		t.Errorf("it used two there as well: %v", names)
	}
}

// Several benchmarks run in sequence, so that their order is no phase of a program.
func TestMultipleBenchmarks(t *testing.T) {
	c := newCase()
	c.demand(5, 600, 395)
	c.class("testing.(*B).launch", 4, 1, 600*time.Millisecond, 600*time.Millisecond)
	c.class("testing.(*B).RunParallel.func1", 2, 2, 790*time.Millisecond, 0)
	c.cpu(60, "main.f:4", "testing.(*B).launch")
	c.cpu(79, "main.f:5", "testing.(*B).RunParallel.func1")
	if f := c.first(); f.Name != "serial-phase" ||
		strings.Contains(f.Claim, "goroutines of testing.(*B).launch works") {
		t.Errorf("one: %s %q", f.Name, f.Claim)
	}
	for i := range 40 {
		wants := 1.0
		if i >= 24 {
			wants = 2
		}
		c.evidence.Trace.Demand.Mean, c.evidence.Trace.Demand.Running = append(c.evidence.Trace.Demand.Mean, wants),
			append(c.evidence.Trace.Demand.Running, wants)
	}
	if len(explainWith(nil, &c.evidence).Phases) == 0 {
		t.Error("one has no phases: what follows tests nothing")
	}
	c.evidence.Program.MultipleBenchmarks = true
	if names := c.names(); slices.Contains(names, "serial-phase") {
		t.Errorf("several: %v", names)
	}
	if r := explainWith(nil, &c.evidence); len(r.Phases) > 0 || !math.IsNaN(r.Parallelism.SerialFraction) {
		t.Errorf("several have no phases: %v %v", r.Phases, r.Parallelism)
	}
}

// A benchmark that runs small operations in sequence is no finding.
func TestSmallOperations(t *testing.T) {
	build := func(root string, operations int64, traced bool) []string {
		c := newCase()
		c.demand(10, 990)
		c.class(root, 1, 1, 990*time.Millisecond, 990*time.Millisecond)
		c.cpu(99, "main.f:5", root)
		c.evidence.Runs[0].Operations = operations
		if !traced {
			c.evidence.Trace = nil
		}
		return c.names()
	}
	for _, traced := range []bool{true, false} {
		if names := build("testing.(*B).launch", 1000000, traced); slices.Contains(names, "single-threaded") {
			t.Errorf("an operation of 1 us: %v", names)
		}
		if names := build("testing.(*B).launch", 10, traced); !slices.Contains(names, "single-threaded") {
			t.Errorf("an operation of 100 ms: %v", names)
		}
		if names := build("main.main", 1000000, traced); !slices.Contains(names, "single-threaded") {
			t.Errorf("a design: %v", names)
		}
	}
}

// Read locks of an RWMutex slow down everything else on several CPUs, so that the gain includes this.
func TestRWMutexInflation(t *testing.T) {
	build := func(one time.Duration) Finding {
		c := newCase()
		c.demand(0, 10, 990)
		c.class("main.reader", 2, 2, 1990*time.Millisecond, 0)
		c.cpu(110, "sync.(*RWMutex).RUnlock", "main.get:4", "main.reader:3")
		c.cpu(90, "main.get:5", "main.reader:3")
		c.evidence.Runs[0].User = 2 * time.Second
		c.evidence.Runs = append(c.evidence.Runs, c.evidence.Runs[0])
		c.evidence.Runs[1].CPUs, c.evidence.Runs[1].Wall, c.evidence.Runs[1].User = 1, one, one
		return c.first()
	}
	if f := build(300 * time.Millisecond); f.Name != "rwmutex-misuse" || f.Gain.Estimate < 0.8 || f.Gain.High < 0.9 {
		t.Errorf("2 s of CPU time, 0.3 s on one CPU: %s %+v", f.Name, f.Gain)
	}
	if f := build(2 * time.Second); f.Name != "rwmutex-misuse" || f.Gain.Estimate > 0.6 {
		t.Errorf("the same on one CPU: %s %+v", f.Name, f.Gain)
	}
}

// A short tail of one fork and join has no gain: page faults may have caused it.
func TestTailByChance(t *testing.T) {
	// scale lengthens everything except the tail
	build := func(tail time.Duration, batches int64, scale time.Duration) *testCase {
		c := newCase()
		ms := int(tail / time.Millisecond / scale)
		c.demand(0, ms, 1000-ms)
		c.class("main.main", 1, 1, time.Millisecond, 0)
		// more goroutines than members, so that it is unknown how evenly they ran
		w := c.class("main.worker", 24, 24, 2*second-tail, tail)
		x := &c.evidence.Trace.Classes[w]
		x.Tail, x.Batches = tail, batches
		c.evidence.Trace.Duration *= scale
		for i := range c.evidence.Trace.Demand.Time {
			c.evidence.Trace.Demand.Time[i] *= scale
		}
		return c
	}
	find := func(c *testCase) *Finding {
		list := explainWith(nil, &c.evidence).Findings
		i := slices.IndexFunc(list, func(f Finding) bool { return f.Name == "load-imbalance" })
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	once := build(140*time.Millisecond, 1, 1)
	if f := find(once); f == nil || f.Gain != nil || f.Confidence != Low {
		t.Errorf("once 140 ms: %+v", f)
	}
	if f := find(build(140*time.Millisecond, 20, 1)); f == nil || f.Gain == nil || f.Confidence != High {
		t.Errorf("140 ms of 20 tails: %+v", f)
	}
	if f := find(build(300*time.Millisecond, 1, 1)); f == nil || f.Gain == nil {
		t.Errorf("once 300 ms: %+v", f)
	}
	if f := find(build(105*time.Millisecond, 1, 1)); f != nil {
		t.Errorf("once 105 ms, of which no change would save 5%%: %+v", f)
	}
	if f := find(build(700*time.Millisecond, 1, 5)); f == nil || f.Gain == nil {
		t.Errorf("once 700 ms of 5 s: %+v", f)
	}
	if f := build(115*time.Millisecond, 1, 1).first(); f.Name != "cpu-saturated" {
		t.Errorf("all CPUs are in use, but for a tail that may be chance: %s", f.Name)
	}
	for p99, found := range map[time.Duration]bool{12 * time.Millisecond: false, 13 * time.Millisecond: true} {
		c := build(280*time.Millisecond, 20, 1)
		busy := &c.evidence.Trace.Classes[2].Busy
		busy.Count, busy.Sum, busy.P50, busy.P90, busy.P99 = 100, second, 10*time.Millisecond, 10*time.Millisecond, p99
		if f := find(c); (f != nil) != found {
			t.Errorf("pieces of 10 ms, one of a hundred above %v: %+v", p99, f)
		}
		c.demand(0, 400, 600)
		c.evidence.Trace.Classes[2].Tail = 400 * time.Millisecond
		if f := find(c); f == nil {
			t.Errorf("a tail of 400 ms of 1 s, one of a hundred above %v: none", p99)
		}
	}
}

// A main goroutine that sends requests to a listener in the same program waits for replies. If it accepts connections
// itself, it may be a server, so that there is no gain.
func TestMainServes(t *testing.T) {
	build := func(accepts int) Finding {
		c := newCase()
		c.demand(900, 100)
		m := c.class("main.main", 1, 1, 50*time.Millisecond, 50*time.Millisecond)
		c.class("main.other", 1, 1, 50*time.Millisecond, 10*time.Millisecond)
		c.wait(evidence.OpNetwork, accepts, 2, 10*time.Millisecond, -1, "internal/poll.(*FD).Accept",
			"net.(*netFD).accept",
			"net.(*TCPListener).Accept", "main.serve:3")
		c.wait(evidence.OpNetwork, m, 200, 900*time.Millisecond, -1, "internal/poll.(*FD).Read", "net.(*conn).Read",
			"main.main:6")
		c.evidence.Trace.Classes[m].Waiting["network"] = 900 * time.Millisecond
		c.evidence.Trace.Syscalls = append(c.evidence.Trace.Syscalls,
			evidence.SyscallSite{Stack: frames("internal/poll.(*FD).Write", "net.(*conn).Write", "main.main:7"),
				Class: m, Count: 200})
		return c.first()
	}
	if f := build(1); f.Name != "dependency-wait" || f.Gain != nil || f.Confidence != Low ||
		!strings.Contains(f.Alternative, "as a server does") {
		t.Errorf("main accepts: %s %v %q %q", f.Name, f.Gain, f.Confidence, f.Alternative)
	}
	often := client(0) // sends at two lines
	often.evidence.Trace.Syscalls = append(often.evidence.Trace.Syscalls, evidence.SyscallSite{Class: 2, Count: 50,
		Stack: frames("internal/poll.(*FD).Write", "net.(*conn).Write", "main.hello:4", "main.client:3")})
	if f := often.first(); f.Name != "stop-and-wait" || !slices.Equal(f.Where, []string{"main.go:5"}) {
		t.Errorf("sends most at line 5: %s %v", f.Name, f.Where)
	}
	server := newCase() // main accepts, and another goroutine has a connection to elsewhere
	server.demand(950, 50)
	server.class("main.main", 1, 1, 50*time.Millisecond, 50*time.Millisecond)
	w := server.class("main.upstream", 1, 1, 10*time.Millisecond, 0)
	server.wait(evidence.OpNetwork, 1, 10, 900*time.Millisecond, -1, "internal/poll.(*FD).Accept",
		"net.(*netFD).accept",
		"net.(*TCPListener).Accept", "main.serve:3", "main.main:5")
	server.wait(evidence.OpNetwork, w, 10, 900*time.Millisecond, -1, "internal/poll.(*FD).Read", "net.(*conn).Read",
		"main.upstream:7")
	if f := server.first(); f.Name != None {
		t.Errorf("main does nothing but accept: %s %q", f.Name, f.Claim)
	}
	if f := build(2); f.Name != "stop-and-wait" || f.Gain == nil {
		t.Errorf("main asks: %s %q", f.Name, f.Claim)
	}
}

// If a program limits GOMAXPROCS itself, the finding and all its sentences say so.
func TestLimitedGOMAXPROCS(t *testing.T) {
	c := wideCase()
	c.evidence.Runs[0].CPUs = 4
	c.evidence.Runs[0].Metrics = map[string]float64{"/sched/gomaxprocs:threads": 2}
	f := c.first()
	if f.Name != "cpu-saturated" || !strings.Contains(f.Claim, "2 CPUs that GOMAXPROCS allows") ||
		!strings.Contains(f.Claim, "of 4") || !strings.Contains(f.Alternative, "on purpose") ||
		!strings.Contains(f.Fix, "Raise GOMAXPROCS") || !strings.Contains(f.Experiment, "runtime.GOMAXPROCS") {
		t.Errorf("%s %q %q %q %q", f.Name, f.Claim, f.Alternative, f.Fix, f.Experiment)
	}
}

// Tests run in sequence unless they call t.Parallel, which is what to try first.
func TestSequentialTests(t *testing.T) {
	for start, want := range map[string]string{"testing.tRunner": "t.Parallel", "main.main": "Divide the loop"} {
		c := newCase()
		c.demand(10, 990)
		c.class(start, 1, 1, 990*time.Millisecond, 990*time.Millisecond)
		c.cpu(99, "main.f:5", start)
		if f := c.first(); f.Name != SingleThreaded || !strings.Contains(f.Fix, want) {
			t.Errorf("%s: %s, %q", start, f.Name, f.Fix)
		}
	}
}

// A sample without values counts as no goroutine.
func TestLeakWithoutValues(t *testing.T) {
	for kind, leaks := range map[string]bool{"sync.(*Mutex).Lock": true, "runtime.chanrecv1": true, "main.g": false} {
		c := wideCase()
		c.evidence.Trace = nil
		c.evidence.Profiles = append(c.evidence.Profiles, evidence.Profile{Kind: evidence.Goroutine,
			Types: []string{"goroutine/count"}, Samples: []evidence.Sample{{Stack: frames(kind, "main.wait:6")},
				{Stack: frames(kind, "main.wait:6"), Values: []int64{leakCount}}}})
		if got := slices.Contains(c.names(), string(GoroutineLeak)); got != leaks {
			t.Errorf("%d goroutines in %s: a leak %v, want %v", leakCount, kind, got, leaks)
		}
	}
}

// Connections that are never reused keep two goroutines each.
func TestLeakedConnections(t *testing.T) {
	for start, want := range map[string]string{"net/http.(*persistConn).writeLoop": "Share one http.Client",
		"main.serve": "Let them end"} {
		c := leakCase()
		c.evidence.Trace.Classes[len(c.evidence.Trace.Classes)-1].Start.Function = start
		found := explainWith(nil, &c.evidence).Findings
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == GoroutineLeak })
		if i < 0 || !strings.Contains(found[i].Fix, want) {
			t.Errorf("%s: %+v", start, found)
		}
	}
}

// A lock whose waits cost CPU time may save more than the profile shows: a run on one CPU has no waits.
func TestLockGainWithoutContention(t *testing.T) {
	gain := func(oneCPU time.Duration) *Gain {
		c := coarseLock()
		c.evidence.Runs = append(c.evidence.Runs, c.evidence.Runs[0])
		c.evidence.Runs[1].CPUs, c.evidence.Runs[1].User, c.evidence.Runs[1].System = 1, oneCPU, 0
		f := c.first()
		if f.Name != CoarseLock {
			t.Fatalf("%s instead of %s", f.Name, CoarseLock)
		}
		return f.Gain
	}

	same, less := gain(1010*time.Millisecond), gain(900*time.Millisecond)
	if same.High != 0.495 {
		t.Errorf("1.01 s of work on 2 CPUs in one second: at most %v is saved, want 1 - 1.01/2 = 0.495", same.High)
	}
	if less.High != 0.55 {
		t.Errorf("0.9 s of work on one CPU: at most %v is saved, want 1 - 0.9/2 = 0.55", less.High)
	}
	if more := gain(2 * second); *more != *same {
		t.Errorf("more CPU time on one CPU gives %+v, want %+v", more, same)
	}
}

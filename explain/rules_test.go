package explain

import (
	"slices"
	"testing"
	"time"
)

// first is the first finding of evidence.
func (c *made) first() Finding { return Explain(&c.e).Findings[0] }

// TestBriefRunsPromiseNothing: what starting a process takes is a good part of them. What the kernel counts stays.
func TestBriefRunsPromiseNothing(t *testing.T) {
	c := single()
	c.e.Runs[0].Wall = 60 * time.Millisecond
	c.e.Runs[0].User = 60 * time.Millisecond
	found := Explain(&c.e).Findings
	if found[0].Name != "too-few-samples" || found[1].Name != "single-threaded" {
		t.Fatalf("findings: %v", c.names())
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
	c.e.Runs[0].Wall, c.e.Runs[0].User = 60*time.Millisecond, 60*time.Millisecond
	c.e.Runs[0].Reads, c.e.Runs[0].ReadBytes = 100000, 100000
	if f := c.first(); f.Name != "unbuffered-io" || f.Gain == nil {
		t.Errorf("100000 calls in 60 ms: %v", c.names())
	}
}

// TestStageThatWaitsOutside: a stage that is occupied because it sleeps is no stage to be doubled, unless work queues
// for it.
func TestStageThatWaitsOutside(t *testing.T) {
	sleepy := func(op Op) *made {
		c := newCase()
		c.demand(950, 50)
		c.class("main.main", 1, 1, time.Millisecond, time.Millisecond)
		a := c.class("main.device", 1, 1, 30*time.Millisecond, 10*time.Millisecond)
		b := c.class("main.average", 1, 1, 30*time.Millisecond, 10*time.Millisecond)
		c.e.Trace.Classes[a].Members[0].Outside = 950 * time.Millisecond
		c.wait(op, b, 200, 950*time.Millisecond, a, "runtime.chanrecv1", "main.average:4")
		c.wait(OpSend, a, 20, time.Millisecond, b, "runtime.chansend1", "main.device:5")
		c.wait(OpSleep, a, 200, 950*time.Millisecond, -1, "time.Sleep", "main.device:6")
		return c
	}
	if f := sleepy(OpReceive).first(); f.Name != "dependency-wait" {
		t.Errorf("a reader waits for a device that sleeps: %s", f.Name)
	}
	if f := sleepy(OpSend).first(); f.Name != "stage-limited" {
		t.Errorf("a sender waits for a stage that sleeps: %s", f.Name)
	}
}

// TestTokenInASelect: who waits in a select for what its own kind gives back waits for a resource.
func TestTokenInASelect(t *testing.T) {
	pooled := func(own bool) *made {
		c := newCase()
		c.demand(950, 50)
		c.class("main.main", 1, 1, time.Millisecond, time.Millisecond)
		w := c.class("main.query", 20, 20, 50*time.Millisecond, 10*time.Millisecond)
		by := w
		if !own {
			by = w - 1
		}
		at := c.wait(OpSelect, w, 400, 18*second, by, "runtime.selectgo", "main.do:4")
		c.e.Trace.Waits[at].Wakers[0].Stack = frames("runtime.chansend1", "main.do:5")
		return c
	}
	if f := pooled(true).first(); f.Name != "saturated-resource" || f.Gain == nil || f.Gain.Estimate < 0.7 {
		t.Errorf("20 wait for one: %s %v", f.Name, f.Gain)
	}
	if f := pooled(false).first(); f.Name == "saturated-resource" {
		t.Error("they wait for work that main gives them, not for each other")
	}
}

// TestShortSerialPhase: every fork and join has a beginning and an end.
func TestShortSerialPhase(t *testing.T) {
	ends := func(alone time.Duration) *made {
		c := newCase()
		ms := int(alone / time.Millisecond)
		c.demand(5, ms, 995-ms)
		c.class("main.main", 1, 1, alone, alone)
		c.class("main.worker", 2, 2, 2*(995*time.Millisecond-alone), 0)
		c.cpu(ms/10, "main.merge:4", "main.main:7", "runtime.main")
		c.cpu(2*(995-ms)/10, "main.f:5", "main.worker:3")
		return c
	}
	if names := ends(240 * time.Millisecond).names(); slices.Contains(names, "serial-phase") {
		t.Errorf("a final merge of a quarter of the time: %v", names)
	}
	if f := ends(400 * time.Millisecond).first(); f.Name != "serial-phase" {
		t.Errorf("two fifths of the time: %s", f.Name)
	}
}

// TestTinyObjects: a heap profile counts objects without pointers by blocks of 16 bytes.
func TestTinyObjects(t *testing.T) {
	c := single()
	c.e.Runs[0].Reads = 300000
	c.e.Profiles = append(c.e.Profiles, Profile{Kind: Heap, Types: []string{"alloc_objects/count", "alloc_space/bytes"}, Samples: []Sample{
		{Stack: frames("runtime.newobject", "main.f:5"), Values: []int64{18750, 300001}}}})
	c.e.Escapes = []Escape{{File: "main.go", Line: 5, Reason: "moved to heap: buf"}}
	if !slices.Contains(c.names(), "escape-per-op") {
		t.Errorf("a byte for each of 300000 calls, in 18750 blocks: %v", c.names())
	}
	c.e.Runs[0].Reads = 200000
	if slices.Contains(c.names(), "escape-per-op") {
		t.Error("18750 blocks do not go into 200000 calls")
	}
}

// TestSlackOfALine: what is lost while CPUs wake counts in a line that waits in turns, though somebody wanted them.
func TestSlackOfALine(t *testing.T) {
	c := stagesOf(600, 550)
	c.e.Trace.Demand = Demand{}
	c.demand(0, 140, 860)
	c.e.Trace.Resources = []Resource{{Kind: OpChannel, Count: 1000, Busy: second, Starved: 130 * time.Millisecond, Full: 300 * time.Millisecond, Empty: 300 * time.Millisecond, FullCount: 500, EmptyCount: 500, Sites: [][]Frame{frames("main.f:5")}}}
	c.e.Runs[0].User = 1700 * time.Millisecond
	if f := c.first(); f.Name != "unbuffered-lockstep" {
		t.Errorf("15 %% of the CPUs unused in a line without buffers: %v", c.names())
	}
	c.e.Program.Name = "coffee/linearpipe (buffer=10)"
	if f := c.first(); f.Gain != nil {
		t.Errorf("the same with buffers: %v", c.names())
	}
}

// TestBegins: a goroutine that a wrapper started is that of the function it was given.
func TestBegins(t *testing.T) {
	for _, c := range []struct {
		want  string
		stack []Frame
	}{
		{"main.worker", frames("runtime.chanrecv1", "main.worker:4")},
		{"main.main.func1", frames("runtime.chanrecv1", "main.get:2", "main.main.func1:4", "sync.(*WaitGroup).Go.func1")},
		{"main.serve", frames("main.serve:2", "golang.org/x/sync/errgroup.(*Group).add.func1", "golang.org/x/sync/errgroup.(*Group).Go.func1")},
		{"sync.(*WaitGroup).Go.func1", frames("runtime.gopark", "sync.(*WaitGroup).Go.func1")},
	} {
		if got := Begins(c.stack).Function; got != c.want {
			t.Errorf("%v begins in %s", c.stack, got)
		}
	}
}

// TestByProfile: what profiles alone must say.
func TestByProfile(t *testing.T) {
	for _, x := range []struct {
		name Name
		make func() *made
	}{
		{"goroutine-too-fine", func() *made {
			c := wide()
			c.e.Profiles = nil
			c.cpu(60, "runtime.malg", "runtime.newproc1", "runtime.newproc", "main.sort:4", "main.main:3", "runtime.main")
			c.cpu(80, "runtime.findRunnable", "runtime.schedule", "runtime.goexit0", "runtime.mcall")
			c.cpu(50, "main.f:5", "main.sort:3")
			return c
		}},
		{"lock-convoy", func() *made {
			c := wide()
			c.e.Profiles = nil
			c.cpu(120, "internal/sync.(*Mutex).lockSlow", "sync.(*Mutex).Lock", "main.book:5", "main.worker:3")
			c.cpu(60, "main.f:5", "main.worker:3")
			c.e.Runs = append(c.e.Runs, c.e.Runs[0])
			c.e.Runs[0].CPUs, c.e.Runs[0].Wall = 1, 500*time.Millisecond
			return c
		}},
		{"blocking-syscall", func() *made {
			c := single()
			c.e.Profiles = nil
			c.cpu(40, "syscall.fsync", "internal/poll.(*FD).Fsync", "os.(*File).Sync", "main.log:5", "main.main:3", "runtime.main")
			c.e.Runs[0].User, c.e.Runs[0].System, c.e.Runs[0].Voluntary, c.e.Runs[0].Writes = 30*time.Millisecond, 400*time.Millisecond, 9000, 2500
			return c
		}},
		{"dependency-wait", func() *made {
			c := single()
			c.e.Profiles = []Profile{{Kind: Block, Types: []string{"contentions/count", "delay/nanoseconds"}, Samples: []Sample{
				{Stack: frames("runtime.selectgo", "main.query:4"), Values: []int64{400, 940e6}}}}}
			c.e.Runs[0].User = 30 * time.Millisecond
			return c
		}},
	} {
		c := x.make()
		c.e.Trace = nil
		if f := c.first(); f.Name != x.name {
			t.Errorf("%s: found %v", x.name, c.names())
		}
	}
	c := single()
	c.e.Trace, c.e.Runs[0].User = nil, 30*time.Millisecond
	c.e.Profiles = []Profile{{Kind: Goroutine, Types: []string{"goroutine/count"}, Samples: []Sample{{Stack: frames("net.(*TCPListener).Accept", "main.main:4"), Values: []int64{1}}}}}
	if f := c.first(); f.Name == "dependency-wait" {
		t.Error("a server that waits for work")
	}
}

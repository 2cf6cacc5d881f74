package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// testCase builds evidence by hand: a program that ran for a second on two CPUs.
type testCase struct {
	evidence evidence.Evidence
}

const second = time.Second

func newCase() *testCase {
	c := &testCase{}
	c.evidence.Program = evidence.Program{Name: "prog", Module: "example.com/prog", Dir: "/src/prog",
		Source: func(string, int) string { return "" }}
	c.evidence.Runs = []evidence.Run{{CPUs: 2, MachineCPUs: 2, Count: 3, Wall: second, WallLow: second,
		WallHigh: second,
		User:     second,
		Reads:    -1, Writes: -1, ReadBytes: -1, WriteBytes: -1}}
	c.evidence.Trace = &evidence.Trace{Duration: second, CPUs: 2, Events: 1000, Classes: []evidence.Class{{}}}
	return c
}

// frames returns a stack of the program, the innermost function first; "main.f:7" is line 7 of main.go.
func frames(names ...string) []evidence.Frame {
	var out []evidence.Frame
	for i, n := range names {
		function, line, _ := strings.Cut(n, ":")
		f := evidence.Frame{Function: function, File: "/usr/local/go/src/x.go", Line: 100 + i}
		if strings.HasPrefix(n, "main.") {
			f.File = "/src/prog/main.go"
			f.Line = 1
		}
		if line != "" {
			f.Line = int(line[0] - '0')
		}
		out = append(out, f)
	}
	return out
}

// demand sets how long, in ms, 0, 1, 2 ... goroutines wanted a CPU. All CPUs that were wanted ran.
func (c *testCase) demand(ms ...int) {
	d := &c.evidence.Trace.Demand
	for n, m := range ms {
		d.Time = append(d.Time, time.Duration(m)*time.Millisecond)
		d.CPUTime = append(d.CPUTime, time.Duration(m*min(n, 2))*time.Millisecond)
	}
	run := time.Duration(0)
	for _, w := range d.CPUTime {
		run += w
	}
	c.evidence.Trace.Running = run
	c.evidence.Runs[0].User = run
	d.Slice = 10 * time.Millisecond
}

// class adds a class and returns its index.
func (c *testCase) class(start string, count, peak int, running, alone time.Duration) int {
	x := evidence.Class{Start: frames(start)[0], Created: frames("main.main:9"), Count: int64(count), Peak: peak,
		Running: running, Alone: alone,
		Waiting: map[string]time.Duration{}, Batches: 1, StuckAt: -1}
	for range min(peak, 16) {
		x.Members = append(x.Members, evidence.Member{Ended: second, Running: running / time.Duration(max(1, peak))})
	}
	x.Busy.P50, x.Busy.Count = running/time.Duration(count), int64(count)
	x.Bursts.P50, x.Bursts.Count = time.Millisecond, 1000
	c.evidence.Trace.Classes = append(c.evidence.Trace.Classes, x)
	return len(c.evidence.Trace.Classes) - 1
}

// cpu adds samples of 10 ms to the CPU profile.
func (c *testCase) cpu(n int, stack ...string) {
	i := slices.IndexFunc(c.evidence.Profiles, func(p evidence.Profile) bool { return p.Kind == evidence.CPU })
	if i < 0 {
		c.evidence.Profiles = append(c.evidence.Profiles,
			evidence.Profile{Kind: evidence.CPU, Types: []string{"samples/count", "cpu/nanoseconds"}, Duration: second})
		i = len(c.evidence.Profiles) - 1
	}
	p := &c.evidence.Profiles[i]
	p.Samples = append(p.Samples, evidence.Sample{Stack: frames(stack...), Values: []int64{int64(n), int64(n) * 10e6}})
}

// wait adds a site and returns its index.
func (c *testCase) wait(op evidence.Op, class int, count int64, waited time.Duration, waker int, stack ...string) int {
	w := evidence.Wait{Op: op, Reason: string(op), Stack: frames(stack...), Count: count, Waited: waited,
		Classes: []int{class}}
	if waker >= 0 {
		w.Wakers = []evidence.Waker{{Stack: frames("main.wake:8"), Count: count, Class: waker}}
	}
	c.evidence.Trace.Waits = append(c.evidence.Trace.Waits, w)
	return len(c.evidence.Trace.Waits) - 1
}

func (c *testCase) names() []string {
	var out []string
	for _, f := range explainWith(nil, &c.evidence).Findings {
		out = append(out, string(f.Name))
	}
	return out
}

// unevenCase is a program of two workers, of which one has less to do and ends early.
func unevenCase() *testCase {
	c := newCase()
	c.demand(5, 400, 595)
	c.class("main.main", 1, 1, time.Millisecond, 0)
	w := c.class("main.worker", 2, 2, 1590*time.Millisecond, 400*time.Millisecond)
	x := &c.evidence.Trace.Classes[w]
	x.Tail = 400 * time.Millisecond
	x.Members[0].Running, x.Members[1].Running = 1000*time.Millisecond, 590*time.Millisecond
	return c
}

// singleCase is a program with one goroutine.
func singleCase() *testCase {
	c := newCase()
	c.demand(10, 990)
	c.class("main.main", 1, 1, 990*time.Millisecond, 990*time.Millisecond)
	c.cpu(99, "main.f:5", "main.main:3", "runtime.main")
	return c
}

// wideCase is a program with two goroutines that use both CPUs.
func wideCase() *testCase {
	c := newCase()
	c.demand(5, 10, 985)
	c.class("main.main", 1, 1, time.Millisecond, time.Millisecond)
	c.class("main.worker", 2, 2, 1980*time.Millisecond, 5*time.Millisecond)
	c.cpu(198, "main.f:5", "main.worker:3")
	return c
}

// cases each hold a program with a finding and a decoy, which only resembles it. The decoy must not have that finding;
// its first finding is in decoyFinding.
var cases = []struct {
	name         Name
	example      func() *testCase
	decoy        func() *testCase
	decoyFinding Name
}{
	{"single-threaded", singleCase, wideCase, "cpu-saturated"},
	{"unbuffered-io", func() *testCase {
		c := singleCase()
		c.evidence.Profiles = nil
		c.cpu(80, "syscall.read", "internal/poll.(*FD).Read", "os.(*File).Read", "main.f:5", "main.main:3",
			"runtime.main")
		c.cpu(19, "main.f:6", "main.main:3", "runtime.main")
		c.evidence.Runs[0].Reads, c.evidence.Runs[0].ReadBytes = 1000000, 1000000
		return c
	}, func() *testCase { // the same time in calls that move pages
		c := singleCase()
		c.evidence.Profiles = nil
		c.cpu(80, "syscall.read", "internal/poll.(*FD).Read", "os.(*File).Read", "main.f:5", "main.main:3",
			"runtime.main")
		c.cpu(19, "main.f:6", "main.main:3", "runtime.main")
		c.evidence.Runs[0].Reads, c.evidence.Runs[0].ReadBytes = 1000000, 65536*1000000
		return c
	}, "single-threaded"},
	{"goroutine-too-fine", func() *testCase {
		c := wideCase()
		c.evidence.Profiles = nil
		c.cpu(50, "main.tiny:5")
		c.cpu(150, "runtime.newproc1", "runtime.newproc", "main.main:3", "runtime.main")
		c.evidence.Trace.Classes[2].Count, c.evidence.Trace.Classes[2].Busy.P50 = 1000000, 400
		return c
	}, func() *testCase { // as many goroutines, each with enough work
		c := wideCase()
		c.evidence.Trace.Classes[2].Count, c.evidence.Trace.Classes[2].Busy.P50 = 1000000, 100*time.Microsecond
		return c
	}, "cpu-saturated"},
	{"coarse-lock", coarseLock, func() *testCase { // the same waiting time, but the CPUs are in use
		c := coarseLock()
		c.evidence.Trace.Demand = evidence.Demand{}
		c.demand(0, 10, 990)
		c.evidence.Trace.Resources[0].Starved = 0
		return c
	}, "cpu-saturated"},
	{"lock-convoy", func() *testCase {
		c := coarseLock()
		h := &c.evidence.Trace.Resources[0].Holds
		h.P50, h.Sum = time.Microsecond, time.Duration(h.Count)*2*time.Microsecond
		c.cpu(30, "sync.(*Mutex).lockSlow", "sync.(*Mutex).Lock", "main.update:7", "main.worker:3")
		return c
	}, coarseLock, "coarse-lock"},
	{"saturated-resource", func() *testCase {
		c := coarseLock()
		c.evidence.Trace.Resources[0].HeldRunning = 400 * time.Millisecond
		return c
	}, coarseLock, "coarse-lock"},
	{"rwmutex-misuse", func() *testCase {
		c := wideCase()
		c.cpu(100, "sync/atomic.(*Int32).Add", "sync.(*RWMutex).RLock", "main.get:7", "main.worker:3")
		return c
	}, wideCase, "cpu-saturated"},
	{"gc-pressure", func() *testCase {
		c := wideCase()
		c.cpu(100, "runtime.scanobject", "runtime.gcDrain", "runtime.gcBgMarkWorker", "runtime.systemstack")
		return c
	}, wideCase, "cpu-saturated"},
	{"chan-handoff", handoffCase, func() *testCase { // the same number of waits, for long items
		c := handoffCase()
		c.evidence.Profiles = nil
		c.cpu(90, "main.f:5", "main.stage:3")
		c.evidence.Trace.Classes[1].Bursts.P50 = time.Millisecond
		c.evidence.Trace.Classes[2].Bursts.P50 = time.Millisecond
		return c
	}, ""},
	{"serial-phase", func() *testCase {
		c := newCase()
		c.demand(5, 400, 595)
		c.class("main.main", 1, 1, 400*time.Millisecond, 400*time.Millisecond)
		c.class("main.worker", 2, 2, 1190*time.Millisecond, 0)
		c.cpu(40, "compress/flate.(*compressor).deflate", "image/png.Encode", "main.main:7", "runtime.main")
		c.cpu(119, "main.f:5", "main.worker:3")
		return c
	}, wideCase, "cpu-saturated"},
	{"load-imbalance", func() *testCase {
		c := unevenCase()
		c.cpu(159, "main.f:5", "main.worker:3")
		return c
	}, wideCase, "cpu-saturated"},
	{"busy-wait", func() *testCase {
		c := newCase()
		c.demand(0, 0, 0, 1000)
		c.class("main.main", 1, 1, 10*time.Millisecond, 0)
		c.class("main.worker", 3, 3, 1990*time.Millisecond, 0)
		c.cpu(130, "main.f:5", "main.worker:3")
		c.cpu(70, "sync/atomic.(*Bool).Load", "main.spin:4")
		return c
	}, wideCase, "cpu-saturated"},
	{"work-inflation", func() *testCase {
		c := wideCase()
		c.evidence.Runs = append(c.evidence.Runs, c.evidence.Runs[0])
		c.evidence.Runs[0].CPUs, c.evidence.Runs[0].User, c.evidence.Runs[0].Wall = 1, 800*time.Millisecond,
			800*time.Millisecond
		return c
	}, func() *testCase { // two threads of one core
		c := wideCase()
		c.evidence.Runs = append(c.evidence.Runs, c.evidence.Runs[0])
		c.evidence.Runs[0].CPUs, c.evidence.Runs[0].User, c.evidence.Runs[0].Wall = 1, 1400*time.Millisecond,
			1400*time.Millisecond
		return c
	}, "cpu-saturated"},
	{"stage-limited", func() *testCase { return pipeline(950, 100) }, func() *testCase { return pipeline(600, 550) },
		"none"},
	{"unbuffered-lockstep", func() *testCase {
		c := pipeline(600, 550)
		c.evidence.Trace.Resources = []evidence.Resource{{Kind: evidence.ResourceChannel, Count: 1000, Busy: second,
			Starved: 700 * time.Millisecond,
			Full:    300 * time.Millisecond, Empty: 300 * time.Millisecond, FullCount: 500, EmptyCount: 500,
			Sites: [][]evidence.Frame{frames("main.f:5")}}}
		return c
	}, func() *testCase { return pipeline(600, 550) }, "none"},
	{"goroutine-leak", leakCase, func() *testCase { // as many, all started at the beginning: a pool
		c := leakCase()
		c.evidence.Trace.Classes[3].Last = time.Millisecond
		return c
	}, "cpu-saturated"},
	{"unbounded-spawn", func() *testCase {
		c := wideCase()
		k := &c.evidence.Trace.Classes[2]
		k.Count, k.Peak, k.Runnable, k.Busy.P50 = 5000, 5000, 2000*second, time.Millisecond
		return c
	}, wideCase, "cpu-saturated"},
	{"dependency-wait", func() *testCase {
		c := newCase()
		c.demand(950, 50)
		m := c.class("main.main", 1, 1, 50*time.Millisecond, 50*time.Millisecond)
		c.wait(evidence.OpSleep, m, 100, 900*time.Millisecond, -1, "time.Sleep", "main.main:5")
		return c
	}, func() *testCase { // a server that waits for work
		c := newCase()
		c.demand(950, 50)
		m := c.class("main.main", 1, 1, 50*time.Millisecond, 50*time.Millisecond)
		c.wait(evidence.OpNetwork, m, 10, 900*time.Millisecond, -1, "internal/poll.(*FD).Accept", "net.(*netFD).accept",
			"net.(*TCPListener).Accept", "main.main:5")
		return c
	}, "none"},
	{"stop-and-wait", func() *testCase { return client(0) }, func() *testCase { return client(400 * time.Millisecond) },
		"dependency-wait"},
	{"one-cpu-pathology", func() *testCase {
		c := wideCase()
		c.evidence.Runs[0].CPUs = 1
		c.evidence.Trace.CPUs = 1
		return c
	}, wideCase, "cpu-saturated"},
	{"hot-function", func() *testCase {
		c := wideCase()
		c.cpu(400, "regexp/syntax.Parse", "regexp.compile", "regexp.Compile", "regexp.MustCompile", "main.route:7",
			"main.worker:3")
		return c
	}, wideCase, "cpu-saturated"},
	{"os-oversubscription", func() *testCase {
		c := wideCase()
		c.evidence.Runs[0].Throttled = 300 * time.Millisecond
		return c
	}, wideCase, "cpu-saturated"},
	{"too-few-workers", func() *testCase { return poolCase(0) },
		func() *testCase { return poolCase(800 * time.Millisecond) }, ""},
}

// client is a goroutine that writes a request and waits for its reply, 200 times. It also waits for work for the time
// idle.
func client(idle time.Duration) *testCase {
	c := newCase()
	c.demand(900, 100)
	c.class("main.main", 1, 1, time.Millisecond, time.Millisecond)
	k := c.class("main.client", 1, 1, 100*time.Millisecond, 90*time.Millisecond)
	c.wait(evidence.OpNetwork, k, 200, 800*time.Millisecond-idle, -1, "internal/poll.(*FD).Read", "net.(*conn).Read",
		"main.ask:6", "main.client:3")
	x := &c.evidence.Trace.Classes[k]
	x.Waiting["network"], x.Waiting["chan receive"] = 800*time.Millisecond-idle, idle
	for i := range x.Members {
		x.Members[i].ChannelWait, x.Members[i].External = idle, 800*time.Millisecond-idle
	}
	c.evidence.Trace.Syscalls = append(c.evidence.Trace.Syscalls,
		evidence.SyscallSite{Stack: frames("internal/poll.(*FD).Write", "net.(*conn).Write", "main.ask:5",
			"main.client:3"), Class: k,
			Count: 200})
	return c
}

// poolCase is two workers that sleep most of the time, and wait for work for the time idle.
func poolCase(idle time.Duration) *testCase {
	c := newCase()
	c.demand(900, 100)
	c.class("main.main", 1, 1, time.Millisecond, time.Millisecond)
	w := c.class("main.worker", 2, 2, 100*time.Millisecond, 90*time.Millisecond)
	for i := range c.evidence.Trace.Classes[w].Members {
		m := &c.evidence.Trace.Classes[w].Members[i]
		m.ChannelWait, m.External = idle, 950*time.Millisecond-idle
	}
	return c
}

// leakCase is a wide program with goroutines that are never woken.
func leakCase() *testCase {
	c := wideCase()
	k := c.class("main.serve", 500, 400, 10*time.Millisecond, 0)
	at := c.wait(evidence.OpSend, k, 500, 0, -1, "runtime.chansend1", "main.serve:4")
	x := &c.evidence.Trace.Classes[k]
	x.Alive, x.Stuck, x.StuckAt, x.Last = 400, 390, at, 900*time.Millisecond
	return c
}

// coarseLock is two workers that take turns with one lock.
func coarseLock() *testCase {
	c := newCase()
	c.demand(0, 990, 10)
	c.class("main.main", 1, 1, time.Millisecond, 0)
	w := c.class("main.worker", 4, 4, second, 900*time.Millisecond)
	at := c.wait(evidence.OpMutex, w, 1000, 2900*time.Millisecond, w, "sync.(*Mutex).Lock", "main.update:7",
		"main.worker:3")
	c.evidence.Trace.Resources = []evidence.Resource{{Kind: evidence.ResourceMutex, Waits: []int{at},
		Busy:    990 * time.Millisecond,
		Starved: 980 * time.Millisecond, Count: 1000,
		Holds:       evidence.Latencies{Count: 900, P50: time.Millisecond, Sum: 950 * time.Millisecond},
		HeldRunning: 950 * time.Millisecond,
		Sites: [][]evidence.Frame{frames("sync.(*Mutex).Lock", "main.update:7"),
			frames("sync.(*Mutex).Unlock", "main.update:8")}}}
	c.cpu(100, "main.f:5", "main.update:7", "main.worker:3")
	return c
}

// handoffCase is two goroutines with a thousand handoffs for each millisecond of work.
func handoffCase() *testCase {
	c := newCase()
	c.demand(100, 600, 300)
	a := c.class("main.main", 1, 1, 600*time.Millisecond, 300*time.Millisecond)
	b := c.class("main.stage", 1, 1, 600*time.Millisecond, 300*time.Millisecond)
	c.evidence.Trace.Classes[a].Bursts.P50, c.evidence.Trace.Classes[b].Bursts.P50 = 3*time.Microsecond,
		3*time.Microsecond
	c.wait(evidence.OpSend, a, 50000, 200*time.Millisecond, b, "runtime.chansend1", "main.main:4")
	c.wait(evidence.OpReceive, b, 50000, 200*time.Millisecond, a, "runtime.chanrecv2", "main.stage:6")
	c.cpu(30, "main.f:5", "main.stage:3")
	c.cpu(20, "main.g:5", "main.main:3", "runtime.main")
	c.cpu(40, "runtime.lock2", "runtime.chansend", "runtime.chansend1", "main.main:4", "runtime.main")
	c.cpu(30, "runtime.futex", "runtime.findRunnable", "runtime.schedule", "runtime.park_m", "runtime.mcall")
	return c
}

// pipeline is two goroutines that are in use for some ms of the second.
func pipeline(first, next int) *testCase {
	c := newCase()
	a := c.class("main.slow", 1, 1, time.Duration(first)*time.Millisecond, time.Duration(first/2)*time.Millisecond)
	b := c.class("main.fast", 1, 1, time.Duration(next)*time.Millisecond, time.Duration(next/2)*time.Millisecond)
	c.demand(0, 1000)
	c.wait(evidence.OpSend, b, 1000, time.Duration(1000-next)*time.Millisecond, a, "runtime.chansend1", "main.fast:4")
	c.wait(evidence.OpReceive, a, 20, time.Duration(1000-first)*time.Millisecond, b, "runtime.chanrecv2", "main.slow:6")
	c.cpu(first/10, "main.f:5", "main.slow:3")
	c.cpu(next/10, "main.g:5", "main.fast:3")
	return c
}

func TestRulesAndDecoys(t *testing.T) {
	for _, x := range cases {
		t.Run(string(x.name), func(t *testing.T) {
			if got := x.example().names(); got[0] != string(x.name) {
				t.Errorf("the case: %v", got)
			}
			got := x.decoy().names()
			if slices.Contains(got, string(x.name)) || x.decoyFinding != "" && got[0] != string(x.decoyFinding) {
				t.Errorf("the decoy: %v", got)
			}
		})
	}
}

// Every finding has a rank, positions, evidence, a fix, an experiment and an ordered interval.
func TestFindingFields(t *testing.T) {
	for _, x := range cases {
		for i, f := range explainWith(nil, &x.example().evidence).Findings {
			if f.Rank != i+1 || f.Kind != "finding" || f.Claim == "" || len(f.Evidence) == 0 || f.Alternative == "" ||
				f.Fix == "" || f.Experiment == "" || f.Confidence == "" || f.Where == nil {
				t.Errorf("%s: %+v", x.name, f)
			}
			if g := f.Gain; g != nil && (g.Low > g.Estimate || g.Estimate > g.High || g.Low < 0 || g.High >= 1 ||
				g.Estimate < minGain) {
				t.Errorf("%s: gain %+v", f.Name, *g)
			}
			if f.Share < 0 || f.Share > 1 {
				t.Errorf("%s: share %v", f.Name, f.Share)
			}
		}
	}
}

func TestTooLittleEvidence(t *testing.T) {
	c := newCase()
	c.evidence.Trace = nil
	c.cpu(7, "main.f:5", "main.main:3", "runtime.main")
	if got := c.names(); len(got) != 1 || got[0] != string(TooLittleEvidence) {
		t.Errorf("%v", got)
	}
	if got := explainWith(nil, &evidence.Evidence{}).Findings; len(got) != 1 || got[0].Name != TooLittleEvidence ||
		got[0].Gain != nil {
		t.Errorf("no evidence: %+v", got)
	}

	// A short trace does not make up for few samples, and the finding names both.
	for samples, want := range map[int][]string{
		0: {"the execution trace covers 3ms; 5ms are needed"},
		7: {"the execution trace covers 3ms; 5ms are needed", "the CPU profile has 7 samples; 40 are needed"},
	} {
		c := newCase()
		c.demand(0, 3)
		c.evidence.Runs, c.evidence.Trace.Duration = nil, 3*time.Millisecond
		if samples > 0 {
			c.cpu(samples, "main.f:5", "main.main:3", "runtime.main")
		}
		if f := c.first(); f.Name != TooLittleEvidence || !slices.Equal(f.Evidence, want) {
			t.Errorf("a trace of 3 ms and %d samples: %s %q, want %q", samples, f.Name, f.Evidence, want)
		}
	}
}

func TestCauseBeforeSymptom(t *testing.T) {
	small, large := newGain(0.1, 0, 0.2), newGain(0.9, 0.8, 0.99)
	cause := Finding{Name: "coarse-lock", Gain: large}
	symptom := Finding{Name: "single-threaded", Gain: large}
	if got := dropSymptoms([]Finding{symptom, cause}); len(got) != 1 || got[0].Name != "coarse-lock" {
		t.Errorf("%+v", got)
	}
	cause.Gain = small
	if got := dropSymptoms([]Finding{symptom, cause}); len(got) != 2 {
		t.Errorf("a cause of little gain hides what gains far more: %+v", got)
	}
	if got := rank([]Finding{{Name: "a"}, {Name: "b", Gain: small}, {Name: "c", Gain: large}}); got[0].Name != "c" ||
		got[2].Name != "a" {
		t.Errorf("%+v", got)
	}
}

func TestLoadedMachine(t *testing.T) {
	for _, x := range cases {
		if !traits[x.name].allCPUs {
			continue
		}
		c := x.example()
		for i := range c.evidence.Runs {
			c.evidence.Runs[i].OtherCPUs = 1
		}
		r := explainWith(nil, &c.evidence)
		if slices.ContainsFunc(r.Findings,
			func(f Finding) bool { return f.Name == x.name || f.Gain != nil && f.Confidence != Low }) ||
			len(r.Notes) != 1 {
			t.Errorf("%s on a loaded machine: %+v, %v", x.name, r.Findings, r.Notes)
		}
	}
}

// The entries of the CPU-time breakdown add up to all CPUs for the whole time.
func TestCPUTimeAddsUp(t *testing.T) {
	for _, x := range cases {
		l := explainWith(nil, &x.example().evidence).CPUTime
		total := time.Duration(0)
		for _, e := range l.Entries {
			total += e.Time
		}
		if want := time.Duration(l.CPUs) * l.Wall; total < want*99/100 || total > want*101/100 {
			t.Errorf("%s: %v of %v in %+v", x.name, total, want, l.Entries)
		}
	}
}

func TestCategorize(t *testing.T) {
	for _, c := range []struct {
		want  string
		stack []string
	}{
		{Channels, []string{"runtime.futex", "runtime.notewakeup", "runtime.ready", "runtime.send", "runtime.chansend",
			"runtime.chansend1", "main.f"}},
		{Scheduler, []string{"runtime.futex", "runtime.findRunnable", "runtime.schedule", "runtime.park_m",
			"runtime.mcall"}},
		{GarbageCollector, []string{"runtime.scanobject", "runtime.gcDrain", "runtime.gcAssistAlloc1",
			"runtime.gcAssistAlloc", "runtime.mallocgc", "main.f"}},
		{Allocation, []string{"runtime.nextFreeFast", "runtime.mallocgcSmallNoscan", "runtime.mallocgc",
			"runtime.newobject", "main.f"}},
		{SystemCalls, []string{"internal/runtime/syscall.Syscall6", "syscall.RawSyscall6", "syscall.Syscall",
			"syscall.read", "os.(*File).Read", "main.f"}},
		{Locks, []string{"sync/atomic.(*Int32).Add", "sync.(*RWMutex).RLock", "main.f"}},
		{Profiler, []string{"runtime.memmove", "runtime/pprof.(*profileBuilder).addCPUData",
			"runtime/pprof.profileWriter"}},
		{UserCode, []string{"runtime.memmove", "bytes.Equal", "main.f"}},
		{UserCode, []string{"runtime.mapaccess1", "main.f"}},
		{UserCode, []string{"github.com/brewput/brewput/env/live.Spin",
			"github.com/brewput/brewput/env/live.(*World).Burn", "main.f"}},
		{Scheduler, []string{"github.com/brewput/brewput/env/live.(*World).Go", "main.f"}},
	} {
		if got := categorize(frames(c.stack...)); got != c.want {
			t.Errorf("%v is %q, not %q", c.stack, got, c.want)
		}
	}
}

func TestPhases(t *testing.T) {
	c := newCase()
	c.demand(0, 500, 500)
	for i := range 100 {
		x := 1.0
		if i >= 40 && i < 90 {
			x = 6
		}
		c.evidence.Trace.Demand.Mean = append(c.evidence.Trace.Demand.Mean, x)
		c.evidence.Trace.Demand.Running = append(c.evidence.Trace.Demand.Running, min(x, 2))
	}
	got := explainWith(nil, &c.evidence).Phases
	if len(got) != 3 || got[0].To != 400*time.Millisecond || got[1].To != 900*time.Millisecond || got[1].Demand != 6 ||
		got[2].To != second {
		t.Errorf("%+v", got)
	}
	for i := range c.evidence.Trace.Demand.Mean { // no change
		c.evidence.Trace.Demand.Mean[i] = 2 + float64(i%2)/10
	}
	if got := explainWith(nil, &c.evidence).Phases; len(got) != 1 {
		t.Errorf("%d phases where nothing changes", len(got))
	}
}

func TestAmdahl(t *testing.T) {
	c := newCase()
	c.demand(0, 500, 500) // one goroutine alone for half a second of the 1.5 s of work
	p := explainWith(nil, &c.evidence).Parallelism
	if p.SerialFraction < 0.333 || p.SerialFraction > 0.334 || p.MaxSpeedup < 2.99 || p.MaxSpeedup > 3.01 ||
		p.Speedup < 1.49 || p.Speedup > 1.51 || p.Demand != 1.5 {
		t.Errorf("%+v", p)
	}
}

func TestChanCapacity(t *testing.T) {
	for text, want := range map[string]string{"int)": "", "int, 25)": "25", "map[string]int, n)": "n",
		"func(a, b int), 0)": "0", "struct{}, len(x))": "len(x)"} {
		if got := chanCapacity(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

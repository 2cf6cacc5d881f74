package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// syncCase is a program whose main goroutine syncs a file for each of 6000 records, for 82% of the time.
func syncCase() *testCase {
	c := newCase()
	c.demand(40, 960)
	a := c.class("main.main", 1, 1, 900*time.Millisecond, 900*time.Millisecond)
	c.evidence.Trace.Classes[a].Syscall = 830 * time.Millisecond
	c.cpu(30, "syscall.fsync", "internal/poll.(*FD).Fsync", "os.(*File).Sync", "main.log:5", "main.main:3",
		"runtime.main")
	c.cpu(12, "main.parse:6", "main.main:3", "runtime.main")
	c.evidence.Trace.Syscalls = []evidence.SyscallSite{{Count: 6000, Spent: 820 * time.Millisecond, Lost: 400, Class: a,
		Each: evidence.Latencies{Count: 6000, P50: 127 * time.Microsecond}, Stack: frames("syscall.Syscall",
			"syscall.fsync", "internal/poll.(*FD).Fsync", "os.(*File).Sync", "main.log:5", "main.main:3")}}
	c.evidence.Runs[0].User, c.evidence.Runs[0].System = 100*time.Millisecond, 320*time.Millisecond
	return c
}

// A goroutine that waits for the disk is not limited by its CPU.
func TestSyncForEachRecord(t *testing.T) {
	c := syncCase()
	f := c.first()
	if f.Name != BlockingSyscall || slices.Contains(c.names(), string(SingleThreaded)) {
		t.Fatalf("found %v", c.names())
	}
	if f.Gain == nil || f.Gain.High != 0.82 || f.Gain.Estimate < 0.7 || f.Gain.Low < 0.3 {
		t.Errorf("gain %+v", f.Gain)
	}
	if f.Fix != "Sync once for many records (group commit)." || !strings.Contains(f.Evidence[0], "82% of the time") {
		t.Errorf("%q, fix %q", f.Evidence, f.Fix)
	}
}

// Goroutines that follow each other, as those of tests do, are several.
func TestSyncsInTurn(t *testing.T) {
	for count, want := range map[int64]string{1: "of one goroutine, took", 20: "of one goroutine at a time, took"} {
		c := syncCase()
		c.evidence.Trace.Classes[1].Count = count
		if f := c.named(t, BlockingSyscall); !strings.Contains(f.Evidence[0], want) {
			t.Errorf("%d goroutines: %s", count, f.Evidence[0])
		}
	}
}

// The gain is no larger than the time that the calls take, and only if fewer of them can save it.
func TestSyncWithoutGain(t *testing.T) {
	for what, change := range map[string]func(c *testCase){
		"another process is waited for": func(c *testCase) {
			c.evidence.Trace.Syscalls[0].Stack = frames("syscall.Syscall", "syscall.read", "os.(*File).Read",
				"main.log:5", "main.main:3")
		},
		"many goroutines make the calls": func(c *testCase) { c.evidence.Trace.Classes[1].Peak = 2 },
		"nobody waits for the goroutine": func(c *testCase) {
			c.evidence.Trace.Classes[1].Start = frames("main.worker")[0]
		},
		"it groups the records of others": func(c *testCase) {
			c.wait(evidence.OpReceive, 1, 6000, 20*time.Millisecond, 0, "runtime.chanrecv1", "main.log:4")
		},
		"each sync has many bytes": func(c *testCase) { c.evidence.Runs[0].WriteBytes = 6000 * 100 << 10 },
		"it groups what a connection sends": func(c *testCase) {
			c.wait(evidence.OpNetwork, 1, 6000, 20*time.Millisecond, -1, "internal/poll.(*FD).Read", "main.log:4")
		},
		"most of its calls are writes": func(c *testCase) {
			writes := c.evidence.Trace.Syscalls[0]
			writes.Stack = frames("syscall.Syscall", "syscall.write", "os.(*File).Write", "main.log:4", "main.main:3")
			writes.Spent, writes.Count = 20*time.Millisecond, 60000
			c.evidence.Trace.Syscalls = append(c.evidence.Trace.Syscalls, writes)
			c.wait(evidence.OpReceive, 1, 5000, 20*time.Millisecond, 0, "runtime.chanrecv1", "main.log:4")
		},
		"others make some of the calls": func(c *testCase) {
			c.evidence.Trace.Classes[1].Syscall = 300 * time.Millisecond
		},
	} {
		c := syncCase()
		change(c)
		f := c.named(t, BlockingSyscall)
		if f.Gain != nil {
			t.Errorf("%s: gain %+v", what, f.Gain)
		}
		if strings.HasPrefix(what, "another") && slices.Contains(c.names(), string(SingleThreaded)) {
			t.Errorf("%s: %v", what, c.names())
		}
		many := strings.HasPrefix(what, "many") || strings.HasPrefix(what, "others")
		if (strings.Contains(f.Fix, "bound the goroutines") || strings.Contains(f.Fix, "fewer goroutines")) != many {
			t.Errorf("%s: %s", what, f.Fix)
		}
	}
}

// The run takes at least as long as the goroutine that works longest, on its own or after others of its class.
func TestSyncsBesideWork(t *testing.T) {
	for what, x := range map[string]struct {
		count, peak  int
		all, longest time.Duration // in ms
		high         float64       // 0 if there is no gain
	}{
		"half of the time":    {1, 1, 500, 500, 0.5},
		"one after another":   {10, 1, 500, 50, 0.5},
		"two at a time":       {2, 2, 1000, 500, 0.5},
		"one of two":          {2, 2, 900, 800, 0.2},
		"less than the syncs": {1, 1, 100, 100, 0.82},
		"nearly all the time": {1, 1, 946, 946, 0}, // the gain that is left is no reason to drop the finding
		"all the time":        {1, 1, 1000, 1000, 0},
	} {
		c := syncCase()
		w := c.class("main.worker", x.count, x.peak, x.all*time.Millisecond, 0)
		c.evidence.Trace.Classes[w].Members[0].Running = x.longest * time.Millisecond
		f := c.named(t, BlockingSyscall)
		if (f.Gain != nil) != (x.high > 0) || f.Gain != nil && f.Gain.High != x.high {
			t.Errorf("another goroutine works, %s: %+v", what, f.Gain)
		}
	}
}

// Each bound of the gain holds, and no more than it says. An unknown number of bytes makes the finding less sure.
func TestSyncBounds(t *testing.T) {
	waits := func(op evidence.Op, n int64) func(*testCase) {
		return func(c *testCase) { c.wait(op, 1, n, 20*time.Millisecond, 0, "main.log:4") }
	}
	writes := func(bytes int64, wall time.Duration) func(*testCase) {
		return func(c *testCase) { c.evidence.Runs[0].WriteBytes, c.evidence.Runs[0].Wall = bytes, wall }
	}
	logger := func(mainWaits time.Duration) func(*testCase) { // another goroutine waits longer for it
		return func(c *testCase) {
			c.evidence.Trace.Classes[1].Start = frames("main.logger")[0]
			for start, waited := range map[string]time.Duration{"main.main": mainWaits, "main.other": 990} {
				k := c.class(start, 1, 1, time.Millisecond, 0)
				c.wait(evidence.OpReceive, k, 1, waited*time.Millisecond, 1, "runtime.chanrecv1", start+":9")
			}
		}
	}
	const full = 6000 * 64 << 10
	for what, x := range map[string]struct {
		change     func(c *testCase)
		high       float64 // 0 if there is no gain
		confidence Confidence
	}{
		"it waits for every third record":    {waits(evidence.OpReceive, 2000), 0.82, Low},
		"it waits a little more often":       {waits(evidence.OpReceive, 2001), 0, Medium},
		"it waits for groups":                {waits(evidence.OpWaitGroup, 2001), 0, Medium},
		"main waits for less than the syncs": {logger(400), 0.4, Low},
		"main waits for more than the syncs": {logger(950), 0.82, Low},
		"64 KB for each sync":                {writes(full, second), 0.82, Medium},
		"more than 64 KB for each sync":      {writes(full+1, second), 0, Medium},
		"64 KB in a longer run":              {writes(2*full, 2*second), 0.82, Medium},
		"no duration":                        {writes(full, 0), 0.82, Low},
		"no run":                             {func(c *testCase) { c.evidence.Runs = nil }, 0.82, Low},
		"others wait for the network": {func(c *testCase) {
			k := c.class("main.other", 1, 1, time.Millisecond, 0)
			c.wait(evidence.OpNetwork, k, 6000, 900*time.Millisecond, -1, "internal/poll.(*FD).Read", "main.other:7")
		}, 0.82, Low},
		"main waits for requests at the end": {func(c *testCase) {
			k := c.class("main.other", 1, 1, 10*time.Millisecond, 0)
			c.evidence.Trace.Classes[k].Members[0].External = 890 * time.Millisecond
			c.wait(evidence.OpWaitGroup, 1, 1, 50*time.Millisecond, k, "sync.(*WaitGroup).Wait", "main.main:9")
		}, 0.1, Low},
		"requests that main does not wait for": {func(c *testCase) {
			k := c.class("main.other", 1, 1, 10*time.Millisecond, 0)
			c.evidence.Trace.Classes[k].Members[0].External = 890 * time.Millisecond
			c.wait(evidence.OpReceive, 1, 1, 49*time.Millisecond, k, "runtime.chanrecv1", "main.main:2") // ready
		}, 0.82, Low},
		"others sync now and then": {func(c *testCase) {
			site := c.evidence.Trace.Syscalls[0]
			site.Class = c.class("main.other", 1, 1, time.Millisecond, 0)
			site.Count, site.Spent = 200, 40*time.Millisecond
			c.evidence.Trace.Syscalls = append(c.evidence.Trace.Syscalls, site)
		}, 0.82, Low},
	} {
		c := syncCase()
		x.change(c)
		f := c.named(t, BlockingSyscall)
		if f.Confidence != x.confidence || (f.Gain != nil) != (x.high > 0) || f.Gain != nil &&
			*f.Gain != *newGain(0.9*x.high, 0.4*x.high, x.high) {
			t.Errorf("%s: %s, gain %+v", what, f.Confidence, f.Gain)
		}
		if strings.HasPrefix(f.Alternative, "The device may be the limit") != strings.HasPrefix(what, "more than 64") {
			t.Errorf("%s: %s", what, f.Alternative)
		}
	}
}

// A goroutine that computes and syncs has both findings, and dividing its work does not save the time of the syncs.
func TestWorkBesideSyncs(t *testing.T) {
	c := syncCase()
	c.evidence.Runs[0].User = 230 * time.Millisecond
	c.evidence.Trace.Syscalls[0].Spent, c.evidence.Trace.Classes[1].Syscall = 450*time.Millisecond, 455*time.Millisecond
	f, s := c.named(t, BlockingSyscall), c.named(t, SingleThreaded)
	if f.Gain == nil || f.Gain.High != 0.45 || s.Gain == nil || s.Gain.High > 0.07 { // 12 of 42 samples are its own
		t.Errorf("gains %+v and %+v", f.Gain, s.Gain)
	}
}

// A goroutine that spends its time in the kernel, but uses its CPU, is single-threaded.
func TestCallsThatCompute(t *testing.T) {
	c := syncCase()
	c.evidence.Runs[0].User = 500 * time.Millisecond
	c.evidence.Trace.Syscalls[0].Stack = frames("syscall.Syscall", "syscall.write", "os.(*File).Write",
		"main.log:5", "main.main:3")
	if !slices.Contains(c.names(), string(SingleThreaded)) {
		t.Errorf("found %v", c.names())
	}
}

// System calls are a finding only if they are long, many and most of what the program does.
func TestFewBlockingCalls(t *testing.T) {
	type site = evidence.SyscallSite
	for what, x := range map[string]struct {
		change func(c *testCase, s *site)
		found  bool
	}{
		"just enough": {func(_ *testCase, s *site) {
			s.Count, s.Each.P50, s.Spent = 20, blockLong, 300*time.Millisecond
		}, true},
		"few":                {func(_ *testCase, s *site) { s.Count = 19 }, false},
		"short":              {func(_ *testCase, s *site) { s.Each.P50 = blockLong - 1 }, false},
		"little of the time": {func(_ *testCase, s *site) { s.Spent = 299 * time.Millisecond }, false},
		"they use the CPUs": {func(c *testCase, _ *site) {
			c.evidence.Runs[0].User = 1500 * time.Millisecond
		}, false},
		"for a child process": {func(_ *testCase, s *site) { s.Stack[2].Function = "os.(*Process).Wait" }, false},
		"of the hook that traces": {func(_ *testCase, s *site) {
			s.Stack = frames("syscall.Syscall", "os.(*File).Sync", "main.brewputWrite")
		}, false},
	} {
		c := syncCase()
		x.change(c, &c.evidence.Trace.Syscalls[0])
		if slices.Contains(c.names(), string(BlockingSyscall)) != x.found {
			t.Errorf("%s: %v", what, c.names())
		}
	}
}

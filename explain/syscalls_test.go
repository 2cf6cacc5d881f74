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

	logs := syncCase()
	logs.evidence.Trace.Classes[1].Start = frames("main.logger")[0]
	m := logs.class("main.main", 1, 1, time.Millisecond, 0)
	logs.wait(evidence.OpReceive, m, 1, 400*time.Millisecond, 1, "runtime.chanrecv1", "main.main:9")
	if f := logs.named(t, BlockingSyscall); f.Gain == nil || f.Gain.High != 0.4 {
		t.Errorf("the main goroutine waits for 40%% of the time: %+v", f.Gain)
	}

	c := syncCase()
	c.class("main.worker", 1, 1, 500*time.Millisecond, 0)
	if f := c.named(t, BlockingSyscall); f.Gain == nil || f.Gain.High != 0.5 {
		t.Errorf("another goroutine works half of the time: %+v", f.Gain)
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

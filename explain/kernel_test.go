package explain

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// faultCase is a program that spends a part of its CPU time on page faults, and has mapped some bytes.
func faultCase(faults int64, mapped float64, system time.Duration) *testCase {
	c := wideCase()
	c.evidence.Profiles = nil
	c.cpu(60, "main.f:5", "main.worker:3")
	c.cpu(20, "internal/runtime/syscall/linux.Syscall6", "syscall.RawSyscall6", "syscall.Syscall", "syscall.read",
		"main.g:7", "main.worker:3")
	c.cpu(120, "main.g:8", "main.worker:3")
	r := &c.evidence.Runs[0]
	r.User, r.System, r.Faults = 2*time.Second-system, system, faults
	r.Metrics, r.PeakBytes = map[string]float64{"/memory/classes/total:bytes": mapped}, int64(mapped)
	return c
}

// TestPageFaults: CPU time of the kernel outside of system calls is that of page faults, and has a gain if the memory
// was mapped before. Each condition is removed in turn.
func TestPageFaults(t *testing.T) {
	const few, many = 50e6, 4e9 // 1,000,000 faults touch 4 GB
	for name, x := range map[string]struct {
		c     *testCase
		found bool
		gain  bool
	}{
		"again and again":    {faultCase(1e6, few, 800*time.Millisecond), true, true},
		"once":               {faultCase(1e6, many, 800*time.Millisecond), false, false},
		"once, and much":     {faultCase(1e6, many, 1200*time.Millisecond), true, false},
		"twice for a page":   {faultCase(1e6, many/2, 1200*time.Millisecond), true, false},
		"unknown memory":     {faultCase(1e6, 0, 1200*time.Millisecond), true, false},
		"in system calls":    {faultCase(1e6, few, 300*time.Millisecond), false, false},
		"few":                {faultCase(9999, few, 800*time.Millisecond), false, false},
		"too long for them":  {faultCase(100000, few, 800*time.Millisecond), false, false},
		"long for huge ones": {faultCase(100000, many, 1200*time.Millisecond), true, false},
		"too long for huge":  {faultCase(10000, many, 1200*time.Millisecond), false, false},
	} {
		found := explainWith(nil, &x.c.evidence).Findings
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == PageFaults })
		if (i >= 0) != x.found || i >= 0 && (found[i].Gain != nil) != x.gain {
			t.Errorf("%s: %+v", name, found)
		}
	}

	f := faultCase(1e6, few, 800*time.Millisecond).named(t, PageFaults)
	// The kernel spends 0.8 s, at least 0.2 s of it in system calls, of 2 s.
	if !strings.Contains(f.Claim, "26% of the CPU time") || len(f.Where) > 0 ||
		f.Gain.Estimate < 0.2 || f.Gain.Estimate > 0.25 || !strings.HasPrefix(f.Fix, "Reuse") {
		t.Errorf("%+v %+v", f, f.Gain)
	}
	for name, change := range map[string]func(*testCase){
		"child processes": func(c *testCase) { c.evidence.Runs[0].Children = 50 * time.Millisecond },
		"waits for events": func(c *testCase) {
			c.cpu(100, "internal/runtime/syscall/linux.Syscall6", "internal/runtime/syscall/linux.EpollWait",
				"runtime.netpoll", "runtime.findRunnable", "runtime.schedule")
		},
		"futexes": func(c *testCase) { c.cpu(100, "runtime.futex", "runtime.futexsleep", "main.g:9") },
		"C code":  func(c *testCase) { c.cpu(100, "runtime._ExternalCode") },
		"thin": func(c *testCase) {
			c.evidence.Profiles = nil
			c.cpu(13, "syscall.read", "main.g:7", "main.worker:3")
			c.cpu(47, "main.g:8", "main.worker:3")
			c.evidence.Runs[0].System = 700 * time.Millisecond
		},
	} {
		c := faultCase(1e6, few, 800*time.Millisecond)
		change(c)
		if slices.Contains(c.names(), string(PageFaults)) {
			t.Errorf("%s: %v", name, c.names())
		}
	}
	c := faultCase(1e6, few, 800*time.Millisecond)
	c.cpu(1) // a sample without a stack
	if f := c.named(t, PageFaults); f.Gain == nil {
		t.Errorf("%+v", f)
	}
	c.evidence.Runs[0].PeakBytes = many
	if slices.Contains(c.names(), string(PageFaults)) {
		t.Error("a file that is mapped once")
	}
	for _, x := range []struct {
		g, f  int
		leaf  string
		where []string
	}{
		{20, 160, "main.f:5", []string{"main.go:5"}}, // the rest is too little
		{130, 50, "runtime.memclrNoHeapPointers main.f:5", []string{"main.go:5"}},
		{130, 50, "main.f:5", nil},
	} {
		c := faultCase(1e6, few, 800*time.Millisecond)
		c.evidence.Profiles = nil
		c.cpu(20, "syscall.read", "main.g:7", "main.worker:3")
		c.cpu(x.g, "main.g:8", "main.worker:3")
		c.cpu(x.f, append(strings.Fields(x.leaf), "main.worker:3")...)
		if f := c.named(t, PageFaults); !slices.Equal(f.Where, x.where) && len(f.Where)+len(x.where) > 0 {
			t.Errorf("%+v: %v", x, f.Where)
		}
	}
	c = faultCase(1e6, few, 800*time.Millisecond)
	c.cpu(2, "runtime.(*mheap).freeSpanLocked", "runtime/debug.freeOSMemory", "runtime/debug.FreeOSMemory", "main.g:9")
	if f := c.named(t, PageFaults); !strings.Contains(f.Fix, "FreeOSMemory") {
		t.Errorf("%+v", f)
	}
}

// TestContendedCalls: system calls that take longer on several CPUs contend in the kernel. Each condition is removed in
// turn.
func TestContendedCalls(t *testing.T) {
	calls := func() *testCase {
		c := wideCase()
		c.evidence.Profiles = nil
		c.cpu(120, "internal/runtime/syscall.Syscall6", "syscall.write", "os.(*File).Write", "main.put:5",
			"main.worker:3")
		c.cpu(80, "main.g:7", "main.worker:3")
		r := &c.evidence.Runs[0]
		r.User, r.System = 800*time.Millisecond, 1200*time.Millisecond
		c.evidence.Runs = append(c.evidence.Runs, *r)
		r = &c.evidence.Runs[0]
		r.CPUs, r.Wall, r.User, r.System = 1, 1400*time.Millisecond, 800*time.Millisecond, 600*time.Millisecond
		return c
	}
	f := calls().named(t, WorkInflation)
	// Half of 1.2 s of 2 s is contention.
	if !strings.Contains(f.Claim, "Each system call takes 2.00x") || !slices.Equal(f.Where, []string{"main.go:5"}) ||
		f.Gain == nil || f.Gain.Estimate < 0.2 || f.Gain.Estimate > 0.3 {
		t.Errorf("%+v %+v", f, f.Gain)
	}
	for what, change := range map[string]func(c *testCase){
		"no longer in the kernel": func(c *testCase) { c.evidence.Runs[0].System = 700 * time.Millisecond },
		"everything takes longer": func(c *testCase) { c.evidence.Runs[0].User = 500 * time.Millisecond },
		"too few runs":            func(c *testCase) { c.evidence.Runs[0].Count = 2 },
		"little in calls": func(c *testCase) {
			c.evidence.Profiles = nil
			c.cpu(50, "syscall.write", "os.(*File).Write", "main.put:5", "main.worker:3")
			c.cpu(150, "main.g:7", "main.worker:3")
			c.evidence.Runs[0].System, c.evidence.Runs[1].System = 150*time.Millisecond, 300*time.Millisecond
		},
		"more calls": func(c *testCase) {
			c.evidence.Runs[0].Reads, c.evidence.Runs[0].Writes = 1000, 1000
			c.evidence.Runs[1].Reads, c.evidence.Runs[1].Writes = 2000, 1000
		},
		"no trace": func(c *testCase) { c.evidence.Trace = nil },
		"CPUs are free": func(c *testCase) {
			c.evidence.Trace.Demand.Time = []time.Duration{0, 900 * time.Millisecond, 100 * time.Millisecond}
		},
		"few runs on all CPUs": func(c *testCase) { c.evidence.Runs[1].Count = 2 },
		"one goroutine":        func(c *testCase) { c.evidence.Trace.Classes[2].Peak = 1 },
		"in C code": func(c *testCase) {
			c.evidence.Profiles = nil
			c.cpu(120, "runtime.cgocall", "main._Cfunc_step", "main.put:5", "main.worker:3")
			c.cpu(80, "main.g:7", "main.worker:3")
		},
		"in futexes": func(c *testCase) {
			c.evidence.Profiles = nil
			c.cpu(70, "syscall.write", "os.(*File).Write", "main.put:5", "main.worker:3")
			c.cpu(60, "runtime.futex", "runtime.futexwakeup", "runtime.mcall")
			c.cpu(70, "main.g:7", "main.worker:3")
		},
		"nothing is known of the rest": func(c *testCase) { c.evidence.Runs[0].User = 0 },
		"too short to tell": func(c *testCase) {
			c.evidence.Runs[0].System, c.evidence.Runs[1].System = 40*time.Millisecond, 80*time.Millisecond
		},
	} {
		c := calls()
		change(c)
		for _, f := range explainWith(nil, &c.evidence).Findings {
			if strings.Contains(f.Claim, "system call takes") {
				t.Errorf("%s: %+v", what, f)
			}
		}
	}
}

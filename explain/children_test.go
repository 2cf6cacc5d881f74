package explain

import (
	"slices"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// TestChildProcesses: one child process at a time leaves CPUs idle, but not several that run at the same time.
func TestChildProcesses(t *testing.T) {
	for name, x := range map[string]struct {
		count  int64
		median time.Duration
		peak   int
		used   time.Duration
		found  bool
	}{
		"one after the other":      {40, 20 * time.Millisecond, 1, second, true},
		"all started before":       {40, time.Millisecond, 1, second, false},
		"by several goroutines":    {40, 20 * time.Millisecond, 3, second, false},
		"a few":                    {2, 400 * time.Millisecond, 1, second, false},
		"that use all CPUs":        {40, 20 * time.Millisecond, 1, 2 * second, false},
		"that use more than one":   {40, 20 * time.Millisecond, 1, 1250 * time.Millisecond, true},
		"for a part of their time": {40, 5 * time.Millisecond, 1, second, false},
	} {
		c := newCase()
		c.demand(400, 600)
		c.evidence.Runs[0].User = x.used
		m := c.class("main.main", 1, x.peak, 100*time.Millisecond, 0)
		c.evidence.Trace.Syscalls = []evidence.SyscallSite{{Class: m, Count: x.count,
			Spent: min(time.Duration(x.count)*x.median, 800*time.Millisecond), Each: evidence.Latencies{P50: x.median},
			Stack: frames("internal/syscall/unix.Waitid", "os.(*Process).pidfdWait", "os.(*Process).wait",
				"os.(*Process).Wait", "os/exec.(*Cmd).Wait", "main.compile:7", "main.build:4", "main.main:9")}}
		if name == "all started before" {
			c.evidence.Trace.Syscalls[0].Spent = 800 * time.Millisecond // mostly the first
		}
		c.evidence.Program.Source = source("x = 1; for i := range 9 { compile() }").Source
		found := explainWith(nil, &c.evidence).Findings
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == DependencyWait && f.Gain != nil })
		if (i >= 0) != x.found {
			t.Errorf("%s: %v", name, c.names())
			continue
		}
		if i >= 0 && (!slices.Equal(found[i].Where, []string{"main.go:4"}) || found[i].Gain.Estimate < 0.3 ||
			found[i].Gain.High > min(0.45, 1-x.used.Seconds()/2)) {
			t.Errorf("%s: %+v %+v", name, found[i], found[i].Gain)
		}
	}
	c := newCase() // a saved trace: the CPU time of the children is unknown
	c.demand(400, 600)
	m := c.class("main.main", 1, 1, 100*time.Millisecond, 0)
	c.evidence.Trace.Syscalls = []evidence.SyscallSite{{Class: m, Count: 40, Spent: 800 * time.Millisecond,
		Each: evidence.Latencies{P50: 20 * time.Millisecond}, Stack: frames("os.(*Process).Wait", "main.main:9")}}
	c.evidence.Runs = nil
	for _, f := range explainWith(nil, &c.evidence).Findings {
		if f.Name == DependencyWait && f.Gain != nil {
			t.Errorf("without a run: %+v", f)
		}
	}
}

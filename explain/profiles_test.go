package explain

import (
	"slices"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Each condition for the findings from profiles alone is removed in turn.
func TestProfileDecoys(t *testing.T) {
	fine := func(spawning, scheduling, channels, working int) *testCase {
		c := wideCase()
		c.evidence.Profiles = nil
		c.cpu(spawning, "runtime.malg", "runtime.newproc1", "runtime.newproc", "main.sort:4", "main.main:3",
			"runtime.main")
		c.cpu(scheduling, "runtime.findRunnable", "runtime.schedule", "runtime.goexit0", "runtime.mcall")
		c.cpu(channels, "runtime.chansend", "runtime.chansend1", "main.sort:6", "main.main:3", "runtime.main")
		c.cpu(working, "main.f:5", "main.sort:3")
		return c
	}
	convoy := func(locking int, one time.Duration, kind string) *testCase {
		c := wideCase()
		c.evidence.Profiles = nil
		c.cpu(locking, "internal/sync.(*Mutex).lockSlow", "sync.(*Mutex).Lock", kind, "main.book:5", "main.worker:3")
		c.cpu(100, "main.f:5", "main.worker:3")
		c.evidence.Runs = append(c.evidence.Runs, c.evidence.Runs[0])
		c.evidence.Runs[0].CPUs, c.evidence.Runs[0].Wall = 1, one
		return c
	}
	calls := func(change func(r *evidence.Run)) *testCase {
		c := singleCase()
		c.evidence.Profiles = nil
		c.cpu(40, "syscall.fsync", "internal/poll.(*FD).Fsync", "os.(*File).Sync", "main.log:5", "main.main:3",
			"runtime.main")
		r := &c.evidence.Runs[0]
		r.User, r.System, r.Voluntary, r.Writes = 30*time.Millisecond, 400*time.Millisecond, 9000, 2500
		change(r)
		return c
	}
	for what, x := range map[string]struct {
		name Name
		c    *testCase
	}{
		"few are made":               {"goroutine-too-fine", fine(4, 90, 0, 100)},
		"making them is cheap":       {"goroutine-too-fine", fine(20, 10, 0, 200)},
		"they are scheduled to send": {"goroutine-too-fine", fine(30, 60, 90, 40)},
		"it is faster on several":    {"lock-convoy", convoy(100, 1500*time.Millisecond, "main.take:2")},
		"the lock costs little":      {"lock-convoy", convoy(20, 500*time.Millisecond, "main.take:2")},
		"it is a RWMutex's own":      {"lock-convoy", convoy(100, 500*time.Millisecond, "sync.(*RWMutex).Lock")},
		"it computes beside the calls": {"blocking-syscall",
			calls(func(r *evidence.Run) { r.User = 500 * time.Millisecond })},
		"it never blocks": {"blocking-syscall", calls(func(r *evidence.Run) { r.Voluntary = 10 })},
		"it uses its CPU": {"blocking-syscall",
			calls(func(r *evidence.Run) { r.System = 900 * time.Millisecond })},
		"it ends at once": {"dependency-wait",
			calls(func(r *evidence.Run) { r.Wall, r.User, r.System = 50*time.Millisecond, 0, time.Millisecond })},
	} {
		x.c.evidence.Trace = nil
		if names := x.c.names(); slices.Contains(names, string(x.name)) {
			t.Errorf("%s: %v", what, names)
		}
	}
}

// The hook is no part of the program, whether it is in package main or in a test package.
func TestIsHook(t *testing.T) {
	p := newProgram(&evidence.Program{Module: "example.com/brewput", Main: "example.com/brewput/codec"})
	for function, hook := range map[string]bool{
		"main.brewputMetrics":                                   true,
		"main.(*brewputHook).end":                               true,
		"example.com/brewput/codec_test.(*brewputHook).finish":  true,
		"example.com/brewput/codec_test.brewputFromEnvironment": true,
		"example.com/brewput/codec.Encode":                      false,
		"example.com/brewput/codec.(*Encoder).brewput":          false,
		"main.readbrewput":                                      false,
	} {
		f := evidence.Frame{Function: function}
		if isHook(f) != hook || p.isOwn(f) == hook || (categorize([]evidence.Frame{f}) == Profiler) != hook {
			t.Errorf("%s: a hook %t, the program's own %t, %s", function, isHook(f), p.isOwn(f),
				categorize([]evidence.Frame{f}))
		}
	}
}

// The hook's own allocations are left out.
func TestAllocationsOfHook(t *testing.T) {
	c := wideCase()
	c.evidence.Profiles = append(c.evidence.Profiles, evidence.Profile{Kind: evidence.Heap,
		Types: []string{"alloc_objects/count"}, Samples: []evidence.Sample{
			{Stack: frames("runtime.mallocgc", "example.com/prog/codec_test.(*brewputHook).end"), Values: []int64{5}},
			{Stack: frames("runtime.mallocgc", "main.f:5"), Values: []int64{3}}}})
	if groups, total := newAnalysis(&c.evidence).allocationsByLine("alloc_objects/count"); total != 3 ||
		len(groups) != 1 {
		t.Errorf("%v objects in %+v", total, groups)
	}
}

// A runtime function that a wrapper runs belongs to the wrapper.
func TestStartFrameBelowRuntime(t *testing.T) {
	stack := frames("main.f:2", "runtime.call32", "sync.(*WaitGroup).Go.func1")
	if got := evidence.StartFrame(stack).Function; got != "sync.(*WaitGroup).Go.func1" {
		t.Error(got)
	}
}

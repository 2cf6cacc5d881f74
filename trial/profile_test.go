package trial

import (
	"testing"

	"github.com/brewput/brewput/internal/gopprof"
)

// TestPartOf has stacks as the runtime writes them, the innermost function first.
func TestPartOf(t *testing.T) {
	for _, c := range []struct {
		want  string
		stack []string
	}{
		{partUseful, []string{"crypto/sha1.block", "example.com/work.hash", "runtime.goexit"}},
		{partUseful, []string{"runtime.memmove", "example.com/work.hash"}},
		{partUseful, []string{"runtime.nextFreeFast", "runtime.mallocgc", "runtime.makeslice",
			"example.com/work.line"}},
		{partGC, []string{"runtime.scanobject", "runtime.gcDrainN", "runtime.gcAssistAlloc1", "runtime.gcAssistAlloc",
			"runtime.mallocgc", "example.com/work.line"}},
		{partGC, []string{"runtime.scanobject", "runtime.gcDrain", "runtime.gcBgMarkWorker.func2",
			"runtime.systemstack", "runtime.gcBgMarkWorker"}},
		{partChannel, []string{"runtime.lock2", "runtime.lockWithRank", "runtime.chansend", "runtime.chansend1",
			"example.com/work.produce"}},
		{partChannel, []string{"runtime.futex", "runtime.futexsleep", "runtime.lock2", "runtime.chanrecv",
			"runtime.chanrecv2", "example.com/work.consume"}},
		{partChannel, []string{"runtime.typedmemmove", "runtime.recv", "runtime.chanrecv", "example.com/work.consume"}},
		{partChannel, []string{"internal/sync.(*Mutex).lockSlow", "sync.(*Mutex).Lock", "example.com/work.count"}},
		{partScheduler, []string{"runtime.futex", "runtime.futexwakeup", "runtime.notewakeup", "runtime.startm",
			"runtime.wakep", "runtime.ready", "runtime.goready.func1", "runtime.systemstack", "runtime.goready",
			"runtime.send", "runtime.chansend", "example.com/work.produce"}},
		{partScheduler, []string{"runtime.futex", "runtime.futexsleep", "runtime.notesleep", "runtime.mPark",
			"runtime.stopm", "runtime.findRunnable", "runtime.schedule", "runtime.park_m", "runtime.mcall"}},
		{partScheduler, []string{"runtime.nanotime1", "runtime.sysmon", "runtime.mstart1"}},
		{partScheduler, []string{"runtime.unknown"}},
		{partScheduler, []string{"compress/flate.(*compressor).deflate", "runtime/pprof.(*profileBuilder).build",
			"runtime/pprof.profileWriter"}},
		{partScheduler, nil},
	} {
		var stack []gopprof.Frame
		for _, f := range c.stack {
			stack = append(stack, gopprof.Frame{Function: f})
		}
		if got := partOf(stack); got != c.want {
			t.Errorf("%v: %s, want %s", c.stack, got, c.want)
		}
	}
}

func TestTell(t *testing.T) {
	frame := func(name string) []gopprof.Frame { return []gopprof.Frame{{Function: name}} }
	all, parts := countSamples(&gopprof.Profile{Samples: []gopprof.Sample{
		{Stack: frame("main.work"), Values: []int64{5, 50}},
		{Stack: frame("runtime.chansend1"), Values: []int64{2, 20}},
		{Stack: frame("main.more"), Values: []int64{1, 10}}, {Stack: frame("main.none")},
	}})
	if all != 8 || parts[partUseful] != 6 || parts[partChannel] != 2 {
		t.Errorf("%d, %v", all, parts)
	}
}

package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/evidence"
)

// makes returns a program that spends CPU samples and bytes below a stack, of 200 samples and 100 kB in all.
func makes(samples int, bytes int64, stack ...string) *testCase {
	c := wideCase()
	c.evidence.Profiles = nil
	c.cpu(200-samples, "main.worker:9")
	c.cpu(samples, stack...)
	allocated := slices.Clone(stack)
	c.evidence.Profiles = append(c.evidence.Profiles, evidence.Profile{Kind: evidence.Heap,
		Types: []string{"alloc_objects/count", "alloc_space/bytes"}, Samples: []evidence.Sample{
			{Values: []int64{50000, bytes}, Stack: frames(allocated...)},
			{Values: []int64{10, 100000 - bytes}, Stack: frames("main.worker:9")}}})
	return c
}

// TestMakers: timers, contexts and values of a pool are named at the line that calls the library.
func TestMakers(t *testing.T) {
	timer := []string{"time.newTimer", "time.NewTimer", "time.After", "main.serve:7", "main.worker:3"}
	allocated := append([]string{"runtime.mallocgc"}, timer...)
	pool := []string{"runtime.mallocgc", "runtime.makeslice", "main.init.func1:2", "sync.(*Pool).Get", "main.render:7",
		"main.worker:3"}
	for name, c := range map[string]struct {
		c    *testCase
		want Name
		text string
	}{
		"allocated timers": {makes(60, 100000, allocated...), EscapePerOp, "time.After makes a timer"},
		"timers":           {makes(60, 0, timer...), LibraryLimit, "time.After makes a timer"},
		"contexts": {makes(60, 90000, "runtime.mallocgc", "context.WithDeadlineCause", "context.WithTimeout",
			"main.serve:7", "main.worker:3"), EscapePerOp, "context.WithTimeout makes a context"},
		"deferred": {makes(60, 0, "context.(*cancelCtx).cancel", "context.WithTimeout.func1", "runtime.deferreturn",
			"main.serve:7", "main.worker:3"), LibraryLimit, "makes a context"},
		"a pool":        {makes(60, 90000, pool...), EscapePerOp, "No Put seen: the pool is empty"},
		"a pool in use": {makes(60, 20000, pool...), "", ""},
		"hits of a pool": {makes(60, 90000, "runtime.procPin", "sync.(*Pool).pin", "sync.(*Pool).Get", "main.render:7",
			"main.worker:3"), "", ""},
		"a few timers": {makes(15, 2000, allocated...), "", ""},
		"of a library": {makes(60, 90000, "time.After", "net/http.(*Server).Serve", "main.serve:7"), "", ""},
	} {
		var found []Finding
		for _, f := range Explain(&c.c.evidence).Findings {
			if f.Name == EscapePerOp || f.Name == LibraryLimit {
				found = append(found, f)
			}
		}
		if c.want == "" {
			if len(found) > 0 {
				t.Errorf("%s: %+v", name, found)
			}
			continue
		}
		if len(found) != 1 || found[0].Name != c.want || !strings.Contains(found[0].Claim, c.text) ||
			!slices.Equal(found[0].Where, []string{"main.go:7"}) || found[0].Gain == nil ||
			found[0].Gain.Estimate < 0.2 || found[0].Gain.Estimate > 0.35 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestPoolWithPut: a pool to which some values return is not said to have no Put.
func TestPoolWithPut(t *testing.T) {
	c := makes(60, 90000, "runtime.mallocgc", "main.init.func1:2", "sync.(*Pool).Get", "main.render:7", "main.worker:3")
	c.cpu(5, "sync.(*Pool).Put", "main.render:9", "main.worker:3")
	if f := c.named(t, EscapePerOp); !strings.HasPrefix(f.Claim, "Too few values") {
		t.Error(f.Claim)
	}
}

// TestTimersOfRuntime: what the runtime does for timers counts, but at most as much as making them.
func TestTimersOfRuntime(t *testing.T) {
	for _, runtime := range []int{10, 100} {
		c := makes(40, 0, "time.newTimer", "time.After", "main.serve:7", "main.worker:3")
		c.cpu(runtime, "runtime.(*timers).check", "runtime.findRunnable", "runtime.schedule")
		f := c.named(t, LibraryLimit)
		if f.Gain.Estimate > 0.25 || f.Gain.Estimate < 0.19 {
			t.Errorf("%d samples: %+v", runtime, f.Gain)
		}
	}
}

// TestKept: values that are still in use at the end cannot be reused.
func TestKept(t *testing.T) {
	for inUse, gains := range map[int64]bool{10000: true, 80000: false} {
		c := wideCase()
		c.evidence.Profiles = nil
		c.cpu(100, "main.worker:9")
		c.cpu(100, "runtime.mallocgc", "main.load:5", "main.worker:3")
		c.evidence.Profiles = append(c.evidence.Profiles, evidence.Profile{Kind: evidence.Heap,
			Types: []string{"alloc_objects/count", "alloc_space/bytes", "inuse_space/bytes"},
			Samples: []evidence.Sample{
				{Values: []int64{50000, 100000, inUse}, Stack: frames("main.load:5", "main.worker:3")}}})
		if f := c.named(t, EscapePerOp); (f.Gain != nil) != gains || (f.Confidence == Low) == gains {
			t.Errorf("%d bytes in use: %+v", inUse, f)
		}
	}
}

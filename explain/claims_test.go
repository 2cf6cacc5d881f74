package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// named returns the finding of a name.
func (c *testCase) named(t *testing.T, name Name) Finding {
	t.Helper()
	list := explainWith(nil, &c.evidence).Findings
	i := slices.IndexFunc(list, func(f Finding) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no %s: %v", name, c.names())
	}
	return list[i]
}

// A leak is not the limit of a program that uses all CPUs.
func TestAnswerOfDiagnosis(t *testing.T) {
	want := []string{"Fix goroutine-leak, at main.go:4 in serve: it is a bug, whatever it costs.",
		"Let them end: use a context, a closed channel, or a buffer of 1.",
		"There is no estimate of the saving; the limit is cpu-saturated, at main.go:5 in f."}
	if got := explainWith(nil, &leakCase().evidence).Answer(); !slices.Equal(got[:3], want) {
		t.Errorf("got  %s\nwant %s", got[0], want)
	}
}

// Too few samples limit what is known, and not the program.
func TestAnswerOfTooFewSamples(t *testing.T) {
	r := Report{Findings: []Finding{{Name: GoroutineLeak, Confidence: High}, {Name: TooFewSamples, Confidence: High}}}
	if got := r.limit(); got != "the first finding is goroutine-leak" {
		t.Error(got)
	}
}

// If a program's flag for its amount of work is known, a brief run is told a level that suffices.
func TestMoreWork(t *testing.T) {
	for wall, want := range map[time.Duration]string{
		32 * time.Millisecond:  "Give it more work: --calls 10000.",
		9 * time.Millisecond:   "Give it more work: --calls 100000.",
		90 * time.Microsecond:  "Give it more work: more input, more repetitions, or a benchmark.",
		time.Millisecond * 200: "",
	} {
		c := singleCase()
		c.evidence.Runs[0].Wall, c.evidence.Runs[0].User = wall, wall
		c.evidence.Program.MoreWork = func(times int) string {
			if times > 1000 { // more than the flag permits
				return ""
			}
			return "--calls " + strconv.Itoa(1000*times)
		}
		found := explainWith(nil, &c.evidence).Findings
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == TooFewSamples })
		if want == "" && i >= 0 || want != "" && (i < 0 || found[i].Fix != want) {
			t.Errorf("%v: %+v, want %q", wall, found, want)
		}
	}
}

// An experiment promises a gain only if the finding does.
func TestExperimentOfLock(t *testing.T) {
	c := coarseLock()
	if f := c.named(t, CoarseLock); f.Gain == nil || !strings.HasSuffix(f.Experiment, "should drop "+
		percent(f.Gain.Estimate)+".") {
		t.Errorf("%v: %s", f.Gain, f.Experiment)
	}
	c.evidence.Runs[0].Wall, c.evidence.Runs[0].User = 60*time.Millisecond, 60*time.Millisecond
	if f := c.named(t, CoarseLock); f.Gain != nil || !strings.HasSuffix(f.Experiment, "time should drop.") {
		t.Errorf("%v: %s", f.Gain, f.Experiment)
	}
}

// A line that does not allocate once for each operation is not said to do so.
func TestClaimOfEscape(t *testing.T) {
	heap := func(objects int64) *testCase {
		c := wideCase()
		c.cpu(100, "runtime.mallocgc", "runtime.newobject", "main.f:5", "main.worker:3")
		c.evidence.Profiles = append(c.evidence.Profiles, evidence.Profile{Kind: evidence.Heap,
			Types: []string{"alloc_objects/count", "alloc_space/bytes"}, Samples: []evidence.Sample{
				{Values: []int64{objects, 64 * objects}, Stack: frames("main.f:5", "main.worker:3")}}})
		c.evidence.Runs[0].Operations = 100000
		c.evidence.Escapes = []evidence.Escape{{File: "/src/prog/main.go", Line: 5, Reason: "x escapes to heap"}}
		return c
	}
	for objects, want := range map[int64]string{100000: "Each operation allocates a value on the heap. allocs/op " +
		"should drop by one.", 500000: "One line allocates 100% of all objects. allocs/op should drop."} {
		f := heap(objects).named(t, EscapePerOp)
		_, experiment, _ := strings.Cut(f.Experiment, ": ")
		if got := f.Claim + " " + experiment; got != want {
			t.Errorf("%d objects for 100000 operations: %s, want %s", objects, got, want)
		}
	}
}

// TestEscapesAtSeveralLines: lines that take much time to allocate together are named, the most expensive first,
// although none does alone. They must allocate themselves, keep nothing, and there must be no gc-pressure.
func TestEscapesAtSeveralLines(t *testing.T) {
	for name, x := range map[string]struct {
		each   [4]int // samples in the allocations of a line, and objects of it in units of 10000
		inside string // what allocates
		alloc  string // how
		kept   int64  // per cent of the bytes
		gc     int    // samples in the collector
		want   string
	}{
		"three of four":     {each: [4]int{18, 16, 20, 14}, want: "main.go:3 main.go:1 main.go:2"},
		"two":               {each: [4]int{25, 27, 0, 0}, want: "main.go:2 main.go:1"},
		"two and little":    {each: [4]int{25, 26, 5, 0}, want: "main.go:2 main.go:1"},
		"one":               {each: [4]int{28, 0, 0, 0}},
		"most at one":       {each: [4]int{44, 10, 8, 0}, want: "main.go:1"},
		"far more at three": {each: [4]int{32, 31, 30, 0}, want: "main.go:1 main.go:2 main.go:3"},
		"in a map": {each: [4]int{18, 16, 20, 14}, alloc: "internal/runtime/maps.newTable",
			want: "main.go:3 main.go:1 main.go:2"},
		"go statements":       {each: [4]int{18, 16, 20, 14}, alloc: "runtime.newproc"},
		"little":              {each: [4]int{18, 14, 14, 14}},
		"little, and garbage": {each: [4]int{17, 15, 15, 14}, gc: 30, want: "main.go:1 main.go:2 main.go:3"},
		"in a library":        {each: [4]int{18, 16, 20, 14}, inside: "example.com/codec.Encode"},
		"from a pool":         {each: [4]int{18, 16, 20, 14}, inside: "sync.(*Pool).Get"},
		"kept":                {each: [4]int{18, 16, 20, 14}, kept: 90},
		"gc-pressure":         {each: [4]int{18, 16, 20, 14}, gc: 80},
	} {
		c := wideCase()
		c.evidence.Profiles = nil
		c.cpu(200-x.each[0]-x.each[1]-x.each[2]-x.each[3], "main.f:5", "main.worker:3")
		heap := evidence.Profile{Kind: evidence.Heap, Types: []string{"alloc_objects/count", "alloc_space/bytes",
			"inuse_objects/count", "inuse_space/bytes"}}
		for i, n := range x.each {
			stack := []string{"main.part:" + strconv.Itoa(i+1), "main.worker:3"}
			if x.inside != "" {
				stack = append([]string{x.inside}, stack...)
			}
			c.cpu(n, append([]string{"runtime.mallocgc", cmp.Or(x.alloc, "runtime.makeslice")}, stack...)...)
			objects := int64(n) * 10000
			heap.Samples = append(heap.Samples, evidence.Sample{Stack: frames(stack...),
				Values: []int64{objects, 64 * objects, objects * x.kept / 100, 64 * objects * x.kept / 100}})
		}
		c.cpu(x.gc, "runtime.scanobject", "runtime.gcDrain", "runtime.gcBgMarkWorker", "runtime.systemstack")
		c.evidence.Profiles = append(c.evidence.Profiles, heap)

		found, want := escapes(newAnalysis(&c.evidence)), strings.Fields(x.want)
		if x.want == "" {
			// One line may have a gain by itself.
			if len(found) > 0 && (len(found[0].Where) > 1 || strings.HasPrefix(found[0].Claim, "Allocating at")) {
				t.Errorf("%s: %+v", name, found)
			}
			continue
		}
		slices.Sort(x.each[:])
		cost, all := 0.0, 0.0
		for i, n := range x.each {
			all += float64(n)
			if i >= 4-len(want) {
				cost += float64(n)
			}
		}
		gain := 0.8 * (cost/200 + 0.8*float64(x.gc)/float64(200+x.gc)*cost/all)
		if len(found) == 0 || !slices.Equal(found[0].Where, want) ||
			math.Abs(found[0].Gain.Computed-gain) > 0.01 || !strings.Contains(fmt.Sprint(found[0]), percent(cost/200)+
			" of the goroutines' CPU time") {
			t.Errorf("%s: %+v, want %s and %.3f", name, found, x.want, gain)
		}
	}
}

// Without a memory limit, none is low on purpose.
func TestAlternativeOfCollection(t *testing.T) {
	c := wideCase()
	c.cpu(100, "runtime.scanobject", "runtime.gcDrain", "runtime.gcBgMarkWorker", "runtime.systemstack")
	if f := c.named(t, GCPressure); strings.Contains(f.Alternative, "limit") {
		t.Error(f.Alternative)
	}
	c.evidence.Runs[0].Metrics = map[string]float64{"/gc/gomemlimit:bytes": 1 << 30}
	if f := c.named(t, GCPressure); !strings.Contains(f.Alternative, "The memory limit is low on purpose") {
		t.Error(f.Alternative)
	}
}

// One CPU is not several, and cannot be halved.
func TestClaimOfOneCPU(t *testing.T) {
	for cpus, want := range map[int]string{1: "Its only CPU is in use: half the work, 1.00 of 1 CPU",
		2: "All 2 CPUs are in use: half the CPUs, 1.98 of 2 CPUs"} {
		c := wideCase()
		if cpus == 1 {
			c.evidence.Runs[0].CPUs, c.evidence.Runs[0].MachineCPUs, c.evidence.Runs[0].User = 1, 1, second
			c.evidence.Trace.CPUs = 1
		}
		f := c.named(t, CPUSaturated)
		claim, _, _ := strings.Cut(f.Claim, ":")
		experiment, _, _ := strings.Cut(f.Experiment, ":")
		got := claim + ": " + experiment[strings.LastIndex(experiment, "half "):] + ", " +
			strings.TrimPrefix(f.Evidence[0], "it used ")
		if got != want {
			t.Errorf("%d: %s, want %s", cpus, got, want)
		}
	}
}

// A lock of a dependency is the library's, at the program's own line. What only wraps a lock of the program is not, nor
// is another module of its workspace.
func TestLockOfDependency(t *testing.T) {
	const cached, vendored = "/go/pkg/mod/example.org/dep@v1.2.3/dep.go", "/src/prog/vendor/example.org/dep/dep.go"
	for name, x := range map[string]struct {
		function, file, module string
		library                bool
	}{
		"dependency":          {"example.org/dep.(*Rand).Intn", cached, "example.org/prog", true},
		"vendored":            {"example.org/dep.(*Rand).Intn", vendored, "example.org/prog", true},
		"workspace":           {"example.org/dep.(*Rand).Intn", "/src/dep/dep.go", "example.org/prog", false},
		"of unknown module":   {"example.org/dep.(*Rand).Intn", cached, "", false},
		"wrapper":             {"example.org/dep.(*Mutex).Lock", cached, "example.org/prog", false},
		"env":                 {"github.com/brewput/brewput/env.(*Mutex).lockMetered", cached, "example.org/p", false},
		"of the standard one": {"log.(*Logger).output", "/usr/local/go/src/log/log.go", "example.org/prog", true},
	} {
		stack := frames("sync.(*Mutex).Lock", x.function, "main.update:7", "main.worker:3")
		stack[1].File = x.file
		traced := coarseLock()
		for i := range traced.evidence.Trace.Waits {
			traced.evidence.Trace.Waits[i].Stack = stack
		}
		profiled := newCase()
		profiled.evidence.Runs, profiled.evidence.Trace = nil, nil
		profiled.cpu(75, "main.f:5", "main.update:7", "main.worker:3")
		profiled.evidence.Profiles = append(profiled.evidence.Profiles, evidence.Profile{Kind: evidence.Mutex,
			Types: []string{"delay/nanoseconds"}, Samples: []evidence.Sample{{Values: []int64{int64(2 * second)},
				Stack: stack}}})
		for level, c := range map[string]*testCase{"trace": traced, "profile": profiled} {
			c.evidence.Program.Module = x.module
			f := c.first()
			if (f.Name == LibraryLimit) != x.library || strings.HasPrefix(f.Claim, "A lock inside ") != x.library ||
				len(f.Where) == 0 || !strings.HasPrefix(f.Where[0], "main.go:") {
				t.Errorf("%s, %s: %s %q %s", name, level, f.Name, f.Where, f.Claim)
			}
		}
	}
}

// A program on its only CPU cannot run on fewer.
func TestExperimentWithoutFinding(t *testing.T) {
	for cpus, want := range map[float64]string{1: "half the work", 2: "fewer CPUs"} {
		a := newAnalysis(&singleCase().evidence)
		a.cpus = cpus
		if f := a.noFinding(); f.Name != None || !strings.Contains(f.Experiment, want) {
			t.Errorf("%v CPUs: %s, %q", cpus, f.Name, f.Experiment)
		}
	}
}

// A CPU profile alone does not give the number of CPUs.
func TestUnknownCPUs(t *testing.T) {
	for _, c := range []struct {
		trace bool
		want  string
	}{{true, "it used 0.99 of 2 CPUs"},
		{false, "it used 0.99 CPUs; the profile does not show how many there were"}} {
		e := &singleCase().evidence
		if e.Runs = nil; !c.trace {
			e.Trace = nil
		}
		if f := newAnalysis(e).noFinding(); f.Name != None || f.Evidence[0] != c.want {
			t.Errorf("trace %v: %s: %q, want %q", c.trace, f.Name, f.Evidence, c.want)
		}
	}
}

// TestBreakdownOfUnknownCPUs: a CPU profile alone shows how much CPU time was used, but not how much was idle.
func TestBreakdownOfUnknownCPUs(t *testing.T) {
	c := wideCase()
	c.evidence.Runs, c.evidence.Trace = nil, nil
	r := explainWith(nil, &c.evidence)
	if want := []Entry{{UserCode, 1980 * time.Millisecond, 1}}; r.CPUTime.CPUs != 0 || r.Parallelism.CPUs != 0 ||
		r.Parallelism.Running != 1.98 || !slices.Equal(r.CPUTime.Entries, want) {
		t.Errorf("%+v, %+v", r.CPUTime, r.Parallelism)
	}

	// Neither does it show how much of the CPU time a lock leaves unused.
	c = newCase()
	c.evidence.Runs, c.evidence.Trace = nil, nil
	c.cpu(75, "main.f:5", "main.update:7", "main.worker:3")
	c.evidence.Profiles = append(c.evidence.Profiles, evidence.Profile{Kind: evidence.Mutex,
		Types: []string{"delay/nanoseconds"}, Samples: []evidence.Sample{{Values: []int64{int64(2 * second)},
			Stack: frames("sync.(*Mutex).Unlock", "main.update:8", "main.worker:3")}}})
	want := "it used 0.75 CPUs; the profile does not show how many there were"
	if f := c.named(t, CoarseLock); f.Evidence[1] != want {
		t.Errorf("%q, want %q", f.Evidence, want)
	}
}

// If one CPU shows that half the CPUs do not take twice as long, they slow each other down.
func TestExperimentOfSaturation(t *testing.T) {
	for one, want := range map[time.Duration]string{1900 * time.Millisecond: "Run it on half the CPUs",
		1400 * time.Millisecond: "Run 2 processes on one CPU each, side by side"} {
		c := wideCase()
		r := c.evidence.Runs[0]
		r.CPUs, r.Count, r.Wall, r.User = 1, 3, one, one
		c.evidence.Runs = append(c.evidence.Runs, r)
		f := c.named(t, CPUSaturated)
		if !strings.HasPrefix(f.Experiment, want) {
			t.Errorf("%v on one CPU: %s, want %s", one, f.Experiment, want)
		}
		slow := f.Claim == "All 2 CPUs are in use, and slow each other down: memory, caches or shared cores."
		if slow != (one < 1900*time.Millisecond) || slow != strings.Contains(f.Fix, "touch less memory") {
			t.Errorf("%v on one CPU: %s %s", one, f.Claim, f.Fix)
		}
		cited := slices.Contains(f.Evidence, "the same work takes 1.41x as much CPU time on 2 CPUs as on one")
		if cited != (one < 1900*time.Millisecond) {
			t.Errorf("%v on one CPU: %q", one, f.Evidence)
		}
	}
}

// Two runs are too few to say that CPUs slow each other down, and a run that a timer ends does more work on more CPUs.
func TestNotSlowedDown(t *testing.T) {
	for name, change := range map[string]func(c *testCase){
		"few runs": func(c *testCase) { c.evidence.Runs[0].Count = 2 },
		"a timer": func(c *testCase) {
			c.wait(evidence.OpSleep, 1, 1, 990*time.Millisecond, -1, "time.Sleep", "main.main:8")
		},
		"": func(*testCase) {},
	} {
		c := wideCase()
		c.evidence.Runs[0].Count = 3
		r := c.evidence.Runs[0]
		r.CPUs, r.Wall, r.User = 1, 1400*time.Millisecond, 1400*time.Millisecond
		c.evidence.Runs = append(c.evidence.Runs, r)
		change(c)
		f := c.named(t, CPUSaturated)
		if slow := strings.Contains(f.Claim, "slow each other down"); slow != (name == "") {
			t.Errorf("%s: %s", name, f.Claim)
		}
	}
}

// A copy is made with its final capacity, although it grows a slice.
func TestHotCopy(t *testing.T) {
	for function, want := range map[string]string{"slices.Clone[...]": "Copy into a buffer of the caller",
		"bytes.Clone": "Copy into a buffer of the caller", "main.add": "Allocate the slice with its final capacity"} {
		c := wideCase()
		c.evidence.Profiles = nil
		c.cpu(150, "runtime.growslice", function, "main.f:5", "main.worker:3")
		c.cpu(48, "main.f:9", "main.worker:3")
		if f := c.named(t, HotFunction); !strings.HasPrefix(f.Fix, want) {
			t.Errorf("%s: %s, want %s", function, f.Fix, want)
		}
	}
}

// The claim of an imbalance begins with what a narrow page has room for.
func TestClaimOfImbalance(t *testing.T) {
	f := unevenCase().named(t, LoadImbalance)
	want := "For 40% of the time only one of the 2 goroutines of main.worker works."
	if evidence := "the goroutines that ran longest had a CPU for 1s, 590ms"; f.Claim != want ||
		f.Evidence[0] != evidence {
		t.Errorf("got  %s %s\nwant %s %s", f.Claim, f.Evidence[0], want, evidence)
	}
}

// CPUs are slower than one only if the ranges of several runs are apart.
func TestClaimOfConvoy(t *testing.T) {
	for one, want := range map[time.Duration]string{second: "2 CPUs are no faster than one.",
		second / 2: "2 CPUs are slower than one."} {
		c := wideCase()
		c.evidence.Profiles, c.evidence.Trace = nil, nil
		c.cpu(100, "internal/sync.(*Mutex).lockSlow", "sync.(*Mutex).Lock", "main.take:2", "main.book:5",
			"main.worker:3")
		c.cpu(100, "main.f:5", "main.worker:3")
		c.evidence.Runs = append(c.evidence.Runs, c.evidence.Runs[0])
		r := &c.evidence.Runs[0]
		r.CPUs, r.Wall, r.WallLow, r.WallHigh = 1, one, one, one
		if f := c.named(t, LockConvoy); !strings.HasSuffix(f.Claim, want) {
			t.Errorf("%v on one CPU: %s, want %s", one, f.Claim, want)
		}
	}
}

// A defect ranks before what gains more, but only if it is certain.
func TestDefectsRankFirst(t *testing.T) {
	for confidence, first := range map[Confidence]Name{High: GoroutineLeak, Medium: CoarseLock} {
		found := rank([]Finding{{Name: CoarseLock, Gain: newGain(0.4, 0.1, 0.5), Confidence: High},
			{Name: GoroutineLeak, Confidence: confidence}})
		if found[0].Name != first {
			t.Errorf("%s confidence: %s ranks first", confidence, found[0].Name)
		}
	}
}

// A leak is as certain on a loaded machine, and other findings are not.
func TestLeakUnderLoad(t *testing.T) {
	c := leakCase()
	c.evidence.Runs[0].OtherCPUs = 1
	found := explainWith(nil, &c.evidence).Findings
	if found[0].Name != GoroutineLeak || !found[0].IsDefect() || len(found) > 1 && found[1].Confidence != Low {
		t.Errorf("%+v", found)
	}
}

// Goroutines of a program that accepts connections may serve those that are open.
func TestLeakOfServer(t *testing.T) {
	for name, x := range map[string]struct {
		op      evidence.Op
		accepts bool
		longest time.Duration
		defect  bool
	}{
		"receive":           {evidence.OpReceive, false, 0, true},
		"receive in server": {evidence.OpReceive, true, 0, false},
		"send in server":    {evidence.OpSend, true, 0, true}, // serves no open connection
		"queue":             {evidence.OpSend, false, second / 5, false},
	} {
		c := leakCase()
		w := &c.evidence.Trace.Waits[c.evidence.Trace.Classes[len(c.evidence.Trace.Classes)-1].StuckAt]
		w.Op, w.Waits.Max = x.op, x.longest
		if x.accepts {
			c.wait(evidence.OpNetwork, 1, 9, 0, -1, "net.(*netFD).accept", "net.(*TCPListener).Accept", "main.main:3")
		}
		found := explainWith(nil, &c.evidence).Findings
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == GoroutineLeak })
		if i < 0 || found[i].IsDefect() != x.defect {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

package explain

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// profile is a CPU profile, summed by category and by stack.
type profile struct {
	total   float64 // CPU time of all samples except the profilers', in ns, or in samples if the profile has no times
	samples int64   // number of samples
	timed   bool    // total is in ns
	noise   float64 // fraction of the CPU time that the profilers took
	by      map[string]float64
	user    float64 // CPU time of the program's goroutines
	userBy  map[string]float64
	list    []weightedSample

	duration time.Duration // time that the profile covers; 0 if unknown
}

// weightedSample is a sample with its CPU time and its part of the CPU-time breakdown.
type weightedSample struct {
	stack    []evidence.Frame
	weight   float64
	category string
	root     string // start function of its goroutine; "" for stacks of the scheduler
}

// newProfile sums the CPU profile of the evidence. It returns nil if there is none, or if it is empty.
func newProfile(e *evidence.Evidence) *profile {
	i := slices.IndexFunc(e.Profiles, func(p evidence.Profile) bool { return p.Kind == evidence.CPU })
	if i < 0 {
		return nil
	}

	from := e.Profiles[i]
	count := slices.Index(from.Types, "samples/count")
	value := max(slices.Index(from.Types, "cpu/nanoseconds"), 0)
	p := &profile{duration: from.Duration, timed: slices.Contains(from.Types, "cpu/nanoseconds"),
		by: map[string]float64{}, userBy: map[string]float64{}}

	// Sum the samples by category. Those of profilers count only as noise.
	noise := 0.0
	for _, s := range from.Samples {
		if len(s.Values) <= value {
			continue
		}
		w := weightedSample{stack: s.Stack, weight: float64(s.Values[value])}
		if w.category = categorize(s.Stack); w.category == Profiler {
			noise += w.weight
			continue
		}
		if count >= 0 && count < len(s.Values) {
			p.samples += s.Values[count]
		} else {
			p.samples++
		}
		w.root = startFunction(s.Stack)
		p.total += w.weight
		p.by[w.category] += w.weight
		if w.root != "" {
			p.user += w.weight
			p.userBy[w.category] += w.weight
		}
		p.list = append(p.list, w)
	}
	if p.total == 0 {
		return nil
	}

	p.noise = noise / (noise + p.total)
	return p
}

// startFunction returns the start function of a goroutine of the program, or "" if the stack belongs to the runtime.
func startFunction(stack []evidence.Frame) string {
	if len(stack) == 0 {
		return ""
	}
	if stack[len(stack)-1].Function == "runtime.goexit" && len(stack) > 1 {
		stack = stack[:len(stack)-1]
	}

	root := evidence.StartFrame(stack).Function
	if root == "runtime.main" {
		return "main.main"
	}
	if hasAnyPrefix(root, "runtime.", "runtime/") {
		return ""
	}

	return root
}

// The categories of runtime functions, by prefix. The innermost matching function of a goroutine's stack decides, and
// the outermost of a stack of the runtime. From the sources of Go 1.26.
var (
	profilerFunctions = []string{"runtime/pprof.", "runtime/trace.", "runtime.traceReader", "runtime.profileWriter",
		"runtime.(*profBuf)", "runtime.sigprof", "runtime.(*traceAdvancerState)", "runtime.traceAdvance",
		"runtime.traceEventWriter"}
	collectorFunctions = []string{"runtime.gcBgMarkWorker", "runtime.gcAssistAlloc", "runtime.bgsweep",
		"runtime.bgscavenge", "runtime.gcStart", "runtime.gcMark", "runtime.gcDrain", "runtime.wbBufFlush",
		"runtime.gcWriteBarrier", "runtime.(*sweepLocked)", "runtime.deductSweepCredit", "runtime.(*mheap).reclaim",
		"runtime.bulkBarrierPreWrite", "runtime.gcFlushBgCredit", "runtime.(*scavengerState)"}
	allocFunctions = []string{"runtime.mallocgc", "runtime.newobject", "runtime.makeslice", "runtime.growslice",
		"runtime.newarray", "runtime.concatstring", "runtime.slicebytetostring", "runtime.stringtoslicebyte",
		"runtime.rawstring", "runtime.rawbyteslice", "runtime.convT", "runtime.makemap", "runtime.memclrNoHeapPointers",
		"runtime.makechan"}
	channelFunctions = []string{"runtime.chansend", "runtime.chanrecv", "runtime.selectgo", "runtime.selectnb",
		"runtime.closechan"}
	lockFunctions = []string{"sync.(*Mutex)", "sync.(*RWMutex)", "sync.(*WaitGroup)", "sync.(*Cond)",
		"sync.(*rlocker)", "internal/sync.(*Mutex)", "internal/sync.runtime_", "sync.runtime_", "sync.(*notifyList)"}
	syscallFunctions = []string{"syscall.", "internal/runtime/syscall.", "internal/syscall/", "golang.org/x/sys/",
		"runtime.entersyscall", "runtime.exitsyscall", "runtime.reentersyscall", "runtime.cgocall"}
	schedulerFunctions = []string{"runtime.newproc", "runtime.goexit", "runtime.Gosched", "runtime.gopark",
		"runtime.goready", "runtime.morestack", "runtime.mcall", "runtime.schedule", "runtime.mstart",
		"runtime.goschedguarded", "runtime.asyncPreempt"}
)

// isProfiler reports whether a stack belongs to a profiler or to the code that starts and stops it.
func isProfiler(stack []evidence.Frame) bool {
	return containsAny(stack, profilerFunctions...) || slices.ContainsFunc(stack, isHook)
}

// categorize returns the part of the CPU-time breakdown that a sample belongs to.
func categorize(stack []evidence.Frame) string {
	switch {
	case isProfiler(stack):
		return Profiler
	case containsAny(stack, collectorFunctions...):
		return GarbageCollector
	}

	for _, f := range stack {
		if hasAnyPrefix(f.Function, channelFunctions...) {
			return Channels
		}
		if hasAnyPrefix(f.Function, lockFunctions...) {
			return Locks
		}
		if hasAnyPrefix(f.Function, syscallFunctions...) {
			return SystemCalls
		}
		if hasAnyPrefix(f.Function, allocFunctions...) {
			return Allocation
		}
		if hasAnyPrefix(f.Function, burnFunctions...) {
			return UserCode
		}
		if hasAnyPrefix(f.Function, schedulerFunctions...) || evidence.IsWrapper(f.Function) {
			return Scheduler
		}
		if !strings.HasPrefix(f.Function, "runtime.") && !strings.HasPrefix(f.Function, "internal/runtime/") &&
			!hasAnyPrefix(f.Function, "internal/abi", "sync/atomic.", "internal/sync.") {
			return UserCode
		}
	}
	if startFunction(stack) == "" {
		return Scheduler
	}

	return UserCode
}

// share returns the fraction of all CPU time in some categories, and userShare that of the program's goroutines.
func (p *profile) share(what ...string) float64 { return sum(p.by, what) / p.total }
func (p *profile) userShare(what ...string) float64 {
	return sum(p.userBy, what) / math.Max(p.user, 1e-9)
}

// shareOf returns the fraction of the CPU time in samples that match.
func (p *profile) shareOf(match func(w *weightedSample) bool) float64 {
	s := 0.0
	for i := range p.list {
		if w := &p.list[i]; match(w) {
			s += w.weight
		}
	}
	return s / p.total
}

// sum adds the values of some keys.
func sum(by map[string]float64, what []string) float64 {
	s := 0.0
	for _, w := range what {
		s += by[w]
	}
	return s
}

// group is a source position with the fraction of the goroutines' CPU time spent in or below it.
type group struct {
	at     evidence.Frame
	share  float64
	sample []evidence.Frame // the stack with the most CPU time
	most   float64
}

// groupBy sums the samples by the position that choose returns, and sorts the groups by CPU time, the largest first.
func (p *profile) groupBy(choose func(w *weightedSample) (evidence.Frame, bool)) []group {
	by := map[evidence.Frame]*group{}
	for i := range p.list {
		w := &p.list[i]
		f, ok := choose(w)
		if !ok {
			continue
		}
		g := by[f]
		if g == nil {
			g = &group{at: f}
			by[f] = g
		}
		g.share += w.weight / math.Max(p.user, 1e-9)
		if w.weight > g.most {
			g.most, g.sample = w.weight, w.stack
		}
	}

	var out []group
	for _, g := range by {
		out = append(out, *g)
	}

	slices.SortFunc(out, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.at.File, b.at.File),
			cmp.Compare(a.at.Line, b.at.Line), cmp.Compare(a.at.Function, b.at.Function))
	})

	return out
}

// binomialHalfWidth returns the half-width of the 95% confidence interval of a share of so many samples. It uses the
// normal approximation to the binomial distribution with two successes and two failures added (Agresti and Coull 1998).
func binomialHalfWidth(share float64, samples int64) float64 {
	n := float64(samples) + 4
	s := (share*float64(samples) + 2) / n
	return 1.96 * math.Sqrt(s*(1-s)/n)
}

// shareHalfWidth returns the half-width of the confidence interval of a share of the goroutines' CPU time.
func (a *analysis) shareHalfWidth(share float64) float64 {
	if a.cpu == nil {
		return share / 3
	}
	return binomialHalfWidth(math.Min(share, 1), a.cpu.samples)
}

// burnFunctions stand for a design's own work, so that they count as user code.
var burnFunctions = []string{"github.com/brewput/brewput/env/live.Spin",
	"github.com/brewput/brewput/env/live.(*World).Burn"}

package explain

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// profile is a CPU profile added up.
type profile struct {
	total   float64 // CPU time of all samples but the profilers', in ns or counts
	samples int64   // that it stands on
	noise   float64 // the profilers', as a fraction of all
	by      map[string]float64
	user    float64 // of goroutines of the program, whatever they did
	userBy  map[string]float64
	list    []weightedSample
}

// weighed is a sample with its weight and its line of the ledger.
type weightedSample struct {
	stack    []evidence.Frame
	weight   float64
	category string
	root     string // the function that its goroutine started with; "" for the scheduler's own stacks
}

// profileOf adds up the CPU profile of the evidence; nil if there is none, or nothing in it.
func newProfile(e *evidence.Evidence) *profile {
	i := slices.IndexFunc(e.Profiles, func(p evidence.Profile) bool { return p.Kind == evidence.CPU })
	if i < 0 {
		return nil
	}

	from := e.Profiles[i]
	count := slices.Index(from.Types, "samples/count")
	value := max(slices.Index(from.Types, "cpu/nanoseconds"), 0)
	p := &profile{by: map[string]float64{}, userBy: map[string]float64{}}
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

// rootOf is the function that a goroutine of the program started with; "" if the stack is the runtime's own.
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

// What the functions of the runtime are for, by the innermost of them that the program called, and by the outermost of
// stacks that are the runtime's own. From the sources of Go 1.26.
var (
	profilerFunctions = []string{"runtime/pprof.", "runtime/trace.", "runtime.traceReader", "runtime.profileWriter",
		"runtime.(*profBuf)", "runtime.sigprof", "runtime.(*traceAdvancerState)", "runtime.traceAdvance",
		"runtime.traceEventWriter", "main.(*brewput", "main.brewput"}
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

// spentOn is the line of the ledger that a sample belongs to.
func categorize(stack []evidence.Frame) string {
	switch {
	case containsAny(stack, profilerFunctions...):
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

// share is a fraction of the CPU time of all samples; userShare of those of the program's goroutines.
func (p *profile) share(what ...string) float64 { return sum(p.by, what) / p.total }
func (p *profile) userShare(what ...string) float64 {
	return sum(p.userBy, what) / math.Max(p.user, 1e-9)
}

func sum(by map[string]float64, what []string) float64 {
	s := 0.0
	for _, w := range what {
		s += by[w]
	}
	return s
}

// group is a place and the share of the program's goroutines' CPU time that was spent below it.
type group struct {
	at     evidence.Frame
	share  float64
	sample []evidence.Frame // the heaviest stack
	most   float64
}

// groups adds up the samples that choose gives a place, by line, the heaviest first.
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

// doubt is the half-width of the 95 % interval of a share of so many samples, by the normal approximation to the
// binomial with two successes and failures added (Agresti and Coull 1998).
func binomialHalfWidth(share float64, samples int64) float64 {
	n := float64(samples) + 4
	s := (share*float64(samples) + 2) / n
	return 1.96 * math.Sqrt(s*(1-s)/n)
}

// shareDoubt is the half-width of the interval of a share of the goroutines' CPU time.
func (a *analysis) shareHalfWidth(share float64) float64 {
	if a.cpu == nil {
		return share / 3
	}
	return binomialHalfWidth(math.Min(share, 1), a.cpu.samples)
}

// burns compute in place of a design's own work: they are its work.
var burnFunctions = []string{"github.com/brewput/brewput/env/live.Spin", "github.com/brewput/brewput/env/live.(*World).Burn"}

package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for allocation and garbage collection.
const (
	gcShare     = 0.2  // fraction of the CPU time in the collector from which there is a finding
	gcAssist    = 0.05 // fraction of the goroutines' running time in mark assists, from which there is a finding
	gcKept      = 0.25 // fraction of the collection cost that remains if the heap may grow four times as far
	allocShare  = 0.2  // fraction of all objects that one line allocates
	thrashShare = 0.4  // fraction of the CPU time; the runtime limits the collector at 0.5 (runtime/mgclimit.go)
	stopShare   = 0.05 // fraction of the time with the world stopped
	stopLong    = time.Millisecond
)

// gcRules finds programs that spend too much time on garbage collection.
func gcRules(a *analysis) []Finding {
	share, source := a.gcCPUShare()
	assist := 0.0
	if a.trace != nil && a.trace.Running > 0 {
		assist = float64(a.trace.GC.Assists) / float64(a.trace.Running)
	}
	if share < gcShare && assist < gcAssist || share < gcShare/2 {
		return nil
	}

	// Thrashing means that the limiter of the runtime was active, or that the memory limit is nearly reached.
	name := GCPressure
	limited := a.metric("/gc/limiter/last-enabled:gc-cycle") > 0
	if limit := a.metric("/gc/gomemlimit:bytes"); limited || limit > 0 && limit < 1<<50 && share >= gcShare &&
		a.nearLimit(limit) {
		name = GCThrash
	}

	f := a.newFinding(name, "Collecting garbage takes %s of the CPU time.", percent(share))
	f.Share = share
	f.citef("%s of CPU time in the collector, by %s", percent(share), source)
	if a.trace != nil {
		f.citef("%d cycles in %s, marking for %s of the time; goroutines assisted for %s of theirs", a.trace.GC.Cycles,
			formatDuration(a.trace.Duration), percent(a.fraction(a.trace.GC.Marking)), percent(assist))
	}

	f.Gain = a.gcGain(share, assist)
	f.Confidence = High
	sites := a.topAllocators(3)
	for _, s := range sites {
		f.Where = append(f.Where, a.prog.position(s.at))
		f.citef("%s of the bytes are allocated at %s", percent(s.share), a.quote(s.at))
	}

	f.Alternative = "Little memory is all there is, so that frequent collection is the price."
	f.Fix = "Allocate less at the lines above (reuse buffers, values instead of pointers), or let the heap grow: " +
		"GOGC=400 with a GOMEMLIMIT."
	f.Experiment = "Run with GOGC=400: the collector's share should fall to a quarter, and the time with it."
	if name == GCThrash {
		f.Claim = fmt.Sprintf("The memory limit is so close to what lives that collecting takes %s of the CPU time.",
			percent(share))
		f.Fix = "Raise GOMEMLIMIT (or debug.SetMemoryLimit) well above what lives, or keep less alive."
		f.Experiment = "Run with twice the limit: the cycles should become rare."
	}

	return []Finding{f}
}

// gcCPUShare returns the fraction of the CPU time spent in the collector, and the evidence for it.
func (a *analysis) gcCPUShare() (share float64, source string) {
	if a.hasSamples() {
		return a.cpu.share(GarbageCollector), "the CPU profile"
	}
	if a.trace != nil && a.trace.Running > 0 {
		gc := a.trace.GC.Workers + a.trace.GC.Assists
		return float64(gc) / float64(a.trace.Running+a.trace.GC.Workers), "the trace"
	}
	return 0, ""
}

// gcGain estimates what fewer collections save. The time of mark assists is saved in full. The time of the collector's
// own workers is saved only as far as goroutines wanted their CPUs.
func (a *analysis) gcGain(share, assist float64) *Gain {
	own := assist
	if a.hasSamples() {
		own = a.cpu.userShare(GarbageCollector)
	}

	// The collector's workers take CPUs from the program only if all CPUs are wanted.
	crowded := a.saturation()
	if a.trace != nil && a.trace.GC.Marking > 0 && a.cpus > 1 {
		crowded = math.Max(crowded, math.Min(1, a.used/(a.cpus*a.wall)))
	}

	workers := math.Max(0, share-own*(1-share))
	saved := (own*a.activeFraction()*(1-workers) + workers*crowded) * (1 - gcKept)
	return newGain(saved, 0.5*saved, math.Min(share*1.1, 1.5*saved+0.05))
}

// metric returns a metric of package runtime/metrics for the undisturbed run, or 0 if it is unknown.
func (a *analysis) metric(name string) float64 {
	if a.run == nil {
		return 0
	}
	return a.run.Metrics[name]
}

// nearLimit reports whether the memory limit, in bytes, keeps the goal of the heap down.
func (a *analysis) nearLimit(limit float64) bool {
	total := a.metric("/memory/classes/total:bytes") - a.metric("/memory/classes/heap/released:bytes")
	return total > 0.8*limit
}

// topAllocators returns up to most of the program's own lines that each allocate at least 10% of the bytes.
func (a *analysis) topAllocators(most int) []group {
	groups, _ := a.allocationsByLine("alloc_space/bytes")
	n := 0
	for n < len(groups) && n < most && groups[n].share >= 0.1 {
		n++
	}
	return groups[:n]
}

// allocationsByLine sums a value type of the heap profile by the program's own lines. The profiler's own allocations
// and those before main are left out.
func (a *analysis) allocationsByLine(what string) (groups []group, total float64) {
	i := slices.IndexFunc(a.e.Profiles, func(p evidence.Profile) bool { return p.Kind == evidence.Heap })
	if i < 0 {
		return nil, 0
	}

	h := &a.e.Profiles[i]
	value := slices.Index(h.Types, what)
	if value < 0 {
		return nil, 0
	}

	p := &profile{}
	for _, s := range h.Samples {
		if value < len(s.Values) && !containsAny(s.Stack, profilerFunctions...) &&
			!containsAny(s.Stack, "runtime.doInit", "runtime.main.func") {
			x := float64(s.Values[value])
			p.list = append(p.list, weightedSample{stack: s.Stack, weight: x})
			p.user += x
		}
	}

	return p.groupBy(func(w *weightedSample) (evidence.Frame, bool) { return a.prog.ownFrame(w.stack) }), p.user
}

// escapes finds a line that allocates once for each operation.
func escapes(a *analysis) []Finding {
	groups, objects := a.allocationsByLine("alloc_objects/count")
	if len(groups) == 0 || groups[0].share < allocShare || objects < 10000 {
		return nil
	}

	g := groups[0]
	reason := a.escapeReason(g.at)
	if reason == "" && !a.allocatesItself(g.sample) {
		return nil // The allocation is inside a library.
	}

	// The finding needs one object for each operation with a reason from the compiler, or a large saving.
	perOp, ops := a.objectsPerOperation(g.share*objects, a.meanObjectSize(g.at))
	cost, samples := a.allocationShare(g.at)
	collected, _ := a.gcCPUShare()
	saved := (cost + collected*g.share*0.8) * a.activeFraction()
	once := perOp >= 0.8 && perOp <= 1.2
	if !(once && reason != "") && saved < 0.12 || samples < minSamples {
		return nil
	}

	f := a.newFinding(EscapePerOp, "%s allocates on the heap each time.", a.prog.position(g.at))
	f.Level = ProfileLevel
	f.Where = []string{a.prog.position(g.at)}
	f.Share = g.share
	f.citef("%s of %.0f objects are allocated at %s", percent(g.share), objects, a.quote(g.at))
	if once {
		f.citef("that is %.2f for each of %s", perOp, ops)
	}
	if reason != "" {
		f.citef("the compiler says: %s", reason)
	}

	f.citef("allocating there takes %s of the goroutines' CPU time, collecting %s of all", percent(cost),
		percent(collected))
	if saved >= minGain {
		f.Gain = newGain(0.8*saved, 0.3*saved, saved)
	} else if rest := 1 - a.cpu.userShare(SystemCalls); rest < 0.5 {
		f.citef("that is %s of what the system calls leave: it shows when they are fewer",
			percent(math.Min(1, cost/rest)))
	}

	f.Alternative = "What is allocated outlives the operation, and must."
	f.Fix = "Make it once, before the loop, and reuse it; or keep it from escaping: no interface, no " +
		"pointer that is kept."
	f.Experiment = "Count allocations: testing.AllocsPerRun or -benchmem should fall by one for each operation."
	return []Finding{f}
}

// allocatesItself reports whether the program's own function allocates, not a library below it.
func (a *analysis) allocatesItself(stack []evidence.Frame) bool {
	i := slices.IndexFunc(stack, func(f evidence.Frame) bool { return !strings.HasPrefix(f.Function, "runtime.") })
	return i >= 0 && a.prog.isOwn(stack[i])
}

// escapeReason returns the compiler's escape message for a line, or "" if there is none.
func (a *analysis) escapeReason(at evidence.Frame) string {
	for _, e := range a.e.Escapes {
		if e.Line == at.Line && (e.File == at.File || strings.HasSuffix(at.File, "/"+e.File) ||
			a.prog.position(evidence.Frame{File: e.File, Line: e.Line, Function: at.Function}) == a.prog.position(at)) {
			return e.Reason
		}
	}
	return ""
}

// tinyBlock is the size in bytes of the blocks in which the runtime combines small objects without pointers. A heap
// profile counts the blocks (runtime/malloc.go).
const tinyBlock = 16

// meanObjectSize returns the mean size in bytes of the objects allocated at a line, or 0 if it is unknown.
func (a *analysis) meanObjectSize(at evidence.Frame) float64 {
	sumAt := func(what string) float64 {
		groups, total := a.allocationsByLine(what)
		for _, g := range groups {
			if g.at == at {
				return g.share * total
			}
		}
		return 0
	}
	if n := sumAt("alloc_objects/count"); n > 0 {
		return sumAt("alloc_space/bytes") / n
	}

	return 0
}

// objectsPerOperation returns the number of objects for each operation or call that was counted, if it is close to one,
// and what was counted. Tiny objects are counted in blocks of 1, 2, 4, 8 or 16, so that all these are tried.
func (a *analysis) objectsPerOperation(objects, size float64) (float64, string) {
	if size > 0 && size < tinyBlock+1 {
		for in := 1.0; in < tinyBlock; in *= 2 {
			if x, name := a.objectsPerOperation(in*objects, 0); x > 0 {
				return x, name
			}
		}
		objects *= tinyBlock
	}
	if a.run == nil {
		return 0, ""
	}

	for _, c := range []struct {
		n    int64
		name string
	}{{a.run.Operations, "the operations"}, {a.run.Reads, "the read calls"}, {a.run.Writes, "the write calls"}} {
		if c.n >= 10000 {
			if x := objects / float64(c.n); x >= 0.8 && x <= 1.2 {
				return x, c.name
			}
		}
	}

	return 0, ""
}

// allocationShare returns the fraction of the goroutines' CPU time that allocates at a line, and the number of samples
// of the profile.
func (a *analysis) allocationShare(at evidence.Frame) (share float64, samples int64) {
	if a.cpu == nil {
		return 0, 0
	}
	for _, w := range a.cpu.list {
		if f, ok := a.prog.ownFrame(w.stack); ok && f.Function == at.Function && f.Line == at.Line &&
			w.category == Allocation {
			share += w.weight / math.Max(a.cpu.user, 1e-9)
		}
	}
	return share, a.cpu.samples
}

// stopTheWorld finds programs that stop the world too often or for too long.
func stopTheWorld(a *analysis) []Finding {
	if a.trace == nil || len(a.trace.GC.Stops) == 0 || a.fraction(a.trace.GC.Stopped) < stopShare {
		return nil
	}

	s := a.trace.GC.Stops[0]
	if strings.HasPrefix(s.Reason, "GC ") && (a.trace.GC.StopLatency.P99 < stopLong ||
		a.fraction(a.trace.GC.Stopped) < 3*stopShare) {
		return nil
	}

	f := a.newFinding(STWStopping, "The world is stopped for %s of the time: %s.",
		percent(a.fraction(a.trace.GC.Stopped)), s.Reason)
	f.Where = a.prog.positions(s.Stack)
	f.Share = a.fraction(a.trace.GC.Stopped)
	f.citef("%d stops for %q took %s; of all stops 99%% were shorter than %s", s.Count, s.Reason,
		formatDuration(s.Spent), formatDuration(a.trace.GC.StopLatency.P99))
	own := a.fraction(s.Spent)
	if !strings.HasPrefix(s.Reason, "GC ") {
		f.Gain = newGain(0.9*own, 0.5*own, 1.1*own)
	}
	if at, ok := a.prog.ownFrame(s.Stack); ok {
		f.citef("asked for at %s", a.quote(at))
	}

	f.Alternative = "The machine is loaded, so that threads are slow to stop."
	f.Fix = "Call what stops the world less often: runtime.ReadMemStats, debug.SetGCPercent, pprof of goroutines; " +
		"read runtime/metrics instead."
	f.Experiment = "Leave the call out: the stops should be gone."
	return []Finding{f}
}

package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Thresholds of allocation and its collection.
const (
	gcShare     = 0.2  // of CPU time
	gcAssist    = 0.05 // of the goroutines' running time, in assists
	gcKept      = 0.25 // of collecting that remains when the heap may grow four times as far
	allocShare  = 0.2  // of objects, at one line
	thrashShare = 0.4  // of CPU time: the limiter of the runtime steps in at 0.5 (runtime/mgclimit.go)
	stopShare   = 0.05 // of the time, with the world stopped
	stopLong    = time.Millisecond
)

// gcRules find programs that collect garbage too much.
func gcRules(v *view) []Finding {
	share, source := v.collecting()
	assist := 0.0
	if v.t != nil && v.t.Running > 0 {
		assist = float64(v.t.GC.Assists) / float64(v.t.Running)
	}
	if share < gcShare && assist < gcAssist || share < gcShare/2 {
		return nil
	}
	name := GCPressure
	limited := v.metric("/gc/limiter/last-enabled:gc-cycle") > 0
	if limit := v.metric("/gc/gomemlimit:bytes"); limited || limit > 0 && limit < 1<<50 && share >= gcShare &&
		v.nearLimit(limit) {
		name = GCThrash
	}
	f := v.finding(name, "Collecting garbage takes %s of the CPU time.", percent(share))
	f.Share = share
	f.says("%s of CPU time in the collector, by %s", percent(share), source)
	if v.t != nil {
		f.says("%d cycles in %s, marking for %s of the time; goroutines assisted for %s of theirs", v.t.GC.Cycles,
			span(v.t.Duration), percent(v.traced(v.t.GC.Marking)), percent(assist))
	}
	f.Gain = v.gcGain(share, assist)
	f.Confidence = High
	sites := v.allocators(3)
	for _, s := range sites {
		f.Where = append(f.Where, v.p.at(s.at))
		f.says("%s of the bytes are allocated at %s", percent(s.share), v.quoted(s.at))
	}
	f.Rival = "Little memory is all there is, so that frequent collection is the price."
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

// collecting is the collector's share of the CPU time.
func (v *view) collecting() (share float64, source string) {
	if v.sampled() {
		return v.cpu.share(Collector), "the CPU profile"
	}
	if v.t != nil && v.t.Running > 0 {
		gc := v.t.GC.Workers + v.t.GC.Assists
		return float64(gc) / float64(v.t.Running+v.t.GC.Workers), "the trace"
	}
	return 0, ""
}

// gcGain is what less collecting saves. What goroutines do for the collector is saved in full; what its own workers do
// only in so far as the CPUs were wanted.
func (v *view) gcGain(share, assist float64) *Gain {
	own := assist
	if v.sampled() {
		own = v.cpu.userShare(Collector)
	}
	crowded := v.saturated()
	if v.t != nil && v.t.GC.Marking > 0 && v.cpus > 1 {
		crowded = math.Max(crowded, math.Min(1, v.used/(v.cpus*v.wall)))
	}
	workers := math.Max(0, share-own*(1-share))
	saved := (own*v.busy()*(1-workers) + workers*crowded) * (1 - gcKept)
	return gain(saved, 0.5*saved, math.Min(share*1.1, 1.5*saved+0.05))
}

// metric is one of the runtime's, of the undisturbed run; 0 unknown.
func (v *view) metric(name string) float64 {
	if v.run == nil {
		return 0
	}
	return v.run.Metrics[name]
}

// nearLimit reports whether the heap's goal is kept down by the memory limit.
func (v *view) nearLimit(limit float64) bool {
	total := v.metric("/memory/classes/total:bytes") - v.metric("/memory/classes/heap/released:bytes")
	return total > 0.8*limit
}

// allocators are the program's own lines that allocate most bytes.
func (v *view) allocators(most int) []group {
	groups, _ := v.allocated("alloc_space/bytes")
	n := 0
	for n < len(groups) && n < most && groups[n].share >= 0.1 {
		n++
	}
	return groups[:n]
}

// allocated adds up the heap profile by the program's own lines.
func (v *view) allocated(what string) (groups []group, total float64) {
	i := slices.IndexFunc(v.e.Profiles, func(p evidence.Profile) bool { return p.Kind == evidence.Heap })
	if i < 0 {
		return nil, 0
	}
	h := &v.e.Profiles[i]
	value := slices.Index(h.Types, what)
	if value < 0 {
		return nil, 0
	}
	p := &profile{}
	for _, s := range h.Samples {
		if value < len(s.Values) && !has(s.Stack, profilerFunctions...) &&
			!has(s.Stack, "runtime.doInit", "runtime.main.func") {
			x := float64(s.Values[value])
			p.list = append(p.list, weighed{stack: s.Stack, weight: x})
			p.user += x
		}
	}
	return p.groups(func(w *weighed) (evidence.Frame, bool) { return v.p.ours(w.stack) }), p.user
}

// escapes finds a line that allocates once for each operation.
func escapes(v *view) []Finding {
	groups, objects := v.allocated("alloc_objects/count")
	if len(groups) == 0 || groups[0].share < allocShare || objects < 10000 {
		return nil
	}
	g := groups[0]
	reason := v.reason(g.at)
	if reason == "" && !v.allocatesItself(g.sample) {
		return nil // inside a library
	}
	perOp, ops := v.perOperation(g.share*objects, v.sizeAt(g.at))
	cost, samples := v.allocationBelow(g.at)
	collected, _ := v.collecting()
	saved := (cost + collected*g.share*0.8) * v.busy()
	once := perOp >= 0.8 && perOp <= 1.2
	if !(once && reason != "") && saved < 0.12 || samples < minSamples {
		return nil
	}
	f := v.finding(EscapePerOp, "%s allocates on the heap each time.", v.p.at(g.at))
	f.Level = ProfileLevel
	f.Where = []string{v.p.at(g.at)}
	f.Share = g.share
	f.says("%s of %.0f objects are allocated at %s", percent(g.share), objects, v.quoted(g.at))
	if once {
		f.says("that is %.2f for each of %s", perOp, ops)
	}
	if reason != "" {
		f.says("the compiler says: %s", reason)
	}
	f.says("allocating there takes %s of the goroutines' CPU time, collecting %s of all", percent(cost),
		percent(collected))
	if saved >= minGain {
		f.Gain = gain(0.8*saved, 0.3*saved, saved)
	} else if rest := 1 - v.cpu.userShare(SystemCalls); rest < 0.5 {
		f.says("that is %s of what the system calls leave: it shows when they are fewer",
			percent(math.Min(1, cost/rest)))
	}
	f.Rival = "What is allocated outlives the operation, and must."
	f.Fix = "Make it once, before the loop, and reuse it; or keep it from escaping: no interface, no " +
		"pointer that is kept."
	f.Experiment = "Count allocations: testing.AllocsPerRun or -benchmem should fall by one for each operation."
	return []Finding{f}
}

// allocatesItself reports whether the program's own function calls for the memory, not a library below it.
func (v *view) allocatesItself(stack []evidence.Frame) bool {
	i := slices.IndexFunc(stack, func(f evidence.Frame) bool { return !strings.HasPrefix(f.Function, "runtime.") })
	return i >= 0 && v.p.own(stack[i])
}

// reason is what the compiler says of a line.
func (v *view) reason(at evidence.Frame) string {
	for _, e := range v.e.Escapes {
		if e.Line == at.Line && (e.File == at.File || strings.HasSuffix(at.File, "/"+e.File) ||
			v.p.at(evidence.Frame{File: e.File, Line: e.Line, Function: at.Function}) == v.p.at(at)) {
			return e.Reason
		}
	}
	return ""
}

// tinyBlock is the size of the blocks in which the runtime puts several small objects without pointers; a heap profile
// counts the blocks (runtime/malloc.go).
const tinyBlock = 16

// sizeAt is the mean size of the objects that are allocated at a place, in bytes; 0 unknown.
func (v *view) sizeAt(at evidence.Frame) float64 {
	of := func(what string) float64 {
		groups, total := v.allocated(what)
		for _, g := range groups {
			if g.at == at {
				return g.share * total
			}
		}
		return 0
	}
	if n := of("alloc_objects/count"); n > 0 {
		return of("alloc_space/bytes") / n
	}
	return 0
}

// perOperation is how many objects come on each operation that was counted, if they are about one; of objects that are
// counted by blocks there are 1, 2, 4, 8 or 16 in each.
func (v *view) perOperation(objects, size float64) (float64, string) {
	if size > 0 && size < tinyBlock+1 {
		for in := 1.0; in < tinyBlock; in *= 2 {
			if x, name := v.perOperation(in*objects, 0); x > 0 {
				return x, name
			}
		}
		objects *= tinyBlock
	}
	if v.run == nil {
		return 0, ""
	}
	for _, c := range []struct {
		n    int64
		name string
	}{{v.run.Operations, "the operations"}, {v.run.Reads, "the read calls"}, {v.run.Writes, "the write calls"}} {
		if c.n >= 10000 {
			if x := objects / float64(c.n); x >= 0.8 && x <= 1.2 {
				return x, c.name
			}
		}
	}
	return 0, ""
}

// allocationBelow is the share of the goroutines' CPU time that allocates at a line.
func (v *view) allocationBelow(at evidence.Frame) (share float64, samples int64) {
	if v.cpu == nil {
		return 0, 0
	}
	for _, w := range v.cpu.list {
		if f, ok := v.p.ours(w.stack); ok && f.Function == at.Function && f.Line == at.Line && w.what == Allocation {
			share += w.weight / math.Max(v.cpu.user, 1e-9)
		}
	}
	return share, v.cpu.samples
}

// stopping finds a world that is stopped too often or too long.
func stopping(v *view) []Finding {
	if v.t == nil || len(v.t.GC.Stops) == 0 || v.traced(v.t.GC.Stopped) < stopShare {
		return nil
	}
	s := v.t.GC.Stops[0]
	if strings.HasPrefix(s.Reason, "GC ") && (v.t.GC.Stop.P99 < stopLong || v.traced(v.t.GC.Stopped) < 3*stopShare) {
		return nil
	}
	f := v.finding(STWStopping, "The world is stopped for %s of the time: %s.", percent(v.traced(v.t.GC.Stopped)),
		s.Reason)
	f.Where = v.p.places(s.Stack)
	f.Share = v.traced(v.t.GC.Stopped)
	f.says("%d stops for %q took %s; of all stops 99%% were shorter than %s", s.Count, s.Reason, span(s.Spent),
		span(v.t.GC.Stop.P99))
	own := v.traced(s.Spent)
	if !strings.HasPrefix(s.Reason, "GC ") {
		f.Gain = gain(0.9*own, 0.5*own, 1.1*own)
	}
	if at, ok := v.p.ours(s.Stack); ok {
		f.says("asked for at %s", v.quoted(at))
	}
	f.Rival = "The machine is loaded, so that threads are slow to stop."
	f.Fix = "Call what stops the world less often: runtime.ReadMemStats, debug.SetGCPercent, pprof of goroutines; " +
		"read runtime/metrics instead."
	f.Experiment = "Leave the call out: the stops should be gone."
	return []Finding{f}
}

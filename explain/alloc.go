package explain

import (
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

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
	list, total := a.allocations(what)
	p := &profile{list: list, user: total}
	return p.groupBy(func(w *weightedSample) (evidence.Frame, bool) { return a.prog.ownFrame(w.stack) }), total
}

// heapValues are the samples of a value type of the heap profile, with its values as weights.
type heapValues struct {
	list  []weightedSample // without the profiler's own and those before main
	total float64          // of list
	all   float64          // of the profile
}

// allocations returns the samples of a value type of the heap profile, and their sum. Without a heap profile there are
// none.
func (a *analysis) allocations(what string) (list []weightedSample, total float64) {
	h := a.heapValues(what)
	return h.list, h.total
}

// heapValues returns the values of a type, from the cache if they are there.
func (a *analysis) heapValues(what string) heapValues {
	if h, ok := a.heap[what]; ok {
		return h
	}
	if a.heap == nil {
		a.heap = map[string]heapValues{}
	}

	h := heapValues{}
	i := slices.IndexFunc(a.e.Profiles, func(p evidence.Profile) bool { return p.Kind == evidence.Heap })
	if i >= 0 {
		h = readHeap(&a.e.Profiles[i], what)
	}

	a.heap[what] = h
	return h
}

// readHeap selects the values of a type of a heap profile.
func readHeap(p *evidence.Profile, what string) (h heapValues) {
	value := slices.Index(p.Types, what)
	for _, s := range p.Samples {
		if value < 0 || value >= len(s.Values) {
			continue
		}
		x := float64(s.Values[value])
		h.all += x
		if !isProfiler(s.Stack) && !containsAny(s.Stack, "runtime.doInit", "runtime.main.func") {
			h.list = append(h.list, weightedSample{stack: s.Stack, weight: x})
			h.total += x
		}
	}
	return h
}

// minLinesRatio is the smallest gain of several lines, in units of that of one, for which these (up to three) are named
// instead.
const minLinesRatio = 1.5

// escapes finds a line that allocates once for each operation, or lines that together take much time to allocate.
func escapes(a *analysis) []Finding {
	groups, objects := a.allocationsByLine("alloc_objects/count")
	if len(groups) == 0 || objects < 10000 {
		return nil
	}
	found, several := a.escapesAt(groups[0], objects), a.escapesAtSeveral(groups, objects)
	if len(several) > 0 && (len(found) == 0 || found[0].Gain == nil ||
		minLinesRatio*found[0].Gain.Computed < several[0].Gain.Computed) {
		return several
	}
	return found
}

// madeThere reports whether a line of the program itself allocates, so that it could keep the values. Otherwise the
// allocation is inside a library, or a pool is empty: see madeByLibrary.
func (a *analysis) madeThere(g group) bool {
	return (a.escapeReason(g.at) != "" || a.allocatesItself(g.sample)) && !containsAny(g.sample, poolGet)
}

// escapesAt finds one line that allocates once for each operation.
func (a *analysis) escapesAt(g group, objects float64) []Finding {
	if g.share < allocShare || !a.madeThere(g) {
		return nil
	}
	reason := a.escapeReason(g.at)

	// The finding needs one object for each operation with a reason from the compiler, or a large saving.
	perOp, ops := a.objectsPerOperation(g.share*objects, a.meanObjectSize(g.at))
	cost, samples := a.allocationShare(g.at)
	collected, _ := a.gcCPUShare()
	saved := (cost + 0.8*collected*g.share) * a.activeFraction()
	once := perOp >= 0.8 && perOp <= 1.2
	if !(once && reason != "") && saved < allocSaved || samples < minSamples {
		return nil
	}

	f := a.newFinding(EscapePerOp, "Each operation allocates a value on the heap.")
	if !once {
		f.Claim = "One line allocates " + percent(g.share) + " of all objects."
	}
	f.Level = ProfileLevel
	f.savesCPU, f.garbage = true, 0.8*(saved-cost*a.activeFraction())
	f.Where = []string{a.prog.position(g.at)}
	f.Share = g.share
	f.citef("%s of %.0f objects are allocated at %s", percent(g.share), objects, a.quote(g.at))
	if once {
		f.citef("that is %.2f objects for each of %s", perOp, ops)
	}
	if reason != "" {
		f.citef("the compiler reports: %s", reason)
	}
	f.citef("allocating there takes %s of the goroutines' CPU time; garbage collection takes %s of all CPU time",
		percent(cost), percent(collected))
	kept := a.keeps(a.allocatedAt("alloc_space/bytes", g.at), a.allocatedAt("inuse_space/bytes", g.at))
	if saved >= minGain && !kept {
		f.Gain = newGain(0.8*saved, 0.3*saved, saved)
	} else if rest := 1 - a.cpu.userShare(SystemCalls); rest < 0.5 && !kept {
		f.citef("that is %s of the CPU time outside system calls, and matters once those are fewer",
			percent(math.Min(1, cost/rest)))
	}

	f.Alternative = "The value outlives the operation, and must be on the heap."
	f.Fix = "Reuse one value if nothing keeps it afterwards, or keep it from escaping."
	if kept {
		f.citef("most of these bytes are still in use at the end, so they cannot be reused")
		f.Confidence = Low
		f.Fix = "Keep fewer or smaller values: many in one slice, or without pointers."
	}
	f.Experiment = "Run a benchmark with -benchmem: allocs/op should drop by one."
	if !once {
		f.Experiment = "Run a benchmark with -benchmem: allocs/op should drop."
	}
	return []Finding{f}
}

// allocatesItself reports whether the program's own function allocates, not a library below it.
func (a *analysis) allocatesItself(stack []evidence.Frame) bool {
	i := slices.IndexFunc(stack, func(f evidence.Frame) bool {
		return !hasAnyPrefix(f.Function, "runtime.", "internal/runtime/")
	})
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
	if n := a.allocatedAt("alloc_objects/count", at); n > 0 {
		return a.allocatedAt("alloc_space/bytes", at) / n
	}
	return 0
}

// allocatedAt returns the sum of a value type of the heap profile at a line. What is in use may be negative: a profile
// of a period counts what was freed in it.
func (a *analysis) allocatedAt(what string, at evidence.Frame) (sum float64) {
	list, _ := a.allocations(what)
	for _, w := range list {
		if line, ok := a.prog.ownFrame(w.stack); ok && line == at {
			sum += w.weight
		}
	}
	return sum
}

// mostKept is the fraction of the bytes of a line that are in use at the end, from which they cannot be reused.
const mostKept = 0.5

// keeps reports whether most of the bytes that something allocates are still in use at the end: inUse by the heap
// profile, which is taken after the main function has returned, or what was live before beyond all other allocations.
func (a *analysis) keeps(allocated, inUse float64) bool {
	others := a.heapValues("alloc_space/bytes").all - allocated
	kept := math.Max(inUse, a.metric("/gc/heap/live:bytes")-others)
	return allocated > 0 && kept >= mostKept*allocated
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
		if f, ok := a.allocatingLine(&w); ok && f.Function == at.Function && f.Line == at.Line {
			share += w.weight / math.Max(a.cpu.user, 1e-9)
		}
	}
	return share, a.cpu.samples
}

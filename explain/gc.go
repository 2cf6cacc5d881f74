package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Thresholds for allocation and garbage collection.
const (
	gcShare    = 0.2  // fraction of the CPU time in the collector from which there is a finding
	gcLeast    = 0.15 // fraction of the CPU time in the collector below which mark assists are no finding either
	gcAssist   = 0.05 // fraction of the goroutines' running time in mark assists, from which there is a finding
	gcKept     = 0.25 // fraction of the collection cost that remains if the heap may grow four times as far
	allocShare = 0.2  // fraction of all objects that one line allocates
	allocSaved = 0.15 // fraction of the time that it takes, unless it is one object for each operation
	lineCost   = 0.03 // fraction of the goroutines' CPU time from which one of three lines counts
	linesSaved = 0.25 // fraction of the time that three lines take together
	stopShare  = 0.05 // fraction of the time with the world stopped
	stopLong   = time.Millisecond

	collectorStop = 3 * stopShare // as stopShare, if the collector stops the world most
)

// gcRules finds programs that spend too much time on garbage collection.
func gcRules(a *analysis) []Finding {
	share, source := a.gcCPUShare()
	assist := 0.0
	if a.trace != nil && a.trace.Running > 0 {
		assist = float64(a.trace.GC.Assists) / float64(a.trace.Running)
	}
	if share < gcShare && assist < gcAssist || share < gcLeast {
		return nil
	}

	// Thrashing means that the limiter of the runtime was active, or that the memory limit is nearly reached.
	name := GCPressure
	limit := a.metric("/gc/gomemlimit:bytes")
	limited := limit > 0 && limit < 1<<50
	if a.metric("/gc/limiter/last-enabled:gc-cycle") > 0 || limited && share >= gcShare && a.nearLimit(limit) {
		name = GCThrash
	}

	f := a.newFinding(name, "Garbage collection takes %s of the CPU time.", percent(share))
	f.Share = share

	sites := a.topAllocators(3)
	f.Gain = a.gcGain(share, assist)
	allocating, reusable := 0.0, false
	if name == GCPressure {
		freed := slices.DeleteFunc(slices.Clone(sites), a.keepsAt)
		var g *Gain
		if g, allocating = a.reuseGain(f.Gain, share, freed); g != nil {
			f.Gain, sites, reusable = g, freed, true
		}
	}
	f.Confidence = High
	for _, s := range sites {
		f.Where = append(f.Where, a.prog.position(s.at))
		f.citef("%s of the bytes are allocated at %s", percent(s.share), a.quote(s.at))
	}
	f.citef("the collector takes %s of the CPU time, by %s", percent(share), source)
	if reusable {
		f.citef("allocating the reusable values takes %s of the goroutines' CPU time", percent(allocating))
	}
	if a.trace != nil {
		f.citef("%d cycles in %s, marking for %s of the time; goroutines assisted for %s of theirs", a.trace.GC.Cycles,
			formatDuration(a.trace.Duration), percent(a.fraction(a.trace.GC.Marking)), percent(assist))
	}

	f.Alternative = "The program needs all that it allocates, and frequent collection is its price."
	if limited {
		f.Alternative = "The memory limit is low on purpose, and frequent collection is its price."
	}
	f.Fix = "If memory allows, set GOGC=400; or allocate less, or keep less."
	f.Experiment = "Run with GOGC=400: the collector's share should fall to a quarter."
	if reusable {
		f.Fix = "Reuse buffers at these lines. GOGC=400 may save a part, with more memory."
		f.Experiment = "Keep the value of the first line: its bytes should leave the profile."
	}
	if name == GCThrash {
		describeThrash(&f)
	}
	return []Finding{f}
}

// describeThrash changes the words of a finding about the collector: the heap is near the memory limit.
func describeThrash(f *Finding) {
	f.Claim = fmt.Sprintf("The heap is near the memory limit: collection takes %s of the CPU time.", percent(f.Share))
	f.Fix = "Raise GOMEMLIMIT well above the live heap, or keep less data alive."
	f.Experiment = "Run with twice the limit: collections should become rare."
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

// keepsAt reports whether most of the bytes that a line allocates are still in use at the end.
func (a *analysis) keepsAt(g group) bool {
	return a.keeps(a.allocatedAt("alloc_space/bytes", g.at), a.allocatedAt("inuse_space/bytes", g.at))
}

// reuseGain estimates what reusing the values of some lines saves if the collector takes a share of the CPU time: their
// part of the collections, and the time that allocates them, which is a fraction of the goroutines' CPU time. It
// returns nil if most bytes are in use at the end, or if the lines allocate so few that a higher GOGC saves more.
func (a *analysis) reuseGain(byGOGC *Gain, share float64, lines []group) (g *Gain, allocating float64) {
	_, all := a.allocations("alloc_space/bytes")
	_, inUse := a.allocations("inuse_space/bytes")
	if len(lines) == 0 || !a.hasSamples() || a.keeps(all, inUse) {
		return nil, 0
	}
	bytes := 0.0
	for _, l := range lines {
		bytes += l.share
		cost, _ := a.allocationShare(l.at)
		allocating += cost
	}
	part := func(x float64) float64 { return bytes * x / (1 - gcKept) }
	// The collector's workers take part of the time only if the goroutines want all CPUs.
	own := allocating * a.activeFraction() * (1 - (1-a.cpu.user/a.cpu.total)*a.saturation())
	g = newGain(part(byGOGC.Estimate)+own, part(byGOGC.Low), math.Min(1.1*share, part(byGOGC.High))+own)
	if g.Estimate < byGOGC.Estimate { // the lines allocate little of the garbage
		return nil, 0
	}
	return g, allocating
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

// stopTheWorld finds programs that stop the world too often or for too long.
func stopTheWorld(a *analysis) []Finding {
	if a.trace == nil || len(a.trace.GC.Stops) == 0 || a.fraction(a.trace.GC.Stopped) < stopShare {
		return nil
	}

	s := a.trace.GC.Stops[0]
	if strings.HasPrefix(s.Reason, "GC ") && (a.trace.GC.StopLatency.P99 < stopLong ||
		a.fraction(a.trace.GC.Stopped) < collectorStop) {
		return nil
	}

	f := a.newFinding(STWStopping, "The world is stopped for %s of the time: %s.",
		percent(a.fraction(a.trace.GC.Stopped)), s.Reason)
	f.Where = a.prog.positions(s.Stack)
	f.Share = a.fraction(a.trace.GC.Stopped)
	f.citef("%d stops for %q took %s; 99%% of all stops took less than %s", s.Count, s.Reason,
		formatDuration(s.Spent), formatDuration(a.trace.GC.StopLatency.P99))
	own := a.fraction(s.Spent)
	if !strings.HasPrefix(s.Reason, "GC ") {
		f.Gain = newGain(0.9*own, 0.5*own, 1.1*own)
	}
	if at, ok := a.prog.ownFrame(s.Stack); ok {
		f.citef("requested at %s", a.quote(at))
	}

	f.Alternative = "The machine is loaded, so threads are slow to stop."
	f.Fix = "Stop the world less often: read runtime/metrics, not ReadMemStats."
	f.Experiment = "Remove the call: the stops should disappear."
	return []Finding{f}
}

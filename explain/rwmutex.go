package explain

import (
	"math"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for read-write locks.
const rwCost = 0.1 // fraction of the CPU time in an RWMutex

// isForReaders reports whether goroutines wait as readers of a lock, or for readers, which may hold it together.
func isForReaders(w *evidence.Wait) bool {
	return containsAny(w.Stack, "sync.(*RWMutex).RLock") || slices.ContainsFunc(w.Wakers, func(k evidence.Waker) bool {
		return containsAny(k.Stack, "sync.(*RWMutex).RUnlock")
	})
}

// rwMutex finds read-write locks that cost more than the sections they guard, although no goroutine waits long. All
// CPUs write to the count of readers.
func rwMutex(a *analysis) []Finding {
	if !a.hasSamples() {
		return nil
	}

	groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		if w.category != Locks || !containsAny(w.stack, "sync.(*RWMutex)", "sync.(*rlocker)") {
			return evidence.Frame{}, false
		}
		return a.prog.ownFrame(w.stack)
	})

	share := 0.0
	for _, g := range groups {
		share += g.share
	}
	if share < rwCost {
		return nil
	}

	f := a.newFinding(RWMutexMisuse, "An RWMutex takes %s of the CPU time, for short critical sections.",
		percent(share))
	f.Level = ProfileLevel
	for _, g := range groups[:min(2, len(groups))] {
		f.Where = append(f.Where, a.prog.position(g.at))
		f.citef("%s of the goroutines' CPU time is in the RWMutex at %s", percent(g.share), a.quote(g.at))
	}

	f.Share = share
	d := a.shareHalfWidth(share)
	f.Gain = newGain(share*a.activeFraction(), 0.5*(share-d), share+d+0.2)
	// The cache line with the count of readers moves between CPUs, which slows down neighbouring data too.
	if r := a.inflation(); (r >= inflated || r >= sharedInfl && share >= sharedCost) && a.oneCPU.Count >= 3 &&
		a.run.Count >= 3 {
		f.citef("the same work takes %.2fx as much CPU time on %d CPUs as on one", r, a.run.CPUs)
		f.Gain = newGain(math.Max(share, 1-1/r)*a.activeFraction(), 0.5*(share-d), math.Max(f.Gain.High, 1-(1-share)/r))
	}

	f.Alternative = "The critical sections are long, and readers wait for writers."
	f.Fix = "Use an atomic.Pointer to data that is never changed, shards, or a Mutex."
	f.Experiment = "Read without the lock in a throwaway run: time should fall."
	return []Finding{f}
}

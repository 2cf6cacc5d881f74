package explain

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for locks.
const (
	lockBusy    = 0.4  // fraction of the time that a goroutine waits for the lock
	lockStarved = 0.08 // fraction of the time that a goroutine waits while a CPU has nothing to do

	// A lock is also the bottleneck if a goroutine waits for lockFull of the time, lockIdle of the CPU time is unused
	// although woken goroutines want a CPU, and on average lockParked of the other goroutines are parked for it.
	lockFull   = 0.7
	lockIdle   = 0.2
	lockParked = 1.0 / 3

	lockCost   = 0.15                  // fraction of the CPU time in locks and the scheduler that makes a convoy
	lockShort  = 20 * time.Microsecond // holding time that is shorter than parking and waking
	lockInside = 0.5                   // fraction of the users' running time during which the lock is held
	delayed    = 0.85                  // mean number of waiting goroutines in a mutex profile: nearly always one
)

// lockRules finds the lock that limits the program most.
func lockRules(a *analysis) []Finding {
	if a.trace == nil {
		return lockByProfile(a)
	}

	// Choose between the lock that goroutines wait for while CPUs have nothing to do, and the one they wait for most
	// often.
	var best, often *evidence.Resource
	waits := int64(0)                    // for all locks, since many locks together cost as much as one
	_, around, _ := a.semaphoreAndLock() // its queue is that of a semaphore, which channelRules report
	for i := range a.trace.Resources {
		r := &a.trace.Resources[i]
		if r.Kind == evidence.ResourceChannel || r == around {
			continue
		}
		waits += r.Count
		if r.Count < 20 || a.fraction(r.Busy) < lockBusy {
			continue
		}
		if best == nil || r.Starved > best.Starved {
			best = r
		}
		if often == nil || r.Count > often.Count {
			often = r
		}
	}
	if best == nil {
		return nil
	}

	cost := 0.0
	if a.hasSamples() {
		cost = a.cpu.share(Locks) + a.scheduling(waits)
	}

	// A lock is a bottleneck if CPUs are idle because of it, or else if it costs much CPU time.
	idle := a.fraction(best.Busy) >= lockFull && a.unusedCPU() >= lockIdle && a.serializes(best) &&
		a.isHeld(best)
	if a.fraction(best.Starved) >= lockStarved || idle {
		return []Finding{a.lockFinding(best, cost)}
	}
	if cost < lockCost {
		return nil
	}

	f := a.lockFinding(often, cost)
	if 2*often.Count < waits { // Most of the cost is that of other locks, so that one change is not enough.
		f.citef("goroutines waited for other locks too, %d times", waits-often.Count)
		f.Gain, f.Confidence = nil, Medium
	}

	return []Finding{f}
}

// serializes reports whether a lock keeps most of its users parked all the time. A goroutine that was woken and queues
// for a CPU no longer waits for the lock.
func (a *analysis) serializes(r *evidence.Resource) bool {
	parked, users := time.Duration(0), int64(0)
	for _, i := range r.Waits {
		parked += a.blockedTime(&a.trace.Waits[i])
		for _, c := range a.trace.Waits[i].Classes {
			users = max(users, int64(a.trace.Classes[c].Peak))
		}
	}
	return a.fraction(parked) >= lockParked*float64(users-1)
}

// heldMost is the largest number of CPUs that goroutines may use below functions that hold a lock exclusively.
const heldMost = 1.1

// isHeld reports whether the lock can be held long enough to keep others waiting, by the holding times after waits, or
// by the CPU time of functions that take it. These may work besides if they take it in a loop, are what a goroutine
// starts with, or use more CPUs than one holder can. Otherwise goroutines queue for CPUs or wait elsewhere, such as in
// system calls.
func (a *analysis) isHeld(r *evidence.Resource) bool {
	if r.Holds.Count < r.Count/2 || a.fraction(r.Holds.Sum) >= lockBusy {
		return true
	}
	if !a.hasSamples() {
		return false
	}
	callers, shared := map[string]bool{}, false
	for _, i := range r.Waits {
		w := &a.trace.Waits[i]
		shared = shared || isForReaders(w)
		f, _, ok := a.prog.user(w.Stack)
		starts := func(c int) bool { return a.trace.Classes[c].Start.Function == f.Function }
		if !ok || slices.ContainsFunc(w.Classes, starts) || a.prog.innermostLoop(f) != nil {
			return false
		}
		callers[f.Function] = true
	}
	below := a.used / a.wall * a.cpu.shareOf(func(w *weightedSample) bool {
		return w.category != Locks && w.category != SystemCalls && w.category != Scheduler &&
			slices.ContainsFunc(w.stack, func(f evidence.Frame) bool { return callers[f.Function] })
	})
	return lockBusy <= below && (shared || below <= heldMost)
}

// waitSites returns the sites where goroutines wait for a resource, the longest first, and their total time.
func (a *analysis) waitSites(r *evidence.Resource) (waits []*evidence.Wait, total time.Duration) {
	for _, i := range r.Waits {
		w := &a.trace.Waits[i]
		waits = append(waits, w)
		total += w.Waited + w.Queued
	}
	slices.SortFunc(waits, func(x, y *evidence.Wait) int { return cmp.Compare(y.Waited, x.Waited) })
	return waits, total
}

// holdShares returns the fraction of the users' running time during which the lock is held, and the fraction of the
// holding times during which the holder does not run.
func (a *analysis) holdShares(r *evidence.Resource, waits []*evidence.Wait) (inside, outside float64) {
	running := time.Duration(0)
	seen := map[int]bool{}
	for _, w := range waits {
		for _, c := range w.Classes {
			if !seen[c] {
				seen[c] = true
				running += a.trace.Classes[c].Running
			}
		}
	}
	if r.Holds.Sum > 0 {
		outside = 1 - float64(r.HeldRunning)/float64(r.Holds.Sum)
	}

	inside = float64(r.HeldRunning) / math.Max(1, float64(running))
	if outside < 0.5 { // Goroutines that did not wait held the lock too: add all that can have been done under it.
		// Without a CPU, holders hold it for longer: divide by the time that counts as running meanwhile.
		inside = math.Max(inside, a.fraction(r.Busy)*a.wall/max(a.used, a.traced*a.wall, 1e-9))
	}

	return math.Min(1, inside), math.Max(0, outside)
}

// lockCaller returns the function that takes a lock, and whether it belongs to a library.
func (a *analysis) lockCaller(r *evidence.Resource) (evidence.Frame, bool) {
	for _, i := range r.Waits {
		if f, library, ok := a.prog.user(a.trace.Waits[i].Stack); ok {
			return f, library
		}
	}
	return evidence.Frame{}, false
}

// user returns the function of a stack that takes a lock for its own work, and whether it belongs to a library: the
// standard one, or another module, by the path of its file. A method that is called as an operation of a lock wraps the
// lock of its caller. Other modules of the same workspace are no libraries.
func (p program) user(stack []evidence.Frame) (f evidence.Frame, library, ok bool) {
	i := slices.IndexFunc(stack, func(f evidence.Frame) bool {
		return !hasAnyPrefix(f.Function, "sync.", "internal/sync.", "runtime.", "github.com/brewput/brewput/env.") &&
			(p.isOwn(f) || !slices.Contains(lockOperations, functionName(f.Function)))
	})
	if i < 0 {
		return f, false, false
	}
	f = stack[i]
	fetched := strings.Contains(f.File, "@v") || strings.Contains(f.File, "/vendor/")
	return f, (p.isStandard(f) || fetched && !p.mayBeOwn(f)) && !isHook(f), true
}

// lockOperations are the names of methods of locks.
var lockOperations = []string{"Lock", "RLock", "TryLock", "TryRLock", "Unlock", "RUnlock"}

// otherLocks reports whether goroutines sometimes wait for other locks of this kind. The locks then guard resources, of
// which this one is saturated.
func (a *analysis) otherLocks(r *evidence.Resource) bool {
	for i := range a.trace.Resources {
		o := &a.trace.Resources[i]
		if o != r && o.Kind == r.Kind && o.Count >= max(10, r.Count/20) {
			return true
		}
	}
	return false
}

// lockByProfile finds a lock in a mutex profile, if there is no trace: the stack that delayed others most.
func lockByProfile(a *analysis) []Finding {
	i := slices.IndexFunc(a.e.Profiles, func(p evidence.Profile) bool { return p.Kind == evidence.Mutex })
	if i < 0 || a.wall == 0 || a.unusedCPU() < lockIdle && (a.cpu == nil || a.cpu.share(Locks) < lockCost) {
		return nil
	}

	m := &a.e.Profiles[i]
	value := max(0, slices.Index(m.Types, "delay/nanoseconds"))
	delay := &profile{}
	for _, s := range m.Samples {
		if value < len(s.Values) {
			delay.list = append(delay.list, weightedSample{stack: s.Stack, weight: float64(s.Values[value])})
			delay.user += float64(s.Values[value])
		}
	}

	groups := delay.groupBy(func(w *weightedSample) (evidence.Frame, bool) { return a.prog.ownFrame(w.stack) })
	queue := delay.user / 1e9 / a.wall
	if len(groups) == 0 || groups[0].share < 0.5 || queue < delayed {
		return nil
	}

	g := groups[0]
	name := CoarseLock
	caller, library, _ := a.prog.user(g.sample)
	switch {
	case library:
		name = LibraryLimit
	case a.used < a.wall/2: // the holder does not run
		name = SaturatedResource
	}

	f := a.newFinding(name, "")
	f.Level = ProfileLevel
	f.Where = []string{a.prog.position(g.at)}
	f.Share = math.Min(1, queue)
	f.citef("goroutines waited %s in all until it was released there: %.1f at a time", formatSeconds(delay.user/1e9),
		queue)
	f.citef("%s", a.usage())
	most := 1 - a.lowerBound(1/(queue+1))
	f.Gain = newGain(0.7*most, 0.2*most, most)
	a.describeLock(&f, caller, 1)
	if !library {
		f.Claim = "One lock serializes the program: other goroutines wait for it."
	}
	return []Finding{f}
}

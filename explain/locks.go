package explain

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Thresholds of locks.
const (
	lockBusy    = 0.4     // of the time somebody waits for it
	lockStarved = 0.08    // of the time somebody does while a CPU has nothing to do
	lockFull    = 0.7     // of the time somebody waits for it; then it is the limit if
	lockIdle    = 0.2     // of the CPUs' time is unused, though who was woken wants one
	lockParked  = 1.0 / 3 // of the others are parked for it, in the mean
	// of CPU time in locking and in the scheduler, from which a lock held for short is one
	lockCost   = 0.15
	lockShort  = 20 * time.Microsecond // held for less than it takes to park and wake
	lockInside = 0.7                   // of what those who use it run is done while it is held
	// goroutines wait for it in the mean, by a mutex profile: somebody nearly always
	delayed = 0.85
	rwCost  = 0.1 // of CPU time in a RWMutex
)

// lockRules find the lock that holds the program back most.
func lockRules(a *analysis) []Finding {
	if a.trace == nil {
		return lockByProfile(a)
	}

	// the one that is waited for while CPUs have nothing to do, and the one that is waited for most often
	var best, often *evidence.Resource
	waits := int64(0) // for all of them: what many locks cost together is as if it were one
	for i := range a.trace.Resources {
		r := &a.trace.Resources[i]
		if r.Kind == evidence.OpChannel {
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

	idle := a.fraction(best.Busy) >= lockFull && a.unusedCPU() >= lockIdle && a.serializes(best)
	if a.fraction(best.Starved) >= lockStarved || idle {
		return []Finding{a.lockFinding(best, cost)}
	}
	if cost < lockCost {
		return nil
	}

	f := a.lockFinding(often, cost)
	if 2*often.Count < waits { // most of the cost is that of others: one change is not enough
		f.citef("goroutines waited for other locks too, %d times", waits-often.Count)
		f.Gain, f.Confidence = nil, Medium
	}

	return []Finding{f}
}

// parkedFor reports whether most of those who use a lock are kept by it all the time, as one that serialises them does.
// Who was woken and queues for a CPU that works for others does not wait for the lock any more.
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

// lock is what is to be said of one.
func (a *analysis) lockFinding(r *evidence.Resource, cost float64) Finding {
	waits, waited := a.waitSites(r)
	queue := float64(waited) / float64(a.trace.Duration) // that waits in the mean
	inside, outside := a.holdShares(r, waits)
	name := CoarseLock
	caller, library := a.lockCaller(r)
	switch {
	case library:
		name = LibraryLimit
	case r.Holds.Count > 0 && r.Holds.P50 < lockShort && r.Holds.Sum < lockShort*time.Duration(r.Holds.Count) &&
		(!a.hasSamples() || cost >= lockCost) ||
		r.Holds.Count == 0 && cost >= lockCost:
		name = LockConvoy
		if r.Kind == evidence.OpRWMutex {
			name = RWMutexMisuse
		}
	case outside > 0.5 || inside < lockInside || a.otherLocks(r):
		name = SaturatedResource
	}

	f := a.newFinding(name, "")
	f.Where = a.prog.positions(r.Sites...)
	f.Share = a.fraction(r.Busy)
	f.citef("somebody waited for it for %s of the time, %.1f goroutines in the mean, %d times", percent(f.Share), queue,
		r.Count)
	if r.Holds.Count > 0 {
		f.citef("those who had waited then held it for %s (median), %s of that on a CPU", formatDuration(r.Holds.P50),
			percent(1-outside))
	}

	f.citef("meanwhile a CPU had nothing to do for %s of the time", percent(a.fraction(r.Starved)))
	if cost > 0 {
		f.citef("locks, and parking and waking for them, take up to %s of the CPU time", percent(cost))
	}
	if len(waits) > 0 {
		if at, ok := a.prog.ownFrame(waits[0].Stack); ok {
			f.citef("most wait at %s", a.quote(at))
		}
	}

	f.Gain = a.lockGain(r, queue, outside, cost)
	f.Confidence = High
	a.describeLock(&f, caller, inside)
	return f
}

// waitsOf are the sites where goroutines wait for a resource, the longest first, and how long they did in all.
func (a *analysis) waitSites(r *evidence.Resource) (waits []*evidence.Wait, total time.Duration) {
	for _, i := range r.Waits {
		w := &a.trace.Waits[i]
		waits = append(waits, w)
		total += w.Waited + w.Queued
	}
	slices.SortFunc(waits, func(x, y *evidence.Wait) int { return int(y.Waited - x.Waited) })
	return waits, total
}

// held is the part of what its users run that they run while they hold a lock, and the part of its holding times that
// they do not run.
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
	if outside < 0.5 { // those who had not waited held it too: all that can have been done under it
		inside = math.Max(inside, a.fraction(r.Busy)*a.wall/math.Max(a.used, 1e-9))
	}

	return math.Min(1, inside), math.Max(0, outside)
}

// lockCaller is the function that takes a lock, and whether it is not the program's own.
func (a *analysis) lockCaller(r *evidence.Resource) (evidence.Frame, bool) {
	for _, i := range r.Waits {
		for _, f := range a.trace.Waits[i].Stack {
			if hasAnyPrefix(f.Function, "sync.", "internal/sync.", "runtime.") {
				continue
			}
			return f, a.prog.isStandard(f) && !isHook(f)
		}
	}
	return evidence.Frame{}, false
}

// otherLocks reports whether there are more locks that somebody waits for now and then: resources, of which this one is
// full.
func (a *analysis) otherLocks(r *evidence.Resource) bool {
	for i := range a.trace.Resources {
		o := &a.trace.Resources[i]
		if o != r && o.Kind == r.Kind && o.Count >= max(10, r.Count/20) {
			return true
		}
	}
	return false
}

// lockGain is what is saved where the lock serialises no more: up to as many as waited go on at once, on the CPUs there
// are.
func (a *analysis) lockGain(r *evidence.Resource, queue, outside, cost float64) *Gain {
	at := a.cpus
	if outside > 0.5 {
		at = math.Inf(1)
	}
	most := 1 - a.lowerBound(1/(queue+1))
	most = math.Min(most, a.fraction(r.Busy)*(1-1/math.Min(at, queue+1)))
	most = math.Max(most, math.Min(1-a.lowerBound(), cost*a.activeFraction()))
	low := math.Min(0.5*most, a.fraction(r.Starved)*0.5)
	return newGain(0.85*most, low, math.Max(most, 1-a.lowerBound()))
}

func (a *analysis) describeLock(f *Finding, caller evidence.Frame, inside float64) {
	place := "one lock"
	if len(f.Where) > 0 {
		place = "the lock taken at " + f.Where[0]
	}

	f.Alternative = "The lock waits for something that is slow in itself, and without it the wait would move there."
	switch f.Name {
	case LibraryLimit:
		f.Claim = "A lock inside " + shortName(caller.Function) + " lets one goroutine at a time go on."
		f.Fix = "Call it less often, give each goroutine an instance of its own, or use another library."
		f.Experiment = "Give each goroutine its own instance: the waits should be gone."
	case LockConvoy:
		f.Claim = capitalize(place) + " is held for a moment, but so often that goroutines park and wake " +
			"one another for it."
		f.Fix = "Take it less often: do several things under it at once, or split it into shards, or use an atomic."
		f.Experiment = "Take it once for every ten operations: the waits should fall to a tenth."
	case RWMutexMisuse:
		f.Claim = "The RWMutex at " + strings.TrimPrefix(place, "the lock taken at ") +
			" costs more than what it guards."
		f.Fix = "Use a plain Mutex for short sections, or copy on write: an atomic.Pointer to a map " +
			"that is never changed."
		f.Experiment = "Replace it by an atomic.Pointer: the time in it should be gone."
	case SaturatedResource:
		f.Claim = capitalize(place) + " guards a resource that is in use all the time: everybody waits for it."
		f.Fix = "Have more than one of it (shards, a second instance, a pool), or make its use shorter."
		f.Experiment = "Double it: the time should fall until the next resource or the CPUs are the limit."
	default:
		f.Claim = capitalize(place) + " is held for nearly all that its users do (" + percent(inside) +
			" of what they run): one works at a time."
		f.Fix = "Hold it only for what is shared: compute before or after; or one lock for each part of the data."
		f.Experiment = "Leave the lock out in a test run that may be wrong: the time should fall as estimated."
	}
}

// lockByProfile is for mutex profiles without a trace: the stack that delayed others most.
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
	if a.used < a.wall/2 { // who holds it does not run
		name = SaturatedResource
	}

	f := a.newFinding(name, "")
	f.Level = ProfileLevel
	f.Where = []string{a.prog.position(g.at)}
	f.Share = math.Min(1, queue)
	f.citef("goroutines were delayed %s in all by who released it there: %.1f at a time", formatSeconds(delay.user/1e9), queue)
	f.citef("%s of the CPUs' time is unused", percent(a.unusedCPU()))
	most := 1 - a.lowerBound(1/(queue+1))
	f.Gain = newGain(0.7*most, 0.2*most, most)
	a.describeLock(&f, evidence.Frame{}, 1)
	f.Claim = "The lock released at " + a.prog.position(g.at) + " serialises the program: others wait for it."
	return []Finding{f}
}

// rwMutex finds locks for readers that cost more than they guard, though nobody waits for long: the count of
// readers is memory that all CPUs write.
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

	f := a.newFinding(RWMutexMisuse, "Taking the RWMutex at %s costs %s of the CPU time, for sections "+
		"shorter than that.", a.prog.position(groups[0].at), percent(share))
	f.Level = ProfileLevel
	for _, g := range groups[:min(2, len(groups))] {
		f.Where = append(f.Where, a.prog.position(g.at))
		f.citef("%s in RLock, RUnlock, Lock and Unlock called at %s", percent(g.share), a.quote(g.at))
	}

	f.Share = share
	d := a.shareHalfWidth(share)
	f.Gain = newGain(share*a.activeFraction(), 0.5*(share-d), share+d+0.2)
	// The count of readers goes from CPU to CPU: what is beside it is slower too.
	if r := a.inflation(); (r >= inflated || r >= sharedInfl && share >= sharedCost) && a.oneCPU.Count >= 3 &&
		a.run.Count >= 3 {
		f.citef("the same work takes %.2f times the CPU time on %d CPUs as on one", r, a.run.CPUs)
		f.Gain = newGain(math.Max(share, 1-1/r)*a.activeFraction(), 0.5*(share-d), math.Max(f.Gain.High, 1-(1-share)/r))
	}

	f.Alternative = "The sections are long, and the time in the lock is waiting for writers."
	f.Fix = "Copy on write: an atomic.Pointer to data that is never changed; or shards; or a plain Mutex " +
		"where writers are many."
	f.Experiment = "Read without the lock in a test run: the time should fall by its share."
	return []Finding{f}
}

package explain

import (
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
	lockInside = 0.7                   // fraction of the users' running time during which the lock is held
	delayed    = 0.85                  // mean number of waiting goroutines in a mutex profile: nearly always one
	rwCost     = 0.1                   // fraction of the CPU time in an RWMutex
)

// lockRules finds the lock that limits the program most.
func lockRules(a *analysis) []Finding {
	if a.trace == nil {
		return lockByProfile(a)
	}

	// Choose between the lock that goroutines wait for while CPUs have nothing to do, and the one they wait for most
	// often.
	var best, often *evidence.Resource
	waits := int64(0) // for all locks, since many locks together cost as much as one
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

	// A lock is a bottleneck if CPUs are idle because of it, or else if it costs much CPU time.
	idle := a.fraction(best.Busy) >= lockFull && a.unusedCPU() >= lockIdle && a.serializes(best)
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

// lockFinding describes one lock. cost is the fraction of the CPU time spent on locks.
func (a *analysis) lockFinding(r *evidence.Resource, cost float64) Finding {
	waits, waited := a.waitSites(r)
	queue := float64(waited) / float64(a.trace.Duration) // mean number of waiting goroutines
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

// waitSites returns the sites where goroutines wait for a resource, the longest first, and their total time.
func (a *analysis) waitSites(r *evidence.Resource) (waits []*evidence.Wait, total time.Duration) {
	for _, i := range r.Waits {
		w := &a.trace.Waits[i]
		waits = append(waits, w)
		total += w.Waited + w.Queued
	}
	slices.SortFunc(waits, func(x, y *evidence.Wait) int { return int(y.Waited - x.Waited) })
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
		inside = math.Max(inside, a.fraction(r.Busy)*a.wall/math.Max(a.used, 1e-9))
	}

	return math.Min(1, inside), math.Max(0, outside)
}

// lockCaller returns the function that takes a lock, and whether it belongs to a library.
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

// lockGain estimates what is saved if the lock no longer serializes its users. As many goroutines as waited then
// continue at once, on the available CPUs.
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

// describeLock sets the claim and the advice of a finding about a lock, by its name. inside is the fraction of the
// users' running time during which the lock is held.
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
	if a.used < a.wall/2 { // the holder does not run
		name = SaturatedResource
	}

	f := a.newFinding(name, "")
	f.Level = ProfileLevel
	f.Where = []string{a.prog.position(g.at)}
	f.Share = math.Min(1, queue)
	f.citef("goroutines were delayed %s in all by who released it there: %.1f at a time", formatSeconds(delay.user/1e9),
		queue)
	f.citef("%s of the CPUs' time is unused", percent(a.unusedCPU()))
	most := 1 - a.lowerBound(1/(queue+1))
	f.Gain = newGain(0.7*most, 0.2*most, most)
	a.describeLock(&f, evidence.Frame{}, 1)
	f.Claim = "The lock released at " + a.prog.position(g.at) + " serialises the program: others wait for it."
	return []Finding{f}
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
	// The cache line with the count of readers moves between CPUs, which slows down neighbouring data too.
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

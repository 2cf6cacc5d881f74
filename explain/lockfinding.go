package explain

import (
	"math"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

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
		if r.Kind == evidence.ResourceRWMutex {
			name = RWMutexMisuse
		}
	case outside > 0.5 || inside < lockInside || a.otherLocks(r):
		name = SaturatedResource
	}

	f := a.newFinding(name, "")
	f.Where = a.prog.positions(r.Sites...)
	f.Share = a.fraction(r.Busy)
	f.citef("goroutines wait for it %s of the time: %.1f on average, %d waits", percent(f.Share), queue, r.Count)
	if r.Holds.Count > 0 {
		f.citef("after a wait they hold it for %s (median), %s of that on a CPU", formatDuration(r.Holds.P50),
			percent(1-outside))
	}

	f.citef("a CPU is idle during such waits for %s of the time", percent(a.fraction(r.Starved)))
	if cost > 0 {
		f.citef("lock operations, with parking and waking, take up to %s of the CPU time", percent(cost))
	}
	if len(waits) > 0 {
		if at, ok := a.prog.ownFrame(waits[0].Stack); ok {
			f.citef("most wait at %s", a.quote(at))
		}
	}

	if f.Gain = a.lockGain(r, queue, outside, cost); name == CoarseLock || name == SaturatedResource {
		f.Gain.bounded() // without the parking of a convoy, which also costs CPU time elsewhere
	}
	f.Confidence = High
	a.describeLock(&f, caller, inside)
	return f
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
	return newGain(0.85*most, low, math.Max(most, 1-a.uncontendedBound()))
}

// describeLock sets the claim and the advice of a finding about a lock, by its name. inside is the fraction of the
// users' running time during which the lock is held.
func (a *analysis) describeLock(f *Finding, caller evidence.Frame, inside float64) {
	f.Alternative = "The critical section is slow for another reason, and goroutines would wait there anyway."
	switch f.Name {
	case LibraryLimit:
		f.Claim = "A lock inside " + shortName(caller.Function) + " admits one goroutine at a time."
		f.Fix = "Call it less often, or use instances that share no file, writer or pool."
		f.Experiment = "In a throwaway run, give each goroutine its own: waits should disappear."
	case LockConvoy:
		f.Claim = "The lock is held briefly, but so often that goroutines park for it."
		f.Fix = "Take it less often: batch operations, use shards, or use an atomic."
		f.Experiment = "Take it once for ten operations: waits should fall to a tenth."
	case RWMutexMisuse:
		f.Claim = "The RWMutex costs more than the work that it guards."
		f.Fix = "Use a Mutex, or an atomic.Pointer to data that is never changed."
		f.Experiment = "Replace it with an atomic.Pointer: its CPU time should disappear."
	case SaturatedResource:
		f.Claim = "The lock guards a resource that is always in use."
		f.Fix = "Use more than one (shards, a second instance), or hold it for less time."
		f.Experiment = "Use two: time should drop until something else is the limit."
	default:
		f.Claim = "One lock is held for " + percent(inside) + " of its users' running time."
		f.Fix = "Hold it only to access shared data and compute outside, or use shards."
		f.Experiment = "Remove it in a throwaway run (wrong results): time should drop."
	}
}

// quoteGain adds the gain, which is final now, to the experiment of a coarse lock.
func (f *Finding) quoteGain() {
	if f.Name == CoarseLock && f.Gain != nil {
		f.Experiment = strings.TrimSuffix(f.Experiment, ".") + " " + percent(f.Gain.Estimate) + "."
	}
}

package explain

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
)

// semaphoreAndLock finds a channel that its users both take from and give back to: a semaphore, or a pool of
// connections. It also returns the lock that goroutines hold while they wait for a slot; nil if there is none.
func (a *analysis) semaphoreAndLock() (Finding, *evidence.Resource, bool) {
	if a.idleCPU() < stepIdle {
		return Finding{}, nil, false // more goroutines at a time would only wait for CPUs
	}
	if f, ok := a.selectSemaphore(); ok {
		return f, nil, true
	}

	for i := range a.trace.Resources {
		r := &a.trace.Resources[i]
		if r.Kind != evidence.ResourceChannel || r.Count < 10 || a.fraction(r.Busy) < lockBusy ||
			min(r.FullCount, r.EmptyCount) > max(r.FullCount, r.EmptyCount)/10 {
			continue
		}
		waits, waited := a.waitSites(r)
		spawned := a.spawnedClass(waits)
		if len(waits) == 0 || spawned == nil && !a.wokenByOwnClass(waits) || a.queueForLock(waits) {
			continue
		}

		around, queue, most := a.slotQueue(waits, waited)
		if most < 2*minGain {
			continue
		}

		// If the CPUs are often idle, the holders wait for something outside.
		outside := a.demandShare(0) > 0.3
		name, claim := TooFewWorkers, "Too few goroutines may run at once: others wait while CPUs are idle."
		if outside {
			name, claim = SaturatedResource, "The semaphore is always exhausted: goroutines wait for a slot."
		}
		f := a.newFinding(name, "%s", claim)
		if f.Where = a.prog.positions(r.Sites...); len(f.Where) == 0 {
			continue
		}

		// A spawner that is blocked limits the number of goroutines, not a resource.
		if spawned != nil {
			if a.idleCPU() < stageIdle || spawned.Peak < 2 || outside && spawned.Peak > poolMost ||
				a.handlesConnections(spawned) || a.internalWaitShare(spawned) > poolStarve {
				continue
			}
			if f.Name = TooFewWorkers; around == nil {
				most = 1 - a.lowerBound()
			}
			f.Claim = fmt.Sprintf("At most %d goroutines of %s run at a time, while CPUs are idle.", spawned.Peak,
				shortName(spawned.Start.Function))
		}
		f.Share = a.fraction(r.Busy)
		a.describeSemaphore(&f, waits[0], queue, r.Count, most)
		if around != nil {
			f.citef("they hold a lock while they wait, and the others queue for that lock")
		}
		return f, around, true
	}

	return Finding{}, nil, false
}

// slotQueue returns the mean number of goroutines that wait for a slot, and the largest gain of more slots. around is
// the lock under which they wait for it, or nil. Under a lock only one waits for a slot, and the others for the lock.
func (a *analysis) slotQueue(slots []*evidence.Wait, waited time.Duration) (around *evidence.Resource, queue,
	most float64) {
	around, locked, inside := a.lockAround(slots)
	queue = float64(waited+locked) / float64(a.trace.Duration) // Little's law

	// If all of them could continue, the time would fall to this at best.
	left := 1 / (queue + 1)
	if around != nil { // the rest of its critical sections stays serial
		left = math.Max(left, a.fraction(around.Busy-inside))
	}
	return around, queue, 1 - a.lowerBound(left)
}

// lockAround returns the lock that goroutines hold mainly while they wait for a slot, or nil, with how long they wait
// for the lock, and how long they hold it for slots: until they run again.
func (a *analysis) lockAround(slots []*evidence.Wait) (r *evidence.Resource, waited, inside time.Duration) {
	for i := range a.trace.Resources {
		r = &a.trace.Resources[i]
		waits, waited := a.waitSites(r)
		if r.Kind == evidence.ResourceChannel || len(waits) == 0 {
			continue
		}
		inside = 0
		queued := time.Duration(0)
		for _, slot := range slots {
			if isAround(waits[0], slot) {
				inside, queued = inside+slot.Waited, queued+slot.Queued
			}
		}
		if inside > 0 && 2*inside >= r.Busy { // other work under the lock takes less
			return r, waited, inside + queued
		}
	}
	return nil, 0, 0
}

// isAround reports whether goroutines wait for a slot after they take a lock and before they release it.
func isAround(lock, slot *evidence.Wait) bool {
	return precedes(lock.Stack, slot.Stack) &&
		slices.ContainsFunc(lock.Wakers, func(k evidence.Waker) bool { return precedes(slot.Stack, k.Stack) }) &&
		!slices.ContainsFunc(lock.Wakers, func(k evidence.Waker) bool { return precedes(k.Stack, slot.Stack) })
}

// precedes reports whether a stack is at an earlier line than another of the function in which they part.
func precedes(x, y []evidence.Frame) bool {
	i, j := len(x)-1, len(y)-1
	for i >= 0 && j >= 0 && x[i] == y[j] {
		i, j = i-1, j-1
	}
	return i >= 0 && j >= 0 && x[i].Function == y[j].Function && x[i].Line < y[j].Line
}

// queueForLock reports whether a lock has a queue for lockFull of the time, and the goroutines that use the slots wait
// that long for it in all. Then more slots would mainly make that queue longer, unless they take slots under the lock.
func (a *analysis) queueForLock(slots []*evidence.Wait) bool {
	var users []int // classes
	for _, w := range slots {
		users = append(users, w.Classes...)
	}
	used := func(class int) bool { return slices.Contains(users, class) }
	around, _, _ := a.lockAround(slots)
	for i := range a.trace.Resources {
		r, queued := &a.trace.Resources[i], time.Duration(0)
		for _, i := range r.Waits {
			if w := &a.trace.Waits[i]; slices.ContainsFunc(w.Classes, used) {
				queued += w.Waited + w.Queued
			}
		}
		if r.Kind != evidence.ResourceChannel && r != around && a.fraction(min(r.Busy, queued)) >= lockFull {
			return true
		}
	}
	return false
}

// spawnedClass returns the class of goroutines whose ends free slots for a blocked spawner, which starts one for each
// piece of work. It returns nil if there is no such class.
func (a *analysis) spawnedClass(waits []*evidence.Wait) *evidence.Class {
	var by *evidence.Class
	for _, w := range waits {
		if w.Op != evidence.OpSend || len(w.Classes) != 1 {
			return nil
		}
		for _, k := range w.Wakers {
			if k.Class < 0 || by != nil && by != &a.trace.Classes[k.Class] {
				return nil
			}
			by = &a.trace.Classes[k.Class]
			starts := a.trace.Classes[w.Classes[0]].Start.Function
			if by.Count < k.Count || !slices.ContainsFunc(by.Created,
				func(f evidence.Frame) bool { return f.Function == starts }) {
				return nil
			}
		}
	}

	return by
}

// internalWaitShare returns the fraction of their lifetimes that the goroutines of a class wait for others in the
// program, or for a timer in a channel. Sleep, the network and data that a library brings do not count.
func (a *analysis) internalWaitShare(c *evidence.Class) float64 {
	waited, held := time.Duration(0), time.Duration(0)
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if len(w.Classes) != 1 || !a.isIn(c, w.Classes...) || w.Op == evidence.OpYield ||
			w.Op == evidence.OpCollector {
			continue
		}
		waited += w.Waited
		if w.Op != evidence.OpSleep && w.Op != evidence.OpNetwork && a.wokenByLibrary(w) == nil {
			held += w.Waited
		}
	}

	return float64(held) / math.Max(1, float64(waited+c.Running+c.Runnable))
}

// describeSemaphore sets the evidence, the gain and the advice of a finding about a semaphore, for which most
// goroutines wait at w. queue is the mean number of waiting goroutines, count the number of waits, and most the largest
// possible gain.
func (a *analysis) describeSemaphore(f *Finding, w *evidence.Wait, queue float64, count int64, most float64) {
	f.citef("goroutines wait for it %s of the time: %.1f on average, %d waits", percent(f.Share), queue, count)
	f.citef("%s of the CPU time is idle", percent(a.idleCPU()))
	f.Gain = newGain(0.85*most, 0.4*most, most)
	f.Alternative = "The other side sets the limit, or the goroutines wait for work."
	f.Fix = "Allow more at a time: a larger semaphore or pool."
	if containsAny(w.Stack, "testing.(*T).Parallel") {
		f.Fix = "Allow more at a time: go test -parallel N. The default is GOMAXPROCS."
	}
	f.Experiment = "Double the slots: time should halve unless something else is the limit."
}

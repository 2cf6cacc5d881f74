package sim

import "math/bits"

// occupy records that g uses a CPU until its event. Until then, busyTime contains the negative of the beginning.
//
// On unlimited CPUs each goroutine has at most one event: the end of its burn or its sleep, or that it was made
// ready. It is that of its timer.
func (k *Kernel) occupy(g *G) {
	g.occupies = true
	k.occupied++
	k.busyTime -= k.now
}

// goesOn reports whether g uses a CPU until its event, and then has nothing left to do in the kernel. It is false for
// nil.
func (g *G) goesOn() bool { return g != nil && g.occupies && g.then == thenRun }

// hold is the burn of a goroutine that has been admitted, followed by Next. On unlimited CPUs the next event is
// mostly the end of another burn.
func (k *Kernel) hold(g *G, d int64) *G {
	if !k.unlimited {
		return k.holdCPU(g, k.lasts(d))
	}
	if d <= 0 {
		return g
	}
	g.occupies = true // as in occupy
	slot, at := g.slot, k.now+d
	var w key
	if k.popped == slot && 0 < at && at < never { // as set, in fewer steps
		w = k.putPopped(slot, key{at, k.stamp(slot)})
	} else {
		k.set(slot, k.later(d))
		w = k.tree[1]
	}
	at = w.at
	s := w.slot()
	next := k.owners[s]
	if at >= k.limit.Load() && k.beyond(at, s == slot) || k.head != k.tail && k.waiting() || !next.goesOn() {
		k.occupied++
		k.busyTime -= k.now
		return k.Next()
	}
	if at != k.now {
		k.before = k.ops
	}
	k.burst = 0
	k.popped = s
	next.occupies = false // as goOn
	k.busyTime += at - k.now
	k.now = at
	if s == slot { // as in burn
		return g
	}
	k.decided(didRun, 0, int64(s))
	k.cur = next
	if k.n >= manySlots {
		if k.prefetchIn--; k.prefetchIn < 0 {
			k.prefetch()
		}
	}
	return next
}

// beyond reports whether hold must leave an event to Next. own says that it is the event of the same burn. At the end
// of time the tree may be empty, because all events are of that instant.
func (k *Kernel) beyond(at int64, own bool) bool {
	return at == never || at > k.until || k.err != nil || k.halts() || k.observer != nil && !own
}

// bound sets the time from which on hold calls beyond.
func (k *Kernel) bound() {
	limit := min(k.until, never-1) + 1
	if k.err != nil || k.observer != nil {
		limit = 0
	}
	if k.limit.Store(limit); k.halts() { // the interrupt may have come just before
		k.limit.Store(0)
	}
}

// Parameters of prefetch.
const (
	manySlots = 4096 // from this number of slots on hold prefetches
	parts     = 64   // goroutines that it reads: the winners of so many parts of the tree, or of twice as many
	often     = 32   // events between two prefetches
)

// prefetch reads goroutines whose events are among the next. With many goroutines each read waits for memory. Reads
// that are made together wait together, and later the data is in the cache.
func (k *Kernel) prefetch() {
	k.prefetchIn, k.prefetched = often-1, 0
	first := parts << (bits.TrailingZeros(uint(k.n)) & 1) // wide skips every second level
	for _, w := range k.tree[first : 2*first] {
		if g := k.owners[w.slot()]; g != nil {
			k.prefetched |= g.slot
		}
	}
}

// nextUnlimited is Next on unlimited CPUs.
func (k *Kernel) nextUnlimited() *G {
	for k.err == nil && k.live > 0 && !k.interrupts() {
		at := k.events.first()
		if at == never {
			k.Fail(k.deadlock())
			break
		}
		if at > k.until {
			k.timedOut = true
			break
		}
		if at != k.now {
			k.before = k.ops
		}
		t := k.timers[k.popAt(at)]
		if t.watch != nil {
			k.forget(t)
			t.watch()
			continue
		}
		if t.g == nil {
			k.run(t, k.cpu)
			continue
		}
		if g := k.goOn(t.g); g != nil {
			k.cur, k.burst = g, 0
			return g
		}
	}
	return nil
}

// goOn handles the event of a goroutine, and returns the goroutine if it continues.
func (k *Kernel) goOn(g *G) *G {
	k.decided(didRun, 0, int64(g.slot))
	g.cpu, g.parked = k.cpu, false
	k.stateChanged(g, Running)
	if g.occupies {
		g.occupies = false
		k.occupied--
		k.busyTime += k.now
	}
	if g.then == thenRun {
		return g
	}
	return k.proceed(g)
}

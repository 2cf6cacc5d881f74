package sim

// occupy notes that g has a CPU until its event: so long the negative of the beginning stands in busy.
func (k *Kernel) occupy(g *G) {
	g.occupies = true
	k.occupied++
	k.busyTime -= k.now
}

// goesOn reports whether g has a CPU until its event, and then nothing left to do in the kernel. A nil g does not.
func (g *G) goesOn() bool { return g != nil && g.occupies && g.then == thenRun }

// hold is the burn of a goroutine that has been admitted, and then Next: on unlimited CPUs mostly the next event is the
// end of a burn too.
func (k *Kernel) hold(g *G, d int64) *G {
	if !k.unlimited {
		return k.holdCPU(g, k.lasts(d))
	}
	if d <= 0 {
		return g
	}
	g.occupies = true // as occupy
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
	k.inTurn = 0
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

// beyond reports whether hold must leave an event to Next, and own that it is that of the same burn. At the end of time
// the tree may be empty: all events are of that instant.
func (k *Kernel) beyond(at int64, own bool) bool {
	return at == never || at > k.until || k.err != nil || k.halts() || k.observer != nil && !own
}

// bound sets the time from which on hold asks beyond.
func (k *Kernel) bound() {
	limit := min(k.until, never-1) + 1
	if k.err != nil || k.observer != nil {
		limit = 0
	}
	if k.limit.Store(limit); k.halts() { // maybe since before that
		k.limit.Store(0)
	}
}

const (
	manySlots = 4096 // from so many on hold looks ahead,
	parts     = 64   // at the winners of so many parts of the tree
	often     = 16   // before so many events
)

// foresee looks at goroutines whose events are among the next. Where there are many goroutines each is a wait for
// memory, and those that are looked at together wait together; the others were looked at before and are at hand.
func (k *Kernel) prefetch() {
	k.prefetchIn, k.prefetched = often-1, 0
	for _, w := range k.tree[parts : 2*parts] {
		if g := k.owners[w.slot()]; g != nil && g.list != nil {
			k.prefetched |= g.list.r[0]
		}
	}
}

// nextUnlimited is Next.
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
			k.cur, k.inTurn = g, 0
			return g
		}
	}
	return nil
}

// goOn is the event of a goroutine, and returns it if it goes on.
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

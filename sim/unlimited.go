package sim

// Unlimited, in place of a number of CPUs, is a machine that has one for every goroutine: one that is made ready
// goes on at that instant, after all that was to happen then already. Nothing queues or is stolen, nobody is
// preempted, no CPU wakes up and none is kept by a system call. Of the [Costs] only those of operations are paid.
//
// Each goroutine has one event at most: the end of its burn or its sleep, or that it was made ready. It is
// that of its timer.
const Unlimited = -1

// occupy notes that g has a CPU until its event: so long the negative of the beginning stands in busy.
func (k *Kernel) occupy(g *G) {
	g.occupies = true
	k.occupied++
	k.busy -= k.now
}

// hold is the burn of a goroutine, which has been admitted, and then Next: mostly the next event is the end of a burn.
func (k *Kernel) hold(g *G, d int64) *G {
	if d <= 0 {
		return g
	}
	slot := g.timer.slot
	k.set(slot, k.later(d))
	w := k.win[1]
	at := k.keys[w].at
	if at > k.until || at == never || k.head != k.tail && k.waiting() {
		k.occupy(g)
		k.cur = nil
		return k.Next()
	}
	if at != k.now {
		k.before = k.ops
	}
	if w == slot { // as in burn
		k.now, k.popped = at, w
		k.busy += d
		k.inTurn = 0
		return g
	}
	k.occupy(g)
	t := k.timers[w]
	if t.g == nil || k.err != nil {
		k.cur = nil
		return k.Next()
	}
	k.now, k.popped = at, w
	if g = k.goOn(t); g == nil {
		return k.Next()
	}
	k.cur, k.inTurn = g, 0
	return g
}

// nextUnlimited is Next.
func (k *Kernel) nextUnlimited() *G {
	for k.err == nil && k.live > 0 {
		at := k.events.first()
		if at == never {
			k.Fail(k.deadlock())
			break
		}
		if at > k.until {
			k.late = true
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
		if g := k.goOn(t); g != nil {
			k.cur, k.inTurn = g, 0
			return g
		}
	}
	return nil
}

// goOn is the event of a timer: its goroutine goes on and is returned, or its function is called.
func (k *Kernel) goOn(t *Timer) *G {
	g := t.g
	if g == nil {
		k.run(t, k.cpu)
		return nil
	}
	k.decided(didRun, 0, int64(t.slot))
	g.cpu, g.parked = k.cpu, false
	k.turns(g, Runs)
	if g.occupies {
		g.occupies = false
		k.occupied--
		k.busy += k.now
	}
	if g.then == thenRun {
		return g
	}
	return k.proceed(g)
}

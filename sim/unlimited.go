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

// goesOn reports whether g has a CPU until its event, and then nothing left to do in the kernel. A nil g does not.
func (g *G) goesOn() bool { return g != nil && g.occupies && g.then == thenRun }

// hold is the burn of a goroutine that has been admitted, and then Next: on unlimited CPUs mostly the next event is the
// end of a burn too.
func (k *Kernel) hold(g *G, d int64) *G {
	if !k.unlimited {
		return k.holdCPU(g, d)
	}
	if d <= 0 {
		return g
	}
	g.occupies = true // as occupy
	slot, at := g.slot, k.now+d
	switch { // as set, in fewer steps
	case k.popped == slot && 0 < at && at < k.horizon:
		k.seq++
		k.putPopped(slot, key{at, k.seq ^ k.tie})
	case k.tall && k.popped < 0 && k.horizon <= at && at < never:
		k.seq++
		k.join(slot, key{at, k.seq ^ k.tie})
	default:
		k.set(slot, k.later(d))
	}
	w, run, ends := k.win[1], false, false
	at = k.keys[w].at
	if k.tall {
		if w, at, run = k.soonest(); run {
			ends = k.foreseen()
		}
	}
	if !run { // at the end of time the tree may be empty: all events are of that instant
		ends = at != never && k.owners[w].goesOn()
	}
	if !ends || at > k.until || k.err != nil || k.observer != nil && w != slot || k.head != k.tail && k.waiting() {
		k.occupied++
		k.busy -= k.now
		return k.Next()
	}
	if at != k.now {
		k.before = k.ops
	}
	k.inTurn = 0
	if run {
		k.popRun()
	} else {
		k.popped = w
	}
	next := k.owners[w]
	next.occupies = false // as goOn
	k.busy += at - k.now
	k.now = at
	if w == slot { // as in burn
		return g
	}
	k.decided(didRun, 0, int64(w))
	k.cur = next
	return next
}

// foreseen reports whether the first event of the run is the end of such a burn. It looks at the goroutines of a whole run
// at once: where there are many, each is a wait for memory, and those of a run then wait together.
func (k *Kernel) foreseen() bool {
	if !k.looked {
		for i := range k.arrivals {
			if a := &k.arrivals[i]; a.slot >= 0 {
				a.burns = k.owners[a.slot].goesOn()
			}
		}
		k.looked = true
	}
	return k.arrivals[k.gone].burns
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

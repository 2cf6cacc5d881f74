package sim

import "math/bits"

// monitorPeriod is how long sysmon sleeps at its quickest: a system call keeps its CPU at least so
// long. monitorLimit is how long it keeps it where nobody needs it.
const (
	monitorPeriod = 20_000
	monitorLimit  = 10_000_000
)

// enterSyscall: the goroutine and its CPU are both in the call until the monitor takes the CPU away.
func (k *Kernel) enterSyscall(g *G, d int64) Outcome {
	c := g.cpu
	g.then, g.code, g.on, g.parked = thenSyscall, Syscall, nil, true
	c.mode, c.since = modeSyscall, k.now
	k.stateChanged(g, Blocked)
	g.timer.owner = c.id
	k.set(g.slot, k.later(d))
	if d > monitorPeriod {
		k.set(c.id, k.now+monitorPeriod)
	}
	k.cur = nil
	return Parked
}

// retake is sysmon's look at a CPU whose goroutine is in a system call.
func (k *Kernel) retake(c *cpu) {
	k.unwatch(c)
	if c.empty() && k.nspinning+k.nidle > 0 && k.now < c.since+monitorLimit {
		if k.nidle == 0 { // those who look may find work: then somebody needs this CPU
			k.set(c.id, min(k.now+monitorPeriod, c.since+monitorLimit))
			return
		}
		k.watched[c.id/64] |= 1 << (c.id % 64)
		k.nwatched++
		k.set(c.id, c.since+monitorLimit)
		return
	}
	k.decided(didRetake, c.id, int64(c.g.slot))
	c.g.cpu, c.g = nil, nil
	k.handOff(c)
}

func (k *Kernel) unwatch(c *cpu) {
	if bit := uint64(1) << (c.id % 64); k.watched[c.id/64]&bit != 0 {
		k.watched[c.id/64] &^= bit
		k.nwatched--
	}
}

// alarmMonitor lets the monitor look at system calls again, as no CPU is idle any more.
func (k *Kernel) scheduleMonitor() {
	for i, set := range k.watched {
		for ; set != 0; set &= set - 1 {
			c := &k.cpus[64*i+bits.TrailingZeros64(set)]
			k.unwatch(c)
			k.set(c.id, k.now+monitorPeriod)
		}
	}
}

// handOff is handoffp: a CPU taken from a system call goes to another thread if there is work.
func (k *Kernel) handOff(c *cpu) {
	c.since, c.sliceEnd = k.now, k.now+slice // its processor has not been idle
	switch {
	case !c.empty() || k.global.n > 0:
		k.wake(c)
	case k.nspinning+k.nidle == 0:
		k.spin(c)
		k.wake(c)
	case k.nidle == len(k.cpus)-1 && !k.polling: // nobody would be left to wait for timers
		k.wake(c)
	default:
		k.sleep(c)
		k.decided(didSleep, c.id, 0)
		switch {
		case c.expired.n > 0 && k.polling:
			k.callPoller(false)
		case c.expired.n+len(c.due) > 0 && !k.polling:
			k.wakeIdle()
		}
	}
}

// exitSyscall lets a goroutine go on where it was, on the CPU that it had if that is in another
// system call, or on an idle one; else it joins the global queue.
func (k *Kernel) exitSyscall(g *G) *G {
	g.parked = false
	g.then = thenRun
	c := g.cpu
	if c != nil {
		k.unwatch(c)
		k.cancel(c.id)
		k.cpu, c.mode = c, modeRun
		k.stateChanged(g, Running)
		return g
	}
	if c = &k.cpus[g.timer.owner]; c.mode == modeSyscall {
		k.unwatch(c)
		k.cancel(c.id)
		c.g.cpu = nil
	} else if c = k.unidle(); c == nil {
		k.stateChanged(g, Runnable)
		k.global.push(g) // nobody is woken, but who looks for work sees it
		k.notice()
		return nil
	}
	c.g, g.cpu, c.mode = g, c, modeRun
	c.sliceEnd = k.now + slice
	k.cpu = c
	k.decided(didRun, c.id, int64(g.slot))
	k.stateChanged(g, Running)
	return g
}

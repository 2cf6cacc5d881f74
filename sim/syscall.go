package sim

import "math/bits"

// monitorPeriod is the shortest sleep of sysmon: a system call keeps its CPU at least so long. monitorLimit is how
// long it keeps a CPU that no other goroutine needs.
const (
	monitorPeriod = 20_000
	monitorLimit  = 10_000_000
)

// enterSyscall starts a system call. The goroutine and its CPU are both in the call until the monitor takes the CPU
// away.
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

// retake is sysmon's check of a CPU whose goroutine is in a system call.
func (k *Kernel) retake(c *cpu) {
	k.unwatch(c)
	if c.empty() && k.nspinning+k.nidle > 0 && k.now < c.since+monitorLimit {
		if k.nidle == 0 { // CPUs that look for work may find some, and then this CPU is needed
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

// unwatch removes a CPU from those that the monitor watches.
func (k *Kernel) unwatch(c *cpu) {
	if bit := uint64(1) << (c.id % 64); k.watched[c.id/64]&bit != 0 {
		k.watched[c.id/64] &^= bit
		k.nwatched--
	}
}

// scheduleMonitor lets the monitor check system calls again, because no CPU is idle any more.
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
	case k.nidle == len(k.cpus)-1 && !k.polling: // otherwise no thread would wait for timers
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

// exitSyscall continues a goroutine after its system call: on its CPU, on the CPU it had if that is in another system
// call, or on an idle one. Otherwise it goes to the global queue.
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
		k.global.push(g) // no CPU is woken, but one that looks for work finds it
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

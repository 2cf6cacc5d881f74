package sim

// sleep is pidleput.
func (k *Kernel) sleep(c *cpu) {
	c.mode, c.since, c.owed = modeIdle, k.now, 0
	c.link = k.idle
	k.idle = c
	k.nidle++
}

// unidle is pidleget.
func (k *Kernel) unidle() *cpu {
	c := k.idle
	if c == nil {
		return nil
	}
	k.idle, c.link = c.link, nil
	k.nidle--
	if k.nidle == 0 && k.nwatched > 0 {
		k.scheduleMonitor()
	}
	return c
}

// wake makes an idle CPU look for work after its wake-up latency.
func (k *Kernel) wake(c *cpu) {
	c.mode = modeSchedule
	k.set(c.id, k.now+k.latency(c.since))
	k.decided(didWake, c.id, 0)
}

// latency returns the wake-up latency of a processor that has slept since a time.
func (k *Kernel) latency(since int64) int64 {
	cost := &k.costs.Wake
	if k.costs.DeepIdleAfter > 0 && k.now-since >= k.costs.DeepIdleAfter {
		cost = &k.costs.WakeDeep
	}
	return cost.draw(&k.draws)
}

// wakep wakes an idle CPU to look for work. If a CPU is already looking, that one finds the work.
func (k *Kernel) wakep() {
	if !k.notice() {
		k.wakeIdleFrom(k.cpu)
	}
}

// wakeIdle wakes an idle CPU to look for work, unless a CPU is already looking. It reports whether it did.
func (k *Kernel) wakeIdle() bool {
	if k.nspinning != 0 {
		return false
	}
	c := k.unidle()
	if c == nil {
		return false
	}
	k.spin(c)
	k.wake(c)
	return true
}

// wakeIdleFrom is wakeIdle by CPU c. The cost is charged to c before its goroutine continues, or before the next one
// begins.
func (k *Kernel) wakeIdleFrom(c *cpu) {
	if k.wakeIdle() {
		c.owed += k.costs.Waker.draw(&k.draws)
	}
}

// takeOwed returns what c owes, and resets it.
func (c *cpu) takeOwed() int64 {
	d := c.owed
	c.owed = 0
	return d
}

// notice makes a CPU that is still looking for work find it. It reports false if there is no such CPU.
func (k *Kernel) notice() bool {
	n := len(k.lingering)
	if n == 0 {
		return false
	}
	c := k.lingering[n-1]
	k.lingering = k.lingering[:n-1]
	c.mode = modeSchedule
	k.set(c.id, k.now+k.costs.Spin.draw(&k.draws))
	return true
}

// spin marks a CPU as looking for work.
func (k *Kernel) spin(c *cpu) {
	c.spinning = true
	k.nspinning++
}

// unspin marks a CPU as not looking for work.
func (k *Kernel) unspin(c *cpu) {
	c.spinning = false
	k.nspinning--
}

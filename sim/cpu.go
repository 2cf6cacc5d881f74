package sim

const (
	runqSize   = 256        // len(p.runq)
	slice      = 10_000_000 // forcePreemptNS
	fairness   = 61         // schedule checks the global queue first, once in so many ticks
	stealTries = 4
)

// mode is what the next event of a CPU means.
type mode uint8

const (
	modeIdle     mode = iota // in the stack of idle CPUs; no event
	modeSchedule             // woken: will call schedule, to look for work
	modeBackOff              // a thief that backs off before run-next
	modeLinger               // found no work and is still looking
	modeBusy                 // its goroutine burns
	modeSolid                // its goroutine spends a cost, and cannot be preempted
	modeYield                // its goroutine yields to the events of the other CPUs at this instant
	modeRun                  // its goroutine continues at this instant; no event
	modeSyscall              // its goroutine is in a system call; the event is the check of the monitor
)

// cpu is a P of the Go runtime, with the thread that runs it and the processor below.
type cpu struct {
	id       int32 // also its slot
	mode     mode
	spinning bool
	g        *G // running, or in a system call
	next     *G // run-next
	runq     [runqSize]*G
	head     uint32
	tail     uint32
	tick     uint32 // schedtick
	sliceEnd int64  // when the goroutines that share the time slice are preempted
	since    int64  // when the present burn or system call began, or the CPU became idle
	steal    thief
	link     *cpu  // in the stack of idle CPUs
	due      times // of the pending timers started here
	expired  timerQueue
	owed     int64 // ns that it has spent on waking other CPUs and that are not charged yet
}

// empty is runqempty.
func (c *cpu) empty() bool { return c.head == c.tail && c.next == nil }

// put is runqput. With next, g becomes run-next and displaces the goroutine there.
func (k *Kernel) put(c *cpu, g *G, next bool) {
	if next {
		g, c.next = c.next, g
		if g == nil {
			k.nexts++
			return
		}
	}
	if c.tail-c.head < runqSize {
		c.runq[c.tail%runqSize] = g
		c.tail++
		k.queued++
		return
	}
	for range runqSize / 2 { // runqputslow
		k.global.push(c.runq[c.head%runqSize])
		c.head++
	}
	k.queued -= runqSize / 2
	k.global.push(g)
}

// get is runqget. A goroutine from run-next inherits the time slice.
func (k *Kernel) get(c *cpu) (g *G, inherit bool) {
	if g := c.next; g != nil {
		c.next = nil
		k.nexts--
		return g, true
	}
	if c.head == c.tail {
		return nil, false
	}
	g = c.runq[c.head%runqSize]
	c.head++
	k.queued--
	return g, false
}

// batch is globrunqgetbatch and runqputbatch: it takes a share of the global queue and returns its first goroutine.
func (k *Kernel) batch(c *cpu) *G {
	n := min(runqSize/2, k.global.n, k.global.n/len(k.cpus)+1)
	g := k.global.pop()
	for range n - 1 {
		k.put(c, k.global.pop(), false)
	}
	return g
}

// act handles the event of a CPU. It returns the goroutine that continues, or nil.
func (k *Kernel) act(c *cpu) *G {
	k.cpu = c
	switch c.mode {
	case modeSchedule:
		return k.schedule(c)
	case modeBackOff:
		c.mode = modeSchedule
		return k.scheduleFrom(c, true)
	case modeLinger:
		c.mode = modeSchedule
		k.stopLingering(c)
		return k.settle(c)
	case modeSyscall:
		k.retake(c)
		return nil
	case modeYield:
		return k.proceed(c.g)
	case modeSolid:
		k.busyTime += k.now - c.since
		k.stateChanged(c.g, Running)
		return k.proceed(c.g)
	}
	g := c.g // modeBusy
	k.busyTime += k.now - c.since
	g.left -= k.now - c.since
	c.mode = modeRun
	if g.left <= 0 {
		g.then = thenRun
		return g
	}
	k.preempt(c)
	return k.schedule(c)
}

// preempt is gopreempt_m: the goroutine goes to the global queue. A goroutine that inherits the time slice now gets a
// whole one: the monitor, when it finds nothing else to do, checks again in 10 ms.
func (k *Kernel) preempt(c *cpu) {
	g := c.g
	c.g = nil
	c.sliceEnd = k.now + slice
	k.decided(didPreempt, c.id, int64(g.slot))
	k.stateChanged(g, Runnable)
	k.global.push(g)
	k.wakep()
}

// schedule finds a goroutine for a CPU and starts it. It returns the goroutine if it continues at this instant. It
// returns nil if there is none, or if time must pass first.
func (k *Kernel) schedule(c *cpu) *G { return k.scheduleFrom(c, false) }

// scheduleFrom is schedule; with stealing it continues after a back-off.
func (k *Kernel) scheduleFrom(c *cpu, stealing bool) *G {
	g, inherit := k.find(c, stealing)
	if g == nil {
		return nil
	}
	if c.spinning { // resetspinning
		k.unspin(c)
		k.wakep()
		if c.sliceEnd <= k.now { // it ended while the CPU was idle: the monitor checks again in 10 ms at the latest
			c.sliceEnd = k.now + slice
		}
	}
	if !k.execute(c, g, inherit) {
		return nil
	}
	return k.proceed(g)
}

// execute gives the CPU to g, and reports whether g continues at once.
func (k *Kernel) execute(c *cpu, g *G, inherit bool) bool {
	c.g, g.cpu, c.mode = g, c, modeRun
	what := didInherit
	if !inherit {
		c.tick++
		c.sliceEnd = k.now + slice
		what = didRun
	}
	k.decided(what, c.id, int64(g.slot))
	k.stateChanged(g, Running)
	if d := k.costs.Switch.draw(&k.draws) + c.takeOwed(); d > 0 {
		k.pause(g, d)
		return false
	}
	return true
}

// pause charges d ns to a goroutine that has a CPU. It cannot be preempted meanwhile.
func (k *Kernel) pause(g *G, d int64) {
	g.cpu.mode, g.cpu.since = modeSolid, k.now
	k.stateChanged(g, Overhead)
	if k.unlimited {
		k.occupy(g)
	}
	k.set(k.slotOf(g), k.later(d))
}

// proceed completes what a goroutine with a CPU still has to do in the kernel, and returns the goroutine if it
// continues. If it parks again, the CPU looks for another one.
func (k *Kernel) proceed(g *G) *G {
	g.cpu.mode = modeRun
	switch g.then {
	case thenBurn:
		if !k.burn(g, g.left) {
			return nil
		}
	case thenSpin:
		if !k.lockSlow(g) {
			return nil
		}
	case thenSema:
		if !k.semaphoreWoke(g) {
			return nil
		}
	}
	g.then = thenRun
	return g
}

// burn makes g work for d ns, or until its time slice is over. If no other event comes first, the time advances to
// the end and burn reports true: g continues at once.
func (k *Kernel) burn(g *G, d int64) bool {
	c, slot, end := g.cpu, k.slotOf(g), k.later(d)
	k.set(slot, min(end, c.sliceEnd))
	if end <= min(c.sliceEnd, k.until) && k.leads(slot) && !k.halts() {
		k.before = k.ops
		k.busyTime += end - k.now
		k.popAt(end)
		k.burst = 0
		return true
	}
	if k.unlimited {
		k.occupy(g)
		return false
	}
	g.left, g.then = d, thenBurn
	c.mode, c.since = modeBusy, k.now
	return false
}

// slotOf is the slot of the event that the CPU of g waits for.
func (k *Kernel) slotOf(g *G) int32 {
	if k.unlimited {
		return g.slot
	}
	return g.cpu.id
}

// holdCPU is the burn of a goroutine that has been admitted, and then Next, as hold is on unlimited CPUs.
func (k *Kernel) holdCPU(g *G, d int64) *G {
	if k.halts() {
		return k.Next()
	}
	c, end := g.cpu, k.now+d
	var w key
	if at := min(end, c.sliceEnd); k.popped == c.id && k.now < at { // as work, in fewer steps
		w = k.putPopped(c.id, key{at, k.stamp(c.id)})
		if w.slot() == c.id && end <= min(at, k.until) && !k.waiting() {
			k.before, k.burst = k.ops, 0
			k.now, k.popped = end, c.id
			k.busyTime += d
			return g
		}
		g.left, g.then = d, thenBurn
		c.mode, c.since, k.cur = modeBusy, k.now, nil
	} else if k.work(g, d) == Done {
		return g
	} else {
		w = k.tree[1]
	}
	s, at := w.slot(), w.at
	if int(s) >= len(k.cpus) || at > k.until || k.err != nil || k.head != k.tail {
		return k.Next()
	}
	c = &k.cpus[s]
	if c.mode != modeBusy || c.g.left > at-c.since {
		return k.Next()
	}
	if at != k.now {
		k.before = k.ops
	}
	k.now, k.popped = at, s
	k.busyTime += at - c.since // as in act
	g = c.g
	g.then, c.mode = thenRun, modeRun
	k.cur, k.cpu, k.burst = g, c, 0
	return g
}

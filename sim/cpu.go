package sim

const (
	runqSize   = 256        // len(p.runq)
	slice      = 10_000_000 // forcePreemptNS
	fairness   = 61         // schedule looks at the global queue first, every so many ticks
	stealTries = 4
)

// mode is what a CPU waits for, when its event comes.
type mode uint8

const (
	modeIdle    mode = iota // in the stack of idle CPUs; no event
	modeLook                // woken: will look for work
	modeBackOff             // a thief before run-next
	modeLinger              // found no work and still looks
	modeBusy                // time passes for its goroutine
	modeSolid               // the same, and it cannot be preempted
	modeTurn                // lets the others have their turn
	modeRun                 // its goroutine goes on at this instant; no event
	modeSyscall             // its goroutine is in a system call; the event is the monitor's look
)

// cpu is a P with the thread that runs it and the processor below.
type cpu struct {
	id       int32 // and slot
	mode     mode
	spinning bool
	g        *G // running, or in a system call
	next     *G // run-next
	runq     [runqSize]*G
	head     uint32
	tail     uint32
	tick     uint32 // schedtick
	sliceEnd int64  // when what shares the time slice is preempted
	since    int64  // when the present burn or system call began, or the CPU became idle
	steal    thief
	link     *cpu  // idle stack
	due      times // of the timers started here whose time has not come
	expired  timerQueue
	owed     int64 // ns that it has spent on waking others and not paid yet
}

// empty is runqempty.
func (c *cpu) empty() bool { return c.head == c.tail && c.next == nil }

// put is runqput: with next, g becomes run-next and kicks out who is.
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

// get is runqget: who comes from run-next inherits the time slice.
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

// batch is globrunqgetbatch and runqputbatch: a share of the global queue, the first to run.
func (k *Kernel) batch(c *cpu) *G {
	n := min(runqSize/2, k.global.n, k.global.n/len(k.cpus)+1)
	g := k.global.pop()
	for range n - 1 {
		k.put(c, k.global.pop(), false)
	}
	return g
}

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

// wake lets an idle CPU look for work when it has woken up.
func (k *Kernel) wake(c *cpu) {
	c.mode = modeLook
	k.set(c.id, k.now+k.latency(c.since))
	k.decided(didWake, c.id, 0)
}

// latency is how long a processor that sleeps since then takes to wake up.
func (k *Kernel) latency(since int64) int64 {
	cost := &k.costs.Wake
	if k.costs.DeepIdleAfter > 0 && k.now-since >= k.costs.DeepIdleAfter {
		cost = &k.costs.WakeDeep
	}
	return cost.draw(&k.draws)
}

// wakep wakes an idle CPU to look for work, unless one is looking already, which sees it.
func (k *Kernel) wakep() {
	if !k.notice() {
		k.wakeIdleFrom(k.cpu)
	}
}

// rouse wakes an idle CPU to look around, unless one is looking already. It reports whether it did.
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

// rouseFor is rouse by CPU c, which pays for it before its goroutine goes on, or the next one begins.
func (k *Kernel) wakeIdleFrom(c *cpu) {
	if k.wakeIdle() {
		c.owed += k.costs.Waker.draw(&k.draws)
	}
}

// pays is what c owes.
func (c *cpu) takeOwed() int64 {
	d := c.owed
	c.owed = 0
	return d
}

// notice lets a CPU that looks for work see that there is some.
func (k *Kernel) notice() bool {
	n := len(k.lingering)
	if n == 0 {
		return false
	}
	c := k.lingering[n-1]
	k.lingering = k.lingering[:n-1]
	c.mode = modeLook
	k.set(c.id, k.now+k.costs.Spin.draw(&k.draws))
	return true
}

func (k *Kernel) spin(c *cpu) {
	c.spinning = true
	k.nspinning++
}

func (k *Kernel) unspin(c *cpu) {
	c.spinning = false
	k.nspinning--
}

// act is the event of a CPU. It returns the goroutine that goes on, if there is one.
func (k *Kernel) act(c *cpu) *G {
	k.cpu = c
	switch c.mode {
	case modeLook:
		return k.schedule(c)
	case modeBackOff:
		c.mode = modeLook
		return k.scheduleFrom(c, true)
	case modeLinger:
		c.mode = modeLook
		k.stopLingering(c)
		return k.settle(c)
	case modeSyscall:
		k.retake(c)
		return nil
	case modeTurn:
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

// preempt is gopreempt_m: to the global queue. Who inherits the time slice from here has as long as a whole
// one: the monitor, when it finds nothing else to do, looks again in 10 ms.
func (k *Kernel) preempt(c *cpu) {
	g := c.g
	c.g = nil
	c.sliceEnd = k.now + slice
	k.decided(didPreempt, c.id, int64(g.slot))
	k.stateChanged(g, Runnable)
	k.global.push(g)
	k.wakep()
}

// schedule finds a goroutine for a CPU and starts it. It returns the one that goes on at this
// instant: nil if the CPU has none, or if its goroutine must first let time pass.
func (k *Kernel) schedule(c *cpu) *G { return k.scheduleFrom(c, false) }

func (k *Kernel) scheduleFrom(c *cpu, stealing bool) *G {
	g, inherit := k.find(c, stealing)
	if g == nil {
		return nil
	}
	if c.spinning { // resetspinning
		k.unspin(c)
		k.wakep()
		if c.sliceEnd <= k.now { // while the CPU was idle: the monitor looks again in 10 ms at the latest
			c.sliceEnd = k.now + slice
		}
	}
	if !k.execute(c, g, inherit) {
		return nil
	}
	return k.proceed(g)
}

// execute gives the CPU to g and reports whether it goes on at once.
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

// pause lets time pass for a goroutine that has a CPU and cannot be preempted meanwhile.
func (k *Kernel) pause(g *G, d int64) {
	g.cpu.mode, g.cpu.since = modeSolid, k.now
	k.stateChanged(g, Overhead)
	if k.unlimited {
		k.occupy(g)
	}
	k.set(k.slotOf(g), k.later(d))
}

// proceed does what a goroutine that has a CPU has left to do in the kernel and returns it if it goes on. If
// it has parked again, the CPU looks for another.
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

// burn lets g work for d ns, or until its time slice is over. It reports whether g goes on at once, at the time of
// the end, as nothing else happens before.
func (k *Kernel) burn(g *G, d int64) bool {
	c, slot, end := g.cpu, k.slotOf(g), k.later(d)
	k.set(slot, min(end, c.sliceEnd))
	if end <= min(c.sliceEnd, k.until) && k.leads(slot) && !k.halts() {
		k.before = k.ops
		k.busyTime += end - k.now
		k.popAt(end)
		k.inTurn = 0
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
			k.before, k.inTurn = k.ops, 0
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
	k.cur, k.cpu, k.inTurn = g, c, 0
	return g
}

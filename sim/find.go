package sim

// thief is the progress of a CPU in stealWork.
type thief struct {
	try      int
	visited  uint32
	pos, inc uint32
	victim   *G // the run-next before which it backs off
}

// find is findRunnable: it returns the next goroutine for a CPU. Without one it returns nil; then the CPU is idle or
// backs off before run-next, and stealing continues after that.
func (k *Kernel) find(c *cpu, stealing bool) (g *G, inherit bool) {
	for ; ; stealing = false {
		if !stealing {
			k.runTimers(c, c)
			if c.tick%fairness == 0 && k.global.n > 0 {
				return k.global.pop(), false
			}
			if g, inherit := k.get(c); g != nil {
				return g, inherit
			}
			if k.global.n > 0 {
				return k.batch(c), false
			}
			// At most half as many CPUs look for work as are in use.
			if !c.spinning && 2*k.nspinning >= len(k.cpus)-k.nidle {
				if k.rest(c) {
					continue
				}
				return nil, false
			}
			if !c.spinning {
				k.spin(c)
			}
			c.steal = thief{}
		}
		if g, inherit := k.stealWork(c, stealing); g != nil {
			return g, inherit
		}
		if c.mode == modeBackOff {
			return nil, false
		}
		if k.global.n > 0 {
			return k.batch(c), false
		}
		if k.costs.SpinFor > 0 {
			c.mode = modeLinger
			k.lingering = append(k.lingering, c)
			k.set(c.id, k.now+k.costs.SpinFor)
			return nil, false
		}
		if !k.rest(c) {
			return nil, false
		}
	}
}

// settle handles a CPU that has looked for work long enough.
func (k *Kernel) settle(c *cpu) *G {
	if k.rest(c) {
		return k.schedule(c)
	}
	return nil
}

// stopLingering removes a CPU from those that are still looking for work.
func (k *Kernel) stopLingering(c *cpu) {
	for i, l := range k.lingering {
		if l == c {
			k.lingering = append(k.lingering[:i], k.lingering[i+1:]...)
			return
		}
	}
}

// rest makes a CPU idle. If the CPU was looking for work, it then checks all queues and timers once more. rest
// reports true if there is work after all: the CPU, which is the one on top of the stack, looks again. Otherwise its
// thread may go to the network poller.
func (k *Kernel) rest(c *cpu) bool {
	spun := c.spinning
	if spun {
		k.unspin(c)
	}
	owed := c.owed
	k.sleep(c)
	if spun && (k.stealable() || k.nexpired > 0 && !k.polling) {
		k.unidle()
		k.spin(c)
		c.mode, c.owed = modeSchedule, owed // it has not been idle
		return true
	}
	k.decided(didSleep, c.id, 0)
	if spun && k.nexpired > 0 {
		k.callPoller(false)
	}
	k.poll(c, spun)
	return false
}

// stealable is checkRunqsNoP and the preceding check of the global queue. The calling CPU has no work itself.
func (k *Kernel) stealable() bool { return k.global.n+k.queued+k.nexts > 0 }

// stealWork visits the other CPUs four times, in random order each time, and takes half of the first queue that is
// not empty. The last round also takes run-next or expired timers. If it must back off before run-next, the mode of c
// says so, and its event continues here.
func (k *Kernel) stealWork(c *cpu, back bool) (g *G, inherit bool) {
	n := uint32(len(k.cpus))
	t := &c.steal
	if back {
		p := &k.cpus[t.pos]
		if p.next == t.victim { // still, or again, even if it has run meanwhile and others are in the queue
			return k.grabNext(c, p), false
		}
		if g, again := k.grab(c, p, true); g != nil || again {
			return g, false
		}
		t.step(n)
	}
	for {
		if t.visited == n || t.inc == 0 { // a new round
			if t.inc != 0 {
				t.try++
			}
			if k.queued == 0 {
				t.try = max(t.try, stealTries-1) // nothing to find before the last round
			}
			if t.try == stealTries || k.queued+k.nexts+k.nexpired == 0 {
				return nil, false
			}
			x := k.draws.next()
			t.visited, t.pos = 0, uint32(x)%n
			t.inc = k.coprim[uint32(x>>32)%uint32(len(k.coprim))]
		}
		p, last := &k.cpus[t.pos], t.try == stealTries-1
		if p != c {
			if last && k.runTimers(p, c) {
				if g, inherit := k.get(c); g != nil {
					return g, inherit
				}
			}
			if p.mode != modeIdle {
				if g, again := k.grab(c, p, last); g != nil || again {
					return g, false
				}
			}
		}
		t.step(n)
	}
}

// step moves on to the next CPU.
func (t *thief) step(n uint32) {
	t.visited++
	t.pos = (t.pos + t.inc) % n
}

// grab is runqsteal: it takes half of p's queue, rounded up, and returns the last goroutine, which runs first. again
// is true if c backs off before p's run-next.
func (k *Kernel) grab(c, p *cpu, runNext bool) (g *G, again bool) {
	n := p.tail - p.head
	n -= n / 2
	if n == 0 {
		if !runNext || p.next == nil {
			return nil, false
		}
		// A CPU that was taken from a system call, and whose new thread has not started, is not running.
		if p.mode == modeSyscall || p.mode == modeSchedule && !p.spinning {
			return k.grabNext(c, p), false
		}
		// p may be about to run it, so it gets time to do so.
		c.steal.victim = p.next
		c.mode = modeBackOff
		k.set(c.id, k.now+k.costs.Steal.draw(&k.draws))
		return nil, true
	}
	for range n {
		c.runq[c.tail%runqSize] = p.runq[p.head%runqSize]
		c.tail++
		p.head++
	}
	k.decided(didSteal, c.id, int64(p.id)<<32|int64(n))
	c.tail--
	k.queued--
	return c.runq[c.tail%runqSize], false
}

// grabNext takes p's run-next.
func (k *Kernel) grabNext(c, p *cpu) *G {
	g := p.next
	p.next = nil
	k.nexts--
	k.decided(didSteal, c.id, int64(p.id)<<32|1)
	return g
}

package sim

// starvation is how long a goroutine waits for a Mutex before it demands a hand-off: starvationThresholdNs.
const starvation = 1_000_000

// spinRounds is active_spin.
const spinRounds = 4

// sema is a semaphore with its queue: one address in the runtime's table.
type sema struct {
	value uint32
	queue queue
}

// Mutex is a sync.Mutex.
type Mutex struct {
	Name string

	locked, woken, starving bool
	waiters                 int32
	sema                    sema
	// The goroutine that locked it last, and its serial number then. It may have ended since, and started again.
	holder *G
	serial uint64
}

// take locks m for g.
func (m *Mutex) take(g *G) { m.locked, m.holder, m.serial = true, g, g.serial }

// lockState is the state of a goroutine in lockSlow.
type lockState struct {
	m                        *Mutex
	rw                       *RWMutex // whose writer's lock m is
	iter                     int
	since                    int64
	waited, starving, awoken bool
}

// onMutex carries out an operation on a mutex.
func (k *Kernel) onMutex(g *G, m *Mutex, code Code) Outcome {
	switch code {
	case TryLock:
		if g.ok = m.tryLock(g); !g.ok {
			return Done
		}
		return k.moved(g)
	case Unlock:
		return k.unlock(g, m)
	}
	return k.lock(g, m, nil)
}

// tryLock locks m for g if it is free.
func (m *Mutex) tryLock(g *G) bool {
	if m.locked || m.starving {
		return false
	}
	m.take(g)
	return true
}

// lock locks m for g. If rw is not nil, m is its writer lock.
func (k *Kernel) lock(g *G, m *Mutex, rw *RWMutex) Outcome {
	g.lock = lockState{m: m, rw: rw}
	if !m.locked && !m.woken && !m.starving && m.waiters == 0 {
		m.take(g)
		if rw == nil {
			return k.moved(g)
		}
		return k.writeLocked(g, rw)
	}
	if k.lockSlow(g) {
		return k.moved(g)
	}
	k.cur = nil
	return Parked
}

// lockSlow continues the lock in g.lock. It reports true if g has it; otherwise g has parked or spins.
func (k *Kernel) lockSlow(g *G) bool {
	l := &g.lock
	m := l.m
	for {
		if m.locked && !m.starving && k.canSpin(g.cpu, l.iter) {
			if !l.awoken && !m.woken && m.waiters != 0 {
				m.woken, l.awoken = true, true
			}
			l.iter++
			g.then = thenSpin
			k.pause(g, max(1, k.costs.LockSpin.draw(&k.draws)))
			return false
		}
		free := !m.locked && !m.starving
		if !free {
			m.waiters++
		}
		if l.starving && m.locked {
			m.starving = true
		} else if free {
			m.take(g)
		}
		if l.awoken {
			m.woken = false
		}
		if free {
			break
		}
		lifo := l.waited
		if !l.waited {
			l.waited, l.since = true, k.now
		}
		if !k.acquire(g, &m.sema, lifo, Lock, m) {
			return false
		}
		if k.lockWoke(g) {
			break
		}
	}
	return l.rw == nil || k.writeLocked(g, l.rw) == Done
}

// lockWoke continues lockSlow after the semaphore. It reports whether g was handed the lock.
func (k *Kernel) lockWoke(g *G) bool {
	l := &g.lock
	m := l.m
	l.starving = l.starving || k.now-l.since > starvation
	if m.starving {
		m.take(g)
		m.waiters--
		if !l.starving || m.waiters == 0 {
			m.starving = false
		}
		k.decided(didHandOff, g.cpu.id, int64(g.slot))
		return true
	}
	l.awoken, l.iter = true, 0
	return false
}

// canSpin is runtime_canSpin.
func (k *Kernel) canSpin(c *cpu, iter int) bool {
	return !k.costs.LockSpin.none() && iter < spinRounds && (k.unlimited ||
		len(k.cpus) > k.nidle+k.nspinning+1 && c.empty())
}

// unlock unlocks m.
func (k *Kernel) unlock(g *G, m *Mutex) Outcome {
	if !m.locked {
		return k.panics("sync: unlock of unlocked mutex")
	}
	m.locked = false
	switch {
	case m.starving:
		return k.semrelease(g, &m.sema, true)
	case m.waiters == 0 || m.woken:
		return Done
	}
	m.waiters--
	m.woken = true
	return k.semrelease(g, &m.sema, false)
}

// acquire is semacquire. It reports true if g has the semaphore; otherwise g parks.
func (k *Kernel) acquire(g *G, s *sema, lifo bool, code Code, on any) bool {
	if s.value > 0 {
		s.value--
		return true
	}
	g.then, g.sema, g.lifo = thenSema, s, lifo
	if lifo {
		s.queue.pushFront(g)
	} else {
		s.queue.push(g)
	}
	k.park(g, code, on)
	return false
}

// semaphoreWoke continues a goroutine that was woken at a semaphore. It reports whether the goroutine continues its
// code.
func (k *Kernel) semaphoreWoke(g *G) bool {
	if g.granted {
		g.granted = false
	} else if !k.acquire(g, g.sema, g.lifo, g.code, g.on) {
		return false
	}
	g.sema = nil
	switch g.code {
	case Lock:
		if k.lockWoke(g) {
			return g.lock.rw == nil || k.writeLocked(g, g.lock.rw) == Done
		}
		return k.lockSlow(g)
	case GroupWait:
		if w := g.on.(*Group); w.n != 0 || w.waiters != 0 {
			g.ok = false // sync: WaitGroup is reused before previous Wait has returned
		}
	}
	return true
}

// semrelease wakes the first waiting goroutine. With handOff it also gives it the semaphore and the CPU, so that g
// yields.
func (k *Kernel) semrelease(g *G, s *sema, handOff bool) Outcome {
	s.value++
	w := s.queue.pop()
	if w == nil {
		return Done
	}
	if handOff && s.value > 0 {
		s.value--
		w.granted = true
	}
	k.ready(w)
	if !w.granted {
		return Done
	}
	k.stateChanged(g, Runnable)
	if k.unlimited { // goyield: w goes first
		k.runnable(g)
	} else {
		k.put(g.cpu, g, false)
	}
	k.leave(g)
	return Parked
}

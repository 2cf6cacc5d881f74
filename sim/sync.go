package sim

// RWMutex is a sync.RWMutex.
type RWMutex struct {
	Name string

	w              Mutex
	writer         bool // a writer has announced itself: readerCount < 0
	readers        int  // inside or waiting
	departing      int  // readers for which the writer waits
	readSem, write sema
}

// onRWMutex carries out an operation on an RWMutex.
func (k *Kernel) onRWMutex(g *G, m *RWMutex, code Code) Outcome {
	switch code {
	case WriteLock:
		m.w.Name = m.Name
		return k.lock(g, &m.w, m)
	case TryWriteLock:
		g.ok = false
		if m.w.tryLock(g) {
			if m.readers > 0 || m.writer {
				return k.unlock(g, &m.w)
			}
			g.ok, m.writer = true, true
			return k.moved(g)
		}
		return Done
	case WriteUnlock:
		return k.writeUnlock(g, m)
	case ReadLock:
		m.readers++
		if m.writer && !k.acquire(g, &m.readSem, false, ReadLock, m) {
			return Parked
		}
		return k.moved(g)
	case TryReadLock:
		if g.ok = !m.writer; g.ok {
			m.readers++
			return k.moved(g)
		}
		return Done
	}
	if m.readers == 0 {
		return k.panics("sync: RUnlock of unlocked RWMutex")
	}
	m.readers--
	if m.writer {
		if m.departing--; m.departing == 0 {
			return k.semrelease(g, &m.write, false)
		}
	}
	return Done
}

// writeLocked announces the writer that holds m.w, and waits for the readers inside.
func (k *Kernel) writeLocked(g *G, m *RWMutex) Outcome {
	m.writer = true
	m.departing += m.readers
	if m.departing != 0 && !k.acquire(g, &m.write, false, WriteLock, m) {
		return Parked
	}
	return k.moved(g)
}

// writeUnlock unlocks m for writing.
func (k *Kernel) writeUnlock(g *G, m *RWMutex) Outcome {
	if !m.writer {
		return k.panics("sync: Unlock of unlocked RWMutex")
	}
	m.writer = false
	for range m.readers {
		k.semrelease(g, &m.readSem, false)
	}
	return k.unlock(g, &m.w)
}

// Group is a sync.WaitGroup.
type Group struct {
	n       int64
	waiters int
	sema    sema
}

// onGroup carries out an operation on a group.
func (k *Kernel) onGroup(g *G, w *Group, op Op) Outcome {
	if op.Code == GroupWait {
		g.ok = true
		if w.n == 0 {
			return Done
		}
		w.waiters++
		if !k.acquire(g, &w.sema, false, GroupWait, w) {
			return Parked
		}
		return Done
	}
	w.n += op.N
	if w.n < 0 {
		return k.panics("sync: negative WaitGroup counter")
	}
	if w.waiters != 0 && op.N > 0 && w.n == op.N {
		return k.panics("sync: WaitGroup misuse: Add called concurrently with Wait")
	}
	if w.n > 0 || w.waiters == 0 {
		return k.moved(g)
	}
	n := w.waiters
	w.waiters = 0
	for range n {
		k.semrelease(g, &w.sema, false)
	}
	return k.moved(g)
}

// Cond is a sync.Cond without its lock: CondAdd comes before the lock is released, and CondWait after it.
type Cond struct {
	Name string

	wait, notify uint32
	queue        queue
}

// onCond carries out an operation on a condition variable.
func (k *Kernel) onCond(g *G, c *Cond, code Code) Outcome {
	switch code {
	case CondAdd:
		g.ticket = c.wait
		c.wait++
	case CondWait:
		if int32(g.ticket-c.notify) < 0 {
			return Done
		}
		c.queue.push(g)
		return k.park(g, CondWait, c)
	case Broadcast:
		c.notify = c.wait
		for w := c.queue.pop(); w != nil; w = c.queue.pop() {
			k.ready(w)
		}
	case Signal:
		if c.notify != c.wait {
			k.signal(c, c.notify)
		}
	}
	return Done
}

// signal wakes the holder of a ticket. A holder that does not wait yet will see that it need not.
func (k *Kernel) signal(c *Cond, ticket uint32) {
	c.notify++
	var before *G
	for w := c.queue.head; w != nil; before, w = w, w.link {
		if w.ticket != ticket {
			continue
		}
		if before == nil {
			c.queue.pop()
		} else {
			before.link = w.link
			if w.link == nil {
				c.queue.tail = before
			}
			w.link = nil
			c.queue.n--
		}
		k.ready(w)
		return
	}
}

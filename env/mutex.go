package env

import "sync"

// Mutex is a mutual exclusion lock. Create one with [Env.Mutex].
type Mutex struct {
	meter   *Meter // nil without instrumentation; never nil on a machine
	mu      sync.Mutex
	virtual Lock // on a machine, in place of mu
}

// Mutex creates a lock. The name is that of the resource in reports.
func (e Env) Mutex(name string) *Mutex {
	e.own()
	m := &Mutex{meter: e.t.world.Meter(KindMutex, name, 1)}
	if e.t.machine != nil {
		m.virtual = e.t.machine.NewLock(name)
	}
	return m
}

// Lock acquires m.
func (m *Mutex) Lock() {
	if m.meter == nil {
		m.mu.Lock()
		return
	}
	m.lockMetered()
}

func (m *Mutex) lockMetered() {
	if m.virtual != nil {
		m.meter.waitVirtual(m.virtual.Lock(), m.virtual)
	} else if !m.mu.TryLock() {
		m.meter.queue()
		m.mu.Lock()
		m.meter.dequeue()
	}
	m.meter.enter()
}

// TryLock acquires m if it is free, and reports whether it did.
func (m *Mutex) TryLock() bool {
	if m.meter == nil {
		return m.mu.TryLock()
	}
	return m.tryLockMetered()
}

func (m *Mutex) tryLockMetered() (locked bool) {
	if m.virtual != nil {
		locked = m.virtual.TryLock()
	} else {
		locked = m.mu.TryLock()
	}
	if locked {
		m.meter.enter()
	}
	return locked
}

// Unlock releases m.
func (m *Mutex) Unlock() {
	if m.meter == nil {
		m.mu.Unlock()
		return
	}
	m.unlockMetered()
}

func (m *Mutex) unlockMetered() {
	m.meter.leave()
	if m.virtual != nil {
		m.virtual.Unlock()
	} else {
		m.mu.Unlock()
	}
}

// RWMutex is a lock for many readers or one writer. Create one with [Env.RWMutex].
type RWMutex struct {
	meter   *Meter // nil without instrumentation; never nil on a machine
	mu      sync.RWMutex
	virtual RWLock // on a machine, in place of mu
	holders int    // readers, or the writer; guarded by the meter and kept only with one
}

// RWMutex creates a reader/writer lock. The name is that of the resource in reports.
func (e Env) RWMutex(name string) *RWMutex {
	e.own()
	m := &RWMutex{meter: e.t.world.Meter(KindRWMutex, name, 1)}
	if e.t.machine != nil {
		m.virtual = e.t.machine.NewRWLock(name)
	}
	return m
}

// Lock acquires m for writing.
func (m *RWMutex) Lock() {
	if m.meter == nil {
		m.mu.Lock()
		return
	}
	m.lockMetered()
}

func (m *RWMutex) lockMetered() {
	if m.virtual != nil {
		m.meter.waitVirtual(m.virtual.Lock(), m.virtual)
	} else if !m.mu.TryLock() {
		m.meter.queue()
		m.mu.Lock()
		m.meter.dequeue()
	}
	m.meter.enterShared(&m.holders)
}

// Unlock releases m from writing.
func (m *RWMutex) Unlock() {
	if m.meter == nil {
		m.mu.Unlock()
		return
	}
	m.meter.leaveShared(&m.holders)
	if m.virtual != nil {
		m.virtual.Unlock()
	} else {
		m.mu.Unlock()
	}
}

// RLock acquires m for reading.
func (m *RWMutex) RLock() {
	if m.meter == nil {
		m.mu.RLock()
		return
	}
	m.rLockMetered()
}

func (m *RWMutex) rLockMetered() {
	if m.virtual != nil {
		m.meter.waitVirtual(m.virtual.RLock(), m.virtual)
	} else if !m.mu.TryRLock() {
		m.meter.queue()
		m.mu.RLock()
		m.meter.dequeue()
	}
	m.meter.enterShared(&m.holders)
}

// RUnlock releases m from reading.
func (m *RWMutex) RUnlock() {
	if m.meter == nil {
		m.mu.RUnlock()
		return
	}
	m.rUnlockMetered()
}

func (m *RWMutex) rUnlockMetered() {
	m.meter.leaveShared(&m.holders)
	if m.virtual != nil {
		m.virtual.RUnlock()
	} else {
		m.mu.RUnlock()
	}
}

// Cond is a condition variable on L. Create one with [Env.Cond].
type Cond struct {
	L       *Mutex
	cond    *sync.Cond
	virtual Condition // on a machine, in place of cond
}

// Cond creates a condition variable on l.
func (e Env) Cond(l *Mutex) *Cond {
	e.own()
	if e.t.machine != nil {
		return &Cond{L: l, virtual: e.t.machine.NewCondition(l.virtual)}
	}
	return &Cond{L: l, cond: sync.NewCond(l)}
}

// Wait unlocks L, parks until woken, and locks L again.
func (c *Cond) Wait() {
	if c.virtual == nil {
		c.cond.Wait()
		return
	}
	c.virtual.Add()
	c.L.Unlock()
	c.virtual.Wait()
	c.L.Lock()
}

// Signal wakes one waiter, if there is one.
func (c *Cond) Signal() {
	if c.virtual != nil {
		c.virtual.Signal()
		return
	}
	c.cond.Signal()
}

// Broadcast wakes all waiters.
func (c *Cond) Broadcast() {
	if c.virtual != nil {
		c.virtual.Broadcast()
		return
	}
	c.cond.Broadcast()
}

// Group waits for goroutines to end. Create one with [Env.Group].
type Group struct {
	wg      sync.WaitGroup
	virtual Counter // on a machine, in place of wg
}

// Group creates an empty group.
func (e Env) Group() *Group {
	e.own()
	g := &Group{}
	if e.t.machine != nil {
		g.virtual = e.t.machine.NewCounter()
	}
	return g
}

// Go starts body on a new goroutine of the group.
func (g *Group) Go(e Env, name string, body func(Env)) {
	g.Add(1)
	e.Go(name, func(e Env) {
		defer func() {
			// As in sync.WaitGroup.Go, a body that panics is not done. Otherwise the process could exit normally
			// before the panic ends it.
			if p := recover(); p != nil {
				panic(p)
			}
			g.Done()
		}()
		body(e)
	})
}

// Add adds n goroutines, or other units of work, to wait for.
func (g *Group) Add(n int) {
	if g.virtual != nil {
		g.virtual.Add(n)
		return
	}
	g.wg.Add(n)
}

// Done removes one unit of work.
func (g *Group) Done() { g.Add(-1) }

// Wait parks until all units of work are done.
func (g *Group) Wait() {
	if g.virtual != nil {
		g.virtual.Wait()
		return
	}
	g.wg.Wait()
}

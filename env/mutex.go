package env

import "sync"

// Mutex is a mutual exclusion lock. Make one with [Env.Mutex].
type Mutex struct {
	meter *Meter // nil outside observed trials; never nil on a machine
	mu    sync.Mutex
	far   Lock // on a machine, in place of mu
}

// Mutex makes a lock. The name is the resource's in reports.
func (e Env) Mutex(name string) *Mutex {
	e.own()
	m := &Mutex{meter: e.t.world.Meter(KindMutex, name, 1)}
	if e.t.machine != nil {
		m.far = e.t.machine.NewLock(name)
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
	if m.far != nil {
		m.meter.waitFar(m.far.Lock(), m.far)
	} else if !m.mu.TryLock() {
		m.meter.queue()
		m.mu.Lock()
		m.meter.dequeue()
	}
	m.meter.enter()
}

// TryLock acquires m if it is free and reports whether it did.
func (m *Mutex) TryLock() bool {
	if m.meter == nil {
		return m.mu.TryLock()
	}
	return m.tryLockMetered()
}

func (m *Mutex) tryLockMetered() (locked bool) {
	if m.far != nil {
		locked = m.far.TryLock()
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
	if m.far != nil {
		m.far.Unlock()
	} else {
		m.mu.Unlock()
	}
}

// RWMutex is a lock for many readers or one writer. Make one with [Env.RWMutex].
type RWMutex struct {
	meter   *Meter // nil outside observed trials; never nil on a machine
	mu      sync.RWMutex
	far     RWLock // on a machine, in place of mu
	holders int    // readers, or the writer; guarded by the meter and kept only with one
}

// RWMutex makes a reader/writer lock. The name is the resource's in reports.
func (e Env) RWMutex(name string) *RWMutex {
	e.own()
	m := &RWMutex{meter: e.t.world.Meter(KindRWMutex, name, 1)}
	if e.t.machine != nil {
		m.far = e.t.machine.NewRWLock(name)
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
	if m.far != nil {
		m.meter.waitFar(m.far.Lock(), m.far)
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
	if m.far != nil {
		m.far.Unlock()
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
	if m.far != nil {
		m.meter.waitFar(m.far.RLock(), m.far)
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
	if m.far != nil {
		m.far.RUnlock()
	} else {
		m.mu.RUnlock()
	}
}

// Cond waits for and announces changes guarded by L. Make one with [Env.Cond].
type Cond struct {
	L    *Mutex
	cond *sync.Cond
	far  Condition // on a machine, in place of cond
}

// Cond makes a condition variable on l.
func (e Env) Cond(l *Mutex) *Cond {
	e.own()
	if e.t.machine != nil {
		return &Cond{L: l, far: e.t.machine.NewCondition(l.far)}
	}
	return &Cond{L: l, cond: sync.NewCond(l)}
}

// Wait unlocks L, parks until woken, and locks L again.
func (c *Cond) Wait() {
	if c.far == nil {
		c.cond.Wait()
		return
	}
	c.far.Add()
	c.L.Unlock()
	c.far.Wait()
	c.L.Lock()
}

// Signal wakes one waiter, if there is one.
func (c *Cond) Signal() {
	if c.far != nil {
		c.far.Signal()
		return
	}
	c.cond.Signal()
}

// Broadcast wakes all waiters.
func (c *Cond) Broadcast() {
	if c.far != nil {
		c.far.Broadcast()
		return
	}
	c.cond.Broadcast()
}

// Group waits for goroutines to finish. Make one with [Env.Group].
type Group struct {
	wg  sync.WaitGroup
	far Counter // on a machine, in place of wg
}

// Group makes an empty group.
func (e Env) Group() *Group {
	e.own()
	g := &Group{}
	if e.t.machine != nil {
		g.far = e.t.machine.NewCounter()
	}
	return g
}

// Go starts body on a new goroutine of the group.
func (g *Group) Go(e Env, name string, body func(Env)) {
	g.Add(1)
	e.Go(name, func(e Env) {
		defer func() {
			// As in sync.WaitGroup.Go: a body that panics is not done, or the process could exit
			// as if nothing had happened before the panic has ended it.
			if p := recover(); p != nil {
				panic(p)
			}
			g.Done()
		}()
		body(e)
	})
}

// Add adds n goroutines, or other pieces of work, to wait for.
func (g *Group) Add(n int) {
	if g.far != nil {
		g.far.Add(n)
		return
	}
	g.wg.Add(n)
}

// Done takes one piece of work off.
func (g *Group) Done() { g.Add(-1) }

// Wait parks until every piece of work is done.
func (g *Group) Wait() {
	if g.far != nil {
		g.far.Wait()
		return
	}
	g.wg.Wait()
}

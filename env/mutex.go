package env

import "sync"

// Mutex is a mutual exclusion lock. Make one with [Env.Mutex].
type Mutex struct {
	meter *Meter // nil outside observed trials
	mu    sync.Mutex
}

// Mutex makes a lock. The name is the resource's in reports.
func (e Env) Mutex(name string) *Mutex {
	e.own()
	return &Mutex{meter: e.t.world.Meter(KindMutex, name, 1)}
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
	if !m.mu.TryLock() {
		m.meter.queue()
		m.mu.Lock()
		m.meter.dequeue()
	}
	m.meter.enter()
}

// TryLock acquires m if it is free and reports whether it did.
func (m *Mutex) TryLock() bool {
	if !m.mu.TryLock() {
		return false
	}
	if m.meter != nil {
		m.meter.enter()
	}
	return true
}

// Unlock releases m.
func (m *Mutex) Unlock() {
	if m.meter != nil {
		m.meter.leave()
	}
	m.mu.Unlock()
}

// RWMutex is a lock for many readers or one writer. Make one with [Env.RWMutex].
type RWMutex struct {
	meter   *Meter // nil outside observed trials
	mu      sync.RWMutex
	holders int // readers, or the writer; guarded by the meter and kept only with one
}

// RWMutex makes a reader/writer lock. The name is the resource's in reports.
func (e Env) RWMutex(name string) *RWMutex {
	e.own()
	return &RWMutex{meter: e.t.world.Meter(KindRWMutex, name, 1)}
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
	if !m.mu.TryLock() {
		m.meter.queue()
		m.mu.Lock()
		m.meter.dequeue()
	}
	m.meter.enterShared(&m.holders)
}

// Unlock releases m from writing.
func (m *RWMutex) Unlock() {
	if m.meter != nil {
		m.meter.leaveShared(&m.holders)
	}
	m.mu.Unlock()
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
	if !m.mu.TryRLock() {
		m.meter.queue()
		m.mu.RLock()
		m.meter.dequeue()
	}
	m.meter.enterShared(&m.holders)
}

// RUnlock releases m from reading.
func (m *RWMutex) RUnlock() {
	if m.meter != nil {
		m.meter.leaveShared(&m.holders)
	}
	m.mu.RUnlock()
}

// Cond waits for and announces changes guarded by L. Make one with [Env.Cond].
type Cond struct {
	L    *Mutex
	cond *sync.Cond
}

// Cond makes a condition variable on l.
func (e Env) Cond(l *Mutex) *Cond {
	e.own()
	return &Cond{L: l, cond: sync.NewCond(l)}
}

// Wait unlocks L, parks until woken, and locks L again.
func (c *Cond) Wait() { c.cond.Wait() }

// Signal wakes one waiter, if there is one.
func (c *Cond) Signal() { c.cond.Signal() }

// Broadcast wakes all waiters.
func (c *Cond) Broadcast() { c.cond.Broadcast() }

// Group waits for goroutines to finish. Make one with [Env.Group].
type Group struct{ wg sync.WaitGroup }

// Group makes an empty group.
func (e Env) Group() *Group {
	e.own()
	return &Group{}
}

// Go starts body on a new goroutine of the group.
func (g *Group) Go(e Env, name string, body func(Env)) {
	g.wg.Add(1)
	e.Go(name, func(e Env) {
		defer func() {
			// As in sync.WaitGroup.Go: a body that panics is not done, or the process could exit
			// as if nothing had happened before the panic has ended it.
			if p := recover(); p != nil {
				panic(p)
			}
			g.wg.Done()
		}()
		body(e)
	})
}

// Add adds n goroutines, or other pieces of work, to wait for.
func (g *Group) Add(n int) { g.wg.Add(n) }

// Done takes one piece of work off.
func (g *Group) Done() { g.wg.Done() }

// Wait parks until every piece of work is done.
func (g *Group) Wait() { g.wg.Wait() }

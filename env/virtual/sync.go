package virtual

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/sim"
)

// lock is a Mutex of the kernel.
type lock struct {
	sim.Mutex
	w *World
}

// NewLock implements env.Machine.
func (w *World) NewLock(name string) env.Lock {
	l := &lock{w: w}
	l.Name = name
	return l
}

func (l *lock) Lock() env.Step { return l.w.begin(sim.Op{Code: sim.Lock, On: &l.Mutex}) }

func (l *lock) Park() { l.w.Park() }

func (l *lock) Unlock() { l.w.do(sim.Op{Code: sim.Unlock, On: &l.Mutex}) }

func (l *lock) TryLock() bool {
	l.w.do(sim.Op{Code: sim.TryLock, On: &l.Mutex})
	return l.w.co.OK()
}

// rwLock is an RWMutex of the kernel.
type rwLock struct {
	sim.RWMutex
	w *World
}

// NewRWLock implements env.Machine.
func (w *World) NewRWLock(name string) env.RWLock {
	l := &rwLock{w: w}
	l.Name = name
	return l
}

func (l *rwLock) Lock() env.Step { return l.w.begin(sim.Op{Code: sim.WriteLock, On: &l.RWMutex}) }

func (l *rwLock) Park() { l.w.Park() }

func (l *rwLock) Unlock() { l.w.do(sim.Op{Code: sim.WriteUnlock, On: &l.RWMutex}) }

func (l *rwLock) RLock() env.Step { return l.w.begin(sim.Op{Code: sim.ReadLock, On: &l.RWMutex}) }

func (l *rwLock) RUnlock() { l.w.do(sim.Op{Code: sim.ReadUnlock, On: &l.RWMutex}) }

// condition is a Cond of the kernel.
type condition struct {
	sim.Cond
	w *World
}

// NewCondition implements env.Machine.
func (w *World) NewCondition(l env.Lock) env.Condition {
	c := &condition{w: w}
	c.Name = "a condition of " + l.(*lock).Name
	return c
}

func (c *condition) Add() { c.w.do(sim.Op{Code: sim.CondAdd, On: &c.Cond}) }

func (c *condition) Wait() { c.w.do(sim.Op{Code: sim.CondWait, On: &c.Cond}) }

func (c *condition) Signal() { c.w.do(sim.Op{Code: sim.Signal, On: &c.Cond}) }

func (c *condition) Broadcast() { c.w.do(sim.Op{Code: sim.Broadcast, On: &c.Cond}) }

// counter is a Group of the kernel.
type counter struct {
	sim.Group
	w *World
}

// NewCounter implements env.Machine.
func (w *World) NewCounter() env.Counter { return &counter{w: w} }

func (c *counter) Add(n int) { c.w.do(sim.Op{Code: sim.GroupAdd, N: int64(n), On: &c.Group}) }

func (c *counter) Wait() {
	c.w.do(sim.Op{Code: sim.GroupWait, On: &c.Group})
	if !c.w.co.OK() {
		panic("sync: WaitGroup is reused before previous Wait has returned")
	}
}

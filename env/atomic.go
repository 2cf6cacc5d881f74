package env

import "sync/atomic"

// Word is what an [Atomic] can hold: 64 bits, so that addition wraps as the type itself does.
type Word interface {
	~int | ~int64 | ~uint | ~uint64
}

// Atomic is an atomic integer and a point where the order of goroutines may be explored. Make one
// with [NewAtomic].
type Atomic[T Word] struct {
	v       atomic.Uint64
	machine Machine // nil live
}

// NewAtomic makes an atomic integer that is 0. The name appears where orders are explored.
func NewAtomic[T Word](e Env, name string) *Atomic[T] {
	e.own()
	return &Atomic[T]{machine: e.t.machine}
}

// Load returns the value. In virtual time, where reading takes none, a goroutine that does nothing else polls: it
// is reported.
func (a *Atomic[T]) Load() T {
	if a.machine != nil {
		a.machine.Poll()
	}
	return T(a.v.Load())
}

// Store sets the value.
func (a *Atomic[T]) Store(v T) { a.v.Store(uint64(v)) }

// Add adds d and returns the new value.
func (a *Atomic[T]) Add(d T) T { return T(a.v.Add(uint64(d))) }

// CompareAndSwap replaces was by v and reports whether the value was was.
func (a *Atomic[T]) CompareAndSwap(was, v T) bool {
	return a.v.CompareAndSwap(uint64(was), uint64(v)) || inVain(a.machine)
}

// inVain is apart so that CompareAndSwap is inlined.
//
//go:noinline
func inVain(m Machine) (swapped bool) {
	if m != nil {
		m.Poll()
	}
	return false
}

// Var is plain shared memory, as racy as a field, and a point where the order of goroutines may be
// explored. Make one with [NewVar].
type Var[T any] struct {
	v       T
	machine Machine // nil live
}

// NewVar makes a variable that holds the zero T. The name appears where orders are explored.
func NewVar[T any](e Env, name string) *Var[T] {
	e.own()
	return &Var[T]{machine: e.t.machine}
}

// Load returns the value. As with an [Atomic], a goroutine must not do nothing else in virtual time.
func (x *Var[T]) Load() T {
	if x.machine != nil {
		x.machine.Poll()
	}
	return x.v
}

// Store sets the value.
func (x *Var[T]) Store(v T) { x.v = v }

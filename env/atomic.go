package env

import "sync/atomic"

// Word is a type that an [Atomic] can hold: 64 bits, so that addition wraps as the type itself does.
type Word interface {
	~int | ~int64 | ~uint | ~uint64
}

// Atomic is an atomic integer, and a point at which the order of goroutines may be explored. Create one with
// [NewAtomic].
type Atomic[T Word] struct {
	v       atomic.Uint64
	machine Machine // nil on the Go runtime
}

// NewAtomic creates an atomic integer that is 0. The name appears in explored orders.
func NewAtomic[T Word](e Env, name string) *Atomic[T] {
	e.own()
	return &Atomic[T]{machine: e.t.machine}
}

// Load returns the value. In virtual time it takes no time, so a goroutine that does nothing else polls, which is an
// error.
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

// CompareAndSwap replaces was by v if the value is was, and reports whether it did.
func (a *Atomic[T]) CompareAndSwap(was, v T) bool {
	return a.v.CompareAndSwap(uint64(was), uint64(v)) || failedSwap(a.machine)
}

// failedSwap counts a failed swap as a poll. It is a function of its own so that CompareAndSwap is inlined.
//
//go:noinline
func failedSwap(m Machine) (swapped bool) {
	if m != nil {
		m.Poll()
	}
	return false
}

// Var is plain shared memory, as racy as a field, and a point at which the order of goroutines may be explored.
// Create one with [NewVar].
type Var[T any] struct {
	v       T
	machine Machine // nil on the Go runtime
}

// NewVar creates a variable that holds the zero T. The name appears in explored orders.
func NewVar[T any](e Env, name string) *Var[T] {
	e.own()
	return &Var[T]{machine: e.t.machine}
}

// Load returns the value. In virtual time a goroutine that does nothing else polls, as with an [Atomic].
func (x *Var[T]) Load() T {
	if x.machine != nil {
		x.machine.Poll()
	}
	return x.v
}

// Store sets the value.
func (x *Var[T]) Store(v T) { x.v = v }

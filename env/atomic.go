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

// Atomics is an array of atomic integers that are next to each other in memory, each a point at which the order of
// goroutines may be explored. Create one with [NewAtomics]. An index out of range panics.
type Atomics[T Word] struct {
	v       []atomic.Uint64
	machine Machine // nil on the Go runtime
}

// NewAtomics creates n atomic integers that are 0. The name appears in explored orders.
func NewAtomics[T Word](e Env, name string, n int) *Atomics[T] {
	e.own()
	return &Atomics[T]{v: make([]atomic.Uint64, n), machine: e.t.machine}
}

// Len returns the number of integers.
func (a *Atomics[T]) Len() int { return len(a.v) }

// Load returns the i-th value. In virtual time a goroutine that does nothing else polls, as with an [Atomic].
func (a *Atomics[T]) Load(i int) T {
	if a.machine != nil {
		poll(a.machine)
	}
	return T(a.v[i].Load())
}

// Store sets the i-th value.
func (a *Atomics[T]) Store(i int, v T) { a.v[i].Store(uint64(v)) }

// CompareAndSwap replaces was by v if the i-th value is was, and reports whether it did.
func (a *Atomics[T]) CompareAndSwap(i int, was, v T) bool {
	return a.v[i].CompareAndSwap(uint64(was), uint64(v)) || failedSwap(a.machine)
}

// Pointer is an atomic pointer, and a point at which the order of goroutines may be explored. Create one with
// [NewPointer].
type Pointer[T any] struct {
	v       atomic.Pointer[T]
	machine Machine // nil on the Go runtime
}

// NewPointer creates an atomic pointer that is nil. The name appears in explored orders.
func NewPointer[T any](e Env, name string) *Pointer[T] {
	e.own()
	return &Pointer[T]{machine: e.t.machine}
}

// Load returns the pointer. In virtual time a goroutine that does nothing else polls, as with an [Atomic].
func (p *Pointer[T]) Load() *T {
	if p.machine != nil {
		poll(p.machine)
	}
	return p.v.Load()
}

// Store sets the pointer.
func (p *Pointer[T]) Store(v *T) { p.v.Store(v) }

// CompareAndSwap replaces was by v if the pointer is was, and reports whether it did.
func (p *Pointer[T]) CompareAndSwap(was, v *T) bool {
	return p.v.CompareAndSwap(was, v) || failedSwap(p.machine)
}

// poll is Poll, as a function of its own so that the methods that call it are inlined.
//
//go:noinline
func poll(m Machine) { m.Poll() }

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

//go:build amd64 || arm64

package self

import "unsafe"

// Mark is different for goroutines that live at the same time; one that begins later may have that of one that has
// ended. The zero Mark is nobody's.
type Mark struct{ g *g }

// g is how the runtime's own record of a goroutine begins: with the bounds of its stack, which follow where that moves.
// See type g in runtime/runtime2.go of Go's source.
type g struct{ lo, hi uintptr }

// current is the record of the calling goroutine. A register holds it while Go code runs: see "ABIInternal" in
// cmd/compile/abi-internal.md of Go's source.
func current() *g

// Current is the mark of the calling goroutine.
func Current() Mark { return Mark{current()} }

// Surely reports whether the caller stands on the stack of the goroutine of m, without a call. It may say no
// where [Mark.Mine] says yes. The other way it may only err once, where that stack moves between the reading of its two
// bounds: no two goroutines share a stack, whoever had that memory before.
func (m Mark) Surely() bool {
	var local byte
	here := uintptr(unsafe.Pointer(&local))
	return m.g != nil && m.g.lo <= here && here < m.g.hi
}

// Mine reports whether m is the mark of the calling goroutine, in two nanoseconds.
func (m Mark) Mine() bool { return m.g == current() }

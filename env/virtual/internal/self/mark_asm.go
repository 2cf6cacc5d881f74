//go:build amd64 || arm64

package self

import "unsafe"

// Mark identifies a goroutine among those that live at the same time. A goroutine that starts later may get the mark
// of one that has ended. The zero Mark is that of no goroutine.
type Mark struct{ g *g }

// g is the beginning of the runtime's record of a goroutine: the bounds of its stack, which are updated when the
// stack moves. See type g in runtime/runtime2.go of Go's source.
type g struct{ low, high uintptr }

// current returns the record of the calling goroutine. A register holds it while Go code runs: see "ABIInternal" in
// cmd/compile/abi-internal.md of Go's source.
func current() *g

// Current returns the mark of the calling goroutine.
func Current() Mark { return Mark{current()} }

// OnStack reports whether the caller is on the stack of the goroutine of m, without a call. It may report false where
// [Mark.Mine] reports true. It may wrongly report true only if that stack moves between the two reads of its bounds,
// because no two goroutines share a stack at one time.
func (m Mark) OnStack() bool {
	var local byte
	here := uintptr(unsafe.Pointer(&local))
	return m.g != nil && m.g.low <= here && here < m.g.high
}

// Mine reports whether m is the mark of the calling goroutine. It takes two nanoseconds.
func (m Mark) Mine() bool { return m.g == current() }

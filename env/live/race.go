//go:build race

package live

import (
	"runtime"
	"unsafe"
)

// raced reports that the race detector is enabled. Waits then use the runtime's timers, which order no goroutines.
const raced = true

// hide makes the race detector ignore the order of atomic operations until show. The world's bookkeeping must not
// order the goroutines of a design.
func hide() { runtime.RaceDisable() }
func show() { runtime.RaceEnable() }

// release and acquire restore the one order that a world promises: everything its goroutines did happens before Run
// returns.
func release(w *World) { runtime.RaceReleaseMerge(unsafe.Pointer(w)) }
func acquire(w *World) { runtime.RaceAcquire(unsafe.Pointer(w)) }

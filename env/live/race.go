//go:build race

package live

import (
	"runtime"
	"unsafe"
)

// raced says that the race detector watches. Waiting then takes the runtime's own timers, which order no goroutines.
const raced = true

// hide makes the race detector ignore the order of atomic operations until show: the world's own
// bookkeeping must not order the goroutines of a design.
func hide() { runtime.RaceDisable() }
func show() { runtime.RaceEnable() }

// release and acquire give back the one order that a world promises: what its goroutines did is
// done when Run returns.
func release(w *World) { runtime.RaceReleaseMerge(unsafe.Pointer(w)) }
func acquire(w *World) { runtime.RaceAcquire(unsafe.Pointer(w)) }

// Package interrupt hears interrupts before main begins. A Go program is killed by an interrupt until it asks for it,
// and the packages of this command take milliseconds to initialize. See package early, which asks.
package interrupt

import (
	"os"
	"os/signal"
	"syscall"
)

// heard has room for one signal: more do not matter.
var heard = make(chan os.Signal, 1)

// Listen begins to hear interrupts and SIGTERM. Its result can initialize a variable.
func Listen() bool {
	signal.Notify(heard, os.Interrupt, syscall.SIGTERM)
	return true
}

// Heard ends Listen and reports whether a signal came. Ask for the signals in another way first, so that none is lost
// between the two.
func Heard() bool {
	signal.Stop(heard)
	select {
	case <-heard:
		return true
	default:
		return false
	}
}

// Package interrupt receives interrupts before main begins. An interrupt kills a Go program until the program
// catches it, and the packages of this command take milliseconds to initialize. Package early uses it.
package interrupt

import (
	"os"
	"os/signal"
	"syscall"
)

// heard has room for one signal; further signals do not matter.
var heard = make(chan os.Signal, 1)

// Listen starts to catch [Signals]. Its result can initialize a variable.
func Listen() bool {
	signal.Notify(heard, Signals()...)
	return true
}

// Signals returns the signals that interrupt the command: an interrupt, SIGTERM, and the hang-up that a closed
// terminal sends. It omits the hang-up if the process was started to ignore it, as by nohup.
func Signals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// Heard ends Listen and reports whether a signal came. Catch the signals in another way first, so that none is
// lost in between.
func Heard() bool {
	signal.Stop(heard)
	select {
	case <-heard:
		return true
	default:
		return false
	}
}

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

// Listen begins to hear [Signals]. Its result can initialize a variable.
func Listen() bool {
	signal.Notify(heard, Signals()...)
	return true
}

// Signals are the signals that interrupt the command: an interrupt, SIGTERM, and the hang-up that a closed terminal
// sends, unless the process was started to ignore it, as nohup does.
func Signals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
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

// Package early hears interrupts as soon as package os/signal is ready. It imports nothing else that takes time, so
// that it is initialized before most packages: Go initializes packages in the order of their paths, each after its
// imports.
//
// Until then, about 2 ms from the start of the process, an interrupt kills the process as it kills any Go program.
// Nothing has begun by then.
package early

import "github.com/brewput/brewput/internal/interrupt"

var _ = interrupt.Listen()

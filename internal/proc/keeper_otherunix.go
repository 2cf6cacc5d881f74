//go:build unix && !linux

package proc

import "syscall"

// prepareKeeper keeps the held stream to this process.
func prepareKeeper() { syscall.CloseOnExec(heldStream) }

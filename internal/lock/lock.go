// Package lock locks files that one process at a time may hold.
package lock

import "errors"

// ErrLocked means that another process, or another part of this one, holds the lock.
var ErrLocked = errors.New("locked")

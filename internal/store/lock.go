package store

import "errors"

// errLocked says that another process, or another Run of this one, holds the lock.
var errLocked = errors.New("locked")

//go:build !unix

package collect

import "time"

// readable returns true: these systems cannot wait for a pipe.
func readable(uintptr, time.Duration) bool { return true }

//go:build !linux

package alarm

import "time"

// Timer is a timer of the kernel, which this system does not have.
type Timer struct{}

// New returns no timer.
func New() (t *Timer, ok bool) { return nil, false }

// Wait does nothing.
func (*Timer) Wait(time.Duration) bool { return false }

// Set does nothing.
func (*Timer) Set(time.Duration) bool { return false }

// Await does nothing.
func (*Timer) Await() bool { return false }

// Close does nothing.
func (*Timer) Close() {}

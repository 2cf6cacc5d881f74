//go:build !linux

package host

// timerDescriptor is Linux's alone.
func timerDescriptor() (w wait, done func(), ok bool) { return nil, nil, false }

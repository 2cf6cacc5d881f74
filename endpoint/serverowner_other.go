//go:build !linux

package endpoint

// owned returns nil: only Linux tells whose port it is.
func (r readiness) owned(func() []int) error { return nil }

// portUser is implemented on Linux only.
func portUser(int) string { return "" }

// listening is implemented on Linux only.
func listening(int) bool { return false }

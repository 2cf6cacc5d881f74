//go:build !linux

package proc

// awaitExit is implemented on Linux only.
func awaitExit(int) bool { return false }

//go:build !linux && (amd64 || arm64)

package self

// Asleep reports whether the goroutine of m is in a system call in which it sleeps. Here nobody can tell.
func (Eye) Asleep(Mark) bool { return false }

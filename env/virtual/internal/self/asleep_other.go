//go:build !linux && (amd64 || arm64)

package self

// Asleep returns false: this system does not show whether a thread sleeps.
func (Inspector) Asleep(Mark) bool { return false }

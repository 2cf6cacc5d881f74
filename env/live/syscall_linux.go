package live

import (
	"syscall"
	"time"
)

// blockInSyscall sleeps in a system call. It continues after a signal.
func blockInSyscall(d time.Duration) {
	left := syscall.NsecToTimespec(int64(d))
	for syscall.Nanosleep(&left, &left) == syscall.EINTR {
	}
}

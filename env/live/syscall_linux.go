package live

import (
	"syscall"
	"time"
)

func blockInSyscall(d time.Duration) {
	left := syscall.NsecToTimespec(int64(d))
	for syscall.Nanosleep(&left, &left) == syscall.EINTR {
	}
}

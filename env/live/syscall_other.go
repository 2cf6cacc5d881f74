//go:build !linux && !windows

package live

import (
	"syscall"
	"time"
)

// blockInSyscall sleeps in a select without descriptors. It continues after a signal for the time that is left.
func blockInSyscall(d time.Duration) {
	for end := time.Now().Add(d); d > 0; d = time.Until(end) {
		tv := syscall.NsecToTimeval(int64(d))
		if err := syscall.Select(0, nil, nil, nil, &tv); err != syscall.EINTR {
			return
		}
	}
}

//go:build unix

package collect

import (
	"time"

	"golang.org/x/sys/unix"
)

// readable waits until something can be read.
func readable(fd uintptr, limit time.Duration) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(limit.Milliseconds()))
	return err == nil && n > 0
}

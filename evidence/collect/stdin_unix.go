//go:build unix

package collect

import (
	"time"

	"golang.org/x/sys/unix"
)

// readable waits until a read would not block, and reports whether that happens within the limit.
func readable(fd uintptr, limit time.Duration) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(limit.Milliseconds()))
	return err == nil && n > 0
}

package proc

import (
	"errors"

	"golang.org/x/sys/unix"
)

// awaitExit waits until a child has exited, and leaves its record to be read. It reports whether it could.
func awaitExit(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

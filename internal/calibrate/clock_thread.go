//go:build linux || darwin

package calibrate

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadCPU is the CPU time of the calling thread. It is false where the system keeps none that is
// fine enough for a burn of a millisecond. The goroutine must have locked its thread. A read is a
// system call: 0.2 to 0.6 us.
func threadCPU() (time.Duration, bool) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}

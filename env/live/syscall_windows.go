package live

import (
	"time"

	"golang.org/x/sys/windows"
)

// blockInSyscall sleeps in a system call, in whole milliseconds.
func blockInSyscall(d time.Duration) {
	windows.SleepEx(uint32((d+time.Millisecond-1)/time.Millisecond), false)
}

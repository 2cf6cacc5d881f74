package live

import (
	"time"

	"golang.org/x/sys/windows"
)

func blockInSyscall(d time.Duration) {
	windows.SleepEx(uint32((d+time.Millisecond-1)/time.Millisecond), false)
}

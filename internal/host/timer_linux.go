package host

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// timerDescriptor makes a timer of the kernel as a file, which the runtime's poller watches as it does a
// network connection: how late a read of it returns is how late the network can wake a goroutine. done
// closes it; ok is false where there is none.
func timerDescriptor() (w wait, done func(), ok bool) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, nil, false
	}
	f := os.NewFile(uintptr(fd), "timer") // non-blocking, so that the poller takes it
	var count [8]byte
	w = func(d time.Duration) (time.Time, bool) {
		spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
		if unix.TimerfdSettime(fd, 0, &spec, nil) != nil {
			return time.Time{}, false
		}
		_, err := f.Read(count[:])
		return time.Now(), err == nil
	}
	return w, func() { f.Close() }, true
}

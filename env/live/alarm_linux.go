package live

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// alarms are kernel timers for reuse: as many as there were goroutines waiting at once.
type alarms struct {
	mu   sync.Mutex
	free []*os.File
}

// wait parks the goroutine in the network poller for d > 0. It reports whether it could.
func (a *alarms) wait(d time.Duration) bool {
	f := a.take()
	if f == nil {
		return false
	}
	if !ring(f, d) {
		f.Close()
		return false
	}
	a.mu.Lock()
	a.free = append(a.free, f)
	a.mu.Unlock()
	return true
}

// take returns nil where the system gives no timer.
func (a *alarms) take() *os.File {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.free); n > 0 {
		f := a.free[n-1]
		a.free = a.free[:n-1]
		return f
	}
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), "timerfd")
}

// ring sets the timer and reads it, which parks until it has expired.
func ring(f *os.File, d time.Duration) bool {
	c, err := f.SyscallConn()
	if err != nil {
		return false
	}
	var set error
	err = c.Control(func(fd uintptr) {
		once := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
		set = unix.TimerfdSettime(int(fd), 0, &once, nil)
	})
	if err != nil || set != nil {
		return false
	}
	var expirations [8]byte
	_, err = f.Read(expirations[:])
	return err == nil || err == syscall.EINTR
}

// close gives the timers back.
func (a *alarms) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range a.free {
		f.Close()
	}
	a.free = nil
}

package alarm

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Timer is a timer of the kernel. One goroutine at a time may wait for it.
type Timer struct {
	file *os.File
	conn syscall.RawConn
}

// New creates a timer; ok is false if the system has none.
func New() (t *Timer, ok bool) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, false
	}
	f := os.NewFile(uintptr(fd), "timer") // non-blocking, so that the poller takes it
	conn, err := f.SyscallConn()
	if err != nil {
		f.Close()
		return nil, false
	}
	return &Timer{f, conn}, true
}

// Wait parks the goroutine for d > 0 and reports whether it could. It may return early.
func (t *Timer) Wait(d time.Duration) bool { return t.Set(d) && t.Await() }

// Set lets the timer expire d > 0 from now, and not at the time set before. It is safe for concurrent use.
func (t *Timer) Set(d time.Duration) bool {
	var set error
	err := t.conn.Control(func(fd uintptr) {
		once := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
		set = unix.TimerfdSettime(int(fd), 0, &once, nil)
	})
	return err == nil && set == nil
}

// Await parks the goroutine until the timer expires and reports whether it could.
func (t *Timer) Await() bool {
	var expirations [8]byte
	_, err := t.file.Read(expirations[:])
	return err == nil
}

// Close releases the timer.
func (t *Timer) Close() { t.file.Close() }

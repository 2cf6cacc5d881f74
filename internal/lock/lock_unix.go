//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package lock

import (
	"io"
	"os"
	"syscall"
)

// Lock locks a file, and creates it if it does not exist. The kernel releases the lock when the process dies.
// The file stays: after its removal, two processes could lock two files of the same name. Child processes do
// not inherit the lock, because Go opens files close-on-exec.
func Lock(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	err = syscall.EINTR
	for err == syscall.EINTR {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err == nil {
		return f, nil
	}
	f.Close()
	if err == syscall.EWOULDBLOCK {
		return nil, ErrLocked
	}
	return nil, &os.PathError{Op: "flock", Path: path, Err: err}
}

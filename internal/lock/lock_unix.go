//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package lock

import (
	"io"
	"os"
	"syscall"
)

// Lock takes the lock file, which it makes where there is none. The kernel gives the lock up when the
// process dies. The file stays: removing it would let two processes lock two files of one name. Child
// processes do not inherit it, since Go opens files close-on-exec.
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

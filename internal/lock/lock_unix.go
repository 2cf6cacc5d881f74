//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package lock

import (
	"io"
	"os"
	"syscall"
)

// Lock locks a file, and creates it if it does not exist. The kernel releases the lock when the process dies.
// Lock returns [ErrLocked] if another process removes the file meanwhile. Only the process that holds the lock may
// remove the file, and before it releases the lock. Otherwise two processes could lock two files of the same name.
// Child processes do not inherit the lock, because Go opens files close-on-exec.
func Lock(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	return lockOpen(f, path)
}

// lockOpen locks an open file, if it is still the one at path. Otherwise it closes the file.
func lockOpen(f *os.File, path string) (io.Closer, error) {
	var err error = syscall.EINTR
	for err == syscall.EINTR {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err == nil && isAt(f, path) {
		return f, nil
	}
	f.Close()
	if err == nil { // another process has removed the file since it was opened here
		return nil, ErrLocked
	}
	if err == syscall.EWOULDBLOCK {
		return nil, ErrLocked
	}
	return nil, &os.PathError{Op: "flock", Path: path, Err: err}
}

// isAt reports whether an open file is the one at a path.
func isAt(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	found, err := os.Stat(path)
	return err == nil && os.SameFile(opened, found)
}

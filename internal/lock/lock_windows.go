package lock

import (
	"io"
	"os"
	"syscall"
)

// Lock opens a file that no other process may read or write meanwhile, and creates it if it does not exist. The kernel
// closes it when the process dies. Lock returns [ErrLocked] if another process holds it. Only the process that holds
// the lock may remove the file, and before it releases the lock; sharing it for deletion lets it.
func Lock(path string) (io.Closer, error) {
	const sharingViolation = syscall.Errno(32) // ERROR_SHARING_VIOLATION
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_DELETE,
		nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err == sharingViolation {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

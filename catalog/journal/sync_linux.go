package journal

import (
	"os"
	"syscall"
)

// dataSync makes the content and the size of a file survive power loss.
func dataSync(f *os.File) error {
	if err := again(func() error { return syscall.Fdatasync(int(f.Fd())) }); err != nil {
		return &os.PathError{Op: "fdatasync", Path: f.Name(), Err: err}
	}
	return nil
}

// reserve allocates space for n more bytes, which are zeros.
func reserve(f *os.File, at, n int64) error {
	err := again(func() error { return syscall.Fallocate(int(f.Fd()), 0, at, n) })
	if err == syscall.EOPNOTSUPP {
		return writeZeros(f, at, n)
	}
	return err
}

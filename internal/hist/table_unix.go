//go:build unix

package hist

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// table is n zeros outside the Go heap, of which the system backs only the pages that are touched, and
// the function that gives them back. Where the system refuses, it is an ordinary slice.
func table(n int) (counts []int64, free func()) {
	raw, err := unix.Mmap(-1, 0, n*8, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return make([]int64, n), func() {}
	}
	// Pages are aligned to more than 8 bytes.
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(raw))), n), func() { unix.Munmap(raw) }
}

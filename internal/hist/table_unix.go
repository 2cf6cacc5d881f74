//go:build unix

package hist

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// table returns n zeros outside the Go heap, and the function that releases them. The system only backs the
// pages that are touched. If the system refuses, the table is an ordinary slice.
func table(n int) (counts []int64, free func()) {
	raw, err := unix.Mmap(-1, 0, n*8, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return make([]int64, n), func() {}
	}
	// Pages are aligned to more than 8 bytes.
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(raw))), n), func() { unix.Munmap(raw) }
}

package host

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// The peak of the memory covers what has been freed.
func TestPeakResident(t *testing.T) {
	const size = 64 << 20
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	for i := range memory {
		memory[i] = 1
	}
	if err := unix.Munmap(memory); err != nil {
		t.Fatal(err)
	}
	now, ok := Resident(os.Getpid())
	peak, also := PeakResident()
	if !ok || !also || peak < size || peak < now || peak > 1<<40 {
		t.Errorf("now %d bytes, %t; peak %d, %t", now, ok, peak, also)
	}
}

//go:build unix

package input

import (
	"os"
	"syscall"
)

// openNow opens a file for reading without waiting for a writer of a FIFO or for a device.
func openNow(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

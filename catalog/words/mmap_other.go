//go:build !unix

package words

import (
	"errors"
	"os"
)

// mapFile is not implemented for this system.
func mapFile(f *os.File, _ int64) (data []byte, unmap func() error, err error) {
	return nil, nil, &os.PathError{Op: "mmap", Path: f.Name(), Err: errors.ErrUnsupported}
}

//go:build !linux

package rxtime

import (
	"net"
	"time"
)

// kernel does not exist on this system.
type kernel struct{}

// newKernel returns nil.
func newKernel(net.Conn) *kernel { return nil }

// read is never called.
func (*kernel) read([]byte) (n int, ago time.Duration, err error) { return 0, 0, nil }

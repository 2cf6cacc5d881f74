// Package rxtime tells when bytes reached this host, however late the goroutine that reads them gets a CPU. On Linux,
// the kernel stamps the packets of a TCP connection when it receives them. Elsewhere, and on other connections, the
// time is that of the end of the read.
package rxtime

import (
	"net"
	"sync/atomic"
	"time"
)

// Conn is a connection that knows when the last bytes that it read reached this host. One goroutine at a time may read;
// the other methods are safe for concurrent use.
type Conn struct {
	net.Conn
	kernel *kernel // nil: the kernel does not stamp
	epoch  time.Time
	last   atomic.Int64 // ns since the epoch
}

// New returns a connection that reads from c, which nothing else may read.
func New(c net.Conn) *Conn { return &Conn{Conn: c, kernel: newKernel(c), epoch: time.Now()} }

// Read reads from the connection.
func (c *Conn) Read(b []byte) (n int, err error) {
	ago := time.Duration(0)
	if c.kernel != nil && len(b) > 0 {
		n, ago, err = c.kernel.read(b)
	} else {
		n, err = c.Conn.Read(b)
	}
	if n > 0 {
		c.note(ago)
	}
	return n, err
}

// note notes that bytes came a time ago by the kernel's clock. That may be set at any time, so bytes are never from the
// future, nor older than those before them.
func (c *Conn) note(ago time.Duration) {
	now := int64(time.Since(c.epoch))
	c.last.Store(min(now, max(now-int64(ago), c.last.Load())))
}

// Last returns when the last bytes that were read reached this host, with a monotonic clock. Before the first read it
// is when the connection was made.
func (c *Conn) Last() time.Time { return c.epoch.Add(time.Duration(c.last.Load())) }

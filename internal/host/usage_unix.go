//go:build linux || darwin

package host

import (
	"runtime"

	"github.com/brewput/brewput/result"
	"golang.org/x/sys/unix"
)

// readUsage reads getrusage for all threads of the process, and for the child processes that were waited for:
// the CPU time of a job includes that of the program that does it. Linux itself adds the children's read and
// write calls to those of the process.
func (c *Counters) readUsage() {
	var u, children unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return
	}
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &children); err != nil {
		return
	}
	c.total[cpuUser] = result.Value(float64(u.Utime.Nano()+children.Utime.Nano()) / 1e9)
	c.total[cpuSystem] = result.Value(float64(u.Stime.Nano()+children.Stime.Nano()) / 1e9)
	c.total[voluntary] = result.Value(u.Nvcsw + children.Nvcsw)
	c.total[involuntary] = result.Value(u.Nivcsw + children.Nivcsw)
	c.maxRSS = result.Value(u.Maxrss)
	if runtime.GOOS == "linux" { // kilobytes on Linux, bytes on darwin
		c.maxRSS *= 1024
	}
}

//go:build linux || darwin

package host

import (
	"runtime"

	"github.com/brewput/brewput/result"
	"golang.org/x/sys/unix"
)

// readUsage reads what getrusage tells of all threads of the process, and of the child processes that have ended
// and were waited for: a job's CPU time is also that of the program that does it. Linux adds the children's read and
// write calls to the process's own by itself.
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
	if runtime.GOOS == "linux" { // kilobytes there, bytes on darwin
		c.maxRSS *= 1024
	}
}

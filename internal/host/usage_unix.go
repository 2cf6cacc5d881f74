//go:build linux || darwin

package host

import (
	"runtime"

	"github.com/brewput/brewput/result"
	"golang.org/x/sys/unix"
)

// readUsage reads what getrusage tells of all threads of the process.
func (c *Counters) readUsage() {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return
	}
	c.total[cpuUser] = result.Value(float64(u.Utime.Nano()) / 1e9)
	c.total[cpuSystem] = result.Value(float64(u.Stime.Nano()) / 1e9)
	c.total[voluntary] = result.Value(u.Nvcsw)
	c.total[involuntary] = result.Value(u.Nivcsw)
	c.maxRSS = result.Value(u.Maxrss)
	if runtime.GOOS == "linux" { // kilobytes there, bytes on darwin
		c.maxRSS *= 1024
	}
}

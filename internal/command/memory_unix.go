//go:build unix

package command

import (
	"os"
	"runtime"
	"syscall"

	"github.com/brewput/brewput/result"
)

// maxResident returns the peak resident memory of a process that has ended, in bytes.
func maxResident(s *os.ProcessState) result.Value {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return result.Unavailable
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" { // other systems count in kilobytes
		return result.Value(u.Maxrss)
	}
	return result.Value(u.Maxrss) * 1024
}

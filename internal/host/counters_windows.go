package host

import (
	"github.com/brewput/brewput/result"
	"golang.org/x/sys/windows"
)

// files is used on Linux; other systems do not count read calls.
type files struct{ before, after int }

func (c *Counters) readSystem() {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return
	}
	c.total[cpuUser], c.total[cpuSystem] = seconds(user), seconds(kernel)
}

// seconds converts a Filetime that holds a duration in units of 100 ns.
func seconds(t windows.Filetime) result.Value {
	return result.Value(float64(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) / 1e7)
}

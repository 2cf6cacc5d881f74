package host

import (
	"io/fs"
	"os"
	"time"

	"github.com/brewput/brewput/doctor"
	"golang.org/x/sys/unix"
)

// systemRoot returns the root of the file system, where Linux describes itself in files.
func systemRoot() fs.FS { return os.DirFS("/") }

// ownCPU returns the CPU time of this process and of its children that were waited for.
func ownCPU() doctor.Reading[time.Duration] {
	var sum int64
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if unix.Getrusage(who, &u) != nil {
			return doctor.Reading[time.Duration]{}
		}
		sum += u.Utime.Nano() + u.Stime.Nano()
	}
	return doctor.Read(time.Duration(sum))
}

//go:build !linux

package host

import (
	"io/fs"
	"time"

	"github.com/brewput/brewput/doctor"
)

// systemRoot is nil: only Linux describes itself in files.
func systemRoot() fs.FS { return nil }

// ownCPU is absent: it is compared only with the CPU time of all processes, which only Linux reports in a file.
func ownCPU() doctor.Reading[time.Duration] { return doctor.Absent[time.Duration]() }

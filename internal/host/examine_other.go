//go:build !linux

package host

import (
	"io/fs"
	"time"

	"github.com/brewput/brewput/doctor"
)

// systemRoot returns nil: only Linux describes itself in files.
func systemRoot() fs.FS { return nil }

// ownCPU is not needed: only Linux has a file with the CPU time of all processes, to subtract it from.
func ownCPU() doctor.Reading[time.Duration] { return doctor.Absent[time.Duration]() }

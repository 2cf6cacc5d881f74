//go:build !linux

package host

import (
	"io/fs"
	"time"

	"github.com/brewput/brewput/doctor"
)

// systemRoot is nil: only Linux tells about itself in files.
func systemRoot() fs.FS { return nil }

// ownCPU is wanted only beside what all processes use, which Linux alone tells in a file.
func ownCPU() doctor.Reading[time.Duration] { return doctor.Absent[time.Duration]() }

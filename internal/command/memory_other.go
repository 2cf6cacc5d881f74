//go:build !unix

package command

import (
	"os"

	"github.com/brewput/brewput/result"
)

// maxResident returns no memory: these systems do not report that of a process that has ended.
func maxResident(*os.ProcessState) result.Value { return result.Unavailable }

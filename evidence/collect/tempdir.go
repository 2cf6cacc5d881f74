package collect

import (
	"fmt"

	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/internal/tempdir"
)

// tempDirs are the directories of this package. The programs that were started there end with them, also those that
// left the group of their program.
func tempDirs() tempdir.Kind { return tempdir.Kind{Prefix: "brewput-explain", End: proc.EndRecorded} }

// newTempDir makes a temporary directory whose name contains purpose, and removes those that no process holds.
func newTempDir(purpose string) (*tempdir.Dir, error) {
	d, err := tempDirs().Make("", purpose)
	if err != nil {
		return nil, fmt.Errorf("no temporary directory can be made: %w; set TMPDIR to a directory that can be "+
			"written", err)
	}
	return d, nil
}

// RemoveAbandoned removes what killed processes left behind: their directories, and the programs that they started with
// all descendants.
func RemoveAbandoned() { tempDirs().RemoveAbandoned("") }

package store

import (
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// RunsDir is the default directory of runs.
const RunsDir = "brewput-runs"

// Directory returns the directory of a run that began at the given time: the directory that was asked for,
// otherwise a new brewput-runs/NAME-TIME. [Create] creates both.
func Directory(asked, name string, began time.Time) string {
	if asked != "" {
		return asked
	}
	first := filepath.Join(RunsDir, name+"-"+began.Format("20060102-150405"))
	dir := first
	for n := 2; exists(dir); n++ {
		dir = first + "-" + strconv.Itoa(n)
	}
	return dir
}

// makeRunsDir creates the default directory of runs with a .gitignore, because a run is no change of the user's
// tree. It leaves an existing directory as it is.
func makeRunsDir(dir string) {
	if filepath.Dir(dir) == RunsDir && os.Mkdir(RunsDir, 0o777) == nil {
		os.WriteFile(filepath.Join(RunsDir, ".gitignore"), []byte("*\n"), 0o666) // if this fails, git shows the runs
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

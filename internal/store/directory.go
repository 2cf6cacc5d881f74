package store

import (
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// parent is the directory for runs that were given none.
const parent = "brewput-runs"

// Directory is where a run goes that began at a time: the directory that was asked for, or else brewput-runs/NAME-TIME,
// where there is none of that name yet. [Create] makes
// both.
func Directory(asked, name string, began time.Time) string {
	if asked != "" {
		return asked
	}
	first := filepath.Join(parent, name+"-"+began.Format("20060102-150405"))
	dir := first
	for n := 2; exists(dir); n++ {
		dir = first + "-" + strconv.Itoa(n)
	}
	return dir
}

// hideParent makes the directory for runs so that git looks away from it: a run is no change of the user's tree. One
// that is there already is left as it is.
func hideParent(dir string) {
	if filepath.Dir(dir) == parent && os.Mkdir(parent, 0o777) == nil {
		os.WriteFile(filepath.Join(parent, ".gitignore"), []byte("*\n"), 0o666) // without it git shows the runs
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

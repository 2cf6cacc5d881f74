package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/brewput/brewput/internal/input"
)

// RunsDir is the default directory of runs.
const RunsDir = "brewput-runs"

// ignored is the file that keeps runs out of git, because a run is no change of the user's tree, and ignoreAll its
// text.
const (
	ignored   = ".gitignore"
	ignoreAll = "*\n"
)

// Directory returns the directory of a run that began at the given time: the directory that was asked for,
// otherwise a new brewput-runs/NAME-TIME. It creates the latter, so that no other run gets it; if no run begins there,
// [Discard] removes it. [Create] reports why a directory cannot be created.
func Directory(asked, name string, began time.Time) string {
	if asked != "" {
		return asked
	}
	first := filepath.Join(RunsDir, name+"-"+began.Format("20060102-150405"))
	dir := first
	for n := 2; ; n++ {
		makeRunsDir(dir)
		if err := os.Mkdir(dir, 0o777); !errors.Is(err, fs.ErrExist) {
			return dir
		}
		dir = first + "-" + strconv.Itoa(n)
	}
}

// Discard removes an empty directory that may be one of [Directory], if it is still there, and then the default
// directory of runs if it holds no other run. It leaves everything else as it is.
func Discard(dir string) {
	info, err := os.Lstat(dir)
	gone := errors.Is(err, fs.ErrNotExist)
	if filepath.Dir(dir) != RunsDir || !gone && (err != nil || !info.IsDir() || os.Remove(dir) != nil) {
		return
	}
	path := filepath.Join(RunsDir, ignored)
	entries, err := os.ReadDir(RunsDir)
	if err != nil || len(entries) != 1 || entries[0].Name() != ignored {
		return
	}
	text, err := input.ReadFile(context.Background(), path, input.Settings)
	if err != nil || string(text) != ignoreAll || os.Remove(path) != nil {
		return
	}
	if os.Remove(RunsDir) != nil { // another run has begun there
		os.WriteFile(path, []byte(ignoreAll), 0o666)
	}
}

// makeRunsDir creates the default directory of runs, which git ignores. It leaves an existing directory as it is.
func makeRunsDir(dir string) {
	if filepath.Dir(dir) == RunsDir && os.Mkdir(RunsDir, 0o777) == nil {
		os.WriteFile(filepath.Join(RunsDir, ignored), []byte(ignoreAll), 0o666) // if this fails, git shows the runs
	}
}

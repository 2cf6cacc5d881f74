package evidence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"
)

// placed is the name of a directory that Place made, with the process it is of.
var placed = regexp.MustCompile(`^brewput-explain-(\d+)-`)

// abandoned is how long nothing was put into a directory before it may be swept. The process may be one that cannot be
// seen from here, in another container with the same temporary directory.
const abandoned = time.Hour

// Place makes a temporary directory. Those of processes that were killed before they could remove theirs are swept.
func Place(what string) (string, error) {
	sweep(os.TempDir(), time.Now().Add(-abandoned))
	return os.MkdirTemp("", fmt.Sprintf("brewput-explain-%d-%s-", os.Getpid(), what))
}

// sweep removes what processes that are dead have left there, and not touched since.
func sweep(dir string, since time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		m := placed.FindStringSubmatch(e.Name())
		if m == nil || !e.IsDir() {
			continue
		}
		pid, err := strconv.Atoi(m[1])
		info, gone := e.Info()
		if err == nil && gone == nil && info.ModTime().Before(since) && dead(pid) {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

func dead(pid int) bool {
	p, err := os.FindProcess(pid)
	if err == nil {
		defer p.Release()
		err = p.Signal(syscall.Signal(0))
	}
	return errors.Is(err, os.ErrProcessDone)
}

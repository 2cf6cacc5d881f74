package collect

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"

	"github.com/brewput/brewput/internal/lock"
	"github.com/brewput/brewput/internal/proc"
)

// tempDirName matches the name of a directory that newTempDir makes, with the ID of its process.
var tempDirName = regexp.MustCompile(`^brewput-explain-(\d+)-`)

// lockFile is the name of the file in a temporary directory that its process keeps locked.
const lockFile = "lock"

// abandonedAfter is how long a directory without a lock file must be unchanged before it is removed. Older versions
// made such directories. Their process may be invisible from here, in another container.
const abandonedAfter = time.Hour

// TempDir is a temporary directory that this process holds by a lock. If a process is killed, the next [newTempDir] or
// [RemoveAbandoned] of the same user ends the programs that it started there and removes its directory.
type TempDir struct {
	Path string // of the directory
	lock io.Closer
}

// newTempDir makes a temporary directory whose name contains purpose, and removes those that no process holds. Call
// Close to remove it.
func newTempDir(purpose string) (*TempDir, error) {
	RemoveAbandoned()
	for try := 0; ; try++ {
		dir, err := os.MkdirTemp("", fmt.Sprintf("brewput-explain-%d-%s-", os.Getpid(), purpose))
		if err != nil {
			return nil, fmt.Errorf("no temporary directory can be made: %w; set TMPDIR to a directory that can be "+
				"written", err)
		}
		l, err := lock.Lock(filepath.Join(dir, lockFile))
		if err == nil {
			return &TempDir{dir, l}, nil
		}
		os.RemoveAll(dir)
		if try == 3 {
			return nil, fmt.Errorf("%s cannot be locked: %w", dir, err)
		}
		// Another process removed the directory before it was locked.
	}
}

// Close ends the programs that were started there, and removes the directory. It may be called on nil, and more than
// once.
func (d *TempDir) Close() error {
	if d == nil || d.lock == nil {
		return nil
	}
	proc.EndRecorded(d.Path)    // also processes that left the group of their program
	err := os.RemoveAll(d.Path) // while it is locked, so that no other process removes it meanwhile
	err = errors.Join(err, d.lock.Close())
	d.lock = nil
	return err
}

// RemoveAbandoned removes what killed processes left behind: their directories, and the programs that they started with
// all descendants.
func RemoveAbandoned() { removeAbandonedIn(os.TempDir(), time.Now().Add(-abandonedAfter)) }

// removeAbandonedIn removes the abandoned directories in dir. Those without a lock must not have changed after since.
func removeAbandonedIn(dir string, since time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}

	for _, e := range entries {
		m := tempDirName.FindStringSubmatch(e.Name())
		info, infoErr := e.Info()
		if m == nil || infoErr != nil || !info.IsDir() || !proc.Owned(info) { // other users' directories do not count
			continue
		}
		at := filepath.Join(dir, e.Name())
		if _, err := os.Lstat(filepath.Join(at, lockFile)); err == nil {
			removeUnlocked(at)
		} else if pid, err := strconv.Atoi(m[1]); err == nil && info.ModTime().Before(since) && isDead(pid) {
			os.RemoveAll(at)
		}
	}
}

// removeUnlocked removes one directory unless a process holds it. It ends programs first, because they may still write
// there.
func removeUnlocked(at string) {
	l, err := lock.Lock(filepath.Join(at, lockFile))
	if err != nil {
		return
	}
	defer l.Close()
	proc.EndRecorded(at)
	os.RemoveAll(at)
}

// isDead reports whether a process has ended.
func isDead(pid int) bool {
	p, err := os.FindProcess(pid)
	if err == nil {
		defer p.Release()
		err = p.Signal(syscall.Signal(0))
	}
	return errors.Is(err, os.ErrProcessDone)
}

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

// placed is the name of a directory that NewTempDir made, with the process it is of.
var tempDirName = regexp.MustCompile(`^brewput-explain-(\d+)-`)

// placeLock is the file of a place that its process holds.
const lockFile = "lock"

// abandoned is how long nothing was put into a directory without a lock before it may be swept: versions before the
// lock made such, and their process may be one that cannot be seen from here, in another container.
const abandonedAfter = time.Hour

// Place is a temporary directory of this process, which holds its lock. What a process leaves that is killed, the next
// [NewTempDir] or [Sweep] of this user removes, and it ends the programs that were started there.
type TempDir struct {
	Path string
	lock io.Closer
}

// NewTempDir makes a place, and sweeps those that nobody holds any more.
func NewTempDir(what string) (*TempDir, error) {
	RemoveAbandoned()
	for try := 0; ; try++ {
		dir, err := os.MkdirTemp("", fmt.Sprintf("brewput-explain-%d-%s-", os.Getpid(), what))
		if err != nil {
			return nil, fmt.Errorf("no temporary directory can be made: %w; set TMPDIR to a directory that can be "+
				"written", err)
		}
		path := filepath.Join(dir, lockFile)
		l, err := lock.Lock(path)
		if err == nil {
			if _, err = os.Stat(path); err == nil {
				return &TempDir{dir, l}, nil
			}
			l.Close()
		}
		os.RemoveAll(dir)
		if try == 3 {
			return nil, fmt.Errorf("%s cannot be locked: %w", dir, err)
		}
		// Another process swept it, between the file and its lock.
	}
}

// Close ends the programs that were started there, and removes the place. It may be called on nil, and again.
func (p *TempDir) Close() error {
	if p == nil || p.lock == nil {
		return nil
	}
	proc.EndRecorded(p.Path)    // also what left the group of its program
	err := os.RemoveAll(p.Path) // while it is locked, so that nobody else sweeps meanwhile
	err = errors.Join(err, p.lock.Close())
	p.lock = nil
	return err
}

// Sweep ends and removes what explain left behind where it was killed: programs with all they started, and directories.
func RemoveAbandoned() { removeAbandonedIn(os.TempDir(), time.Now().Add(-abandonedAfter)) }

// sweep sweeps the places in dir. Those without a lock must not have been touched since.
func removeAbandonedIn(dir string, since time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}

	for _, e := range entries {
		m := tempDirName.FindStringSubmatch(e.Name())
		info, gone := e.Info()
		if m == nil || gone != nil || !info.IsDir() || !proc.Owned(info) { // what another user wrote there says nothing
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

// sweepLocked sweeps one place, unless somebody holds it. Programs go first: they may still write there.
func removeUnlocked(at string) {
	l, err := lock.Lock(filepath.Join(at, lockFile))
	if err != nil {
		return
	}
	defer l.Close()
	proc.EndRecorded(at)
	os.RemoveAll(at)
}

func isDead(pid int) bool {
	p, err := os.FindProcess(pid)
	if err == nil {
		defer p.Release()
		err = p.Signal(syscall.Signal(0))
	}
	return errors.Is(err, os.ErrProcessDone)
}

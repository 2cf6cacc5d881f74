// Package tempdir makes temporary directories that are removed even if their process is killed: by the next process
// that makes one.
package tempdir

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

// lockFile is the name of the file in a temporary directory that its process keeps locked.
const lockFile = "lock"

// abandonedAfter is how long a directory without a lock file must be unchanged before it is removed. Older versions
// made such directories. Their process may be invisible from here, in another container.
const abandonedAfter = time.Hour

// Kind is the directories of one purpose.
type Kind struct {
	Prefix string            // of their names, which continue with the ID of the process
	End    func(path string) // nil, or ends the programs that still use a directory before it is removed
}

// Dir is a temporary directory that this process holds by a lock. If the process is killed, the next [Kind.Make] or
// [Kind.RemoveAbandoned] of the same user removes it.
type Dir struct {
	Path string // of the directory
	kind Kind
	lock io.Closer
}

// Make makes a directory in parent, or in that for temporary files if parent is empty, and removes those that no
// process holds. purpose is a part of its name. Call Close to remove it.
func (k Kind) Make(parent, purpose string) (*Dir, error) {
	k.RemoveAbandoned(parent)
	for try := 0; ; try++ {
		path, err := os.MkdirTemp(parent, fmt.Sprintf("%s-%d-%s-", k.Prefix, os.Getpid(), purpose))
		if err != nil {
			return nil, err
		}
		l, err := lock.Lock(filepath.Join(path, lockFile))
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) { // a file system without locks
			l, err = io.NopCloser(nil), nil
		}
		if err == nil {
			return &Dir{path, k, l}, nil
		}
		os.RemoveAll(path)
		if try == 3 {
			return nil, fmt.Errorf("%s cannot be locked: %w", path, err)
		}
		// Another process removed the directory before it was locked.
	}
}

// Close ends the programs that use the directory, and removes it. It may be called on nil, and more than once.
func (d *Dir) Close() error {
	if d == nil || d.lock == nil {
		return nil
	}
	err := d.kind.remove(d.Path) // while it is locked, so that no other process removes it meanwhile
	err = errors.Join(err, d.lock.Close())
	d.lock = nil
	return err
}

// RemoveAbandoned removes the directories in parent that killed processes left behind.
func (k Kind) RemoveAbandoned(parent string) {
	if parent == "" {
		parent = os.TempDir()
	}
	k.removeAbandoned(parent, time.Now().Add(-abandonedAfter))
}

// removeAbandoned removes the abandoned directories in parent. Those without a lock must not have changed after since.
func (k Kind) removeAbandoned(parent string, since time.Time) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}

	name := regexp.MustCompile("^" + regexp.QuoteMeta(k.Prefix) + `-(\d+)-`)
	for _, e := range entries {
		m := name.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.IsDir() || !proc.Owned(info) { // other users' directories do not count
			continue
		}
		at := filepath.Join(parent, e.Name())
		if _, err := os.Lstat(filepath.Join(at, lockFile)); err == nil {
			k.removeUnlocked(at)
		} else if pid, err := strconv.Atoi(m[1]); err == nil && info.ModTime().Before(since) && isDead(pid) {
			os.RemoveAll(at)
		}
	}
}

// removeUnlocked removes one directory unless a process holds it.
func (k Kind) removeUnlocked(at string) {
	l, err := lock.Lock(filepath.Join(at, lockFile))
	if err != nil {
		return
	}
	defer l.Close()
	k.remove(at)
}

// remove removes one directory. It ends programs first, because they may still write there.
func (k Kind) remove(at string) error {
	if k.End != nil {
		k.End(at)
	}
	return os.RemoveAll(at)
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

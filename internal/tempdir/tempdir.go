// Package tempdir makes temporary directories that are removed even if their process is killed: by the next process
// that makes one, if the file system can lock files.
package tempdir

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/brewput/brewput/internal/lock"
	"github.com/brewput/brewput/internal/proc"
)

// lockFile is the name of the file in a temporary directory that its process keeps locked. No other directory has such
// a file, so that none is taken for a temporary one because of its name. It differs between hosts, because a network
// file system may keep the locks of each host apart.
func lockFile() string {
	host, _ := os.Hostname() // or ""
	return fmt.Sprintf(".brewput-temporary-%08x", crc32.ChecksumIEEE([]byte(host)))
}

// Kind is the directories of one purpose.
type Kind struct {
	Prefix string            // of their names, which continue with the ID of the process
	End    func(path string) // nil, or ends the programs that still use a directory before it is removed
}

// locker is [lock.Lock], or stands for that of another file system in tests.
type locker func(path string) (io.Closer, error)

// Dir is a temporary directory that this process holds by a lock. If the process is killed, the next [Kind.Make] or
// [Kind.RemoveAbandoned] of the same user and host removes it, if the file system has locks.
type Dir struct {
	Path string // of the directory
	kind Kind
	lock io.Closer
}

// Make makes a directory in parent, or in that for temporary files if parent is empty, and removes those that no
// process holds. purpose is a part of its name. Call Close to remove it.
func (k Kind) Make(parent, purpose string) (*Dir, error) { return k.make(parent, purpose, lock.Lock) }

func (k Kind) make(parent, purpose string, lockAt locker) (*Dir, error) {
	k.RemoveAbandoned(parent)
	for try := 0; ; try++ {
		path, err := os.MkdirTemp(parent, fmt.Sprintf("%s-%d-%s-", k.Prefix, os.Getpid(), purpose))
		if err != nil {
			return nil, err
		}
		l, err := lockAt(filepath.Join(path, lockFile()))
		if err == nil {
			return &Dir{path, k, l}, nil
		}
		os.RemoveAll(path)
		switch {
		case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK): // a file system without locks
			// The next directory never has a lock file, so no process that can lock files takes it for abandoned.
			lockAt = func(string) (io.Closer, error) { return io.NopCloser(nil), nil }
		case try == 3:
			return nil, fmt.Errorf("%s cannot be locked: %w", path, err)
		} // or another process removed the directory before it was locked
	}
}

// Close ends the programs that use the directory, and removes it. It may be called on nil, and more than once.
func (d *Dir) Close() error {
	if d == nil || d.lock == nil {
		return nil
	}
	err := d.kind.removeLocked(d.Path, d.lock)
	d.lock = nil
	return err
}

// RemoveAbandoned removes the directories in parent that killed processes left behind.
func (k Kind) RemoveAbandoned(parent string) {
	if parent == "" {
		parent = os.TempDir()
	}
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	name := regexp.MustCompile("^" + regexp.QuoteMeta(k.Prefix) + `-\d+-\w+-\d+$`)
	for _, e := range entries {
		if !name.MatchString(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err == nil && info.IsDir() && proc.Owned(info) { // not those of other users
			k.removeUnlocked(filepath.Join(parent, e.Name()), lock.Lock)
		}
	}
}

// removeUnlocked removes one directory unless a process holds it, or has just made it and holds no lock yet.
func (k Kind) removeUnlocked(path string, lockAt locker) {
	file := filepath.Join(path, lockFile())
	if _, err := os.Lstat(file); err != nil {
		return
	}
	l, err := lockAt(file)
	if err != nil {
		return
	}
	if second, err := lockAt(file); err == nil { // locks exclude nobody here
		second.Close()
		l.Close()
		return
	}
	k.removeLocked(path, l)
}

// removeLocked removes a directory and gives up its lock. It ends programs first, because they may still write there.
// A lock file goes last, so that what an interrupted removal leaves is removed later, except an empty directory.
func (k Kind) removeLocked(path string, l io.Closer) error {
	if k.End != nil {
		k.End(path)
	}
	entries, err := os.ReadDir(path)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	for _, e := range entries {
		if e.Name() != lockFile() {
			err = errors.Join(err, os.RemoveAll(filepath.Join(path, e.Name())))
		}
	}
	if err != nil {
		return errors.Join(err, l.Close())
	}
	os.RemoveAll(path) // while it is locked, so that no other process removes it meanwhile
	err = l.Close()
	return errors.Join(os.RemoveAll(path), err) // some file systems keep a removed file until it is closed
}

//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package lock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestRemoved checks that a process does not get the lock of a file that its owner removed, even if there is a new
// file.
func TestRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	owner, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	late, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), owner.Close()); err != nil {
		t.Fatal(err)
	}
	next, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if _, err := lockOpen(late, path); !errors.Is(err, ErrLocked) {
		t.Errorf("the lock of a removed file: %v", err)
	}
	if _, err := late.Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("it is open: %v", err)
	}
	if _, err := Lock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("the lock of another owner: %v", err)
	}
}

package tempdir

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/brewput/brewput/internal/lock"
)

// TestUnlockable makes directories where files cannot be locked, while other processes begin to lock them. The
// directory has no lock file, and nothing removes it but Close.
func TestUnlockable(t *testing.T) {
	k, made := Kind{Prefix: "brewput-test"}, make(chan struct{})
	late := make(chan struct{}) // closed when the late process is done
	for name, other := range map[string]func(path string){
		"no other process": func(string) {},
		"swept at once":    func(path string) { k.removeUnlocked(path, lock.Lock) },
		"swept later": func(path string) { // it found the lock file, and locks it once Make has returned
			found := make(chan struct{})
			go func() {
				defer close(late)
				k.removeUnlocked(path, func(file string) (io.Closer, error) {
					select {
					case <-found:
					default:
						close(found)
						<-made
					}
					return lock.Lock(file)
				})
			}()
			<-found
		},
	} {
		t.Run(name, func(t *testing.T) {
			parent, fail := t.TempDir(), syscall.ENOLCK
			if name == "swept at once" {
				fail = syscall.EOPNOTSUPP
			}
			d, err := k.make(parent, "work", func(file string) (io.Closer, error) {
				if err := os.WriteFile(file, nil, 0o600); err != nil {
					return nil, err
				}
				other(filepath.Dir(file))
				return nil, &os.PathError{Op: "flock", Path: file, Err: fail}
			})
			if err != nil {
				t.Fatal(err)
			}
			if name == "swept later" {
				close(made)
				<-late
			}
			k.RemoveAbandoned(parent)
			if !exists(d.Path) || exists(filepath.Join(d.Path, lockFile())) {
				t.Errorf("%s: exists: %t; want one without a lock file", d.Path, exists(d.Path))
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
				t.Errorf("%v stays, %v", left, err)
			}
		})
	}
}

// TestUselessLocks checks that a directory with a lock file stays if the lock excludes nobody.
func TestUselessLocks(t *testing.T) {
	path := t.TempDir()
	if err := os.WriteFile(filepath.Join(path, lockFile()), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	(Kind{}).removeUnlocked(path, func(file string) (io.Closer, error) { return os.Open(file) })
	if !exists(path) {
		t.Error("the directory of a process that may live was removed")
	}
	(Kind{}).removeUnlocked(path, lock.Lock)
	if exists(path) {
		t.Error("an abandoned directory stays")
	}
}

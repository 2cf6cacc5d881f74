package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
)

// TestAgain checks that a call that a signal interrupts is repeated, and no other.
func TestAgain(t *testing.T) {
	for _, want := range []error{nil, syscall.EIO} {
		calls := 0
		err := again(func() error {
			if calls++; calls < 3 {
				return &os.PathError{Op: "sync", Err: syscall.EINTR}
			}
			return want
		})
		if err != want || calls != 3 {
			t.Errorf("%v after %d calls, want %v", err, calls, want)
		}
	}
}

// forgetful is the log async, and loses its file when it is closed.
type forgetful struct {
	Log
	dir string
}

func (f forgetful) Close() error {
	return errors.Join(f.Log.Close(), os.Truncate(filepath.Join(f.dir, "frames"), int64(len(frameHeader))))
}

// TestCheckAgain checks that the check finds a log that lost its file when it was closed, although it may lose entries,
// and a log that cannot be opened again.
func TestCheckAgain(t *testing.T) {
	for want, reopen := range map[string]error{
		"after it was opened again: ent": nil, "again: no lock": errors.New("no lock"),
	} {
		inWorld(t, func(e env.Env) error {
			opened := 0
			j, err := newJob(e, workloadtest.Point(t, Workload(), "callers=2 appends=9 dir="+t.TempDir()), None,
				func(e env.Env, dir string, _ plan.Point) (Log, error) {
					if opened++; opened == 2 && reopen != nil {
						return (*lines)(nil), reopen // a log that is not nil
					}
					l, err := openAsyncOn(e, disk(dir), 4)
					return forgetful{l, dir}, err
				})
			if err == nil {
				err = j.Run(e)
			}
			if err == nil {
				_, err = j.Check()
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				return fmt.Errorf("want %q, got %v", want, err)
			}
			return nil
		})
	}
}

// TestNoChecksum checks what the manual says of lines of JSON: a bit that is flipped in the base64 of an entry changes
// the entry, and no error says so.
func TestNoChecksum(t *testing.T) {
	for _, name := range []string{"file", "file-sync"} {
		inWorld(t, func(e env.Env) error {
			s, err := store(e, name, 3)
			if err != nil {
				return err
			}
			s.content[bytes.Index(s.content, []byte(`"data":"`))+len(`"data":"`)] ^= 2
			l, err := s.open(e, s.content)
			if err != nil {
				return err
			}
			entries := all(l)
			if len(entries) != 3 || entries[0] == text(1) || entries[1] != text(2) {
				return fmt.Errorf("%s: %q", name, entries)
			}
			return l.Close()
		})
	}
}

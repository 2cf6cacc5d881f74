package evidence

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestSweep: what a dead process left long ago goes; what lives, is new, or is another's stays.
func TestSweep(t *testing.T) {
	child := exec.Command(os.Args[0], "-test.run=^$")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	old := time.Now().Add(-2 * abandoned)
	for _, c := range []struct {
		name  string
		old   bool
		stays bool
	}{
		{fmt.Sprintf("brewput-explain-%d-work-1", child.Process.Pid), true, false},
		{fmt.Sprintf("brewput-explain-%d-work-2", child.Process.Pid), false, true},
		{fmt.Sprintf("brewput-explain-%d-work-3", os.Getpid()), true, true},
		{fmt.Sprintf("other-%d-work-4", child.Process.Pid), true, true},
	} {
		at := filepath.Join(dir, c.name)
		write(t, filepath.Join(at, "trace.out"), "x")
		if c.old {
			if err := os.Chtimes(at, old, old); err != nil {
				t.Fatal(err)
			}
		}
		sweep(dir, time.Now().Add(-abandoned))
		if _, err := os.Stat(at); (err == nil) != c.stays {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestPlace: the name says whose it is, so that a later process can tell.
func TestPlace(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	at, err := Place("work")
	if err != nil {
		t.Fatal(err)
	}
	if m := placed.FindStringSubmatch(filepath.Base(at)); m == nil || m[1] != fmt.Sprint(os.Getpid()) {
		t.Errorf("%s does not name its process", at)
	}
}

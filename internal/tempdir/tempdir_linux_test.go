package tempdir

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brewput/brewput/internal/lock"
	"github.com/brewput/brewput/internal/proc"
)

func explainDirs() Kind { return Kind{"brewput-explain", proc.EndRecorded} }

// exists reports whether there is a file.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestRemoveAbandoned checks that a directory without a holder is removed at once, even if its process lives. Held ones
// stay, and those that this package did not make, whatever their names.
func TestRemoveAbandoned(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, file  string // and that which may be locked
		held, stays bool
	}{
		{"brewput-explain-1-work-5", lockFile(), false, false},
		{fmt.Sprintf("brewput-explain-%d-work-6", os.Getpid()), lockFile(), false, false},
		{"brewput-explain-1-work-7", lockFile(), true, true},
		{"brewput-explain-1-work-8", "lock", false, true}, // a run with such a name
		{"brewput-explain-1-work-9", ".brewput-temporary-of-another-host", false, true},
		{"brewput-explain-20261126-ssd", lockFile(), false, true},
		{"brewput-explain-2026-11-26", "", false, true},
		{"other-1-work-4", lockFile(), false, true},
	} {
		at := filepath.Join(dir, c.name)
		if err := os.Mkdir(at, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, "trace.out"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if c.file != "" {
			l, err := lock.Lock(filepath.Join(at, c.file))
			if err != nil {
				t.Fatal(err)
			}
			if !c.held {
				l.Close()
			}
			defer l.Close()
		}
		explainDirs().RemoveAbandoned(dir)
		if exists(filepath.Join(at, "trace.out")) != c.stays {
			t.Errorf("%s stays: %t", c.name, !c.stays)
		}
	}
}

// closer is a lock.
type closer func() error

func (c closer) Close() error { return c() }

// TestOpenFileStays checks that a directory is removed where a removed file stays until it is closed, as on network
// file systems.
func TestOpenFileStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "brewput-explain-1-work-1")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	err := Kind{}.removeLocked(path, closer(func() error {
		return os.MkdirAll(filepath.Join(path, ".nfs0001"), 0o700)
	}))
	if err != nil || exists(path) {
		t.Error(err)
	}
	if err := (Kind{}).removeLocked(path, closer(func() error { return nil })); err != nil {
		t.Errorf("a directory that is gone: %v", err)
	}
}

// The name contains the process, the process holds the lock, and Close leaves nothing.
func TestDir(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p, err := explainDirs().Make("", "work")
	if err != nil {
		t.Fatal(err)
	}
	if name := filepath.Base(p.Path); !strings.HasPrefix(name, fmt.Sprintf("brewput-explain-%d-", os.Getpid())) {
		t.Errorf("%s does not name its process", p.Path)
	}
	explainDirs().RemoveAbandoned("")
	if !exists(p.Path) {
		t.Error("a place that is held is swept")
	}
	for range 2 {
		if err := p.Close(); err != nil || exists(p.Path) {
			t.Errorf("it is still there, or %v", err)
		}
	}
}

// The programs of a directory that is closed, or that has no holder, end with all descendants; others do not.
func TestRemoveAbandonedEndsPrograms(t *testing.T) {
	for name, end := range map[string]func(*Dir){
		"closed": func(p *Dir) { p.Close() },
		"killed": func(p *Dir) { p.lock.Close(); explainDirs().RemoveAbandoned("") },
	} {
		t.Run(name, func(t *testing.T) { endsPrograms(t, end) })
	}
}

func endsPrograms(t *testing.T, end func(*Dir)) {
	t.Setenv("TMPDIR", t.TempDir())
	p, err := explainDirs().Make("", "work")
	if err != nil {
		t.Fatal(err)
	}
	// The leader ends, but its children stay: one in its group without the mark, and one with the mark in a group of
	// its own.
	leader := exec.Command("sh", "-c",
		`env -u BREWPUT_PLACE sleep 300 & echo $!; setsid sleep 300 & echo $!; exec 1>&-; read word`)
	leader.Env = append(os.Environ(), proc.Mark(p.Path))
	leader.SysProcAttr = proc.OwnGroup()
	in, err := leader.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := leader.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	other := exec.Command("sleep", "300")
	other.SysProcAttr = proc.OwnGroup()
	for _, cmd := range []*exec.Cmd{leader, other} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	defer other.Wait()
	defer other.Process.Kill()
	if err := proc.Record(p.Path, leader.Process); err != nil {
		t.Fatal(err)
	}
	var pids []string
	for lines := bufio.NewScanner(out); len(pids) < 2 && lines.Scan(); {
		pids = append(pids, lines.Text())
	}
	in.Close()
	leader.Wait()
	if len(pids) != 2 || !running(pids[0]) || !running(pids[1]) {
		t.Fatalf("the processes %v are not there", pids)
	}

	explainDirs().RemoveAbandoned("")
	if !running(pids[0]) || !running(pids[1]) || !exists(p.Path) {
		t.Error("a place that is held is swept")
	}
	end(p)
	if running(pids[0]) || running(pids[1]) || exists(p.Path) {
		t.Errorf("%v: %t, %t; the place is there: %t", pids, running(pids[0]), running(pids[1]), exists(p.Path))
	}
	if !running(fmt.Sprint(other.Process.Pid)) {
		t.Error("another process was ended")
	}
}

// running reports whether a process runs and is no zombie.
func running(pid string) bool {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(text[strings.LastIndexByte(string(text), ')'):][:4]), "Z")
}

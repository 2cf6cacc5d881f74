package tempdir

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/lock"
	"github.com/brewput/brewput/internal/proc"
)

func explainDirs() Kind { return Kind{"brewput-explain", proc.EndRecorded} }

// exists reports whether there is a file.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// A directory without a holder is removed at once, even if its process lives. Held directories, and those of other
// users, stay. Directories without a lock file, as older versions made them, are removed when their process is dead and
// they are old.
func TestRemoveAbandoned(t *testing.T) {
	child := exec.Command(os.Args[0], "-test.run=^$")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	old := time.Now().Add(-2 * abandonedAfter)
	for _, c := range []struct {
		name              string
		old, locked, held bool
		stays             bool
	}{
		{name: fmt.Sprintf("brewput-explain-%d-work-1", child.Process.Pid), old: true},
		{name: fmt.Sprintf("brewput-explain-%d-work-2", child.Process.Pid), stays: true},
		{name: fmt.Sprintf("brewput-explain-%d-work-3", os.Getpid()), old: true, stays: true},
		{name: fmt.Sprintf("other-%d-work-4", child.Process.Pid), old: true, locked: true, stays: true},
		{name: fmt.Sprintf("brewput-explain-%d-work-5", child.Process.Pid), locked: true},
		{name: fmt.Sprintf("brewput-explain-%d-work-6", os.Getpid()), locked: true},
		{name: fmt.Sprintf("brewput-explain-%d-work-7", child.Process.Pid), locked: true, held: true, old: true,
			stays: true},
	} {
		at := filepath.Join(dir, c.name)
		if err := os.Mkdir(at, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, "trace.out"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if c.locked {
			l, err := lock.Lock(filepath.Join(at, lockFile))
			if err != nil {
				t.Fatal(err)
			}
			if !c.held {
				l.Close()
			}
			defer l.Close()
		}
		if c.old {
			if err := os.Chtimes(at, old, old); err != nil {
				t.Fatal(err)
			}
		}
		explainDirs().removeAbandoned(dir, time.Now().Add(-abandonedAfter))
		if _, err := os.Stat(at); (err == nil) != c.stays {
			t.Errorf("%s: %v", c.name, err)
		}
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

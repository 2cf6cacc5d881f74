package proc

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestInRecordedGroup checks that a group counts only with its start time and session, because process IDs are
// reused.
func TestInRecordedGroup(t *testing.T) {
	me, err := processAt(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	gone := process{pid: 1 << 30, start: 100, session: 7} // an impossible process ID
	groups := map[int]process{gone.pid: gone, me.pid: {pid: me.pid, start: me.start + 1, session: me.session}}
	for name, c := range map[string]struct {
		p    process
		want bool
	}{
		"the leader":                  {process{pid: gone.pid, group: gone.pid, start: 100, session: 7}, true},
		"a leader of the number":      {process{pid: gone.pid, group: gone.pid, start: 101, session: 7}, false},
		"a member":                    {process{pid: 9, group: gone.pid, start: 200, session: 7}, true},
		"a member that is older":      {process{pid: 9, group: gone.pid, start: 99, session: 7}, false},
		"a member of another session": {process{pid: 9, group: gone.pid, start: 200, session: 8}, false},
		"a member of a leader of that age": {process{pid: 9, group: me.pid, start: me.start + 2, session: me.session},
			false},
		"a stranger": {process{pid: 9, group: 8, start: 200, session: 7}, false},
	} {
		if got := inRecordedGroup(groups, c.p); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestHasEnded checks which keepers have ended: process IDs are reused.
func TestHasEnded(t *testing.T) {
	me, err := processAt(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	zombie := exec.Command(os.Args[0], "-test.list=^$")
	if err := zombie.Start(); err != nil {
		t.Fatal(err)
	}
	defer zombie.Wait()
	child, err := processAt(zombie.Process.Pid)
	if err != nil || !awaitExit(child.pid) {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{
		fmt.Sprint(me.pid, me.start):       false,
		fmt.Sprint(me.pid, me.start+1):     true,
		fmt.Sprint(child.pid, child.start): true,
		fmt.Sprint(1<<30, 1):               true,
		"":                                 false,
		"milk":                             false,
	} {
		if got := hasEnded(id); got != want {
			t.Errorf("%q: %t", id, got)
		}
	}
}

// TestAbandonedSpares checks that a process whose keeper is alive is not abandoned, even if the keeper is in no list of
// other processes, as this one.
func TestAbandonedSpares(t *testing.T) {
	kept := &exec.Cmd{Path: "/bin/cat", Args: []string{"cat"}, Env: []string{keptMark()}, SysProcAttr: DieWithParent()}
	in, err := kept.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := kept.Start(); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(abandoned(), func(p process) bool { return p.pid == kept.Process.Pid }) {
		t.Error("it is abandoned")
	}
	in.Close()
	if err := kept.Wait(); err != nil {
		t.Error(err)
	}
}

// TestRecorded checks that a record from before the last boot, or a damaged one, names no group.
func TestRecorded(t *testing.T) {
	file := filepath.Join(t.TempDir(), groupsName)
	text := fmt.Sprintf("123 456 789 %s\n124 456 789 another-boot\n1 2 3 %[1]s\n-5 2 3 %[1]s\nx y z\n\n125\n", bootID())
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := recorded(file); len(got) != 1 || got[123] != (process{pid: 123, start: 456, session: 789}) {
		t.Errorf("%v", got)
	}
	if got := recorded(filepath.Join(t.TempDir(), "nowhere")); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestLimited(t *testing.T) {
	l := Limited{Most: 5}
	for _, text := range []string{"abc", "", "def", "ghi"} {
		if n, err := l.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if l.String() != "abcde" || !l.Dropped {
		t.Errorf("%q, %t", l.String(), l.Dropped)
	}
	all := Limited{Most: 5}
	if n, err := io.Copy(&all, struct{ io.Reader }{strings.NewReader("milk and sugar")}); n != 14 || err != nil ||
		all.String() != "milk " || !all.Dropped {
		t.Errorf("copied %d, %v: %q, %t", n, err, all.String(), all.Dropped)
	}
}

// TestCPUTime checks that the CPU time of a process grows, and that it is unknown of one that does not exist.
func TestCPUTime(t *testing.T) {
	before, ok := CPUTime(os.Getpid())
	for now := before; ok && now <= before; {
		now, ok = CPUTime(os.Getpid()) // uses CPU time itself
	}
	if !ok || before <= 0 {
		t.Error(before, ok)
	}
	if d, ok := CPUTime(1 << 23); ok { // more than the kernel permits
		t.Error(d)
	}
}

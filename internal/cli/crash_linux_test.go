package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/store"
)

// mark is an environment variable whose value identifies all processes of one command.
const mark = "BREWPUT_TEST_MARK"

// command is the test binary as the command brewput, in a process group of its own and with a mark.
func command(t *testing.T, args ...string) (cmd *exec.Cmd, markOf string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	markOf = fmt.Sprintf("%s=%s-%d", mark, t.Name(), rand.Uint64())
	cmd = exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1", markOf)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd, markOf
}

// begun starts a command and waits until it prints a word to stderr. It returns the rest of stderr.
func begun(t *testing.T, cmd *exec.Cmd, word string) io.Reader {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	in, said := bufio.NewReader(stderr), ""
	for !strings.HasSuffix(said, word) {
		c, err := in.ReadByte()
		if err != nil {
			t.Fatalf("%v before %q: %s", err, word, said)
		}
		said += string(c)
	}
	return in
}

// ownMounts gives a child mounts that only it sees.
func ownMounts() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return a
}

// alive returns the processes with a mark.
func alive(markOf string) []string {
	var pids []string
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		if text, err := os.ReadFile(path); err == nil && slices.Contains(strings.Split(string(text), "\x00"), markOf) {
			pids = append(pids, strings.Split(path, "/")[2])
		}
	}
	return pids
}

// wantNoOrphan waits until no process is left. Children notice the end of their parent by the end of their input. The
// scheduler decides how soon, so the deadline is generous.
func wantNoOrphan(t *testing.T, markOf string) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		pids := alive(markOf)
		if len(pids) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("orphans: %v", pids)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// wantWhole checks that a run directory holds every trial of a plan exactly once. The journal itself refuses a trial
// that is there twice.
func wantWhole(t *testing.T, dir string, blocks, trialsPerBlock int) {
	t.Helper()
	j, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !j.Ended || len(j.Trials) != blocks*trialsPerBlock || len(j.Blocks) != blocks {
		t.Errorf("ended %v, %d trials, %d blocks; want %d and %d", j.Ended, len(j.Trials), len(j.Blocks),
			blocks*trialsPerBlock, blocks)
	}
	for b, n := range j.Blocks {
		if n != trialsPerBlock {
			t.Errorf("block %d has %d trials", b, n)
		}
	}
}

// small is a sweep of 2 designs, each plain and instrumented, in 4 blocks: 16 trials in about 0.3 s.
func small(dir string) []string {
	return []string{"run", "null", "--designs", "stream,job", "--cpus", "1", "--operations", "1000", "--count", "4",
		"-o", dir}
}

// kills is a command that is killed at seeded random fractions of its current duration on this machine.
type kills struct {
	verb             string
	args             func(dir string) []string
	n, resumed       int // kills, and how many at least must hit a run under way
	seed             uint64
	from, to         float64 // fractions of the duration
	blocks, perBlock int     // what a complete run has: blocks, and trials in each
}

// check kills the command. No process may be left, --resume must finish, and every block must be there exactly once.
func (k kills) check(t *testing.T) {
	t.Helper()
	random := rand.New(rand.NewPCG(k.seed, k.seed))
	resumed := 0
	whole := timeOf(t, k.args(filepath.Join(t.TempDir(), "run")))
	for i := range k.n {
		dir := filepath.Join(t.TempDir(), "run")
		after := time.Duration((k.from + (k.to-k.from)*random.Float64()) * float64(whole))
		cmd, markOf := command(t, k.args(dir)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killer := time.AfterFunc(after, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		killer.Stop()
		wantNoOrphan(t, markOf)
		if err == nil {
			wantWhole(t, dir, k.blocks, k.perBlock) // the command ended before it was killed
			whole = min(whole, after)
			continue
		}
		args := []string{k.verb, "--resume", dir}
		if _, err := store.Open(dir); err != nil {
			args = k.args(dir) // killed before the run directory was made
		} else {
			resumed++
		}
		again, _ := command(t, args...)
		if out, err := again.CombinedOutput(); err != nil {
			t.Fatalf("kill %d after %v: %v: %v\n%s", i, after, args, err, out)
		}
		wantWhole(t, dir, k.blocks, k.perBlock)
	}
	if resumed < k.resumed {
		t.Errorf("only %d of %d kills hit a run under way: choose other instants", resumed, k.n)
	}
}

// TestKilledAnywhere kills a run of designs at any time.
func TestKilledAnywhere(t *testing.T) {
	kills{verb: "run", args: small, n: 20, resumed: 4, seed: 1, to: 1.1, blocks: 4, perBlock: 4}.check(t)
}

// timeOf measures how long the command takes.
func timeOf(t *testing.T, args []string) time.Duration {
	t.Helper()
	cmd, _ := command(t, args...)
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return time.Since(began)
}

// hanging is a sweep of a design whose trials never end.
func hanging(design, dir string) []string {
	return []string{"run", "faulty", "--designs", design, "--cpus", "1", "--count", "1", "--no-twin", "--time-limit",
		"10m", "-o", dir}
}

// waitForChild waits until the command has started a trial, and returns its process.
func waitForChild(t *testing.T, markOf string, parent int) *os.Process {
	t.Helper()
	child := 0
	fmt.Sscan(waitForOthers(t, markOf, parent, 1)[0], &child)
	p, err := os.FindProcess(child)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// waitForOthers waits until this many processes with a mark run in addition to the command.
func waitForOthers(t *testing.T, markOf string, parent, n int) []string {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for time.Now().Before(deadline) {
		others := slices.DeleteFunc(alive(markOf), func(pid string) bool { return pid == fmt.Sprint(parent) })
		if len(others) >= n {
			return others
		}
		<-time.After(5 * time.Millisecond)
	}
	t.Fatalf("%d processes were not started", n)
	return nil
}

func TestInterrupt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cmd, markOf := command(t, hanging("deadlock", dir)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child := waitForChild(t, markOf, cmd.Process.Pid)
	if group, err := syscall.Getpgid(child.Pid); err != nil || group != child.Pid {
		t.Errorf("the trial is in group %d (%v), not in its own: an interrupt would end it before the command decides",
			group, err)
	}
	// A terminal interrupts the whole process group of the command.
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit %d, want 130", code)
	}
	if want := "interrupted after 0 of 2 trials; continue with: brewput run --resume " +
		dir; !strings.Contains(stderr.String(), want) {
		t.Errorf("it says %q, not %q", stderr.String(), want)
	}
	wantNoOrphan(t, markOf)
	j, err := store.Open(dir)
	if err != nil || len(j.Trials) != 0 || j.Ended {
		t.Errorf("the journal: %+v, %v", j, err)
	}
}

// TestInterruptOfSim checks that an interrupt ends a long replication, and that sim says how to continue with all
// options.
func TestInterruptOfSim(t *testing.T) {
	dir, picture := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "kitchen.svg")
	cmd, _ := command(t, "sim", "coffee", "--designs", "locking", "--cpus", "2", "--warmup", "1s", "--duration",
		"10000000s", "--time-limit", "10h", "--count", "2", "-o", dir, "--sensitivity", "--timeline", picture)
	said := begun(t, cmd, "\n")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(said)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 ||
		!strings.Contains(string(rest), "continue with: brewput sim --resume "+dir+" --sensitivity --timeline "+
			picture+"\n") {
		t.Fatalf("exit %d, it says %q", code, rest)
	}
	if j, err := store.Open(dir); err != nil || j.Ended || len(j.Blocks) > 0 {
		t.Fatalf("it is not interrupted early: %d blocks, %v", len(j.Blocks), err)
	}
}

// TestParentKilled kills the command while its trial hangs. The child must notice that its parent is gone.
func TestParentKilled(t *testing.T) {
	cmd, markOf := command(t, hanging("deadlock", filepath.Join(t.TempDir(), "run"))...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForChild(t, markOf, cmd.Process.Pid)
	cmd.Process.Kill()
	cmd.Wait()
	wantNoOrphan(t, markOf)
}

// TestNothingIsLeft checks that the processes that a trial has started end with it, however it ends.
func TestNothingIsLeft(t *testing.T) {
	for name, end := range map[string]struct {
		args func(dir string) []string
		how  func(*exec.Cmd) error
		code int
	}{
		"limit": {func(dir string) []string {
			return []string{"run", "faulty", "--designs", "nest", "--cpus", "1", "--count", "1", "--no-twin",
				"--duration", "50ms", "--warmup", "0s", "--time-limit", "300ms", "-o", dir}
		}, nil, 4},
		"interrupt": {func(dir string) []string { return hanging("nest", dir) },
			func(cmd *exec.Cmd) error { return cmd.Process.Signal(os.Interrupt) }, 130},
		"parent death": {func(dir string) []string { return hanging("nest", dir) },
			func(cmd *exec.Cmd) error { return cmd.Process.Kill() }, -1},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, markOf := command(t, end.args(filepath.Join(t.TempDir(), "run"))...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if end.how != nil {
				waitForOthers(t, markOf, cmd.Process.Pid, 2)
				if err := end.how(cmd); err != nil {
					t.Fatal(err)
				}
			}
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != end.code {
				t.Errorf("exit %d, want %d", code, end.code)
			}
			wantNoOrphan(t, markOf)
		})
	}
}

// TestChildKilled kills a trial, not the command. The trial fails, and the sweep continues.
func TestChildKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cmd, markOf := command(t, hanging("deadlock", dir)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the plain trial and the instrumented one
		child := waitForChild(t, markOf, cmd.Process.Pid)
		child.Kill()
		for slices.Contains(alive(markOf), fmt.Sprint(child.Pid)) {
			<-time.After(time.Millisecond)
		}
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 4 {
		t.Errorf("exit %d, want 4", code)
	}
	j, err := store.Open(dir)
	if err != nil || len(j.Trials) != 2 || !j.Ended {
		t.Fatalf("the journal: %+v, %v", j, err)
	}
	if tr := j.Trials[0]; tr.Status != "failed" || !strings.Contains(tr.Error, "signal: killed") {
		t.Errorf("%s: %s", tr.Status, tr.Error)
	}
	wantNoOrphan(t, markOf)
}

// TestDiskFull runs the command on a file system of 32 KB in a mount namespace of its own. It must stop with exit
// code 4 and say how to continue. With more room, --resume finishes. A disk that cannot be written is not wrong use
// of --resume either.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	script := `mount -t tmpfs -o size=32k tmpfs "$1" || exit 77
shift_dir=$1; shift
"$@" run null --designs stream --cpus 1 --operations 1000 --count 30 -o "$shift_dir/run" >/dev/null
echo "code $?"
mount -o remount,ro "$shift_dir"
"$@" run --resume "$shift_dir/run" >/dev/null
echo "unfinished, read-only: code $?"
mount -o remount,rw,size=16m "$shift_dir"
"$@" run --resume "$shift_dir/run" >/dev/null
echo "code $?"
mount -o remount,ro "$shift_dir"
"$@" run --resume "$shift_dir/run" >/dev/null
echo "read-only: code $?"
cp "$shift_dir/run/journal.ndjson" "$shift_dir/run/histograms.ndjson" "$COPY"`
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	cmd := exec.Command("sh", "-c", script, "sh", dir, exe)
	cmd.Env = append(os.Environ(), asCommand+"=1", "COPY="+copied)
	cmd.SysProcAttr = ownMounts()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.Is(err, syscall.EPERM) || errors.As(err, &exit) && exit.ExitCode() == 77 {
		t.Skipf("this system allows no mount namespace: %v %s", err, out)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := string(out)
	for _, want := range []string{"code 4\n", "no space left on device",
		"free space and resume the run in " + dir + "/run", "code 0\n", "unfinished, read-only: code 4\n",
		"\nread-only: code 0\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	wantWhole(t, copied, 30, 2)
}

package command

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/result"
)

// orphan runs a script that starts the program in the background, and continues when it is ready. Output receives what
// they print; it may be nil.
func orphan(t *testing.T, output io.Writer, program, then string) (pid int, m result.Metrics, warnings []string) {
	t.Helper()
	r := runner(t, Experiment{Warmups: 0}, "x", "y")
	exe := r.Commands[0].Words[0]
	r.Output = output
	if err := errors.Join(syscall.Mkfifo("ready", 0o600), syscall.Mkfifo("never", 0o600)); err != nil {
		t.Fatal(err)
	}
	script := "\"$1\" " + program + " 2>/dev/null & read pid < ready; echo $pid > pid; " + then
	if err := r.Complete([][]string{{"sh", "-c", script, "sh", exe}, {exe, "y"}}); err != nil {
		t.Fatal(err)
	}
	o, err := r.Run(t.Context(), spec("b"))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile("pid")
	if pid, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
		t.Fatal(err)
	}
	return pid, o.Trial.Metrics, o.Trial.Warnings
}

// TestKilledChild checks that the CPU time of a child counts that a script kills and does not wait for.
func TestKilledChild(t *testing.T) {
	_, m, _ := orphan(t, nil, "burn", "kill -9 $pid")
	if used := m.Get(result.CPUSeconds); !(float64(used) >= burned.Seconds()) {
		t.Errorf("%v s of CPU time, want at least %v", used, burned)
	}
}

// TestLeftBehind checks that a child that outlives its script is ended, named and counted.
func TestLeftBehind(t *testing.T) {
	pid, m, warnings := orphan(t, nil, "burn", "exit")
	if used := m.Get(result.CPUSeconds); !(float64(used) >= burned.Seconds()) {
		t.Errorf("%v s of CPU time, want at least %v", used, burned)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "left processes behind (command.test), which were ended") {
		t.Errorf("%q", warnings)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is left: %v", pid, err)
	}
	if pid, m, warnings = orphan(t, nil, "stay", "kill -9 $pid; wait"); len(warnings) != 0 {
		t.Errorf("process %d was waited for: %q, %v", pid, warnings, m)
	}
}

// TestLeftWithOutput checks that the warning says what happened to the processes and to the output, if it is shown.
func TestLeftWithOutput(t *testing.T) {
	var out bytes.Buffer
	pid, _, warnings := orphan(t, &out, "stay", "echo last; exit")
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], "it left processes behind (command.test), and "+
		"its output stayed open: they were ended after a second, their CPU time is counted, and further output is not "+
		"shown") {
		t.Errorf("%q", warnings)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) || out.String() != "last\n" {
		t.Errorf("process %d: %v, output %q", pid, err, &out)
	}

	held := ended{Exit: proc.Exit{Err: exec.ErrWaitDelay}}
	for shown, want := range map[bool]string{
		true:  "its process group was ended, further output is not shown, and CPU time may be missing",
		false: "its process group was ended, and the CPU time of other processes may be missing",
	} {
		if got := held.leftBehind(shown); !strings.HasSuffix(got, want) {
			t.Errorf("shown: %v, %q", shown, got)
		}
	}
	if got := (ended{}).leftBehind(true); got != "" {
		t.Errorf("nothing is left: %q", got)
	}
}

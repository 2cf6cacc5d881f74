package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// program returns a command that is found in PATH.
func program(t *testing.T, args ...string) Command {
	t.Helper()
	path, err := exec.LookPath(args[0])
	if err != nil {
		t.Skip(err)
	}
	return Command{Path: path, Args: args, Env: os.Environ(), Ask: AskEnd, Grace: time.Hour}
}

// TestRun checks the exit code and the output of a command, and that processes that it left in its group have
// ended.
func TestRun(t *testing.T) {
	in, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	w.WriteString("milk\n")
	w.Close()
	var out, errs Ends
	var exited int
	c := program(t, "sh", "-c", "cat; pwd; sleep 300 >/dev/null 2>&1 & echo $! >&2; exit 3")
	c.Dir, c.Stdin, c.Stdout, c.Stderr, c.Exited = "/", in, &out, &errs, func(pid int) {
		if p, err := processAt(pid); err == nil && p.state == 'Z' {
			exited = pid
		}
	}
	e, err := c.Run(t.Context())
	if err != nil || e.Asked || e.Wall <= 0 || e.State.ExitCode() != 3 || e.State.Pid() != exited ||
		out.String() != "milk\n/\n" {
		t.Fatalf("%+v, %v; exited %d, printed %q", e, err, exited, out.String())
	}
	pid, err := strconv.Atoi(strings.TrimSpace(errs.String()))
	if err != nil {
		t.Fatal(err)
	}
	for p, err := processAt(pid); err == nil && p.state != 'Z' && p.state != 'X'; p, err = processAt(pid) {
		runtime.Gosched() // until the kernel has ended it, or the test times out
	}
}

// TestRunAsks checks that a process is asked to end at its limit or once Done says so, and is killed if it does
// not.
func TestRunAsks(t *testing.T) {
	for name, x := range map[string]struct {
		change func(*Command)
		want   string
	}{
		"limit": {func(c *Command) { c.TimeLimit = time.Nanosecond }, "signal: terminated"},
		"over":  {func(c *Command) { c.Done = func() bool { return true } }, "signal: terminated"},
		"deaf": {func(c *Command) {
			c.TimeLimit, c.Grace, c.Ask = time.Nanosecond, time.Nanosecond, func(*os.Process) {}
		}, "signal: killed"},
	} {
		c := program(t, "sleep", "300")
		x.change(&c)
		if e, err := c.Run(t.Context()); err != nil || !e.Asked || e.State.String() != x.want || e.Err == nil {
			t.Errorf("%s: %+v, %v; want %s", name, e, err, x.want)
		}
	}
	c, early := program(t, "sleep", "300"), false
	c.TimeLimit, c.DoneAfter, c.Done = 50*time.Millisecond, time.Hour, func() bool { early = true; return true }
	if e, err := c.Run(t.Context()); err != nil || !e.Asked || early {
		t.Errorf("%+v, %v; Done was called before its time: %t", e, err, early)
	}
	c = program(t, "true")
	c.TimeLimit, c.DoneAfter, c.Done = time.Hour, time.Hour, func() bool { return true }
	if e, err := c.Run(t.Context()); err != nil || e.Asked || e.Err != nil {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestRunCancelled checks that nothing is left of a command whose context is cancelled, even while it is asked
// to end.
func TestRunCancelled(t *testing.T) {
	for name, change := range map[string]func(*Command, func()){
		"under way": func(c *Command, cancel func()) { c.Done = func() bool { cancel(); return false } },
		"asked": func(c *Command, cancel func()) {
			c.TimeLimit, c.Ask = time.Nanosecond, func(*os.Process) { cancel() }
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c := program(t, "sleep", "300")
		change(&c, cancel)
		if e, err := c.Run(ctx); !errors.Is(err, context.Canceled) || e.State.String() != "signal: killed" {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
		if e, err := c.Run(ctx); !errors.Is(err, context.Canceled) || e.State != nil {
			t.Errorf("%s: it ran again: %+v, %v", name, e, err)
		}
	}
}

// TestTool checks that a tool's error is what it prints about the problem.
func TestTool(t *testing.T) {
	c := Command{Env: os.Environ()}
	for _, x := range []struct {
		want string
		args []string
	}{
		{"", []string{"echo", "milk"}},
		{"the command no-such-tool is not installed, or not in PATH", []string{"no-such-tool"}},
		{"sour", []string{"sh", "-c", "echo milk; echo sour >&2; exit 1"}},
		{"milk", []string{"sh", "-c", "echo milk; exit 1"}},
		{"false : exit status 1", []string{"false", ""}},
		{"echo milk and sugar printed more than 0 MB", []string{"echo", "milk and sugar"}},
	} {
		out, _, err := c.Tool(t.Context(), 8, x.args[0], x.args[1:]...)
		if x.want == "" && (err != nil || out != "milk\n") || x.want != "" && (err == nil || err.Error() != x.want) {
			t.Errorf("%q: %q, %v; want %q", x.args, out, err, x.want)
		}
	}
}

// TestRunRecords checks that the group of a command is recorded while it runs. A command that cannot be
// recorded is killed, and one that cannot start is named.
func TestRunRecords(t *testing.T) {
	root := t.TempDir()
	c := program(t, "sh", "-c", "exit 0")
	c.WorkRoot, c.Exited = root, func(pid int) {
		if groups := recorded(filepath.Join(root, groupsName)); len(groups) != 1 || groups[pid].pid != pid {
			t.Errorf("recorded: %v, want %d", groups, pid)
		}
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Error(err)
	}

	c = program(t, "sleep", "300")
	c.WorkRoot = filepath.Join(root, "missing")
	if _, err := c.Run(t.Context()); !errors.Is(err, os.ErrNotExist) ||
		!strings.Contains(err.Error(), "cannot be recorded in "+c.WorkRoot) {
		t.Errorf("no such work root: %v", err)
	}

	c.Path, c.WorkRoot = filepath.Join(root, "no program"), ""
	if _, err := c.Run(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "cannot start "+c.Path) {
		t.Errorf("no such program: %v", err)
	}
}

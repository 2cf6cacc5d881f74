//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/brewput/brewput/internal/proc"
)

const (
	// markVariable marks all processes of one attempt, so that they are found in /proc.
	markVariable = "BREWPUT_SIEGE_BOX"
	// graceful is the time that a command may run beyond its limit, or after an interrupt.
	graceful = 2 * time.Second
	// patience is the time after which a command without a limit of its own is interrupted.
	patience = 15 * time.Second
	// maxOutput is the number of bytes of a stream that are kept.
	maxOutput = 8 << 20
)

// ran is the outcome of a command.
type ran struct {
	code           int
	signal         syscall.Signal // that killed it; 0 if none
	hung           bool           // it did not end in time
	stopped        bool           // it was interrupted, because it had no limit of its own
	stdout, stderr string
	took, cpu      time.Duration // wall and CPU time
	after          time.Duration // how long it ran after it was interrupted; 0 if it was not
}

// command returns a command in the directory of the attempt, in a process group of its own, with the attempt's mark.
func (a *attempt) command(args ...string) *exec.Cmd {
	cmd := exec.Command(a.program, args...)
	cmd.Dir = a.cwd()
	cmd.Env = a.environment()
	cmd.SysProcAttr = proc.OwnGroup()
	return cmd
}

// environment is that of all commands: without the user's settings, and with caches of the campaign.
func (a *attempt) environment() []string {
	keep := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "BREWPUT_") || strings.HasPrefix(v, "XDG_") || strings.HasPrefix(v, "GOFLAGS=") ||
			strings.HasPrefix(v, "TMPDIR=")
	})
	return append(keep, "GOFLAGS=", "GOTOOLCHAIN=local", "TMPDIR="+a.tmp(), "GOCACHE="+goCache(),
		"XDG_CACHE_HOME="+filepath.Join(a.work, "cache-"+a.Area), markVariable+"="+a.box)
}

// goCache is the user's build cache, so that attempts need not compile everything again.
func goCache() string {
	if dir := os.Getenv("GOCACHE"); dir != "" {
		return dir
	}
	dir, _ := os.UserCacheDir()
	return filepath.Join(dir, "go-build")
}

// run runs the program to its end. limit is the time limit that the command sets itself. A command without one, with
// limit 0, is interrupted after some time.
func (a *attempt) run(ctx context.Context, limit time.Duration, args ...string) (ran, error) {
	return a.watch(ctx, a.command(args...), limit)
}

// watch starts a command, waits for its end and keeps its output.
func (a *attempt) watch(ctx context.Context, cmd *exec.Cmd, limit time.Duration) (ran, error) {
	a.no++
	a.Command = append([]string{filepath.Base(cmd.Path)}, cmd.Args[1:]...)
	out, errs := &proc.Limited{Most: maxOutput}, &proc.Limited{Most: maxOutput}
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.WaitDelay = time.Second // a process that was left behind may hold the pipes

	var r ran
	began := time.Now()
	if err := cmd.Start(); err != nil {
		var refused *os.PathError
		if errors.As(err, &refused) && (errors.Is(err, syscall.E2BIG) || errors.Is(err, syscall.EINVAL)) {
			return r, nil // the kernel refuses such an argument
		}
		return r, err
	}

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cmd.Wait()
	}()

	// A command without a time limit is interrupted first, and ended only if it ignores that.
	interrupt, deadline := time.After(patience), time.After(patience+graceful)
	if limit > 0 {
		interrupt, deadline = nil, time.After(limit+graceful)
	}

	for running := true; running; {
		select {
		case <-ended:
			running = false
		case <-interrupt:
			r.stopped = true
			cmd.Process.Signal(os.Interrupt)
		case <-deadline:
			r.hung = true
			a.stacks(cmd.Process, ended)
			proc.EndGroup(cmd.Process)
			<-ended
		case <-ctx.Done():
			proc.EndGroup(cmd.Process)
			<-ended
		}
	}

	r.took, r.cpu = time.Since(began), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	a.Seconds = max(a.Seconds, r.took.Seconds())
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if r.code = status.ExitStatus(); status.Signaled() && !r.hung {
		r.signal = status.Signal()
	}
	r.stdout, r.stderr = out.String(), errs.String()
	return r, errors.Join(ctx.Err(), a.log(r))
}

// stacks makes a hanging command print the stacks of its goroutines, and waits up to a second.
func (a *attempt) stacks(p *os.Process, ended chan struct{}) {
	p.Signal(syscall.SIGQUIT)
	select {
	case <-ended:
	case <-time.After(time.Second):
	}
}

// log writes a command and its output to a file in the directory of the attempt.
func (a *attempt) log(r ran) error {
	text := fmt.Sprintf("%q\nexit %d, signal %v, hung %t, %v, %v of CPU time\n--- stdout\n%s\n--- stderr\n%s\n",
		a.Command, r.code, r.signal, r.hung, r.took, r.cpu, r.stdout, r.stderr)
	return os.WriteFile(filepath.Join(a.box, fmt.Sprintf("command-%d.txt", a.no)), []byte(text), 0o666)
}

// process is a running process of an attempt.
type process struct {
	pid, parent int
	name        string
}

// processes returns the running processes of the attempt. They inherit its mark with the environment.
func (a *attempt) processes() (list []process) {
	mark := []byte(markVariable + "=" + a.box)
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(append([]byte{0}, environ...), append([]byte{0}, mark...)) {
			continue
		}
		text, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "stat"))
		stat, ok := proc.ParseStat(string(text))
		if !ok || stat.State == 'Z' || stat.State == 'X' {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		list = append(list, process{pid, stat.Parent, stat.Name})
	}
	return list
}

// clear kills the processes with the mark of the attempt, which no other process has.
func (a *attempt) clear() {
	for range 100 {
		left := a.processes()
		if len(left) == 0 {
			return
		}
		for _, p := range left {
			syscall.Kill(p.pid, syscall.SIGKILL)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// copyTree copies a directory of regular files.
func copyTree(from, to string) error { return os.CopyFS(to, os.DirFS(from)) }

//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
)

// attack kills or interrupts a command, by the index of the attempt.
func (v *victims) attack(ctx context.Context, a *attempt) error {
	if err := copyTree(v.home, a.cwd()); err != nil {
		return err
	}
	switch kind := a.Index % 10; {
	case kind < 3:
		return v.killParent(ctx, a)
	case kind < 5:
		return v.killChild(ctx, a)
	case kind < 6:
		return v.killWithPrograms(ctx, a, "explain")
	case kind < 7:
		return v.killWithPrograms(ctx, a, "bench")
	}
	return v.interrupt(ctx, a)
}

// instant draws the time of a kill, within the time that the command takes.
func (v *victims) instant(rng *rand.Rand, name string) time.Duration {
	return time.Duration(rng.Float64() * float64(v.whole[name]))
}

// runAndSignal starts a command, calls do after some time, and waits for the end. do reports whether it acted on the
// process.
func (a *attempt) runAndSignal(ctx context.Context, after time.Duration, do func(*os.Process) bool,
	args ...string) (ran, error) {
	cmd := a.command(args...)
	began := make(chan struct{})
	cmd.Stdin = nil
	var r ran
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return r, err
	}

	start := time.Now()
	var done time.Time
	go func() {
		defer close(began)
		pause(after)
		if at := time.Now(); do(cmd.Process) {
			done = at
		}
	}()

	limit := time.AfterFunc(time.Minute, func() { proc.EndGroup(cmd.Process) })
	err := cmd.Wait()
	ended := time.Now()
	r.hung = !limit.Stop()
	<-began
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return r, err
	}

	r.took, r.cpu = ended.Sub(start), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	if !done.IsZero() {
		r.after = ended.Sub(done)
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if r.code = status.ExitStatus(); status.Signaled() {
		r.signal = status.Signal()
	}
	r.stdout, r.stderr = out.String(), errs.String()

	a.no++
	a.Command = append([]string{filepath.Base(cmd.Path)}, args...)
	a.Seconds = max(a.Seconds, r.took.Seconds())
	return r, errors.Join(ctx.Err(), a.log(r))
}

// pause waits. Short pauses spin, because timers have slack.
func pause(d time.Duration) {
	if d > 5*time.Millisecond {
		time.Sleep(d)
		return
	}
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

// killParent kills run at a random time. --resume must complete the run, with all stored trials.
func (v *victims) killParent(ctx context.Context, a *attempt) error {
	after := v.instant(a.rng, "run")
	a.Kind = fmt.Sprintf("kill -9 of run after %v", after)
	r, err := a.runAndSignal(ctx, after, func(p *os.Process) bool { return p.Kill() == nil }, measured()...)
	if err != nil {
		return err
	}

	a.findLeftovers() // trials end when their parent is gone
	if r.signal != syscall.SIGKILL {
		a.judge(r, false)
	}

	dir := filepath.Join(a.cwd(), "stored")
	before, openErr := store.Open(dir)
	args := measured()
	if openErr == nil {
		args = []string{"run", "--resume", "stored"}
	} else {
		before = new(store.Journal) // it was killed before there was a run
	}
	if r, err = a.run(ctx, patience, args...); err != nil {
		return err
	}
	if a.judge(r, false); r.code != 0 {
		a.find("%s of a killed run exits with %d", args[1], r.code)
		return nil
	}
	a.judgeComplete(dir, before)
	a.findLeftovers()
	return nil
}

// judgeComplete finds missing blocks of a run, and stored trials that were lost or changed.
func (a *attempt) judgeComplete(dir string, before *store.Journal) {
	j, err := store.Open(dir)
	if err != nil {
		a.find("the run cannot be read: %v", err)
		return
	}
	for _, note := range j.Notes() {
		a.find("the run that was continued is damaged: %s", note)
	}
	if !j.Ended || len(j.Trials) != measuredTrials || len(j.Blocks) != 6 {
		a.find("the run has %d trials and %d blocks, ended %t", len(j.Trials), len(j.Blocks), j.Ended)
	}
	for i, t := range before.Trials {
		if i >= len(j.Trials) || !same(t, j.Trials[i]) {
			a.find("trial %d, which was stored, is lost or changed", i)
			return
		}
	}
}

// same reports whether two trials have the same JSON. Unavailable values are NaN, so that == does not compare them.
func same(x, y result.Trial) bool {
	a, errA := json.Marshal(x)
	b, errB := json.Marshal(y)
	return errors.Join(errA, errB) == nil && bytes.Equal(a, b)
}

// killChild kills a trial. The run must report it as failed and continue.
func (v *victims) killChild(ctx context.Context, a *attempt) error {
	after, killed := v.instant(a.rng, "run"), 0
	a.Kind = fmt.Sprintf("kill -9 of a trial after %v", after)
	r, err := a.runAndSignal(ctx, after, func(p *os.Process) bool {
		for deadline := time.Now().Add(time.Second); killed == 0 && time.Now().Before(deadline); {
			for _, child := range a.processes() {
				if child.parent == p.Pid && syscall.Kill(child.pid, syscall.SIGKILL) == nil {
					killed = child.pid
				}
			}
		}
		return killed != 0
	}, measured()...)
	if err != nil {
		return err
	}
	a.judge(r, false)
	a.findLeftovers()
	if r.code != 0 && r.code != 4 {
		a.find("exit %d, although a trial failed", r.code)
	}

	j, err := store.Open(filepath.Join(a.cwd(), "stored"))
	if err != nil {
		if r.code == 0 || killed == 0 {
			a.find("the run cannot be read: %v", err)
		}
		return nil // the kill came while the machine was examined, before there was a run
	}
	failed := slices.ContainsFunc(j.Trials, func(t result.Trial) bool { return t.Status == result.Failed })
	if failed != (r.code == 4) {
		a.find("exit %d, failed trials in the journal: %t", r.code, failed)
	}
	if !j.Ended || len(j.Trials) != measuredTrials {
		a.find("%d trials, ended %t", len(j.Trials), j.Ended)
	}
	return nil
}

// killWithPrograms kills a verb that runs programs. The next call of that verb must remove all that it left.
func (v *victims) killWithPrograms(ctx context.Context, a *attempt, name string) error {
	after := v.instant(a.rng, name)
	a.Kind = fmt.Sprintf("kill -9 of %s after %v", name, after)
	r, err := a.runAndSignal(ctx, after, func(p *os.Process) bool { return p.Kill() == nil }, v.commands()[name]...)
	if err != nil {
		return err
	}
	if r.signal != syscall.SIGKILL {
		a.judge(r, false)
	}

	next := map[string][]string{"explain": {"explain", "is.not.there"},
		"bench": {"bench", "--count", "1", "--duration", "1ms", "--cpus", "1", "-o", "next"}}[name]
	if r, err = a.run(ctx, 2*patience, next...); err != nil {
		return err
	}
	a.judge(r, false)
	a.judgeRemoval(name, r)
	a.findLeftovers()
	workshops, _ := filepath.Glob(filepath.Join(a.work, "cache-kills", "brewput", "bench", "*"))
	if len(workshops) > 0 {
		a.find("left in the cache: %d workshops", len(workshops))
	}
	return nil
}

// judgeRemoval finds a failure of the call that removes what a killed one left: bench must measure, and explain must
// report a target that does not exist.
func (a *attempt) judgeRemoval(name string, r ran) {
	switch {
	case name == "bench" && r.code != 0:
		a.find("the next bench exits with %d: %.200q", r.code, r.stderr)
	case name == "explain" && (r.code != 2 && r.code != 4 || !strings.Contains(r.stderr, notThere)):
		a.find("the next explain exits with %d: %.200q", r.code, r.stderr)
	}
}

// notThere is the error of explain for a name that does not exist.
const notThere = "is.not.there is neither a package nor a file"

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
	"github.com/brewput/brewput/internal/repository"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
)

// victims are the commands that are killed or interrupted.
type victims struct {
	home  string                   // directory with the program nest
	whole map[string]time.Duration // time of each command by name
}

// measured are the arguments of a run of 2 designs in 6 blocks, each plain and instrumented: 24 trials.
func measured() []string {
	return []string{"run", "null", "--designs", "stream,job", "--cpus", "1", "--operations", "1000", "--count", "6",
		"--no-twin", "-o", "stored"}
}

const measuredTrials = 24

// commands are the arguments of commands that an interrupt must end, by name.
func (v *victims) commands() map[string][]string {
	return map[string][]string{
		"run": measured(), "version": {"version"}, "help": {"help"},
		"sim": {"sim", "coffee", "--designs", "locking,linearpipe", "--cpus", "2", "--cost", "none", "--jitter",
			"1ms", "--count", "4", "-o", "stored"},
		"bench":   {"bench", "--count", "2", "--duration", "10ms", "--cpus", "1", "-o", "stored"},
		"explain": v.explain(),
	}
}

func (v *victims) explain() []string {
	return []string{"explain", "--cpus", "1", "--duration", "300ms", "--time-limit", "20s", "--", "./nest"}
}

// nest is a program that starts another one in its own session, which does not end by itself, and works for a while.
var nest = map[string]string{
	"go.mod": "module example.com/nest\n\ngo 1.24\n",
	"main.go": `package main

import (
	"os/exec"
	"syscall"
	"time"
)

func main() {
	cmd := exec.Command("sleep", "300")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Start()
	for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); {
	}
	cmd.Process.Kill()
	cmd.Wait()
}
`,
	"nest_test.go": `package main

import (
	"os/exec"
	"syscall"
	"testing"
)

func BenchmarkNest(b *testing.B) {
	cmd := exec.Command("sleep", "300")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Start()
	for b.Loop() {
	}
	cmd.Process.Kill()
	cmd.Wait()
}
`,
}

// openKills builds the program nest, and measures how long each command takes.
func openKills(ctx context.Context, c *campaign) (attack, error) {
	v := &victims{home: filepath.Join(c.work, "nest"), whole: map[string]time.Duration{}}
	if err := errors.Join(os.RemoveAll(v.home), os.MkdirAll(v.home, 0o777),
		repository.Write(v.home, nest)); err != nil {
		return nil, err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", "nest", ".")
	build.Dir, build.Env = v.home, append(os.Environ(), "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	a := &attempt{campaign: c, outcome: outcome{Area: "kills"}}
	for name, args := range v.commands() {
		if err := a.makeDirectory(); err != nil {
			return nil, err
		}
		defer os.RemoveAll(a.box)
		if err := copyTree(v.home, a.cwd()); err != nil {
			return nil, err
		}
		r, err := a.run(ctx, 2*time.Minute, args...)
		if err != nil || r.code != 0 {
			return nil, errors.Join(err, fmt.Errorf("%q exits with %d:\n%s", args, r.code, r.stderr))
		}
		v.whole[name] = r.took
	}
	return v.attack, nil
}

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
	limit := time.AfterFunc(time.Minute, func() { r.hung = true; proc.EndGroup(cmd.Process) })
	err := cmd.Wait()
	ended := time.Now()
	limit.Stop()
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

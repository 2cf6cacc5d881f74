package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brewput/brewput/evidence/collect"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// patience is the time that a command has to end after it was asked to, before it is killed.
const patience = time.Second

// Runner runs the trials of an experiment. It is not safe for concurrent use.
type Runner struct {
	*Experiment
	Output io.Writer         // receives what the commands print; nil discards it
	Note   func(text string) // announces steps of the preparation; may be nil

	begun bool
	files map[string]os.FileInfo // executable files that identify saw, by design
}

// Begin runs the setup and the warm-up runs, once. A command that fails is a [*collect.Failure]. The first call stores
// the checksums of the commands in the experiment; a later execution of the run refuses commands that have changed, by
// a [*plan.Refusal].
func (r *Runner) Begin(ctx context.Context) error {
	if r.begun {
		return nil
	}
	if r.Setup != "" {
		r.note("setup: " + r.Setup)
		if err := r.auxiliary(ctx, "setup", r.Setup); err != nil {
			return err
		}
	}
	if err := r.identify(ctx); err != nil {
		return err
	}
	if r.Warmups > 0 {
		r.note(fmt.Sprintf("warm-up: %s of each command", result.Count(r.Warmups, "run")))
	}
	for range r.Warmups {
		for _, c := range r.Commands {
			if _, err := r.timed(ctx, c, "in the warm-up"); err != nil {
				return err
			}
		}
	}
	r.begun = true
	return nil
}

func (r *Runner) note(text string) {
	if r.Note != nil {
		r.Note(text)
	}
}

// find returns the path of a program. Relative paths begin at the directory of the experiment.
func (r *Runner) find(word string) (string, error) {
	if strings.ContainsAny(word, "/"+string(filepath.Separator)) && !filepath.IsAbs(word) {
		word = filepath.Join(r.Dir, word)
	}
	path, err := exec.LookPath(word)
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("there is no such program in PATH; write a path such as ./prog for one in this directory")
	}
	return path, err
}

// auxiliary runs the setup or the preparation of a trial.
func (r *Runner) auxiliary(ctx context.Context, what, line string) error {
	words, err := proc.Words(line)
	if err != nil {
		return err
	}
	e, err := r.run(ctx, words, false)
	if err != nil {
		return r.cannotStart(ctx, what+" command "+line, err)
	}
	if text := r.failure(e); text != "" {
		return &collect.Failure{Reason: what + " command " + line + " failed: " + text, Output: e.said}
	}
	return nil
}

// cannotStart makes a failure of the error of a program that did not start. An interrupt stays what it is.
func (r *Runner) cannotStart(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var file *fs.PathError
	if errors.As(err, &file) {
		err = file.Err // the command names the file
	}
	return &collect.Failure{Reason: what + " cannot start: " + err.Error()}
}

// timed prepares and runs a command. where says which run it is, for errors.
func (r *Runner) timed(ctx context.Context, c Command, where string) (ended, error) {
	if r.Prepare != "" {
		if err := r.auxiliary(ctx, "prepare", r.Prepare); err != nil {
			return ended{}, err
		}
	}
	if err := r.unchanged(c); err != nil {
		return ended{}, err
	}
	e, err := r.run(ctx, c.Words, true)
	if err != nil {
		return e, r.cannotStart(ctx, c.Line(), err)
	}
	text := r.failure(e)
	if text != "" && (!r.IgnoreFailure || e.Asked || e.State == nil) {
		return e, &collect.Failure{Reason: fmt.Sprintf("%s failed %s: %s", c.Line(), where, text), Output: e.said}
	}
	return e, nil
}

// failure describes why a process failed; "" if it succeeded.
func (r *Runner) failure(x ended) string {
	switch {
	case x.Asked:
		return fmt.Sprintf("it did not end within %v", r.TimeLimit)
	case x.State == nil:
		return fmt.Sprint(x.Err)
	case !x.State.Success():
		return x.State.String()
	}
	return ""
}

// ended is how a program ended.
type ended struct {
	proc.Exit
	said    string         // what it wrote to standard error
	machine result.Metrics // counters of the machine while it ran
}

// run runs a program in the directory of the experiment. timed says that it is one of those that are compared. An error
// means that it could not run, or that ctx was cancelled.
func (r *Runner) run(ctx context.Context, words []string, timed bool) (e ended, err error) {
	path, err := r.find(words[0])
	if err != nil {
		return e, err
	}
	complaints := &proc.Ends{}
	c := proc.Command{Path: path, Args: words, Dir: r.Dir, Env: append(os.Environ(), "PWD="+r.Dir), Stderr: complaints,
		TimeLimit: r.TimeLimit, Ask: proc.AskEnd, Grace: patience, Adopt: timed}
	if r.Output != nil {
		out := &shared{w: r.Output}
		c.Stdout, c.Stderr = out, io.MultiWriter(complaints, out)
	}
	if timed && r.Input != "" {
		f, err := openInput(r.Input)
		if err != nil {
			return e, err
		}
		defer f.Close()
		c.Stdin = f
	}
	var before, after host.Counters
	before.Read()
	e.Exit, err = c.Run(ctx)
	after.Read()
	e.said, e.machine = complaints.String(), after.Since(before)
	return e, err
}

// shared lets two streams write to one writer.
type shared struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}

// Run runs a command in a fresh process, as the trial of a sweep. A command that fails is a [*collect.Failure].
func (r *Runner) Run(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
	if err := r.Begin(ctx); err != nil {
		return trial.Outcome{}, err
	}
	i := slices.IndexFunc(r.Commands, func(c Command) bool { return c.Design == spec.Design })
	if i < 0 {
		return trial.Outcome{}, fmt.Errorf("there is no command %s", spec.Design)
	}
	x, err := r.timed(ctx, r.Commands[i], fmt.Sprintf("in block %d", spec.Block+1))
	if err != nil {
		return trial.Outcome{}, err
	}
	t := trial.Blank(spec)
	t.Status, t.Operations, t.WallSeconds = result.OK, 1, x.Wall.Seconds()
	t.Metrics = metricsOf(x)
	t.Answer = map[string]any{"exit_code": x.State.ExitCode()}
	if text := r.failure(x); text != "" {
		t.Warnings = append(t.Warnings, "failures are ignored: it ended with "+text)
	}
	if text := x.leftBehind(r.Output != nil); text != "" {
		t.Warnings = append(t.Warnings, text)
	}
	return trial.Outcome{Trial: t}, nil
}

// leftBehind describes the processes that a program left behind; "" if there are none. shown says that its output is
// shown: package proc then waits a second for it, instead of a tenth.
func (x ended) leftBehind(shown bool) string {
	held, names := errors.Is(x.Err, exec.ErrWaitDelay), strings.Join(x.Left.Names, ", ")
	switch {
	case names != "" && held && shown:
		return "it left processes behind (" + names + "), and its output stayed open: they were ended after a " +
			"second, their CPU time is counted, and further output is not shown; wait for them before the command ends"
	case names != "":
		return "it left processes behind (" + names + "), which were ended; their CPU time is counted: wait for " +
			"them before the command ends"
	case held && shown:
		return "its output was open for a second after its exit: a process that it left behind holds it, or its " +
			"reader is slow; its process group was ended, further output is not shown, and CPU time may be missing"
	case held:
		return "it left processes behind that held its output; its process group was ended, and the CPU time of " +
			"other processes may be missing"
	}
	return ""
}

// metricsOf returns what the kernel counted for a process that has ended, with its children that it waited for and the
// processes that it left behind.
func metricsOf(x ended) result.Metrics {
	user, system := (x.State.UserTime() + x.Left.User).Seconds(), (x.State.SystemTime() + x.Left.System).Seconds()
	m := result.Metrics{
		result.WallSeconds: result.Value(x.Wall.Seconds()), result.CPUSeconds: result.Value(user + system),
		"cpu_user_seconds": result.Value(user), "cpu_system_seconds": result.Value(system),
		result.Parallelism: result.Value((user + system) / x.Wall.Seconds()),
		result.MaxRSS:      max(maxResident(x.State), result.Value(x.Left.MaxRSS)),
	}
	for _, name := range []string{"steal_seconds", "machine_cpu_seconds", "throttled_periods", "load1"} {
		m[name] = x.machine.Get(name)
	}
	// Linux counts the memory of the process that starts a program as the program's own, until it starts.
	if own, ok := host.PeakResident(); ok {
		m[result.MemoryFloor] = result.Value(own)
	}
	return m
}

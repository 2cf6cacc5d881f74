package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/result"
)

// Runner starts trials.
type Runner struct {
	// Command is the program that calls Main, with its arguments; nil means the running one.
	Command []string
	// TimeLimit ends a trial that hangs, after its goroutines' stacks have been collected; 0 means none.
	TimeLimit time.Duration
	// OnStart, if set, is told the process number of every child.
	OnStart func(pid int)
}

// patience is how long a child may take to print its stacks, and haste to say how many goroutines it has, while memory
// gets less.
const (
	stackTimeout = 1500 * time.Millisecond
	countTimeout = 250 * time.Millisecond
)

// Run runs one trial in a fresh process and waits for it. A trial that crashes, deadlocks or hangs is
// an Outcome with the status failed; an error means that no trial could be run at all, or that ctx
// was cancelled.
func (r Runner) Run(ctx context.Context, spec Spec) (Outcome, error) {
	refuseChild()
	if err := spec.validate(); err != nil {
		return Outcome{}, err
	}
	command := r.Command
	if command == nil {
		exe, err := os.Executable()
		if err != nil {
			return Outcome{}, fmt.Errorf("cannot find the running program to start trials with: %w", err)
		}
		command = []string{exe}
	}
	line, err := json.Marshal(spec)
	if err != nil {
		return Outcome{}, err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.SysProcAttr = proc.OwnGroup()
	cpus := spec.Point.Int("cpus")
	if spec.Costs != "" {
		cpus = 1 // the simulation's own are another thing
	}
	cmd.Env = childEnv(os.Environ(), cpus)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return Outcome{}, err
	}
	stdout, stderr := &proc.Limited{Most: input.Words.Bytes()}, &proc.Ends{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	// A process that the child leaves behind with its pipes open must not keep us waiting. It is long enough for this
	// process to read what the child has written, also on a machine so busy that it does not run for a second.
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return Outcome{}, fmt.Errorf("cannot start a trial: %w", err)
	}
	if r.OnStart != nil {
		r.OnStart(cmd.Process.Pid)
	}
	how, err := r.await(ctx, cmd, stdin, string(line)+"\n")
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	if how.full != nil {
		o := Outcome{Trial: Blank(spec), Failure: stderr.String()}
		o.Trial.Status, o.Trial.Error = result.Failed, fullChild(stderr.String(), *how.full).Error()
		return o, nil
	}
	return conclude(spec, stdout.Bytes(), stderr.String(), how.hung, err), nil
}

// ending is what ended a child that did not end by itself.
type ending struct {
	hung bool   // the time limit came first
	full *usage // the memory guard ended it; nil: it did not
}

// await gives the child its specification and waits for it. Whatever the child started has ended when it returns.
func (r Runner) await(ctx context.Context, cmd *exec.Cmd, stdin io.Writer, specification string) (how ending,
	err error) {
	done := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		proc.EndGroup(cmd.Process) // what it started, and left behind
		done <- err
	}()
	// A child that does not read must not keep us from the limit, nor from an interrupt. One that is gone
	// already is reported by Wait, which also ends a write that nobody takes.
	words := make(chan string, 3)
	words <- specification
	defer close(words)
	go func() {
		for word := range words {
			io.WriteString(stdin, word)
		}
	}()
	over := make(chan struct{})
	defer close(over)
	full := guardChild(childMemory(cmd.Process.Pid), over)
	var expired, giveUp <-chan time.Time
	if r.TimeLimit > 0 {
		limit := time.NewTimer(r.TimeLimit)
		defer limit.Stop()
		expired = limit.C
	}
	for {
		select {
		case err := <-done:
			return how, err
		case <-ctx.Done():
			proc.EndGroup(cmd.Process)
			return how, <-done
		case <-expired:
			how.hung = true
			words <- wordStacks
			giveUp = time.After(stackTimeout)
		case u := <-full:
			how.full = &u
			words <- wordCount
			giveUp = time.After(countTimeout)
		case <-giveUp:
			proc.EndGroup(cmd.Process)
			return how, <-done
		}
	}
}

// childEnv is the environment of a child: the parent's, with the CPUs of the trial.
func childEnv(environ []string, cpus int) []string {
	env := make([]string, 0, len(environ)+2)
	for _, kv := range environ {
		if !strings.HasPrefix(kv, "GOMAXPROCS=") && !strings.HasPrefix(kv, Sentinel+"=") {
			env = append(env, kv)
		}
	}
	return append(env, "GOMAXPROCS="+strconv.Itoa(cpus), Sentinel+"="+protocol)
}

// raceExit is the exit code of a program whose race detector reported something.
const raceExit = 66

// conclude turns what the child left into an outcome. A whole one counts, also if the limit was over when
// it came: it may have waited while this process was stopped.
func conclude(spec Spec, stdout []byte, stderr string, hung bool, waitErr error) Outcome {
	var o Outcome
	parsed := json.Unmarshal(stdout, &o) == nil && o.Trial.Kind != ""
	var exit *exec.ExitError
	raced := errors.As(waitErr, &exit) && exit.ExitCode() == raceExit
	left := errors.Is(waitErr, exec.ErrWaitDelay) // the child itself ended well
	switch {
	case raced:
		if !parsed { // GORACE=halt_on_error=1 ends the process at once
			o = Outcome{Trial: Blank(spec)}
		}
		o.Trial.Status, o.Trial.Error = result.Violated, "the race detector reported a data race"+racePosition(stderr)
		o.Failure = stderr
		return o
	case parsed && (waitErr == nil || left):
		if o.Trial.Status == result.Failed {
			o.Failure = stderr // of the others, the error says it all
		}
		if left {
			o.Trial.Warnings = append(o.Trial.Warnings, "it left processes behind, which kept its output open: let "+
				"the design end what it starts")
		}
		return o
	}
	o = Outcome{Trial: Blank(spec), Failure: stderr}
	o.Trial.Status = result.Failed
	switch {
	case hung:
		o.Trial.Error = "the trial did not end within its time limit: " + describeHang(stderr)
		o.Limited = spec.Costs != ""
	case waitErr != nil:
		o.Trial.Error = fmt.Sprintf("the trial's process ended with %s: %s", exitText(waitErr), headline(stderr))
	default:
		o.Trial.Error = "the trial's process ended without a result: " + headline(stderr)
	}
	return o
}

// describe says how a process ended.
func exitText(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ProcessState.String()
	}
	return err.Error()
}

// headline is the line of a crash report that says what happened.
func headline(stderr string) string {
	first := ""
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") ||
			strings.HasPrefix(line, "brewput:") {
			return line
		}
		if first == "" {
			first = line
		}
	}
	if first == "" {
		return "it printed nothing"
	}
	return first
}

// whereItHangs reads a dump of stacks: a design that waits is stuck, one that runs may need more time.
func describeHang(dump string) string {
	waits := ""
	for block := range strings.SplitSeq(dump, "\n\n") {
		state, place := designFrame(block)
		switch {
		case place == "":
		case state == "running" || state == "runnable":
			return fmt.Sprintf("the design was still working at %s; give it a longer time limit if it is "+
				"not caught in a loop", place)
		case waits == "":
			waits = fmt.Sprintf("deadlock or hang; a goroutine waits (%s) at %s", state, place)
		}
	}
	if n := goroutineCount(dump); waits == "" && n > maxDumped {
		return fmt.Sprintf("it has %d goroutines, too many to look at; let fewer live at a time", n)
	}
	if waits == "" {
		return "its stacks show no goroutine of the design"
	}
	return waits
}

// designFrame is the first place outside the runtime and the harness of one goroutine of a dump, and
// the goroutine's state.
func designFrame(block string) (state, place string) {
	lines := strings.Split(block, "\n")
	for i := 1; i+1 < len(lines); i += 2 {
		fn := lines[i]
		if strings.HasPrefix(fn, "created by") || strings.Contains(fn, "/brewput/trial.(") ||
			strings.Contains(fn, "/brewput/load.(") {
			return "", "" // a design is called by the load loop, so its frames stand above
		}
		if isHarness(fn) || strings.Contains(lines[i+1], ".s:") {
			continue
		}
		_, after, _ := strings.Cut(lines[0], "[")
		state, _, _ = strings.Cut(after, "]")
		state, _, _ = strings.Cut(state, ",") // without how long it has waited
		place, _, _ = strings.Cut(strings.TrimSpace(lines[i+1]), " ")
		return state, shortPosition(place)
	}
	return "", ""
}

func shortPosition(place string) string {
	parts := strings.Split(place, "/")
	if len(parts) > 2 {
		parts = parts[len(parts)-2:]
	}
	return strings.Join(parts, "/")
}

// isHarness reports whether a stack frame is the runtime's, the standard library's or ours.
func isHarness(frame string) bool {
	const module = "github.com/brewput/brewput"
	for _, p := range []string{
		"runtime.", "runtime/", "sync.", "sync/", "iter.", "internal/", "time.", "os.", "os/", "io.", "bufio.",
		"syscall.", "reflect.",
		module + "/trial.", module + "/load.", module + "/env.", module + "/env/live.", module + "/env/virtual.",
		module + "/sim.", module + "/internal/calibrate.", module + "/internal/cli.",
		module + "/internal/hist.", module + "/internal/host.", module + ".", "golang.org/x/sys/", "main.main(",
	} {
		if strings.HasPrefix(frame, p) {
			return true
		}
	}
	return false
}

// Blank is a trial's record before anything was measured.
func Blank(spec Spec) result.Trial {
	kind := result.KindTrial
	if spec.Instrumented {
		kind = result.KindInstrumented
	}
	world := result.Live
	if spec.Costs != "" {
		world = result.Virtual
	}
	return result.Trial{
		Kind: kind, SchemaVersion: result.SchemaVersion,
		Workload: spec.Workload, Design: spec.Design, World: world,
		Point: spec.Point, Block: spec.Block, Order: spec.Order,
		Seed: strconv.FormatUint(spec.Seed, 10), Open: spec.Open != nil,
		Metrics: result.Metrics{}, Resources: []result.Resource{}, Warnings: []string{},
		Answer: map[string]any{},
	}
}

package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/result"
)

// Runner runs trials in child processes. Its zero value re-executes the running program.
type Runner struct {
	// Command is the program that calls Main, with its arguments; nil means the running program.
	Command []string
	// TimeLimit ends a trial that hangs, after the stacks of its goroutines were collected; 0 means no limit.
	TimeLimit time.Duration
	// OnStart, if not nil, is called with the process ID of every child.
	OnStart func(pid int)
}

// stackTimeout is the time that a child has to print its stacks. countTimeout is the time that it has to print
// its number of goroutines, while it uses up memory.
const (
	stackTimeout = 1500 * time.Millisecond
	countTimeout = 250 * time.Millisecond
)

// Run runs one trial in a fresh process and waits for it. A trial that crashes, deadlocks or hangs is an
// Outcome with the status failed. An error means that no trial could be run, or that ctx was cancelled. In the child of
// a trial, Run always returns an error.
//
// Run starts the process itself, not by a proc.Command, because it talks to the child through its standard
// input.
func (r Runner) Run(ctx context.Context, spec Spec) (Outcome, error) {
	if err := refuseChild(); err != nil {
		return Outcome{}, err
	}
	if err := spec.validate(); err != nil {
		return Outcome{}, err
	}
	command := r.Command
	if command == nil {
		exe, err := programFile()
		if err != nil {
			return Outcome{}, fmt.Errorf("cannot start trials with the running program: %w", err)
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
		cpus = 1 // the CPUs of the simulation are simulated
	}
	cmd.Env = proc.TrialEnv(os.Environ(), strconv.Itoa(cpus), protocol)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return Outcome{}, err
	}
	stdout, stderr := &proc.Limited{Most: input.Messages.Bytes()}, &proc.Ends{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	// A process that the child leaves behind with its pipes open must not block Wait for ever. The delay is
	// long enough for this process to read the child's output, even on a machine so busy that it does not run
	// for a second.
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

// endReason is the reason why the parent ended a child.
type endReason struct {
	hung bool   // the time limit expired
	full *usage // the memory guard ended it; nil: it did not
}

// await sends the child its specification and waits for its end. When await returns, all processes that the
// child started have ended.
func (r Runner) await(ctx context.Context, cmd *exec.Cmd, stdin io.Writer, specification string) (how endReason,
	err error) {
	done := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		proc.EndGroup(cmd.Process) // also processes that it left behind
		done <- err
	}()
	// Writing in a goroutine of its own keeps a child that does not read from delaying the limit or an
	// interrupt. If the child has already exited, Wait reports it, and also ends a blocked write.
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
			words <- commandStacks
			giveUp = time.After(stackTimeout)
		case u := <-full:
			how.full = &u
			words <- commandCount
			giveUp = time.After(countTimeout)
		case <-giveUp:
			proc.EndGroup(cmd.Process)
			return how, <-done
		}
	}
}

// Blank returns the record of a trial without any measurement.
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

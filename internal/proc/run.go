package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Command is a program to run without a shell. Path, Args and Env are required.
type Command struct {
	Path           string    // path of the executable file
	Args           []string  // including the name of the program, as in os.Args
	Dir            string    // working directory; "": that of this process
	Env            []string  // the whole environment
	Stdin          *os.File  // nil: empty
	Stdout, Stderr io.Writer // such as [Ends] or [Limited]
	WorkRoot       string    // directory in which its process group is recorded, see [Record]; "": not recorded

	Detached  bool              // it may continue if this process is killed, because it must not stop halfway
	TimeLimit time.Duration     // after this it is asked to end; 0: no limit
	Ask       func(*os.Process) // asks it to end, such as [AskEnd]
	Grace     time.Duration     // time to end after Ask, before it is killed
	Done      func() bool       // reports whether it may be asked to end before the limit; nil: never
	DoneAfter time.Duration     // Done is not called before this time
	Exited    func(pid int)     // Linux: called before the child is reaped; may be nil
	Adopt     bool              // Linux: count the CPU time of the processes of its group that it did not wait for
}

// Exit describes how a command ended.
type Exit struct {
	State *os.ProcessState // nil if it could not be waited for
	Err   error            // error of [exec.Cmd.Wait], such as [exec.ErrWaitDelay] if it left processes behind
	Wall  time.Duration    // time until its exit
	Asked bool             // it was asked to end, because of TimeLimit or Done
	Left  Orphans          // what Adopt counted
}

// Orphans describes processes that a command started and did not wait for. They are not in its [os.ProcessState].
type Orphans struct {
	Names        []string // of those that were alive after its exit, and were ended; each once
	User, System time.Duration
	MaxRSS       int64 // peak resident memory of the largest, in bytes
}

// adoptDelay bounds for how long processes that a command leaves behind may hold its output. Their CPU time counts.
const adoptDelay = 100 * time.Millisecond

// Run runs the command in a process group of its own and waits for it. No process of that group is left when
// Run returns. An error means that the command could not run, or that ctx was cancelled.
//
// The caller bounds the output by the writers that it gives: [Ends] or [Limited].
func (c Command) Run(ctx context.Context) (Exit, error) {
	cmd := &exec.Cmd{Path: c.Path, Args: c.Args, Dir: c.Dir, Env: c.Env, Stdout: c.Stdout, Stderr: c.Stderr,
		SysProcAttr: c.attributes(), WaitDelay: time.Second}
	if c.Stdin != nil { // otherwise the interface would hold a nil pointer
		cmd.Stdin = c.Stdin
	}
	if c.WorkRoot != "" {
		cmd.Env = append(c.Env[:len(c.Env):len(c.Env)], Mark(c.WorkRoot))
	}

	if ctx.Err() != nil {
		return Exit{}, ctx.Err()
	}

	if c.Adopt {
		defer adopt()()
		if c.Stdout == nil { // otherwise a slow reader may need longer
			cmd.WaitDelay = adoptDelay
		}
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return Exit{}, fmt.Errorf("cannot start %s: %w", c.Path, err)
	}
	if c.WorkRoot != "" {
		if err := Record(c.WorkRoot, cmd.Process); err != nil {
			EndGroup(cmd.Process)
			return Exit{}, errors.Join(fmt.Errorf("the process cannot be recorded in %s: %w", c.WorkRoot, err),
				cmd.Wait())
		}
	}

	var e Exit
	done := make(chan struct{})
	go func() {
		defer close(done)
		if awaitExit(cmd.Process.Pid) {
			e.Wall = time.Since(began) // Wait also waits for the end of the streams
			if c.Exited != nil {
				c.Exited(cmd.Process.Pid)
			}
		}
		e.Err = cmd.Wait()
		if e.Wall == 0 {
			e.Wall = time.Since(began)
		}
		if c.Adopt {
			e.Left = endOrphans(cmd.Process)
			return
		}
		EndGroup(cmd.Process) // also processes that it left behind
	}()
	asked := c.await(ctx, cmd.Process, done)
	e.State, e.Asked = cmd.ProcessState, asked
	return e, ctx.Err()
}

// attributes returns the process attributes of the command.
func (c Command) attributes() *syscall.SysProcAttr {
	if c.Detached {
		return OwnGroup()
	}
	return DieWithParent()
}

// await waits until the process has ended, and ends it if necessary. It reports whether it asked the process to
// end.
func (c Command) await(ctx context.Context, p *os.Process, done <-chan struct{}) (asked bool) {
	var limit, soon, look <-chan time.Time
	if c.TimeLimit > 0 {
		timer := time.NewTimer(c.TimeLimit)
		defer timer.Stop()
		limit = timer.C
	}
	if c.Done != nil {
		timer := time.NewTimer(c.DoneAfter)
		defer timer.Stop()
		soon = timer.C
	}
	for {
		select {
		case <-done:
			return false
		case <-ctx.Done():
			EndGroup(p)
			<-done
			return false
		case <-limit:
			c.end(ctx, p, done)
			return true
		case <-soon: // no timer wakes this CPU before
			ticker := time.NewTicker(10 * time.Millisecond)
			defer ticker.Stop()
			look = ticker.C
		case <-look:
			if c.Done() {
				c.end(ctx, p, done)
				return true
			}
		}
	}
}

// end asks a process to end, and kills it if it does not.
func (c Command) end(ctx context.Context, p *os.Process, done <-chan struct{}) {
	c.Ask(p)
	grace := time.NewTimer(c.Grace)
	defer grace.Stop()
	select {
	case <-done:
		return
	case <-ctx.Done():
	case <-grace.C:
	}
	EndGroup(p)
	<-done
}

// Tool runs a tool, such as go or git, and returns its output, at most most bytes of each stream. The error
// holds what the tool printed about the problem. Tool uses Dir, Env, WorkRoot and Detached of c. After ctx is
// cancelled, no process of the tool is left.
func (c Command) Tool(ctx context.Context, most int64, name string, args ...string) (stdout, stderr string, err error) {
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrNotFound) {
		return "", "", fmt.Errorf("the command %s is not installed, or not in PATH", name)
	}
	if err != nil {
		return "", "", err
	}

	out, complaints := &Limited{Most: most}, &Limited{Most: most}
	c.Path, c.Args, c.Stdout, c.Stderr = path, append([]string{name}, args...), out, complaints
	e, err := c.Run(ctx)
	if err == nil && !errors.Is(e.Err, exec.ErrWaitDelay) {
		err = e.Err
	}

	command := name + " " + strings.Join(args, " ")
	text := strings.TrimSpace(complaints.String())
	if text == "" {
		text = strings.TrimSpace(out.String())
	}
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err != nil && text != "":
		err = errors.New(text)
	case err != nil:
		err = fmt.Errorf("%s: %w", command, err)
	case out.Dropped:
		err = fmt.Errorf("%s printed more than %d MB", command, most>>20)
	}
	return out.String(), complaints.String(), err
}

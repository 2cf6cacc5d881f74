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

// Command is a program to run, without a shell. Path, Args and Env are required.
type Command struct {
	Path           string    // of the executable file
	Args           []string  // with the name that the program is called by
	Dir            string    // "" is this process's
	Env            []string  // all of it
	Stdin          *os.File  // nil is empty
	Stdout, Stderr io.Writer // such as [Ends] or [Limited]
	WorkRoot       string    // where its process group is recorded, see [Record]; "" is nowhere

	Detached  bool              // it may go on if this process is killed, because it must not stop halfway
	TimeLimit time.Duration     // after which it is asked to end; 0 is never
	Ask       func(*os.Process) // asks it, such as [AskEnd]
	Grace     time.Duration     // how long it may take then, before it is killed
	Done      func() bool       // whether it may be asked to end already; nil is never
	DoneAfter time.Duration     // Over is not called before
	Exited    func(pid int)     // Linux: reads what the kernel forgets when the parent waits; may be nil
}

// Ended is how a command ended.
type Exit struct {
	State *os.ProcessState // nil if nobody could wait for it
	Err   error            // of [exec.Cmd.Wait], such as [exec.ErrWaitDelay] if it left processes behind
	Wall  time.Duration    // to its exit
	Asked bool             // to end, because of Limit or Over
}

// Run runs the command in a process group of its own until it ends. Nothing that it started in that group is left when
// Run returns. An error says that it could not be run, or that ctx was cancelled.
func (c Command) Run(ctx context.Context) (Exit, error) {
	cmd := &exec.Cmd{Path: c.Path, Args: c.Args, Dir: c.Dir, Env: c.Env, Stdout: c.Stdout, Stderr: c.Stderr,
		SysProcAttr: c.attributes(), WaitDelay: time.Second}
	if c.Stdin != nil { // else the interface would hold a nil pointer
		cmd.Stdin = c.Stdin
	}
	if c.WorkRoot != "" {
		cmd.Env = append(c.Env[:len(c.Env):len(c.Env)], Mark(c.WorkRoot))
	}
	if ctx.Err() != nil {
		return Exit{}, ctx.Err()
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
			e.Wall = time.Since(began) // Wait also waits for the ends of its streams
			if c.Exited != nil {
				c.Exited(cmd.Process.Pid)
			}
		}
		e.Err = cmd.Wait()
		if e.Wall == 0 {
			e.Wall = time.Since(began)
		}
		EndGroup(cmd.Process) // what it left behind
	}()
	asked := c.await(ctx, cmd.Process, done)
	e.State, e.Asked = cmd.ProcessState, asked
	return e, ctx.Err()
}

func (c Command) attributes() *syscall.SysProcAttr {
	if c.Detached {
		return OwnGroup()
	}
	return DieWithParent()
}

// await waits for the end of the process and brings it about. It reports whether it asked for it.
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
		case <-soon: // before, nothing wakes this CPU
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

// Tool runs a command of a tool, such as go or git, and returns what it prints, up to most bytes of each stream. The
// error holds what it complains of. Dir, Env, Place and Survives of c count. After ctx is cancelled nothing of it is
// left.
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

package collect

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/result"
)

// program is what is run, as it is given: no shell is between.
type program struct {
	path     string   // of the executable file
	args     []string // with the name that the program is called by
	dir      string
	env      []string // beside this process's
	cpuFlag  string   // takes the number of CPUs too; "" for none
	stdin    string   // a file; "" is none
	workRoot string   // where its process group is recorded, for the case that this process is killed; "" is nowhere
}

// ended is what one run of a program came to.
type outcome struct {
	wall           time.Duration
	user, system   time.Duration
	children       time.Duration // CPU time of the processes that it waited for
	voluntary      int64
	involuntary    int64
	io             ioCounts
	otherCPUs      float64 // CPUs that others used, in the mean
	throttled      int64   // periods of a quota
	cut            bool    // it was ended, as the time was over
	code           int     // of its exit; -1 where a signal ended it
	state          string  // how it ended, in words
	stdout, stderr string
	operations     int64 // of a trial
}

// ioCounts are what the kernel counts of a process; -1 where it does not tell.
type ioCounts struct{ reads, writes, readBytes, writeBytes int64 }

func unknownIO() ioCounts { return ioCounts{-1, -1, -1, -1} }

// crashed reports whether the program did not end as programs do: a signal, or an error of the Go runtime.
func (e outcome) crashed() bool {
	return !e.cut && (e.code < 0 || e.code == 2 && runtimeError(e.stderr) != "")
}

// complaint is the line by which the Go runtime says that the program is broken, "" where there is none.
func runtimeError(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") ||
			strings.HasPrefix(line, "runtime:") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// headline is the line of a program's output that says best what went wrong.
func headline(text string) string {
	if line := runtimeError(text); line != "" {
		return line
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return "it printed nothing"
}

// manners is how long a process that was asked to end may take.
const exitGrace = 500 * time.Millisecond

// run runs the program until it ends. From the time soon on it is asked to end once over says so, and at the limit in
// any case; if it does not it is killed, with all that it started. An error says that it could not be run, or that ctx
// was cancelled; nothing of it is left then either.
func (p program) run(ctx context.Context, soon, limit time.Duration, over func() bool) (outcome, error) {
	stdout, stderr := &proc.Ends{}, &proc.Ends{}
	e := outcome{io: unknownIO()}
	c := proc.Command{
		Path: p.path, Args: p.args, Dir: p.dir, Env: append(os.Environ(), p.env...), Stdout: stdout, Stderr: stderr,
		WorkRoot: p.workRoot,
		Limit:    limit, Soon: soon, Over: over, Ask: proc.AskEnd, Grace: exitGrace,
		Exited: func(pid int) { e.io, e.children = beforeReaping(pid) },
	}
	if p.stdin != "" {
		f, err := os.Open(p.stdin) // the copy that Stdin made
		if err != nil {
			return outcome{}, err
		}
		defer f.Close()
		c.Stdin = f
	}

	var before, after host.Counters
	before.Read()
	began := time.Now()
	x, err := c.Run(ctx)
	if err != nil {
		return outcome{}, err
	}

	after.Read()
	e.wall, e.cut, e.stdout, e.stderr = x.Wall, x.Asked, stdout.String(), stderr.String()
	if x.Err != nil && x.State == nil {
		return e, x.Err
	}

	e.code, e.state = x.State.ExitCode(), x.State.String()
	if errors.Is(x.Err, exec.ErrWaitDelay) {
		e.state += ", and left processes behind"
	}

	e.user, e.system = x.State.UserTime(), x.State.SystemTime()
	e.voluntary, e.involuntary = contextSwitches(x.State)
	e.addMachine(after.Since(before), time.Since(began))
	return e, nil
}

// around adds what the machine did meanwhile.
func (e *outcome) addMachine(m result.Metrics, span time.Duration) {
	if busy := m.Get("machine_cpu_seconds"); busy.Known() {
		e.otherCPUs = max(0, float64(busy)-(e.user+e.system).Seconds()) / span.Seconds()
	}
	if n := m.Get("throttled_periods"); n.Known() {
		e.throttled = int64(n)
	}
}

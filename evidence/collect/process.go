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

// program is a command line and its environment. No shell is involved.
type program struct {
	path     string   // path of the executable file
	args     []string // with the name of the program first
	dir      string
	env      []string // added to the environment of this process
	cpuFlag  string   // flag that also takes the number of CPUs; "" for none
	stdin    string   // a file; "" for none
	workRoot string   // directory that records its process group, in case this process is killed; "" for none
}

// outcome is the result of one run of a program.
type outcome struct {
	wall           time.Duration
	user, system   time.Duration
	children       time.Duration // CPU time of its child processes
	kernel         kernelCounts
	io             ioCounts
	otherCPUs      float64       // mean number of CPUs that other processes used
	throttled      int64         // number of throttled periods
	stopped        time.Duration // time that a quota stopped it
	cut            bool          // the run was ended at its time limit
	code           int           // exit code; -1 if a signal ended it
	state          string        // exit status in words
	stdout, stderr string
	operations     int64 // of a trial only
}

// ioCounts are the kernel's counts for a process; -1 if unknown.
type ioCounts struct{ reads, writes, readBytes, writeBytes int64 }

// kernelCounts are more of the kernel's counts for a process; 0 if unknown.
type kernelCounts struct{ voluntary, involuntary, faults, peakBytes int64 }

func unknownIO() ioCounts { return ioCounts{-1, -1, -1, -1} }

// crashed reports whether a signal or an error of the Go runtime ended the program.
func (e outcome) crashed() bool {
	return !e.cut && (e.code < 0 || e.code == 2 && runtimeError(e.stderr) != "")
}

// runtimeError returns the line with which the Go runtime reports a fatal error, or "".
func runtimeError(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") ||
			strings.HasPrefix(line, "runtime:") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// headline returns the line of a program's output that best describes a failure.
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

// exitGrace is how long a process may take to end after it was asked to.
const exitGrace = 500 * time.Millisecond

// run runs the program until it ends. From the time soon on, the program is asked to end once over reports true, and at
// limit in any case. If it does not end, it is killed with all processes that it started. An error means that it could
// not run or that ctx was cancelled; no process is left then either.
func (p program) run(ctx context.Context, soon, limit time.Duration, over func() bool) (outcome, error) {
	stdout, stderr := &proc.Ends{}, &proc.Ends{}
	e := outcome{io: unknownIO()}
	c := proc.Command{
		Path: p.path, Args: p.args, Dir: p.dir, Env: append(os.Environ(), p.env...), Stdout: stdout, Stderr: stderr,
		WorkRoot:  p.workRoot,
		TimeLimit: limit, DoneAfter: soon, Done: over, Ask: proc.AskEnd, Grace: exitGrace,
		Exited: func(pid int) { e.io, e.children = beforeReaping(pid) },
	}
	if p.stdin != "" {
		f, err := os.Open(p.stdin) // the copy made by CopyStdin
		if err != nil {
			return outcome{}, err
		}
		defer f.Close()
		c.Stdin = f
	}

	stopped := host.ThrottledTime()
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
	e.kernel = countsOf(x.State)
	e.addMachine(after.Since(before), time.Since(began))
	e.stopped = stoppedTime(e.wall, host.ThrottledTime()-stopped, e.user+e.system)
	return e, nil
}

// stoppedTime returns how long a quota stopped a run, given how long it stopped CPUs, summed over them, and the CPU
// time of the run. A quota stops the CPUs that the run uses, so it takes the same fraction of the elapsed time as of
// the CPU time that the run would have used.
func stoppedTime(wall, cpus, used time.Duration) time.Duration {
	if cpus <= 0 {
		return 0
	}
	return time.Duration(float64(wall) * float64(cpus) / float64(cpus+used))
}

// addMachine adds the load of the machine during the run.
func (e *outcome) addMachine(m result.Metrics, span time.Duration) {
	if busy := m.Get("machine_cpu_seconds"); busy.Known() {
		e.otherCPUs = max(0, float64(busy)-(e.user+e.system).Seconds()) / span.Seconds()
	}
	if n := m.Get("throttled_periods"); n.Known() {
		e.throttled = int64(n)
	}
}

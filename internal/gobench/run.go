package gobench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// testRun is the outcome of a process of a test binary.
type testRun struct {
	stdout, stderr string
	problem        string // "" if it succeeded
	crashed        bool   // it did not exit as a failed test does
	limited        bool   // it reached its time limit
	cpu            time.Duration
	wall           time.Duration
}

// printed returns all output. stderr comes last, because it may end in a dump of stacks.
func (e testRun) printed() string {
	if e.stdout != "" && !strings.HasSuffix(e.stdout, "\n") {
		return e.stdout + "\n" + e.stderr
	}
	return e.stdout + e.stderr
}

// patience is the time that a hanging process has to print its stacks.
const patience = 5 * time.Second

// run runs the binary as go test does: in its package's directory, without standard input. Its processes have
// all ended when run returns. An error means that it could not be run, or that ctx was cancelled.
func (b Binary) run(ctx context.Context, env []string, limit time.Duration, args ...string) (testRun, error) {
	stdout, stderr := &proc.Ends{}, &proc.Ends{}
	x, err := proc.Command{
		Path: b.Path, Args: slices.Concat([]string{b.Path}, args, []string{"-test.paniconexit0", "-test.timeout=0"}),
		Dir: b.Dir,
		Env: append(append(os.Environ(), env...), "PWD="+b.Dir), Stdout: stdout, Stderr: stderr, WorkRoot: b.WorkRoot,
		TimeLimit: limit, Ask: proc.AskStacks, Grace: patience,
	}.Run(ctx)
	if err != nil {
		return testRun{}, err
	}
	e := testRun{stdout: stdout.String(), stderr: stderr.String(), wall: x.Wall}
	if x.State != nil {
		e.cpu = x.State.UserTime() + x.State.SystemTime()
	}
	e.conclude(x, limit)
	return e, nil
}

// conclude sets what the end of the process says. A run that succeeded counts even if the limit expired: it may have
// waited while this process was stopped.
func (e *testRun) conclude(x proc.Exit, limit time.Duration) {
	switch {
	case x.Err == nil || errors.Is(x.Err, exec.ErrWaitDelay):
	case x.Asked:
		e.crashed, e.limited = true, true
		e.problem = fmt.Sprintf("it did not end within %v: it is deadlocked, in an endless loop, or needs a longer "+
			"time limit", limit)
	default:
		e.crashed = x.State == nil || x.State.ExitCode() != 1
		e.problem = fmt.Sprintf("its process ended with %v", x.Err) + causeText(e.stderr+"\n"+e.stdout)
	}
}

// causeText returns the cause of a failure as the end of a message.
func causeText(text string) string {
	if line := headline(text); line != "" {
		return ": " + line
	}
	return "; it printed no reason"
}

// testingLine matches lines that package testing prints for every benchmark, which say nothing about a failure.
var testingLine = regexp.MustCompile(`^((goos|goarch|pkg|cpu): |=== |--- |(PASS|FAIL)$|Benchmark\S*([ \t]+\d+\t.*)?$)`)

// headline returns the line that gives the cause of a failure: the panic, or the first line of the program's
// own output.
func headline(text string) string {
	first := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") {
			return line
		}
		if first == "" && !testingLine.MatchString(line) {
			first = line
		}
	}
	return first
}

// Job is one trial: a benchmark in a fresh process.
type Job struct {
	Binary
	Name  string
	CPUs  int
	Time  string // value of -benchtime
	Env   []string
	Limit time.Duration
}

// Trial runs the job and completes the record of a trial that has no values yet.
func (j Job) Trial(ctx context.Context, t result.Trial) (trial.Outcome, error) {
	var before, after host.Counters
	before.Read()
	env := append(j.Env[:len(j.Env):len(j.Env)], "GOMAXPROCS="+strconv.Itoa(j.CPUs))
	e, err := j.run(ctx, env, j.Limit, "-test.run=^$", "-test.bench="+exactPattern(j.Name),
		"-test.benchtime="+j.Time,
		"-test.cpu="+strconv.Itoa(j.CPUs), "-test.benchmem", "-test.v", "-test.count=1")
	if err != nil {
		return trial.Outcome{}, err
	}
	after.Read()
	lines := Parse(e.stdout, j.CPUs)
	var line *Line
	for i := range lines {
		if lines[i].Name == j.Name {
			line = &lines[i]
		}
	}
	t.Type = result.Benchmark
	o := trial.Outcome{Trial: t}
	switch {
	case e.problem != "" || line == nil:
		o.Trial.Status, o.Trial.Error = result.Failed, e.problem
		if f := failed(e.stdout); len(f) > 0 {
			o.Trial.Error = complaint(e.stdout, f[0])
		} else if o.Trial.Error == "" {
			o.Trial.Error = "it printed no result" + causeText(e.stderr+"\n"+e.stdout)
		}
		o.Failure, o.Limited = e.printed(), e.limited
		return o, nil
	}
	o.Trial.Status, o.Trial.Operations, o.Trial.Metrics = result.OK, line.N, line.Metrics()
	o.Trial.WallSeconds = float64(line.N) * float64(o.Trial.Metrics.Get(result.TimePerOp)) / 1e9
	if !(o.Trial.WallSeconds > 0) {
		o.Trial.WallSeconds = e.wall.Seconds()
	}
	o.Trial.Answer = map[string]any{}
	if d := Directions(e.stdout); len(d) > 0 {
		o.Trial.Answer = map[string]any{"better": d}
	}
	addMachineCounters(o.Trial.Metrics, after.Since(before), e)
	if float64(o.Trial.Metrics.Get(result.TimePerOp)) < minPerOp {
		// Equal texts in all trials give one warning.
		o.Trial.Warnings = append(o.Trial.Warnings,
			fmt.Sprintf("an operation takes less than %v ns, which no CPU can do: the benchmark does not repeat its "+
				"work b.N times; loop with b.Loop, or over b.N", minPerOp))
		for _, m := range []string{result.CPUPerOp, result.MutexPerOp, result.GCPerOp, result.SchedPerOp} {
			delete(o.Trial.Metrics, m) // meaningless values
		}
	}
	return o, nil
}

// minPerOp is a lower bound of the time of an operation that runs b.N times, in nanoseconds: one byte of a
// vector takes longer.
const minPerOp = 0.001

// addMachineCounters adds the machine's counters during the process, which the warnings of a run use.
func addMachineCounters(m, since result.Metrics, e testRun) {
	for _, name := range []string{"steal_seconds", "machine_cpu_seconds", "throttled_periods", "load1"} {
		m[name] = since.Get(name)
	}
	m[result.CPUSeconds] = result.Value(e.cpu.Seconds())
	m[result.Parallelism] = result.Value(e.cpu.Seconds() / e.wall.Seconds())
}

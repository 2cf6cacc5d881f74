package collect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/hook"
)

// Limits of the collection.
const (
	// samples of a CPU profile that are enough: the 95% interval of a share of 30% is then +-6.5 points
	enoughSamples = 200
	fewSamples    = 100             // samples of a CPU profile below which there is a note
	repeatFor     = 5 * time.Second // total time of the runs for a CPU profile
	maxRepeats    = 40
	shortWindow   = 3 * time.Second // time that a program that does not end is watched
	maxTraceTime  = 5 * time.Second
	slack         = 3 * time.Second // time for the hook to write
	quickRepeat   = time.Second     // repeatFor of a quick collection
)

// QuickLimit is the time for all runs of a program in a quick collection, after the build: they are cut so that all
// fit. Trials of a design end by themselves. See Options.Quick.
const QuickLimit = 4 * time.Second

// Failure is the error of a program that crashes, or of tests that fail.
type Failure struct {
	Reason string // what happened, for the user
	Output string // the end of the program's output
}

func (f *Failure) Error() string { return f.Reason }

// collector collects the evidence of one target.
type collector struct {
	*target
	*Collected
	opts Options
	work string
	// one run with the hook; nil if there is no hook
	runHooked func(ctx context.Context, r hook.Request, cpus int) (outcome, error)
	window    time.Duration
	endless   bool
	// The elapsed time comes from the hook: only a part of the process is measured, or the process does not report it.
	insideTimes bool
	deadline    time.Time
	cpuLevels   []int
	runs        map[int][]plainRun // runs without a profiler, by number of CPUs
	// without a profiler; nil for benchmarks, whose first run counts operations, and if the hook of a trial failed
	first    *plainRun
	cpu      cpuRuns
	skipped  []string
	ran      int       // runs of the program so far
	began    time.Time // when the collection began
	profiled []profiledRun
}

// profiledRun is the elapsed time of a run with a profiler.
type profiledRun struct {
	kind string
	wall time.Duration
}

// newCollector returns a collector for a target that keeps its temporary files in work.
func newCollector(s *target, c *Collected, work string, o Options) *collector {
	s.plain.stdin, s.plain.workRoot = o.Stdin, work
	if s.buildConfig != nil {
		s.buildConfig.work = work
	}
	if o.deadline.IsZero() {
		o.deadline = time.Now().Add(o.TimeLimit)
	}
	levels := o.levels()
	if o.Quick {
		levels = levels[len(levels)-1:]
	}
	return &collector{target: s, Collected: c, opts: o, work: work, window: o.Duration, deadline: o.deadline,
		cpuLevels: levels, runs: map[int][]plainRun{}, began: time.Now()}
}

// top returns the most CPUs of a run.
func (k *collector) top() int { return k.cpuLevels[len(k.cpuLevels)-1] }

// collect runs the program once for each kind of evidence, the most important first.
func (s *target) collect(ctx context.Context, c *Collected, work string, o Options) error {
	k := newCollector(s, c, work, o)
	for _, f := range []func(context.Context) error{k.prepare, k.firstRun, k.collectAll} {
		if err := f(ctx); err != nil {
			return err
		}
	}
	return nil
}

// collectAll takes all evidence after the first run.
func (k *collector) collectAll(ctx context.Context) error {
	k.Program = k.about
	top := k.top()
	steps := []func(context.Context, int) error{k.runPlain}
	switch {
	case k.runHooked == nil && k.opts.Quick:
		steps = nil
	case k.runHooked == nil:
	case k.opts.Quick:
		if len(k.runs[top]) > 0 {
			steps = nil // the first run was undisturbed
		}
		steps = append(steps, k.within(2, k.cpuProfile), k.within(1, k.trace))
	default:
		steps = []func(context.Context, int) error{k.firstProfile, k.trace, k.answerFirst, k.undisturbedRun,
			k.cpuProfile, k.locks, k.heap}
	}
	for _, f := range steps {
		if err := f(ctx, top); err != nil {
			return err
		}
	}
	if !k.opts.Quick {
		if err := k.repeat(ctx); err != nil {
			return err
		}
		k.addEscapes(ctx)
	}
	k.finish(top)
	k.summarize()
	if k.runHooked == nil {
		k.noteOld()
	} else {
		k.removeOld() // if there is no CPU profile
	}
	return nil
}

// prepare builds the program with the hook. If that fails, runs are without it.
func (k *collector) prepare(ctx context.Context) error {
	if k.buildConfig == nil {
		return nil
	}

	k.opts.progress("building " + k.about.Name + " with a hook for profiles, outside your tree")
	to := filepath.Join(k.work, "hooked", filepath.Base(k.plain.path))
	build, cancel := buildContext(ctx, k.deadline, k.opts.TimeLimit)
	defer cancel()
	err := k.buildHooked(build, k.work, to)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && timeLimitError(build) != nil:
		return timeLimitError(build)
	case err != nil:
		k.hookProblem = "it does not build with a hook: " + firstError(err)
		return nil
	}

	k.runHooked = func(ctx context.Context, r hook.Request, cpus int) (outcome, error) {
		p := k.plain.withCPUs(cpus, r.Variable())
		p.path = to
		return p.run(ctx, r.Duration, r.Duration+slack, func() bool { return exists(filepath.Join(r.Dir, hook.End)) })
	}
	if k.isNewerThan(k.plain.path) {
		k.note("the source is newer than %s: the present source is explained", k.about.Name)
	}

	return nil
}

// firstRun runs the program as it was given. It must not crash, but need not end.
func (k *collector) firstRun(ctx context.Context) error {
	top := k.top()
	// The rest of the time is for the other runs.
	k.limitQuick()
	share := time.Duration(2)
	if k.opts.Quick {
		share = 3
	}
	most := min(k.opts.Duration, max(time.Until(k.deadline)/share, minRun)).Round(time.Millisecond)
	k.announce(k.name())
	k.opts.progress(fmt.Sprintf("running it once as it is, for %v at most", most))
	k.step()
	e, err := k.plain.withCPUs(top).run(ctx, most, most, nil)
	if err != nil {
		return err
	}
	if err := k.checkCrash(e); err != nil {
		return err
	}
	if err := k.useBenchmarks(e, top); err != nil {
		return err
	}
	if k.bench != nil && k.bench.byTime && len(k.cpuLevels) > 1 { // On one CPU they would do less.
		k.note("they run on %d CPUs only, because each runs for a fixed time: -benchtime 100x fixes the work "+
			"instead", top)
		k.cpuLevels = []int{top}
	}

	k.endless = e.cut
	if e.cut {
		k.window = min(most, shortWindow)
		k.note("%s does not end within %v: each run watches its first %v, and its wall time is unknown",
			k.about.Name, most, k.window)
		if len(k.cpuLevels) > 1 {
			k.note("it runs on %d CPUs only, because runs that are cut do different work", top)
			k.cpuLevels = []int{top}
		}
	}
	if e.code != 0 && !e.cut {
		k.note("%s ends with exit code %d (%s): is that intended?", k.about.Name, e.code,
			headline(e.stderr+e.stdout))
	}
	if e.children > (e.user+e.system)/10 && e.children > 20*time.Millisecond {
		k.note("%s starts other processes, which use %v of its %v of CPU time and are not examined", k.about.Name,
			e.children.Round(time.Millisecond), (e.user + e.system).Round(time.Millisecond))
	}

	k.announceRest(e.wall, e.user+e.system)
	if k.bench == nil { // benchmarks looked for their number of operations
		k.first = &plainRun{e, nil}
	}
	if k.runHooked == nil || k.opts.Quick && k.bench == nil { // The run is also the first undisturbed one.
		k.runs[top] = append(k.runs[top], plainRun{e, nil})
	}

	return nil
}

// checkCrash returns a [Failure] for a run that crashed.
func (k *collector) checkCrash(e outcome) error {
	if !e.crashed() {
		return nil
	}
	return &Failure{
		Reason: fmt.Sprintf("%s ended with %s: %s; explain needs a run that does not crash",
			strings.Join(k.plain.args, " "), e.state, headline(e.stderr+"\n"+e.stdout)),
		Output: e.stderr + e.stdout,
	}
}

// step reports that a run begins.
func (k *collector) step() {
	if k.opts.Step != nil {
		k.opts.Step(k.ran)
	}
	k.ran++
}

// run runs the program with the hook. It returns the outcome, the output of the hook, and the directory with its files.
// The elapsed time is without what the hook took at its end. The output is nil if the hook did not reach its end.
func (k *collector) run(ctx context.Context, kind hook.Kind, cpus int,
	window time.Duration) (outcome, *hookOutput, string, error) {
	dir, err := os.MkdirTemp(k.work, string(kind)+"-")
	if err != nil {
		return outcome{}, nil, "", err
	}

	k.step()
	e, err := k.runHooked(ctx, hook.Request{Kind: kind, Duration: window, Bytes: k.opts.TraceBytes, Dir: dir}, cpus)
	if err != nil {
		return e, nil, dir, err
	}
	if err := k.checkCrash(e); err != nil {
		return e, nil, dir, err
	}

	a, err := readHookOutput(ctx, dir)
	if err != nil {
		k.note("no %s of %s: %v", kindNames[kind], k.about.Name, err)
		return e, nil, dir, nil
	}
	if k.insideTimes {
		e.wall = a.wall
	} else {
		e.wall -= a.end
	}

	return e, a, dir, nil
}

var kindNames = map[hook.Kind]string{
	hook.Undisturbed: "runtime metrics", hook.CPU: "CPU profile", hook.Locks: "mutex and block profiles",
	hook.Heap: "heap profile", hook.Trace: "trace",
}

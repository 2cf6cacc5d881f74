package collect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/hook"
	"github.com/brewput/brewput/internal/input"
)

// What is enough, and what is too much.
const (
	enoughSamples = 200             // of a CPU profile: a share of 30 % of them is known to +-6.5 % (95 %)
	fewSamples    = 100             // below which an answer says so
	repeatFor     = 5 * time.Second // for a CPU profile of short runs
	mostRepeats   = 40
	shortWindow   = 3 * time.Second // of a program that does not end
	tracedFor     = 5 * time.Second
	slack         = 3 * time.Second // for what a hook writes
)

// Failure is a program that does not run as it should.
type Failure struct {
	What   string
	Output string // the end of what it printed
}

func (f *Failure) Error() string { return f.What }

// collector is the collection of one subject's evidence.
type collector struct {
	*subject
	*Collected
	o        Options
	work     string
	do       func(ctx context.Context, r hook.Request, cpus int) (ended, error) // one run with the hook; nil without
	window   time.Duration
	endless  bool
	inside   bool // the hook's own time counts: of a process only a part is looked at, or it does not tell
	deadline time.Time
	levels   []int
	runs     map[int][]one // undisturbed, by CPUs
	skipped  []string
	took     []took
}

// took is how long a run with a profiler took.
type took struct {
	kind string
	wall time.Duration
}

// one is one undisturbed run.
type one struct {
	ended
	after *after // nil without the hook
}

func newCollector(s *subject, c *Collected, work string, o Options) *collector {
	s.plain.stdin, s.plain.place = o.Stdin, work
	if s.recipe != nil {
		s.recipe.work = work
	}
	if o.until.IsZero() {
		o.until = time.Now().Add(o.Limit)
	}
	return &collector{subject: s, Collected: c, o: o, work: work, window: o.Duration, deadline: o.until,
		levels: o.levels(), runs: map[int][]one{}}
}

// room is how long a run may take at most of the time that is left; it is never too short to be looked at.
func (k *collector) room(most time.Duration) time.Duration {
	return min(most, max(time.Until(k.deadline), shortest))
}

// collect runs the program once for each kind of evidence, in the order of what is needed most.
func (s *subject) collect(ctx context.Context, c *Collected, work string, o Options) error {
	k := newCollector(s, c, work, o)
	for _, f := range []func(context.Context) error{k.prepare, k.first, k.all} {
		if err := f(ctx); err != nil {
			return err
		}
	}
	return nil
}

// all is what follows once it is known how the program runs.
func (k *collector) all(ctx context.Context) error {
	k.Program = k.about
	top := k.levels[len(k.levels)-1]
	if err := k.undisturbed(ctx, top); err != nil {
		return err
	}
	if k.do != nil {
		for _, f := range []func(context.Context, int) error{k.cpuProfile, k.trace, k.locks, k.heap} {
			if err := f(ctx, top); err != nil {
				return err
			}
		}
	}
	if err := k.repeat(ctx); err != nil {
		return err
	}
	k.compiled(ctx)
	k.conclude(top)
	return nil
}

// prepare builds the program with the hook.
func (k *collector) prepare(ctx context.Context) error {
	if k.recipe == nil {
		return nil
	}
	k.o.Say("building " + k.about.Name + " with a hook for profiles, next to your tree")
	to := filepath.Join(k.work, "hooked", filepath.Base(k.plain.path))
	build, cancel := building(ctx, k.deadline, k.o.Limit)
	defer cancel()
	err := k.buildHooked(build, k.work, to)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && tooLong(build) != nil:
		return tooLong(build)
	case err != nil:
		first, _, _ := strings.Cut(err.Error(), "\n")
		k.why = "it does not build with a hook: " + first
		return nil
	}
	k.do = func(ctx context.Context, r hook.Request, cpus int) (ended, error) {
		p := k.plain.at(cpus, r.Variable())
		p.path = to
		return p.run(ctx, r.For, r.For+slack, func() bool { return exists(filepath.Join(r.Dir, hook.End)) })
	}
	if k.older(k.plain.path) {
		k.note("the source is newer than %s: what is explained is the source as it stands", k.about.Name)
	}
	return nil
}

// first runs the program as it was given: it must run, and may not end.
func (k *collector) first(ctx context.Context) error {
	top := k.levels[len(k.levels)-1]
	// the other half is for the rest
	most := min(k.o.Duration, max(time.Until(k.deadline)/2, shortest)).Round(time.Millisecond)
	k.o.Say(fmt.Sprintf("running %s once as it is, for %v at most", strings.Join(k.plain.args, " "), most))
	e, err := k.plain.at(top).run(ctx, most, most, nil)
	if err != nil {
		return err
	}
	if err := k.judge(e); err != nil {
		return err
	}
	if err := k.measured(e, top); err != nil {
		return err
	}
	if k.bench != nil && k.bench.timed && len(k.levels) > 1 { // on one CPU they would do less
		k.note("they run on %d CPUs only: each goes on for its time, so that on fewer they do less; -benchtime 100x "+
			"makes them do as much", top)
		k.levels = k.levels[len(k.levels)-1:]
	}
	k.endless = e.cut
	if e.cut {
		k.window = min(most, shortWindow)
		k.note("%s does not end within %v: it is watched for %v from its start, and its time to the end is not known",
			k.about.Name, most, k.window)
	}
	if e.code != 0 && !e.cut {
		k.note("%s ends with exit code %d (%s): is that what it is meant to do?", k.about.Name, e.code,
			headline(e.stderr+e.stdout))
	}
	if e.children > (e.user+e.system)/10 && e.children > 20*time.Millisecond {
		k.note("%s starts other processes, which took %v of its %v of CPU time: they are not looked into", k.about.Name,
			e.children.Round(time.Millisecond), (e.user + e.system).Round(time.Millisecond))
	}
	estimate := min(e.wall, k.window)
	k.o.Say(fmt.Sprintf("it takes %v; now about %v of runs", e.wall.Round(time.Millisecond),
		k.estimate(estimate).Round(time.Second)))
	if k.do == nil { // there is nothing else to see
		k.runs[top] = append(k.runs[top], one{e, nil})
	}
	return nil
}

// judge refuses a run that crashed.
func (k *collector) judge(e ended) error {
	if !e.crashed() {
		return nil
	}
	return &Failure{
		What: fmt.Sprintf("%s ended with %s: %s; explain needs a run that goes well", strings.Join(k.plain.args, " "),
			e.state, headline(e.stderr+"\n"+e.stdout)),
		Output: e.stderr + e.stdout,
	}
}

// estimate is about how long all runs take.
func (k *collector) estimate(wall time.Duration) time.Duration {
	if k.do == nil {
		return wall * time.Duration(len(k.levels)*k.rounds(wall)-1)
	}
	repeats := time.Duration(0)
	if wall < repeatFor {
		repeats = 3 * wall
	}
	return min(k.o.Limit, wall*time.Duration(4+len(k.levels)*k.rounds(wall))+repeats)
}

// rounds is how often the program is run undisturbed at each number of CPUs.
func (k *collector) rounds(wall time.Duration) int {
	switch {
	case k.endless:
		return 1
	case wall < 100*time.Millisecond:
		return 10
	case wall < time.Second:
		return 5
	}
	return 3
}

// undisturbed runs the program once without any profiler.
func (k *collector) undisturbed(ctx context.Context, cpus int) error {
	if k.do == nil {
		if cpus == k.levels[len(k.levels)-1] && len(k.runs[cpus]) == 1 && k.rounds(k.runs[cpus][0].wall) == 1 {
			return nil
		}
		e, err := k.plain.at(cpus).run(ctx, k.room(k.window), k.room(k.window), nil)
		if err == nil {
			err = k.judge(e)
		}
		k.runs[cpus] = append(k.runs[cpus], one{e, nil})
		return err
	}
	e, a, _, err := k.run(ctx, hook.Undisturbed, cpus, k.room(k.window))
	if err != nil {
		return err
	}
	if a != nil {
		e.wall -= a.end
	}
	k.runs[cpus] = append(k.runs[cpus], one{e, a})
	return nil
}

// run runs the program with the hook. What it leaves behind is nil where there is nothing.
func (k *collector) run(ctx context.Context, kind hook.Kind, cpus int,
	window time.Duration) (ended, *after, string, error) {
	dir, err := os.MkdirTemp(k.work, string(kind)+"-")
	if err != nil {
		return ended{}, nil, "", err
	}
	e, err := k.do(ctx, hook.Request{Kind: kind, For: window, Bytes: k.o.Bytes, Dir: dir}, cpus)
	if err != nil {
		return e, nil, dir, err
	}
	if err := k.judge(e); err != nil {
		return e, nil, dir, err
	}
	a, err := readAfter(ctx, dir)
	if err != nil {
		k.note("no %s of %s: %v", kindNames[kind], k.about.Name, err)
		return e, nil, dir, nil
	}
	if k.inside {
		e.wall = a.wall + a.end
	}
	return e, a, dir, nil
}

var kindNames = map[hook.Kind]string{
	hook.Undisturbed: "runtime metrics", hook.CPU: "CPU profile", hook.Locks: "mutex and block profiles",
	hook.Heap: "heap profile", hook.Trace: "trace",
}

// late reports whether another run of such a length would come too late, and remembers what is not there for it.
func (k *collector) late(what string, wall time.Duration) bool {
	if time.Now().Add(wall).Before(k.deadline) {
		return false
	}
	if !slices.Contains(k.skipped, what) {
		k.skipped = append(k.skipped, what)
	}
	return true
}

// usual is how long an undisturbed run takes.
func (k *collector) usual(cpus int) time.Duration {
	var walls []time.Duration
	for _, r := range k.runs[cpus] {
		walls = append(walls, r.wall)
	}
	return median(walls)
}

// repeat runs the program undisturbed until there are enough runs at each number of CPUs, in turns.
func (k *collector) repeat(ctx context.Context) error {
	top := k.levels[len(k.levels)-1]
	for range k.rounds(k.usual(top)) {
		for _, cpus := range k.levels {
			if len(k.runs[cpus]) >= k.rounds(k.usual(top)) || k.late("repetitions", max(k.usual(cpus), k.usual(top))) {
				continue
			}
			if err := k.undisturbed(ctx, cpus); err != nil {
				return err
			}
		}
	}
	return nil
}

// keep takes a file of a run into the collection.
func (k *collector) keepFile(ctx context.Context, dir, name, kind string, number int) (string, error) {
	to := name
	if number > 0 {
		base, ext, _ := strings.Cut(name, ".")
		to = base + "-" + strconv.Itoa(number+1) + "." + ext
	}
	path := filepath.Join(k.Dir, to)
	if err := moveFile(ctx, filepath.Join(dir, name), path); err != nil {
		return "", err
	}
	k.Files = append(k.Files, File{kind, path})
	return path, nil
}

// moveFile moves a file, also to another file system.
func moveFile(ctx context.Context, from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}
	in, err := input.Open(ctx, from, input.Copied)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), os.Remove(from))
}

// conclude makes the runs and notes of the evidence.
func (k *collector) conclude(top int) {
	for _, cpus := range append([]int{top}, k.levels[:len(k.levels)-1]...) {
		if list := k.runs[cpus]; len(list) > 0 {
			run := medians(cpus, list)
			run.Operations = list[0].operations
			if k.bench != nil {
				run.Operations = k.bench.operations
			}
			k.Evidence.Runs = append(k.Evidence.Runs, run)
		}
	}
	if k.do == nil {
		k.note("%s was run without a hook, as %s: only its times and system calls are known; import "+
			"github.com/brewput/brewput/profile is not needed, one line in main writes a profile: %s",
			k.about.Name, k.why, theLine)
	}
	for _, n := range k.notes {
		k.note("%s", n)
	}
	if len(k.skipped) > 0 {
		k.note("the time limit of %v left out: %s", k.o.Limit, strings.Join(k.skipped, ", "))
	}
	if r := k.Evidence.Runs; len(r) > 0 {
		k.disturbed(r[0])
	}
}

// theLine writes a CPU profile where there is no source to build with a hook.
const theLine = `f, _ := os.Create("cpu.pprof"); pprof.StartCPUProfile(f); defer pprof.StopCPUProfile()`

// shortest is how long a run must take that one may speak of its length.
const shortest = 50 * time.Millisecond

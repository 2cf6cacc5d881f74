package collect

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/hook"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// firstWindow is the length of the trial that counts the operations of a stream. The other trials do as many
// operations.
const firstWindow = time.Second

// trialGrace is how long a trial may go on after the time limit.
const trialGrace = 250 * time.Millisecond

// Design collects the evidence of the design of a workload that spec names, in trials like those of the command run.
// The evidence covers only the measurement window. Close the result when it is no longer needed.
func Design(ctx context.Context, w *workload.Workload, spec trial.Spec, o Options) (*Collected, error) {
	d, ok := w.Find(spec.Design)
	if !ok {
		return nil, fmt.Errorf("workload %s has no design %q", w.Name, spec.Design)
	}
	temp, err := newTempDir("work")
	if err != nil {
		return nil, fmt.Errorf("there is no place for profiles: %w", err)
	}

	defer temp.Close()
	s := &target{about: evidence.Program{Name: spec.Workload + "/" + spec.Design + " (" + spec.Point.String() + ")",
		MoreWork: moreWork(w, spec.Point)}}
	s.findSource(ctx, d)
	c, err := newCollected(o, s.about)
	if err != nil {
		return nil, err
	}

	c.local = true
	k := newCollector(s, c, temp.Path, o)
	if err = k.trials(ctx, w, d, spec); err == nil {
		err = k.collectAll(ctx)
	}
	if err != nil {
		c.Close()
		return nil, err
	}

	return c, ctx.Err()
}

// moreWork returns the function of [evidence.Program.MoreWork] for a workload: a factor whose level a quick run lowers
// is an amount of work. The work grows at least in proportion to it.
func moreWork(w *workload.Workload, p plan.Point) func(times int) string {
	return func(times int) string {
		for _, f := range w.Factors {
			least, err := strconv.Atoi(w.Quick[f.Name])
			if _, ok := p.Get(f.Name); !ok || err != nil || f.Kind != plan.Int || p.Int(f.Name) < least {
				continue
			}
			x := float64(times) * float64(p.Int(f.Name))
			if x <= cmp.Or(f.Max, math.MaxInt32) {
				return "--" + f.Name + " " + plan.IntLevel(int(x)).String()
			}
		}
		return ""
	}
}

// findSource finds the source of a design by its constructor.
func (s *target) findSource(ctx context.Context, d workload.Design) {
	s.about.Source = sourceReader()
	if d.Program != nil {
		s.about.Main, s.about.Module = d.Program.Package, d.Program.Package
		return
	}
	var constructor any = d.Stream
	if d.Stream == nil {
		constructor = d.Job
	}

	f := runtime.FuncForPC(reflect.ValueOf(constructor).Pointer())
	if f == nil {
		return
	}

	base := strings.LastIndexByte(f.Name(), '/')
	name, _, _ := strings.Cut(f.Name()[base+1:], ".")
	s.about.Main = f.Name()[:base+1] + name
	file, _ := f.FileLine(f.Entry())
	r := &buildConfig{dir: filepath.Dir(file), packages: []string{"."}}
	if !exists(file) || r.list(ctx) != nil {
		return
	}

	s.buildConfig = r
	s.setSource()
	if s.about.Module == ownModule {
		s.about.Module = s.about.Main // the rest of the module is not the design's own code
	}
}

// ownModule is the module path of this program.
const ownModule = "github.com/brewput/brewput"

// trials prepares the trials: it runs one to measure its length, and sets the number of operations of the others.
func (k *collector) trials(ctx context.Context, w *workload.Workload, d workload.Design, spec trial.Spec) error {
	top := k.top()
	r := trial.Runner{}
	runTrial := r.RunnerOf(w)
	k.runHooked = func(ctx context.Context, h hook.Request, cpus int) (outcome, error) {
		spec := spec
		spec.Point = spec.Point.With("cpus", plan.IntLevel(cpus))
		spec.Evidence = &h
		r.TimeLimit = max(0, time.Until(k.deadline)) + trialGrace
		out, err := runTrial(ctx, spec)
		if err != nil {
			return outcome{}, err
		}
		if t := out.Trial; t.Status == result.Failed || !trial.Expected(d.Expect, t.Status) {
			return outcome{}, &Failure{Reason: fmt.Sprintf("%s: %s: %s", k.about.Name, t.Status, t.Error),
				Output: out.Failure}
		}
		return fromTrial(out.Trial), nil
	}

	stream := d.Stream != nil && spec.Operations == 0
	if spec.Operations == 0 { // A duration does not end a job, but designs with workers need one.
		spec.Duration = min(firstWindow, k.opts.Duration)
	}

	k.insideTimes = true
	k.announce(k.about.Name)
	k.opts.progress("running " + k.about.Name + " once, to see how long it takes")
	e, a, _, err := k.run(ctx, hook.Undisturbed, top, k.window)
	if err != nil {
		return err
	}
	if a != nil {
		k.first = &plainRun{e, a}
		if k.opts.Quick { // it is also the undisturbed one
			k.record(top, *k.first)
		}
	}
	if stream {
		spec.Operations, spec.Duration = max(1, e.operations), 0
	}

	k.announceRest(e.wall, e.user+e.system)
	return nil
}

// fromTrial converts a trial to the outcome of a run.
func fromTrial(t result.Trial) outcome {
	get := func(name string) float64 {
		if v := t.Metrics.Get(name); v.Known() {
			return float64(v)
		}
		return math.NaN()
	}

	seconds := func(name string) time.Duration {
		if x := get(name); !math.IsNaN(x) {
			return time.Duration(x * float64(time.Second))
		}
		return 0
	}

	count := func(name string) int64 {
		if x := get(name); !math.IsNaN(x) {
			return int64(x)
		}
		return -1
	}

	e := outcome{
		wall: time.Duration(t.WallSeconds * float64(time.Second)), user: seconds("cpu_user_seconds"),
		system: seconds("cpu_system_seconds"),
		kernel: kernelCounts{voluntary: max(0, count("voluntary_switches")),
			involuntary: max(0, count("involuntary_switches"))},
		io: ioCounts{count("read_calls"), count("write_calls"), -1, -1}, throttled: max(0, count("throttled_periods")),
		operations: t.Operations,
	}
	if cpu := e.user + e.system; cpu > 0 { // otherwise the CPU time is unknown
		e.stopped = stoppedTime(e.wall, seconds(host.ThrottledSeconds), cpu)
	}
	if busy := get("machine_cpu_seconds"); !math.IsNaN(busy) && e.wall > 0 {
		e.otherCPUs = max(0, busy-(e.user+e.system).Seconds()) / e.wall.Seconds()
	}

	return e
}

package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/trial"
)

// memory keeps what a run stores, and its events.
type memory struct {
	trials        []result.Trial
	looks         []any
	events        []Event
	ended, closed bool
	failed        error // of Close
}

func (m *memory) Append(t result.Trial, _ map[string][]byte) error {
	m.trials = append(m.trials, t)
	return nil
}
func (m *memory) Failure(_, _ int, _ string) (string, error) { return "failure", nil }
func (m *memory) EndBlock(_, _ int, _ time.Duration) error   { return nil }
func (m *memory) Interim(decided any) error                  { m.looks = append(m.looks, decided); return nil }
func (m *memory) End() error                                 { m.ended = true; return nil }
func (m *memory) Close() error                               { m.closed = true; return m.failed }

// eventsOf are the events of a type.
func eventsOf[E Event](events []Event) (list []E) {
	for _, e := range events {
		if e, ok := e.(E); ok {
			list = append(list, e)
		}
	}
	return list
}

// fakeBench is a run of the benchmark A in two revisions, at one CPU, whose trials are what run returns.
func fakeBench(t *testing.T, run func(rev string) result.Trial) (*benchRun, *memory) {
	t.Helper()
	x := &gobench.Experiment{Package: "example.com/p", BaseRev: "main", BaseCommit: "1", Layouts: 1, Time: time.Second,
		ByFirst: true,
		Pattern: gobench.EveryBenchmark, Benchmarks: []gobench.Benchmark{{Name: "A",
			Revs: []string{gobench.Base, gobench.Head}}}}
	cases, err := x.Cases([]plan.Level{plan.IntLevel(1)})
	if err != nil {
		t.Fatal(err)
	}
	m := &memory{}
	r := &benchRun{bench: &gobench.Bench{Experiment: x}, dir: t.TempDir(), run: m}
	r.notify = func(e Event) { m.events = append(m.events, e) }
	if err := r.equip(sweep.Header{Workload: x.Package, World: result.Live, Seed: "1", Blocks: 4,
		Cases: cases}); err != nil {
		t.Fatal(err)
	}
	r.sweep.Store = m
	r.sweep.Run = func(ctx context.Context, s trial.Spec) (trial.Outcome, error) {
		made, of := trial.Blank(s), run(s.Point.Text(gobench.FactorRev))
		made.Status, made.Expected, made.Metrics = of.Status, of.Expected, of.Metrics
		made.Type = result.Benchmark
		return trial.Outcome{Trial: made}, ctx.Err()
	}
	return r, m
}

// TestBenchExecutes: events come in order, and the result has trials, comparisons and the worst outcome.
func TestBenchExecutes(t *testing.T) {
	r, m := fakeBench(t, func(rev string) result.Trial {
		ns := map[string]result.Value{gobench.Base: 100, gobench.Head: 200}[rev]
		return result.Trial{Status: result.OK, Expected: true, Metrics: result.Metrics{result.TimePerOp: ns}}
	})
	res, err := r.execute(t.Context())
	if err != nil || res.Outcome != result.Sound || res.Interrupted || res.Complete || len(res.Trials) != 8 ||
		!res.Ended() || !m.ended || !m.closed {
		t.Fatalf("%+v, %v", res, err)
	}
	if _, ok := m.events[0].(Started); !ok || len(eventsOf[Progress](m.events)) != 8+4 {
		t.Errorf("%d events, the first is %T", len(m.events), m.events[0])
	}
	a := res.Analyze()
	if len(a.Rows) != 2 || len(a.Metrics) != 1 || a.Metrics[0].Metric != result.TimePerOp {
		t.Fatalf("%d rows, %+v", len(a.Rows), a.Metrics)
	}
	if ratio := float64(a.Metrics[0].Groups[0].Verdicts[0].Ratio); math.Abs(ratio-2) > 1e-9 {
		t.Errorf("the head takes %v times as long", ratio)
	}

	r, _ = fakeBench(t, func(string) result.Trial { return result.Trial{Status: result.OK, Expected: true} })
	r.bench.Broken = []result.Broken{{Rev: gobench.Head, Name: "B", Error: "it fails"}}
	if res, err = r.execute(t.Context()); err != nil || res.Outcome != result.SomeFailed || !res.Suite.HeadFails() {
		t.Errorf("with a broken benchmark: %+v, %v", res, err)
	}
}

// TestBenchStops: after an interrupt or an error the trials so far are there, and the run has not ended. A run
// directory that cannot be closed outweighs an interrupt, which the result tells anyway.
func TestBenchStops(t *testing.T) {
	disk, other := errors.New("no space"), errors.New("cannot start")
	for _, c := range []struct {
		name        string
		stop, close error
		interrupted bool
		want, not   error
	}{
		{"interrupted", context.Canceled, nil, true, context.Canceled, disk},
		{"interrupted, and the disk is full", context.Canceled, disk, true, disk, context.Canceled},
		{"a trial cannot be started", other, nil, false, other, disk},
		{"the disk is full", nil, disk, false, disk, other},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r, m := fakeBench(t, func(string) result.Trial { return result.Trial{Status: result.OK, Expected: true} })
		m.failed = c.close
		run, n := r.sweep.Run, 0
		r.sweep.Run = func(ctx context.Context, s trial.Spec) (trial.Outcome, error) {
			if n++; n == 4 && c.stop != nil {
				if c.interrupted {
					cancel()
				}
				return trial.Outcome{}, c.stop
			}
			return run(ctx, s)
		}
		res, err := r.execute(ctx)
		cancel()
		want := 3
		if c.stop == nil {
			want = 8
		}
		if !errors.Is(err, c.want) || errors.Is(err, c.not) || res.Interrupted != c.interrupted ||
			len(res.Trials) != want || !m.closed || res.Ended() {
			t.Errorf("%s: %d trials, interrupted %v, ended %v, %v", c.name, len(res.Trials), res.Interrupted,
				res.Ended(), err)
		}
		if lost := (*StorageError)(nil); errors.As(err, &lost) != (c.close != nil) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestBenchBudget: a budget is refused that has no room for a block; with something to compare it gives the run a rule,
// and without it a number of blocks.
func TestBenchBudget(t *testing.T) {
	fake := func() *benchRun {
		r, _ := fakeBench(t, nil)
		r.sweep.Header.Settings = sweep.Settings{Duration: sweep.Duration(time.Second)}
		return r
	}
	r := fake()
	var refusal *Refusal
	if err := r.sweep.FitBudget(2 * time.Second); !errors.As(err, &refusal) ||
		!strings.Contains(err.Error(), "its 2 trials take about 2.1s; give more time, fewer benchmarks") {
		t.Errorf("%v", err)
	}
	if err := r.sweep.FitBudget(time.Minute); err != nil || r.sweep.Header.Rule == nil || r.sweep.Plan.Blocks != 40 ||
		r.sweep.Criteria.Interims == nil {
		t.Errorf("%d blocks, rule %+v, %v", r.sweep.Plan.Blocks, r.sweep.Header.Rule, err)
	}
	r = fake()
	r.sweep.Plan.Cases = r.sweep.Plan.Cases[:1] // nothing to compare
	if err := r.sweep.FitBudget(10 * time.Second); err != nil || r.sweep.Header.Rule != nil ||
		r.sweep.Plan.Blocks != 9 || r.sweep.Header.Blocks != 9 {
		t.Errorf("%d blocks, rule %+v, %v", r.sweep.Plan.Blocks, r.sweep.Header.Rule, err)
	}
}

// TestBenchRefuses: what cannot be carried out is refused before a package is looked for, and names the option.
func TestBenchRefuses(t *testing.T) {
	t.Chdir(t.TempDir()) // where no package is
	for _, c := range []struct {
		change func(*BenchOptions)
		want   string
	}{
		{func(o *BenchOptions) { o.Count = -1 }, "count -1: at least one block is needed"},
		{func(o *BenchOptions) { o.Budget = -time.Second }, "budget -1s is negative; give a time such as 5m"},
		{func(o *BenchOptions) { o.Count, o.Budget = 3, time.Minute },
			"count and budget both set the number of blocks; give one of them"},
		{func(o *BenchOptions) { o.Package, o.Packages = "./milk", []string{"./..."} },
			"package and packages both select packages; give one of them"},
		{func(o *BenchOptions) { o.Duration = -1 }, "duration -1ns is not a positive time"},
		{func(o *BenchOptions) { o.Layouts = 2 }, "layouts 2: code-placement noise needs at least 3"},
		{func(o *BenchOptions) { o.TimeLimit = time.Second }, "time-limit 1s would end every trial: it must be " +
			"longer than twice duration, 500ms"},
		{func(o *BenchOptions) { o.Pattern = "a/+" }, "bench a/+: error parsing regexp"},
		{func(o *BenchOptions) { o.Go = []string{"go1.26.0", "go1.26.0"} }, "go go1.26.0 is there twice"},
		{func(o *BenchOptions) { o.PGO = []string{"off", "auto", "off"} }, "pgo off is there twice"},
		{func(o *BenchOptions) { o.CPUs = "100000" }, "cpus 100000: this machine has "},
		{func(o *BenchOptions) { o.Env = []string{"GOMAXPROCS=1,2"} }, "env GOMAXPROCS: give the levels by cpus"},
	} {
		var o BenchOptions
		c.change(&o)
		_, err := Bench(t.Context(), o)
		var refusal *Refusal
		if !errors.As(err, &refusal) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if _, err := os.Stat("brewput-runs"); err == nil {
		t.Error("a refused run has a directory")
	}
}

// TestNoBenchmarkMatches checks that a package without benchmarks gets a way to compare revisions all the same.
func TestNoBenchmarkMatches(t *testing.T) {
	const want, more = "no benchmark of shop/store matches bench .; list them with go test -list Benchmark",
		", or compare commands such as test binaries (go test -c): brewput compare max-regression 5% -- ./old.test " +
			"::: ./new.test"
	for base, want := range map[string]string{"": want, "main": want + more} {
		if err := none(&gobench.Experiment{Package: "shop/store", Pattern: ".", BaseRev: base}); err.Error() != want {
			t.Errorf("base %q: %v", base, err)
		}
	}
}

// TestResumeBench: a complete run is returned again; what is no run of benchmarks is refused.
func TestResumeBench(t *testing.T) {
	t.Chdir(t.TempDir())
	x := gobench.Experiment{Package: "p", Layouts: 1,
		Benchmarks: []gobench.Benchmark{{Name: "A", Revs: []string{gobench.Head}}}}
	storedBench(t, "bench", &x, true)
	var m memory
	notify := func(e Event) { m.events = append(m.events, e) }
	res, err := ResumeBench(t.Context(), "bench", notify)
	if err != nil || !res.Complete || len(res.Trials) != 2 || res.Suite.Package != "p" || res.Outcome != result.Sound ||
		len(eventsOf[Started](m.events)) != 0 {
		t.Errorf("%+v, %v, events %v", res, err, m.events)
	}
	var refusal *Refusal
	storedBench(t, "designs", nil, true)
	_, err = ResumeBench(t.Context(), "designs", nil)
	if !errors.As(err, &refusal) || !errors.Is(err, gobench.ErrDesigns) {
		t.Errorf("a run of designs: %v", err)
	}
	if _, err := ResumeBench(t.Context(), "none", nil); !errors.As(err, &refusal) {
		t.Errorf("no directory: %v", err)
	}
}

// TestReadBench: an incomplete run is read as it is, and has not ended.
func TestReadBench(t *testing.T) {
	t.Chdir(t.TempDir())
	x := gobench.Experiment{Package: "p", Layouts: 1,
		Benchmarks: []gobench.Benchmark{{Name: "A", Revs: []string{gobench.Head}}}}
	for _, ends := range []bool{false, true} {
		dir := fmt.Sprint("run-", ends)
		storedBench(t, dir, &x, ends)
		res, err := ReadBench(dir, nil)
		if err != nil || len(res.Trials) != 2 || res.Interrupted || res.Complete != ends || res.Ended() != ends {
			t.Errorf("ends %v: %+v, %v", ends, res, err)
		}
	}
}

// storedBench stores two of the three blocks of a run. It may end then, as runs of gates do.
func storedBench(t *testing.T, dir string, x *gobench.Experiment, ends bool) {
	t.Helper()
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
	h := sweep.Header{Workload: "p", World: result.Live, Started: time.Now(), Seed: "1", Blocks: 3,
		Environment: host.Read(),
		Cases:       []plan.Case{{Design: "A", Point: point}}}
	if x != nil {
		h.Bench, _ = json.Marshal(x)
	}
	run, err := store.Create(filepath.Join(".", dir), h)
	if err != nil {
		t.Fatal(err)
	}
	order := plan.Plan{Seed: 1, Blocks: h.Blocks, Cases: h.Cases}
	for b := range 2 {
		made := result.Trial{Kind: result.KindTrial, SchemaVersion: result.SchemaVersion, Workload: "p", Design: "A",
			World: result.Live,
			Point: point, Block: b, Seed: strconv.FormatUint(order.BlockSeed(b), 10), Status: result.OK, Expected: true,
			Type:    result.Benchmark,
			Metrics: result.Metrics{result.TimePerOp: 100}}
		if err := errors.Join(run.Append(made, nil), run.EndBlock(b, 1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if ends {
		err = run.End()
	}
	if err := errors.Join(err, run.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestCreateFails checks that a run whose binaries cannot be kept leaves nothing that looks like a run.
func TestCreateFails(t *testing.T) {
	b, _ := fakeBench(t, nil)
	b.dir = filepath.Join(t.TempDir(), "run")
	b.bench.Experiment.Binaries = map[string]string{"gone.test": ""}
	if err := b.create(t.Context()); err == nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(b.dir); !os.IsNotExist(err) {
		t.Errorf("the directory is there: %v", err)
	}
}

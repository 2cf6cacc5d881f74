package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// openSweep returns a sweep of three designs whose capacities are 100, 80 and, of a bound, 50, at each of the
// points.
func openSweep(t *testing.T, points ...plan.Point) (*Sweep, *[]trial.Spec) {
	t.Helper()
	nothing := func(env.Env, plan.Point) (workload.Stream, error) { return workload.Stream{}, nil }
	w := &workload.Workload{Name: "test", Designs: []workload.Design{
		{Name: "fast", Stream: nothing}, {Name: "slow", Stream: nothing},
		{Name: "bound", Stream: nothing, Expect: workload.Bound},
	}}
	h := Header{Workload: "test", Seed: "5", Blocks: 2, Settings: Settings{Duration: Duration(time.Second)}}
	for _, d := range w.Designs {
		for _, p := range points {
			h.Cases = append(h.Cases, plan.Case{Design: d.Name, Point: p})
		}
	}
	p, err := h.Plan(w)
	if err != nil {
		t.Fatal(err)
	}
	var specs []trial.Spec
	run := func(_ context.Context, s trial.Spec) (trial.Outcome, error) {
		specs = append(specs, s)
		trial := trial.Blank(s)
		trial.Status = result.OK
		rate := map[string]float64{"fast": 100, "slow": 80, "bound": 50}[s.Design]
		trial.Metrics[result.Throughput] = result.Value(rate + float64(s.Seed%3)) // 2, 0, 1 by round
		trial.Metrics[result.LatencyMean], trial.Metrics["latency_sd_ns"] = result.Value(1e9/rate), 0
		return trialOutcome(trial), nil
	}
	return &Sweep{Workload: w, Header: h, Plan: p, Store: &memory{}, Run: run, Notify: func(Event) {}}, &specs
}

func trialOutcome(t result.Trial) trial.Outcome { return trial.Outcome{Trial: t} }

func at(cpus, workers int, more ...plan.Setting) plan.Point {
	return plan.NewPoint(append([]plan.Setting{{Factor: "cpus", Level: plan.IntLevel(cpus)},
		{Factor: "workers", Level: plan.IntLevel(workers)}}, more...)...)
}

func setting(name string, x float64) plan.Setting {
	return plan.Setting{Factor: name, Level: plan.FloatLevel(x)}
}

// TestLoadIsOfTheLeastCapacity: designs serve the same arrivals, at a rate that the slowest can serve.
func TestLoadIsOfTheLeastCapacity(t *testing.T) {
	s, specs := openSweep(t, at(2, 2, setting("load", 0.5)), at(2, 2, setting("load", 1.5)))
	s.Header.Burn.Rate = 3
	s.BurnRatio = func(float64) float64 { return 1.5 }
	if err := s.measureCapacities(t.Context(), func(plan.Case, int, int) {}); err != nil {
		t.Fatal(err)
	}
	if len(*specs) != 9 { // three designs, three times each, although each has two points
		t.Errorf("%d trials to measure 3 capacities", len(*specs))
	}
	for _, spec := range *specs {
		if spec.BurnRate != 2 || spec.BurnRatio != 1.5 {
			t.Errorf("burns at a rate of %v for a ratio of %v", spec.BurnRate, spec.BurnRatio)
		}
		if spec.Open != nil || spec.Point.Has("load") {
			t.Errorf("a capacity is measured under an open loop: %+v", spec)
		}
	}
	if err := s.checkRates(); err != nil {
		t.Error(err)
	}
	want := map[string]float64{"fast": 101, "slow": 81, "bound": 51}
	for _, c := range s.Plan.Cases {
		o := s.openLoad(c)
		if rate := c.Point.Float("load") * 81; math.Abs(o.Rate-rate) > 1e-9 || o.Capacity != want[c.Design] {
			t.Errorf("%s %s: offered %+v, want %v of %v", c.Design, c.Point, o, rate, want[c.Design])
		}
	}
	for _, c := range s.Header.Capacities {
		if c.Solo != nil {
			t.Errorf("%s serves two at once, and yet %+v", c.Design, c)
		}
	}
}

// TestModelResponse: the formula of a single server applies if one request is served at a time.
func TestModelResponse(t *testing.T) {
	s, specs := openSweep(t, at(1, 4, setting("rate", 40)))
	if err := s.measureCapacities(t.Context(), func(plan.Case, int, int) {}); err != nil {
		t.Fatal(err)
	}
	alone := 0
	for _, spec := range *specs {
		if spec.Point.Int("workers") == 1 {
			alone++
		}
	}
	if len(*specs) != 18 || alone != 9 {
		t.Errorf("%d trials, %d of them with one worker; want 18 and 9", len(*specs), alone)
	}
	c := s.Plan.Cases[0]
	predicted := func(metrics result.Metrics, unstable bool) result.Metrics {
		x := result.Trial{Status: result.OK, Metrics: metrics, Unstable: unstable}
		s.addModelResponse(&x, c, s.openLoad(c))
		return x.Metrics
	}
	// S = 10 ms, rate 40 /s: 10 + 40 * 0.01^2 / (2 * 0.6) s.
	if got, want := float64(predicted(result.Metrics{result.LostShare: 0}, false).Get(result.ModelMD1)), 10e6+
		1e9*0.004/1.2; math.Abs(got-want) > 1 {
		t.Errorf("the mean response is predicted as %v ns, want %v", got, want)
	}
	for why, m := range map[string]result.Metrics{
		"customers are lost": predicted(result.Metrics{result.LostShare: 0.02}, false),
		"it is unstable":     predicted(result.Metrics{result.LostShare: 0}, true),
		"it shares the CPU":  predicted(result.Metrics{result.LostShare: 0, "service_mean_ns": 15.1e6}, false),
	} {
		if m.Get(result.ModelMD1).Known() || m.Get(result.ModelMG1).Known() || m.Get(result.ModelWindow).Known() {
			t.Errorf("a prediction although %s", why)
		}
	}
	if m := predicted(result.Metrics{result.LostShare: 0, "service_mean_ns": 14.9e6},
		false); !m.Get(result.ModelMD1).Known() {
		t.Errorf("no prediction where a service takes a little longer: %v", m)
	}
	s.Header.Capacities[0].Solo.SD = 10e6
	if got := float64(predicted(result.Metrics{result.LostShare: 0}, false).Get(result.ModelMG1)); math.Abs(
		got-1e9*0.01/0.6) > 1 {
		t.Errorf("M/M/1's mean response is predicted as %v ns", got)
	}
	// 20 times 40 (0.01^2 + 0.01^2) / 0.6^2 s.
	s.Header.Settings.Duration = Duration(440 * time.Millisecond)
	m := predicted(result.Metrics{result.LostShare: 0}, false)
	if _, has := m[result.ModelMG1]; !has || m.Get(result.ModelMG1).Known() ||
		math.Abs(float64(m.Get(result.ModelWindow))-0.16e9/0.36) > 1 {
		t.Errorf("in a window that is too short: %v", m)
	}
}

// TestRelaxation: in a queue that begins empty, the mean wait over windows of 10 relaxation times is short by a
// twentieth.
func TestRelaxation(t *testing.T) {
	const rate, service = 225.0, 4e6 // a load of 0.9
	window := 10 * relaxation(rate/1e9, service, 0)
	var sum float64
	var n int
	for seed := range uint64(4000) {
		free, at := 0.0, 0.0
		for i := uint64(0); ; i++ {
			d := env.Rand{}.At(i, seed)
			if at += d.Exp() * 1e9 / rate; at > window {
				break
			}
			sum, n = sum+max(0, free-at), n+1
			free = max(free, at) + service
		}
	}
	steady := service * 0.9 / (2 * 0.1)
	if got := sum / float64(n) / steady; math.Abs(got-0.95) > 0.02 {
		t.Errorf("the mean wait is %.3f of that of a queue that has run for ever, want 0.95", got)
	}
}

// TestNoModelOfSharedCPU: 4 workers share one CPU if a service is longer than a time slice, or if one of 6 ms often
// begins within a slice and ends in the next. Throughput does not show it.
func TestNoModelOfSharedCPU(t *testing.T) {
	for _, c := range []struct {
		service   time.Duration
		load      float64
		predicted bool
	}{{time.Millisecond, 0.8, true}, {6 * time.Millisecond, 0.3, true}, {6 * time.Millisecond, 0.7, false},
		{12 * time.Millisecond, 0.3, false}} {
		s, _ := openSweep(t, at(1, 4, setting("load", c.load)))
		s.Header.Settings = Settings{Duration: Duration(100 * time.Second), Warmup: Duration(time.Second)}
		s.Run = func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
			d := workload.Design{Name: spec.Design, Stream: func(env.Env, plan.Point) (workload.Stream, error) {
				return workload.Stream{Op: func(e env.Env, _ uint64) { e.Burn(c.service) }}, nil
			}}
			return trial.Simulate(spec, s.Workload, d, sim.Costs{}), nil
		}
		if err := s.measureCapacities(t.Context(), func(plan.Case, int, int) {}); err != nil {
			t.Fatal(err)
		}
		x, err := s.runTrial(t.Context(), s.Plan.Block(0)[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		if s.Header.Capacities[0].Solo == nil || x.Metrics.Get(result.ModelMD1).Known() != c.predicted ||
			x.Metrics.Get(result.ModelAlone).Known() == c.predicted {
			t.Errorf("services of %v at %v: capacity %+v, trial %+v", c.service, c.load, s.Header.Capacities[0], x)
		}
	}
}

func TestCheckRates(t *testing.T) {
	s, _ := openSweep(t, at(1, 1, setting("load", 20_000)))
	if err := s.checkRates(); err != nil {
		t.Errorf("a fraction of what will be measured: %v", err)
	}
	if err := s.measureCapacities(t.Context(), func(plan.Case, int, int) {}); err != nil {
		t.Fatal(err)
	}
	if err := s.checkRates(); err == nil || !strings.Contains(err.Error(), "more than the 1000000") {
		t.Errorf("1.6 million a second: %v", err)
	}
}

func TestRecordedArrivals(t *testing.T) {
	file := filepath.Join(t.TempDir(), "arrivals.txt")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("# seconds\n0.01\n20ms\n0.1\n")
	s, _ := openSweep(t, at(1, 1, plan.Setting{Factor: "arrivals", Level: plan.TextLevel(file)}))
	var err error
	if s.Arrivals, s.Header.ArrivalFiles, err = ReadArrivals(t.Context(), s.Plan.Cases); err != nil {
		t.Fatal(err)
	}
	o := s.openLoad(s.Plan.Cases[0])
	if fmt.Sprint(o.Gaps) != "[10ms 10ms 80ms]" || math.Abs(o.Rate-30) > 1e-9 {
		t.Errorf("offered %+v", o)
	}
	if err := s.ReloadInputs(t.Context()); err != nil {
		t.Errorf("unchanged: %v", err)
	}
	write("0.01\n20ms\n0.2\n")
	if err := s.ReloadInputs(t.Context()); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("changed: %v", err)
	}
	write("0.01\nsoon\n")
	if err := s.ReloadInputs(t.Context()); err == nil ||
		!strings.Contains(err.Error(), `line 2: "soon" is not a time`) {
		t.Errorf("no time: %v", err)
	}
	os.Remove(file)
	if err := s.ReloadInputs(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "neither poisson nor constant") {
		t.Errorf("no file: %v", err)
	}
}

// TestOpenLoopTrials: a late trial is no failure of its design, and the theoretical response is stored with each
// trial.
func TestOpenLoopTrials(t *testing.T) {
	s, _ := openSweep(t, at(1, 1, setting("rate", 40)))
	s.Header.Settings.Duration = Duration(10 * time.Second) // long for a load of 0.8
	if err := s.measureCapacities(t.Context(), func(plan.Case, int, int) {}); err != nil {
		t.Fatal(err)
	}
	plain := s.Run
	s.Run = func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
		o, err := plain(ctx, spec)
		if spec.Open == nil || spec.Open.Rate != 40 || spec.Open.Capacity < 50 {
			t.Errorf("offered %+v", spec.Open)
		}
		o.Trial.Metrics[result.LostShare] = 0
		if spec.Block == 1 {
			o.Trial.Status, o.Trial.Invalid = result.Failed, true
		}
		return o, err
	}
	trials, err := s.Execute(t.Context())
	if err != nil || len(trials) != 6 {
		t.Fatalf("%d trials, %v", len(trials), err)
	}
	for _, x := range trials {
		if !x.Expected {
			t.Errorf("%s: a trial that was late is not expected", x.Design)
		}
		if predicted := x.Metrics.Get(result.ModelMD1).Known(); predicted != (x.Block == 0) {
			t.Errorf("%s in block %d: predicted %v", x.Design, x.Block, predicted)
		}
	}
}

// TestServedTogether: with 8 waiting workers, one CPU serves 8 requests at a time, and no formula of a single
// server applies.
func TestServedTogether(t *testing.T) {
	s, _ := openSweep(t, at(1, 8, setting("rate", 40)))
	plain := s.Run
	s.Run = func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
		o, err := plain(ctx, spec)
		o.Trial.Metrics[result.LatencyMean] = 8e9 / o.Trial.Metrics[result.Throughput]
		return o, err
	}
	if err := s.measureCapacities(t.Context(), func(plan.Case, int, int) {}); err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Header.Capacities {
		if c.Solo != nil {
			t.Errorf("%s: %+v", c.Design, c)
		}
	}
}

// TestNoCapacity: the error says why a capacity could not be measured, with the output of the trial, and whether
// the design declares the failure.
func TestNoCapacity(t *testing.T) {
	for _, expect := range []workload.Expect{workload.Right, workload.MayFail} {
		s, _ := openSweep(t, at(1, 1, setting("load", 0.5)))
		for i := range s.Workload.Designs {
			s.Workload.Designs[i].Expect = expect
		}
		s.Run = func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
			x := trial.Blank(spec)
			x.Status, x.Error = result.Failed, "out of beans"
			return trial.Outcome{Trial: x, Failure: "goroutine 1"}, nil
		}
		if err := s.measureCapacities(t.Context(), func(plan.Case, int, int) {}); err != nil {
			t.Fatal(err)
		}
		var u *PreparationError
		if err := s.checkRates(); !errors.As(err, &u) ||
			!strings.Contains(err.Error(), "the capacity of fast (cpus=1 workers=1 load=0.5)") ||
			!strings.Contains(err.Error(), "out of beans") {
			t.Fatalf("%v", err)
		}
		if u.Trial.Status != result.Failed || u.Trial.Expected != (expect == workload.MayFail) ||
			u.Failure != "goroutine 1" {
			t.Errorf("%+v", u)
		}
	}
}

// TestUnmeasuredCapacity: without a capacity there is no trial before the run, whose loads have no known capacity. It
// is for open loops at a rate of their own.
func TestUnmeasuredCapacity(t *testing.T) {
	s, specs := openSweep(t, at(1, 2, setting("rate", 40)))
	s.Header.Settings.NoCapacity = true
	begin := func() { t.Error("capacities are measured") }
	err := s.PrepareRun(t.Context(), filepath.Join(t.TempDir(), "run"), begin, nil)
	if err != nil || len(*specs) != 0 || s.Header.Capacities != nil {
		t.Errorf("%d trials, %+v, %v", len(*specs), s.Header.Capacities, err)
	}
	if o := s.openLoad(s.Plan.Cases[0]); o.Rate != 40 || o.Capacity != 0 {
		t.Errorf("offered %+v", o)
	}
	for p, right := range map[*plan.Point]bool{
		new(at(1, 2, setting("rate", 40))): true, new(at(1, 2, setting("load", 0.5))): false, new(at(1, 2)): false,
	} {
		cases := []plan.Case{{Design: "fast", Point: *p}}
		l := Live{Duration: time.Second, NoCapacity: true}
		var r *plan.Refusal
		if err := l.CheckCases(s.Workload, cases); (err == nil) != right || err != nil && !errors.As(err, &r) {
			t.Errorf("%v: %v", p, err)
		}
	}
}

// TestLimitedCapacity: a design that reached the real-time limit is not run again in the other rounds, nor alone.
func TestLimitedCapacity(t *testing.T) {
	s, _ := openSweep(t, at(1, 2, setting("load", 0.5)))
	plain, runs := s.Run, map[string]int{}
	s.Run = func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
		key := fmt.Sprint(spec.Design, " ", spec.Point.Int("workers"))
		runs[key]++
		o, err := plain(ctx, spec)
		if o.Limited = key == "fast 2" || key == "slow 1"; o.Limited {
			o.Trial.Status, o.Trial.Error = result.Failed, "too slow"
		}
		return o, err
	}
	if err := s.measureCapacities(t.Context(), func(plan.Case, int, int) {}); err != nil {
		t.Fatal(err)
	}
	if runs["fast 2"] != 1 || runs["slow 2"] != 3 || runs["slow 1"] != 1 || runs["bound 1"] != 3 {
		t.Errorf("runs: %v", runs)
	}
	for _, c := range s.Header.Capacities {
		if (c.Error == "too slow") != (c.Design == "fast") || (c.Solo != nil) != (c.Design == "bound") {
			t.Errorf("%+v", c)
		}
	}
}

// TestNothingServed: no trial failed, and no request ended.
func TestNothingServed(t *testing.T) {
	s, _ := openSweep(t, at(1, 1, setting("load", 0.5)))
	s.Run = func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
		x := trial.Blank(spec)
		x.Status, x.Metrics[result.Throughput] = result.OK, 0
		return trialOutcome(x), nil
	}
	if err := s.measureCapacities(t.Context(), func(plan.Case, int, int) {}); err != nil {
		t.Fatal(err)
	}
	if err := s.checkRates(); err == nil || !strings.Contains(err.Error(), "no request ended within the window") {
		t.Errorf("%v", err)
	}
}

// TestHardlyAnybody: less than one arrival per window is refused.
func TestHardlyAnybody(t *testing.T) {
	s, _ := openSweep(t, at(1, 1, setting("rate", 1e-10)))
	if err := s.checkRates(); err == nil || !strings.Contains(err.Error(), "fewer than one arrives in a window") {
		t.Errorf("%v", err)
	}
}

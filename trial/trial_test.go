package trial_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/internal/hist"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
)

// noHook makes the test binary a program that starts trials without calling trial.Main.
const noHook = "BREWPUT_TEST_NO_HOOK"

func TestMain(m *testing.M) {
	pose(os.Getenv(posing))
	if os.Getenv(noHook) != "" {
		runner := trial.Runner{TimeLimit: time.Minute}
		outcome, err := runner.Run(context.Background(), spec("null", "stream"))
		if err != nil {
			os.Stdout.WriteString(err.Error())
			os.Exit(7)
		}
		os.Stdout.WriteString(outcome.Trial.Error)
		return
	}
	trial.Main(catalog.All()...)
	os.Exit(m.Run())
}

func spec(workload, design string) trial.Spec {
	settings := []plan.Setting{{Factor: "cpus", Level: plan.IntLevel(1)}, {Factor: "workers", Level: plan.IntLevel(2)}}
	if workload == "coffee" {
		settings = append(settings, plan.Setting{Factor: "stage", Level: plan.DurationLevel(10 * time.Microsecond)},
			plan.Setting{Factor: "jitter", Level: plan.DurationLevel(0)})
	}
	return trial.Spec{
		Workload: workload, Design: design, Point: plan.NewPoint(settings...),
		Block: 3, Order: 7, Seed: 11, Operations: 100, BurnRate: 0.8,
	}
}

func run(t *testing.T, s trial.Spec) trial.Outcome {
	t.Helper()
	o, err := trial.Runner{TimeLimit: time.Minute}.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestStream(t *testing.T) {
	o := run(t, spec("coffee", "finelocking"))
	tr := o.Trial
	if tr.Status != result.OK || tr.Kind != "trial" || tr.Block != 3 || tr.Order != 7 || tr.Seed != "11" ||
		tr.World != "live" {
		t.Fatalf("%+v", tr)
	}
	if tr.Operations != 100 || tr.Metrics.Get(result.Throughput) <= 0 {
		t.Errorf("%d operations, throughput %v", tr.Operations, tr.Metrics.Get(result.Throughput))
	}
	for _, name := range []string{"latency_mean_ns", "latency_p50_ns", "latency_min_ns", "latency_max_ns",
		"cpu_seconds", "parallelism", "allocs_per_op", "burn_probe_before", "burn_probe_after"} {
		if !tr.Metrics.Get(name).Known() {
			t.Errorf("no %s", name)
		}
	}
	if v, has := tr.Metrics["latency_p999_ns"]; !has || v.Known() {
		t.Errorf("the p999 of 100 operations is %v", v)
	}
	if len(tr.Resources) != 0 {
		t.Errorf("a plain trial has resources: %v", tr.Resources)
	}
	h, err := hist.Decode(o.Histograms["latency"])
	if err != nil || h.Count() != 100 {
		t.Errorf("histogram of %d operations (%v)", h.Count(), err)
	}
}

// TestVirtualChild checks that a child simulates the same trial as this process.
func TestVirtualChild(t *testing.T) {
	s := spec("coffee", "finelocking")
	s.Costs, s.BurnRate = "wake=60us,chan=200ns", 0
	tr := run(t, s).Trial
	costs, err := sim.ParseCosts(s.Costs)
	if err != nil {
		t.Fatal(err)
	}
	w := coffee.Workload()
	d, _ := w.Find(s.Design)
	here := trial.Simulate(s, w, d, costs).Trial
	a, errA := json.Marshal(tr)
	b, errB := json.Marshal(here)
	if errA != nil || errB != nil || string(a) != string(b) || tr.World != result.Virtual || tr.Status != result.OK ||
		tr.Decisions == "" {
		t.Errorf("child: %s\nhere: %s", a, b)
	}
	s.Costs = "wale=1us"
	if tr := run(t, s).Trial; tr.Status != result.Failed || tr.World != result.Virtual ||
		!strings.Contains(tr.Error, `no cost "wale"`) {
		t.Errorf("%+v", tr)
	}
	s = spec("null", "stream") // in which no time passes
	s.Costs, s.Operations, s.Duration = "none", 0, time.Millisecond
	if o := run(t, s); o.Trial.Status != result.Failed || !strings.Contains(o.Trial.Error, "take no virtual time") {
		t.Errorf("%+v", o)
	}
}

func TestObserved(t *testing.T) {
	s := spec("coffee", "finelocking")
	s.Instrumented, s.BurnRate = true, 4 // no CPU is so fast that burns are shorter than their nominal time
	tr := run(t, s).Trial
	if tr.Kind != "observed" || len(tr.Resources) != 6 {
		t.Fatalf("kind %s, resources %+v", tr.Kind, tr.Resources)
	}
	for _, r := range tr.Resources {
		if r.Uses != 100 || r.Utilization == nil || *r.Utilization <= 0 || *r.Utilization > 1.001 || r.Violations != 0 {
			t.Errorf("%+v", r)
		}
		if r.WaitMeanNs == nil {
			t.Errorf("%s %s has no wait", r.Kind, r.Name)
		}
	}
	for _, part := range []string{"useful", "runtime", "gc", "idle"} {
		if v := tr.Metrics.Get("ledger_" + part); !(v >= 0 && v <= 1) {
			t.Errorf("ledger_%s is %v", part, v)
		}
	}
	// 100 lattes with four burns of 10 us are 4 ms of useful work on one CPU.
	span := tr.Metrics.Get(result.CPUSeconds) / tr.Metrics.Get(result.Parallelism)
	if useful := tr.Metrics.Get("ledger_useful") * span; math.Abs(float64(useful)-0.004) > 1e-9 {
		t.Errorf("%v s of useful work, want 0.004", useful)
	}
}

// TestInstrumentedWindow checks that on one busy CPU the meters either cover the uses of the operations or say
// that they do not.
func TestInstrumentedWindow(t *testing.T) {
	s := spec("coffee", "splitpipe")
	s.Point = plan.NewPoint(append(s.Point.Settings(), plan.Setting{Factor: "buffer", Level: plan.IntLevel(1)})...)
	s.Instrumented, s.Operations, s.Warmup, s.Duration = true, 0, 10*time.Millisecond, 100*time.Millisecond
	tr := run(t, s).Trial
	if tr.Status != result.OK {
		t.Fatalf("%+v", tr)
	}
	if len(tr.Resources) == 0 {
		if cpu := tr.Metrics.Get(result.CPUSeconds); cpu.Known() || len(tr.Warnings) == 0 {
			t.Errorf("no resources, CPU seconds %v, warnings %q", cpu, tr.Warnings)
		}
		return
	}
	for _, r := range tr.Resources {
		if r.Kind == "station" && r.Uses*2 < tr.Operations {
			t.Errorf("%d operations, and the %s was used %d times", tr.Operations, r.Name, r.Uses)
		}
	}
}

func TestJob(t *testing.T) {
	s := spec("null", "loop")
	s.Point = s.Point.Only([]string{"cpus"})
	tr := run(t, s).Trial
	if tr.Status != result.StatusBound || tr.Operations != 1 || tr.WallSeconds <= 0 ||
		tr.Metrics.Get(result.ItemsRate) <= 0 {
		t.Errorf("%+v", tr)
	}
	if _, has := tr.Metrics[result.Throughput]; has {
		t.Error("a job has a throughput")
	}
}

// TestChildWithoutHook checks that a program that starts trials without calling trial.Main first does not start
// children without end. Its child gets an error, and the parent reports it, even if the child prints it nowhere.
func TestChildWithoutHook(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), noHook+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "exit status 7: brewput: this process was started as a trial, but its main "+
		"function does not call lab.Main") {
		t.Errorf("it says %q", out)
	}
}

// TestChildEndsWithItsInput checks that a child without a specification runs no trial and ends.
func TestChildEndsWithItsInput(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, input := range []string{"", "{}\n", "nonsense\n"} {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), trial.Sentinel+"=1")
		cmd.Stdin = strings.NewReader(input)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 2 || len(out) == 0 {
			t.Errorf("input %q: exit %d, %q", input, code, out)
		}
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), trial.Sentinel+"=by hand")
	if cmd.Run(); cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("a sentinel set by hand: exit %d", cmd.ProcessState.ExitCode())
	}
}

// TestOpenLoop has a fast design with few arrivals. Their number does not depend on the machine. If the machine
// stalls, arrivals may be noticed late or be too many, which must be reported.
func TestOpenLoop(t *testing.T) {
	s := spec("coffee", "finelocking")
	s.Operations, s.Duration = 0, 200*time.Millisecond
	s.Point = s.Point.With("stage", plan.DurationLevel(time.Millisecond)).With("queue-limit",
		plan.IntLevel(50)).With("patience", plan.DurationLevel(time.Second))
	s.Open = &trial.OpenLoad{Rate: 100, Capacity: 250}
	tr := run(t, s).Trial
	m := tr.Metrics
	if !tr.Open || m.Get("rate_per_s") != 100 || m.Get("arrived") != 26 || m["latency_mean_ns"] != 0 {
		t.Errorf("%+v", tr)
	}
	known := func(names ...string) (some, all bool) {
		all = true
		for _, name := range names {
			some, all = some || m.Get(name).Known(), all && m.Get(name).Known()
		}
		return some, all
	}
	some, all := known("response_mean_ns", "response_sd_ns", "response_min_ns")
	_, rest := known("arrived", "dropped", "abandoned", "unfinished", "lost_share", "service_mean_ns", "service_min_ns")
	switch {
	case tr.Invalid:
		if tr.Status != result.Failed || !strings.Contains(tr.Error, "noticed late") || some {
			t.Errorf("invalid: %+v", tr)
		}
	case tr.Unstable:
		if tr.Status != result.OK || some || !rest {
			t.Errorf("unstable: %+v", tr)
		}
	case tr.Status != result.OK || !all || !rest || m.Get("offered_load") != 0.4 || m.Get("offered_per_s") != 130:
		t.Errorf("%+v", tr)
	case m.Get("response_mean_ns") < m.Get("service_mean_ns"):
		t.Errorf("response %v is shorter than service %v", m.Get("response_mean_ns"), m.Get("service_mean_ns"))
	}
}

// TestUnstableLoad has ten times the arrivals that can be served.
func TestUnstableLoad(t *testing.T) {
	s := spec("coffee", "locking")
	s.Operations, s.Duration = 0, 100*time.Millisecond
	s.Point = s.Point.With("stage", plan.DurationLevel(time.Millisecond))
	for _, capacity := range []float64{250, 0} { // also with an unknown capacity
		s.Open = &trial.OpenLoad{Rate: 2500, Capacity: capacity}
		tr := run(t, s).Trial
		if tr.Status != result.OK || !tr.Unstable {
			t.Fatalf("capacity %v: %+v", capacity, tr)
		}
		for name, v := range tr.Metrics {
			if strings.HasPrefix(name, "response_") && v.Known() {
				t.Errorf("%s is %v, though it grows with the length of the trial", name, v)
			}
		}
		if !tr.Metrics.Get("service_mean_ns").Known() || tr.Metrics.Get("unfinished") == 0 {
			t.Errorf("%v", tr.Metrics)
		}
	}
}

// TestImpatient has an arrival each millisecond with a patience of 1 ms, and a service of 4 ms. Most give up,
// and no response is in time.
func TestImpatient(t *testing.T) {
	s := spec("coffee", "locking")
	s.Costs = "none" // in virtual time, because on a loaded machine the arrivals themselves would be late
	s.Operations, s.Duration = 0, 200*time.Millisecond
	s.Point = s.Point.With("stage", plan.DurationLevel(time.Millisecond)).With("workers", plan.IntLevel(1)).
		With("patience", plan.DurationLevel(time.Millisecond)).With("arrivals", plan.TextLevel("constant"))
	s.Open = &trial.OpenLoad{Rate: 1000, Capacity: 250}
	m := run(t, s).Trial.Metrics
	if m.Get("arrived") != 200 || m.Get("abandoned") < 100 || m.Get("dropped") != 0 || m.Get("throughput_per_s") == 0 ||
		m.Get("goodput_per_s") != 0 {
		t.Errorf("%v", m)
	}
	s.Point = s.Point.Only([]string{"cpus", "workers", "stage", "jitter", "arrivals"}).With("queue-limit",
		plan.IntLevel(0))
	if m = run(t, s).Trial.Metrics; m.Get("dropped") < 100 || m.Get("abandoned") != 0 {
		t.Errorf("no room to wait: %v", m)
	}
}

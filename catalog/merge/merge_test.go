package merge

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/seeded"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func TestMain(m *testing.M) {
	trial.Main(Workload())
	seeded.Fix()
	os.Exit(m.Run())
}

// consume returns the calls of a consumer for events that are in the channel when it starts. With stop it is told to
// stop at once; otherwise the channel is closed.
func consume(t *testing.T, seed uint64, by consumeFunc, events []string, told bool) string {
	t.Helper()
	return callsOf(t, seed, func(e env.Env, call func(env.Env, string, int)) {
		c, stop := env.NewChan[string](e, "events", len(events)), env.NewChan[struct{}](e, "", 0)
		for _, event := range events {
			c.Send(event)
		}
		if told {
			stop.Close()
		} else {
			c.Close()
		}
		by(e, c, stop, call)
	})
}

// callsOf runs a consumer in virtual time, and returns its calls.
func callsOf(t *testing.T, seed uint64, consumer func(e env.Env, call func(env.Env, string, int))) string {
	t.Helper()
	var calls []string
	err := virtual.New(virtual.Config{Seed: seed, CPUs: 2}).Run("test", func(e env.Env) {
		consumer(e, func(_ env.Env, event string, count int) {
			if calls = append(calls, fmt.Sprintf("(%s,%d)", event, count)); len(calls) > 100 {
				t.Fatal("too many calls")
			}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(calls, ",")
}

// waiting are events and their calls, if all wait for the consumer. An empty event is written as "-".
func waiting() map[string]string {
	return map[string]string{"aaaabbb": "(a,4),(b,3)", "a": "(a,1)", "": "", "abab": "(a,1),(b,1),(a,1),(b,1)",
		"a--b-": "(a,1),(,2),(b,1),(,1)"}
}

// eventsOf returns the events that waiting writes.
func eventsOf(text string) []string {
	split := strings.Split(text, "")
	for i := range split {
		split[i] = strings.Trim(split[i], "-") // an event may be empty
	}
	return split
}

// TestWaiting checks the calls for events that are waiting, and that an order to stop never loses them.
func TestWaiting(t *testing.T) {
	for name, by := range map[string]consumeFunc{"carried": consumeCarried,
		"flush": consumeFlush(10, time.Millisecond)} {
		for events, want := range waiting() {
			for _, told := range []bool{false, true} {
				for seed := range uint64(20) {
					if got := consume(t, seed, by, eventsOf(events), told); got != want {
						t.Fatalf("%s: %s, told to stop %v, seed %d: %s, want %s", name, events, told, seed, got, want)
					}
				}
			}
		}
	}
}

// TestSwappedWaiting checks the calls for events that are waiting in a queue, which is closed before they are taken.
func TestSwappedWaiting(t *testing.T) {
	for events, want := range waiting() {
		got := callsOf(t, 1, func(e env.Env, call func(env.Env, string, int)) {
			q := newQueue(e, 10)
			for _, event := range eventsOf(events) {
				q.put(event)
			}
			q.close()
			q.consume(e, call)
		})
		if got != want {
			t.Errorf("%s: %s, want %s", events, got, want)
		}
	}
}

// TestFaultsOfOriginal checks that the published consumer is kept with its faults.
func TestFaultsOfOriginal(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(50) {
		seen[consume(t, seed, consumeOriginal, strings.Split("aaaabbb", ""), true)] = true
	}
	if !seen["(a,4),(b,1),(b,2)"] {
		t.Errorf("a run is split: %v", seen)
	}
	if !seen[""] {
		t.Errorf("events are dropped when it is told to stop: %v", seen)
	}

	seen = map[string]bool{}
	for seed := range uint64(50) {
		seen[consume(t, seed, consumeOriginal, []string{"a", "", "b"}, true)] = true
	}
	if !seen["(a,1),(b,1)"] {
		t.Errorf("the empty event that ends a run is swallowed: %v", seen)
	}
}

// TestOriginalSpinsWhenClosed checks that the published consumer never returns after the channel is closed, and that
// the others do.
func TestOriginalSpinsWhenClosed(t *testing.T) {
	costs, err := sim.ParseCosts("chan=1us")
	if err != nil {
		t.Fatal(err)
	}
	design := func(by consumeFunc) workload.Design {
		return workload.Design{Name: "closed", Job: func(env.Env, plan.Point) (workload.Job, error) {
			return workload.Job{Run: func(e env.Env) error {
				c := env.NewChan[string](e, "events", 1)
				c.Close()
				by(e, c, env.NewChan[struct{}](e, "", 0), func(env.Env, string, int) { t.Error("a call") })
				return nil
			}}, nil
		}}
	}
	for _, c := range []struct {
		d     workload.Design
		limit time.Duration // of real time
		want  result.Status
	}{
		{design(consumeOriginal), 50 * time.Millisecond, result.Failed},
		{design(consumeCarried), time.Minute, result.OK},
		{design(consumeFlush(10, time.Millisecond)), time.Minute, result.OK},
	} {
		w := &workload.Workload{Name: "merge", Designs: []workload.Design{c.d}}
		x := trial.Simulate(trial.Spec{Workload: "merge", Design: "closed", Seed: 1, Limit: c.limit,
			Point: workloadtest.Point(t, w)}, w, c.d, costs).Trial
		if x.Status != c.want {
			t.Errorf("%s %s, want %s", x.Status, x.Error, c.want)
		}
	}
}

// TestDesigns checks every design, live and in virtual time, against its input.
func TestDesigns(t *testing.T) {
	w := Workload()
	if err := w.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, d := range w.Designs {
		for _, settings := range []string{"events=3000", "events=1", "events=500 buffer=0 run=1",
			"events=500 buffer=1 run=50", "events=300 intensity=2 call=20us",
			"events=100 intensity=0.1 call=20us gaps=constant runs=constant batch=3"} {
			p := workloadtest.Point(t, w, settings)
			o := workloadtest.Live(t, w, d, p)
			for world, x := range map[string]result.Trial{"live": o.Trial,
				"virtual": workloadtest.Virtual(w, d, p, 1, sim.Costs{})} {
				if !x.Good() || !(x.Metrics.Get(callsPerEvent) > 0) {
					t.Errorf("%s in %s at %s: %s %s\n%s", d.Name, world, settings, x.Status, x.Error, o.Failure)
				}
			}
		}
	}
}

// TestDesignsOnAnyPoint runs random points in virtual time, where the seed changes the scheduling decisions. The check
// expands the calls.
func TestDesignsOnAnyPoint(t *testing.T) {
	w := Workload()
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string, from, to int) string {
			return fmt.Sprintf("%s=%d", name, rapid.IntRange(from, to).Draw(t, name))
		}
		settings := []string{n("events", 1, 200), n("run", 1, 9), n("buffer", 0, 20), n("batch", 1, 12),
			n("cpus", 1, 3), "runs=" + rapid.SampledFrom([]string{"geometric", "constant"}).Draw(t, "runs")}
		if rapid.Bool().Draw(t, "gaps") {
			settings = append(settings, "call=50us", n("intensity", 1, 9))
		}
		d := rapid.SampledFrom(w.Designs).Draw(t, "design")
		p := workloadtest.Point(t, w, settings...).Only(w.FactorsOf(d))
		x := workloadtest.Virtual(w, d, p, rapid.Uint64().Draw(t, "seed"), sim.Costs{})
		if !x.Good() {
			t.Fatalf("%s at %s: %s %s", d.Name, p, x.Status, x.Error)
		}
	})
}

// TestCheck checks that the check finds lost, joined and repeated events.
func TestCheck(t *testing.T) {
	in := &input{events: strings.Split("aab", "")}
	for calls, want := range map[string]string{"a2 b1": "", "a1 a1 b1": "", "a2": "2 of 3", "a3": "event 3 is",
		"b1 a2": "event 1 is", "a2 b2": "after 2 of 3", "a2 b0 b1": "0 times"} {
		o := &output{in: in}
		for _, c := range strings.Fields(calls) {
			o.calls = append(o.calls, call{c[:1], int(c[1] - '0')})
		}
		_, err := o.check()
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", calls, err, want)
		}
	}
}

// TestFormula compares the expected calls with a simulation without costs, from low traffic intensity to a full queue.
func TestFormula(t *testing.T) {
	w := Workload()
	for name, points := range map[string][]string{
		"original": {"intensity=0.3", "intensity=1", "intensity=2", "intensity=1.1 run=2", "intensity=4 run=10",
			"intensity=9 buffer=20"},
		"carried": {"intensity=0.3", "intensity=1", "intensity=2.5", "intensity=1.5 run=2", "intensity=7 run=10",
			"intensity=9 buffer=20"},
		"swapped": {"intensity=0.3", "intensity=1", "intensity=2.5", "intensity=1.5 run=2", "intensity=7 run=10",
			"intensity=9 buffer=20"},
	} {
		d, _ := w.Find(name)
		for _, settings := range points {
			p := workloadtest.Point(t, w, "buffer=100000 events=60000 call=100us cpus=3", settings)
			x := workloadtest.Virtual(w, d, p, 1, sim.Costs{})
			want := d.Formula.Value(p, nil)
			got := float64(x.Metrics.Get(callsPerEvent))
			if !(math.Abs(got/want-1) < 0.02) {
				t.Errorf("%s at %s: %.4f calls for each event, by the formula %.4f (%s %s)", name, settings, got, want,
					x.Status, x.Error)
			}
		}
	}
}

// TestFormulaHasLimits checks that there is no prediction where the chain does not apply.
func TestFormulaHasLimits(t *testing.T) {
	w := Workload()
	d, _ := w.Find("carried")
	for _, settings := range []string{"call=0s", "intensity=1 call=1ms gaps=constant",
		"intensity=1 call=1ms runs=constant", "intensity=2 run=2 call=1ms", // sometimes full
		"intensity=9 call=1ms buffer=1", "intensity=1 call=1ms cpus=1"} {
		p := workloadtest.Point(t, w, settings)
		if x := d.Formula.Value(p, nil); !math.IsNaN(x) {
			t.Errorf("%s: %v", settings, x)
		}
	}
}

// TestDelay checks the calls and the mean delay of events that arrive regularly, one every 200us.
func TestDelay(t *testing.T) {
	w := Workload()
	for _, c := range []struct {
		design, settings string
		calls, delay     float64
	}{
		{"carried", "run=1", 1, 0},
		// The last of ten waits for the next event, which ends the run, or for the end of the delay: the next run then
		// begins 100us late.
		{"flush", "run=10 delay=10ms", 0.1, (99*1.1e-3 + 9.1e-3) / 100},
		{"flush", "run=10 batch=5 delay=10ms", 0.2, 0.4e-3},
		{"flush", "run=10 delay=0s", 1, 0},
	} {
		d, _ := w.Find(c.design)
		p := workloadtest.Point(t, w, c.settings,
			"events=1000 runs=constant gaps=constant call=100us intensity=0.5 cpus=3")
		x := workloadtest.Virtual(w, d, p, 1, sim.Costs{})
		calls, delay := float64(x.Metrics.Get(callsPerEvent)), float64(x.Metrics.Get("delay_mean_seconds"))
		if calls != c.calls || math.Abs(delay-c.delay) > 2e-5 {
			t.Errorf("%s %s: %v calls for each event instead of %v, delay %v instead of %v (%s %s)", c.design,
				c.settings, calls, c.calls, delay, c.delay, x.Status, x.Error)
		}
	}
}

// TestInput checks the distribution of the events and their gaps.
func TestInput(t *testing.T) {
	w := Workload()
	for _, runs := range []string{"geometric", "constant"} {
		p := workloadtest.Point(t, w, "events=100000", "run=5", "runs="+runs, "intensity=2", "call=1ms")
		in := newInput(p, env.NewRand(1))
		changes := 1
		for i := 1; i < len(in.events); i++ {
			if in.events[i] != in.events[i-1] {
				changes++
			}
		}
		if mean := float64(len(in.events)) / float64(changes); math.Abs(mean-5) > 0.15 {
			t.Errorf("%s: runs have %.2f events on average", runs, mean)
		}
		if !slices.IsSorted(in.due) || math.Abs(in.due[len(in.due)-1].Seconds()-50) > 1 {
			t.Errorf("the last event of 100000 is due at %v, at 2 for each ms", in.due[len(in.due)-1])
		}
	}
	if err := w.Check(workloadtest.Point(t, w, "intensity=1")); err == nil ||
		!strings.Contains(err.Error(), "set call") {
		t.Error(err)
	}
	if err := w.Check(workloadtest.Point(t, w, "run=2.5", "runs=constant")); err == nil ||
		!strings.Contains(err.Error(), "whole") {
		t.Error(err)
	}
	if err := w.Check(workloadtest.Point(t, w)); err != nil {
		t.Error(err)
	}
}

package identity

import (
	"fmt"
	"testing"

	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
)

// overLinks simulates the designs over links, and returns measured / formula of those that have a formula.
func overLinks(t *testing.T, costs sim.Costs, settings string) (trials map[string]result.Trial,
	ratios map[string]float64) {
	t.Helper()
	w := Workload()
	p := workloadtest.Point(t, w, settings)
	trials, ratios = map[string]result.Trial{}, map[string]float64{}
	for _, name := range []string{"remote", "remote-batches", "echo"} {
		d, _ := w.Find(name)
		x := workloadtest.Virtual(w, d, p, 1, costs)
		if !x.Good() {
			t.Fatalf("%s, %s: %s %s", name, settings, x.Status, x.Error)
		}
		trials[name] = x
	}
	measured := func(design, metric string, _ plan.Point) (float64, bool) {
		x := trials[design].Metrics.Get(metric)
		return float64(x), x.Known()
	}
	for name, x := range trials {
		if d, _ := w.Find(name); d.Formula != nil {
			ratios[name] = x.WallSeconds / d.Formula.Seconds(p, measured)
		}
	}
	return trials, ratios
}

// TestFormulasOfLinks checks the formulas of the designs over links, with and without costs of channels and locks.
func TestFormulasOfLinks(t *testing.T) {
	networks := []string{"", "delay=1ms", "delay=1ms overhead=0s", "reply=20us delay=500us", "overhead=50us"}
	for _, callers := range []int{1, 8, 42} {
		for i, network := range networks {
			for _, costs := range []sim.Costs{{}, {Chan: sim.Ns(60), Lock: sim.Ns(15)}} {
				settings := fmt.Sprintf("calls=%d callers=%d cpus=%d %s", 100*callers, callers, 2+6*(i%2), network)
				_, ratios := overLinks(t, costs, settings)
				if len(ratios) != 2 {
					t.Fatalf("%s: %d formulas", settings, len(ratios))
				}
				for name, ratio := range ratios {
					if !(ratio > 0.9 && ratio < 1.1) {
						t.Errorf("%s, %s: measured / formula = %.3f", name, settings, ratio)
					}
				}
			}
		}
	}
}

// TestTimesOfLinks checks the designs over links against times that follow from the settings alone.
func TestTimesOfLinks(t *testing.T) {
	for settings, want := range map[string]map[string]float64{ // in seconds
		"delay=1ms overhead=0s":  {"remote": 100 * 2e-3, "remote-batches": 200 * 2e-3},
		"reply=10us overhead=0s": {"remote": 4000 * 10e-6 / 8, "remote-batches": 4000 * 10e-6},
		"overhead=5us":           {"remote": 4000 * 20e-6 / 8, "remote-batches": 200 * 20e-6},
	} {
		trials, _ := overLinks(t, sim.Costs{}, "calls=4000 callers=40 cpus=8 "+settings)
		for name, want := range want {
			if wall := trials[name].WallSeconds; !(wall > 0.98*want && wall < 1.02*want) {
				t.Errorf("%s, %s: it takes %v s, want %v", name, settings, wall, want)
			}
		}
	}
	trials, _ := overLinks(t, sim.Costs{}, "calls=4200 delay=1ms overhead=2us reply=3us")
	for metric, want := range map[string]float64{"rtt_ns": 2_011_000, "cpu_ns": 11_000, "batch_cpu_ns": 3125} {
		if x := float64(trials["echo"].Metrics.Get(metric)); !(x > 0.999*want && x < 1.001*want) {
			t.Errorf("echo: %s is %v, want %v", metric, x, want)
		}
	}
}

// TestEchoes checks how many calls echo makes: few if each takes long, so that it ends soon.
func TestEchoes(t *testing.T) {
	w := Workload()
	d, _ := w.Find("echo")
	for settings, n := range map[string]int{
		"calls=100000": 2048, "calls=300": 300, "calls=100000 delay=10ms overhead=0s": 50,
		"calls=100000 overhead=10ms": 25, "calls=100000 overhead=0s reply=20ms": 50,
		"calls=100000 delay=1s": 16, "calls=7 delay=1s": 7,
	} {
		x := workloadtest.Virtual(w, d, workloadtest.Point(t, w, settings), 1, sim.Costs{})
		want := float64(2*n + (n+63)/64*64) // round trips, calls that are transmitted alone, and those in batches
		got := float64(x.Metrics.Get(result.ItemsRate)) * x.WallSeconds
		if !x.Good() || !(got > want-0.1 && got < want+0.1) {
			t.Errorf("%s: %v calls, want %v; %s", settings, got, want, x.Error)
		}
	}
}

// TestBatchesShareOverhead checks that batches are 8 times as fast if 42 callers wait and overhead takes all time: at
// least half of them share a transmission, but remote has two transmissions on two CPUs at once. They are slower if the
// delay takes all time, at most by half, because a call that just misses a transmission waits for the next one.
func TestBatchesShareOverhead(t *testing.T) {
	for settings, want := range map[string][2]float64{"overhead=5us": {8, 21}, "delay=10ms": {0.49, 0.98}} {
		for _, costs := range []sim.Costs{{}, {Chan: sim.Ns(60), Lock: sim.Ns(15)}} {
			trials, _ := overLinks(t, costs, "calls=8400 callers=42 cpus=2 "+settings)
			gain := trials["remote"].WallSeconds / trials["remote-batches"].WallSeconds
			if !(gain > want[0] && gain < want[1]) {
				t.Errorf("%s: batches are %.2f times as fast, want %v", settings, gain, want)
			}
		}
	}
}

package compare

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brewput/brewput/result"
)

// counted returns n trials, two in each block, with these metrics.
func counted(n int, metrics func(i int) result.Metrics) []result.Trial {
	var trials []result.Trial
	for i := range n {
		x := coffeeTrial("a", 1, i/2, 100)
		for name, v := range metrics(i) {
			x.Metrics[name] = v
		}
		trials = append(trials, x)
	}
	return trials
}

// find returns the warning of a name.
func find(list []Warning, name string) (Warning, bool) {
	for _, w := range list {
		if w.Warning == name {
			return w, true
		}
	}
	return Warning{}, false
}

// mostText is the number of characters that three lines of a page of 80 columns have room for.
const mostText = 222

func TestCountedWarnings(t *testing.T) {
	quiet := func(int) result.Metrics {
		return result.Metrics{result.CPUSeconds: 2, result.Parallelism: 2, "machine_cpu_seconds": 2.05,
			"steal_seconds":     0.02,
			"throttled_periods": 0, "burn_probe_before": 1.04, "burn_probe_after": 1.2}
	}
	for _, c := range []struct {
		name    string
		warning string // "" for none
		metrics func(i int) result.Metrics
		value   float64
		says    string
	}{
		{"quiet", "", func(int) result.Metrics { return nil }, 0, ""},
		{"unknown", "", func(int) result.Metrics {
			na := result.Unavailable
			return result.Metrics{"machine_cpu_seconds": na, "steal_seconds": na, "throttled_periods": na,
				"burn_probe_before": na}
		}, 0, ""},
		{"windows shorter than a tick", "", func(int) result.Metrics {
			return result.Metrics{result.CPUSeconds: 0.002, "machine_cpu_seconds": 0.005, "steal_seconds": 0.001}
		}, 0, ""},
		{"ticks too many in some trials and too few in others", "", func(i int) result.Metrics {
			return result.Metrics{"machine_cpu_seconds": result.Value(2 + 0.3*float64(1-i%2*2))}
		}, 0, ""},
		// 0.3 of a CPU everywhere, 0.5 in block 4.
		{"others", WarnOtherProcesses, func(i int) result.Metrics {
			if i/2 == 4 {
				return result.Metrics{"machine_cpu_seconds": 2.5}
			}
			return result.Metrics{"machine_cpu_seconds": 2.3}
		}, 0.32, "other processes used 0.32 of a CPU during the trials, most in block 4 (0.50); above 0.10"},
		{"a started server, which is no other process", "", func(int) result.Metrics {
			return result.Metrics{"machine_cpu_seconds": 3.9, "server_cpu_seconds": 2, "steal_seconds": 0.02}
		}, 0, ""},
		{"others and a started server", WarnOtherProcesses, func(int) result.Metrics {
			return result.Metrics{"machine_cpu_seconds": 3.3, "server_cpu_seconds": 1}
		}, 0.3, "other processes used 0.30 of a CPU during the trials"},
		{"steal", WarnSteal, func(i int) result.Metrics {
			if i/2 == 2 {
				return result.Metrics{"steal_seconds": 0.5}
			}
			return nil
		}, (18*0.02 + 2*0.5) / (20*2 + 18*0.02 + 2*0.5), "most in block 2 (20.0%)"},
		{"throttled", WarnThrottled, func(i int) result.Metrics {
			if i == 7 || i == 8 {
				return result.Metrics{"throttled_periods": 3}
			}
			return nil
		}, 6, "throttled 2 of 20 trials, in 6 periods"},
		{"one slow trial of 20", "", func(i int) result.Metrics {
			if i == 7 {
				return result.Metrics{"burn_probe_before": 1.5}
			}
			return nil
		}, 0, ""},
		{"clock", WarnClock, func(i int) result.Metrics {
			if i == 7 || i == 8 || i == 9 {
				return result.Metrics{"burn_probe_before": result.Value(1 + float64(i)/50)}
			}
			return nil
		}, 0.16, "slower than at the start of the run around 3 of 20 trials, by 16% in their median " +
			"(limits: 5% in 5%"},
	} {
		list := Warnings(counted(20, func(i int) result.Metrics {
			m := quiet(i)
			for name, v := range c.metrics(i) {
				m[name] = v
			}
			return m
		}), nil)
		if c.warning == "" {
			if len(list) != 0 {
				t.Errorf("%s: %+v", c.name, list)
			}
			continue
		}
		w, ok := find(list, c.warning)
		if len(w.Text) > mostText {
			t.Errorf("%s: %d characters: %s", c.name, len(w.Text), w.Text)
		}
		if !ok || len(list) != 1 || math.Abs(float64(w.Value)-c.value) > 1e-9 || !strings.Contains(w.Text, c.says) ||
			w.Workload != "coffee" || w.Kind != "warning" {
			t.Errorf("%s: %+v, want a value of %v and %q", c.name, list, c.value, c.says)
		}
	}
}

// TestWarningsFitThreeLines: no page shortens a warning.
func TestWarningsFitThreeLines(t *testing.T) {
	logs := make([]float64, 10)
	for b := range logs {
		logs[b] = -0.01 * float64(b)
	}
	_, trials := sweepOf([]string{"a", "b"}, [][]float64{logs, logs})
	drift, ok := blockOrder(trials)
	if !ok || drift.Warning != WarnDrift {
		t.Errorf("%+v", drift)
	}
	for _, w := range []Warning{drift, BudgetWarning("coffee", "run"), UnfinishedWarning("coffee", "run",
		"--resume run", 9, 10), OneRunWarning("coffee", "measure several runs of each side, alternating, and compare "+
		"the groups")} {
		if len(w.Text) > mostText {
			t.Errorf("%d characters: %s", len(w.Text), w.Text)
		}
	}
}

// TestWarningsAreExplained: the manual has a line for each.
func TestWarningsAreExplained(t *testing.T) {
	manual, err := os.ReadFile(filepath.Join("..", "docs", "manual", "4-verdicts.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{WarnOtherProcesses, WarnSteal, WarnThrottled, WarnClock, WarnDrift, WarnSerial,
		WarnFewBlocks,
		WarnSettings, WarnPartial, WarnBudget} {
		if !strings.Contains(string(manual), "\n| `"+name+"` |") {
			t.Errorf("the manual does not explain %s", name)
		}
	}
}

func TestFewBlocks(t *testing.T) {
	few := func(n int) string {
		_, trials := sweepOf([]string{"a", "b"}, [][]float64{make([]float64, n), make([]float64, n)})
		w, _ := find(Warnings(trials, nil), WarnFewBlocks)
		return w.Text
	}
	if got := few(6); got != "" {
		t.Errorf("six blocks: %q", got)
	}
	if got := few(5); got != "5 blocks are too few: intervals and verdicts need at least 6 (option count)" {
		t.Errorf("five blocks: %q", got)
	}
	if got := few(1); !strings.HasPrefix(got, "1 block is too few: ") {
		t.Errorf("one block: %q", got)
	}
	_, trials := sweepOf([]string{"a", "b"}, [][]float64{make([]float64, 7), make([]float64, 7)})
	if w, _ := find(Warnings(trials, InterimBlocks()), WarnFewBlocks); !strings.Contains(w.Text,
		"the first interim analysis of a run with a budget is at block 10") || strings.Contains(w.Text, "--count") {
		t.Errorf("seven blocks of a budget: %q", w.Text)
	}
	if list := Warnings(nil, nil); len(list) != 0 {
		t.Errorf("no trial: %+v", list)
	}
}

// orderWarning returns the warning about the order of simulated blocks: "", WarnDrift or WarnSerial.
func orderWarning(logs [][]float64) string {
	names := []string{"a", "b", "c", "d", "e", "f"}[:len(logs)]
	_, trials := sweepOf(names, logs)
	w, _ := blockOrder(trials)
	return w.Warning
}

// TestOrderFalseAlarms: at most 1 in 100 clean runs, whose blocks differ by chance alone, is reported to drift or
// to be correlated. This holds for any distribution, with common effects of blocks, and if rows drop out.
func TestOrderFalseAlarms(t *testing.T) {
	t.Parallel()
	const sets = 2000
	for i, c := range []struct {
		machine
		rows, blocks int
		some         bool // after 10 blocks only two rows continue, as with a budget
	}{
		{machines()[0], 1, 10, false}, {machines()[0], 6, 10, false}, {machines()[1], 6, 10, false},
		{machines()[3], 4, 10, false}, {machines()[4], 4, 10, false},
		{machines()[1], 4, 6, false}, {machines()[1], 4, 30, false}, {machines()[1], 6, 40, true},
	} {
		r := rand.New(rand.NewPCG(8, uint64(i)))
		alarms := 0
		for range sets {
			logs := c.sweep(r, c.blocks, make([]float64, c.rows))
			for d := 2; d < c.rows && c.some; d++ {
				logs[d] = logs[d][:10]
			}
			alarms += boolToInt(orderWarning(logs) != "")
		}
		share := 100 * float64(alarms) / sets
		t.Logf("%-14s %d rows, %2d blocks: false alarms in %.2f%%", c.name, c.rows, c.blocks, share)
		if share > 1.45 { // 1% and two standard errors of 2,000
			t.Errorf("%s, %d rows, %d blocks: false alarms in %.2f%%", c.name, c.rows, c.blocks, share)
		}
	}
}

// wander returns effects of blocks, each with the fraction rho of the one before.
func wander(r *rand.Rand, blocks int, sd, rho float64) []float64 {
	out := make([]float64, blocks)
	out[0] = sd * r.NormFloat64()
	for b := 1; b < blocks; b++ {
		out[b] = rho*out[b-1] + math.Sqrt(1-rho*rho)*sd*r.NormFloat64()
	}
	return out
}

// TestOrderPower: disturbances of a run are found.
func TestOrderPower(t *testing.T) {
	t.Parallel()
	const sets = 500
	found := func(seed uint64, logs func(r *rand.Rand) [][]float64, names ...string) float64 {
		r := rand.New(rand.NewPCG(9, seed))
		n := 0
		for range sets {
			w := orderWarning(logs(r))
			for _, name := range names {
				n += boolToInt(w == name)
			}
		}
		return 100 * float64(n) / sets
	}
	drifting := machine{drift: -0.01, noise: 0.02}
	if share := found(1, func(r *rand.Rand) [][]float64 { return drifting.sweep(r, 10, make([]float64, 4)) },
		WarnDrift); share < 95 {
		t.Errorf("a drift of 1%% a block in 4 rows of 10 blocks is found in %.1f%%", share)
	} else {
		t.Logf("drift of 1%% a block, 4 rows, 10 blocks: found in %.1f%%", share)
	}
	alone := found(2, func(r *rand.Rand) [][]float64 { return drifting.sweep(r, 10, make([]float64, 1)) }, WarnDrift)
	t.Logf("the same in 1 row: found in %.1f%%", alone)
	if alone < 40 {
		t.Errorf("a drift of 1%% a block in one row is found in %.1f%%", alone)
	}
	wandering := func(r *rand.Rand) [][]float64 {
		effects := wander(r, 30, 0.03, 0.8)
		out := make([][]float64, 4)
		for d := range out {
			for b := range effects {
				out[d] = append(out[d], effects[b]+0.02*r.NormFloat64())
			}
		}
		return out
	}
	share := found(3, wandering, WarnSerial, WarnDrift) // some of its walks look like a drift
	t.Logf("a correlation of 0.8 from block to block, 4 rows, 30 blocks: found in %.1f%%", share)
	if share < 70 {
		t.Errorf("a correlation of 0.8 over 30 blocks is found in %.1f%%", share)
	}
	serial := found(3, wandering, WarnSerial)
	t.Logf("of these as autocorrelation: %.1f%%", serial)
	if serial < 40 {
		t.Errorf("it is called autocorrelation in %.1f%%", serial)
	}
}

// TestDriftFigures: a run that slows by 1% per block has lost 8.6% at its tenth. Jobs slow down if their time
// grows.
func TestDriftFigures(t *testing.T) {
	logs := make([]float64, 10)
	for b := range logs {
		logs[b] = -0.01 * float64(b)
	}
	_, trials := sweepOf([]string{"a", "b"}, [][]float64{logs, logs})
	w, ok := blockOrder(trials)
	if !ok || math.Abs(float64(w.Value)-(math.Exp(-0.09)-1)) > 1e-9 || !strings.Contains(w.Text, "-8.6%") {
		t.Errorf("%+v", w)
	}
	for i := range trials {
		trials[i].Type, trials[i].Metrics = result.Job,
			result.Metrics{result.WallSeconds: trials[i].Metrics[result.Throughput]}
	}
	if w, ok = blockOrder(trials); !ok || math.Abs(float64(w.Value)-(math.Exp(0.09)-1)) > 1e-9 {
		t.Errorf("jobs: %+v", w)
	}
	for b := range logs {
		logs[b] = 0.0005 * float64(b)
	}
	_, trials = sweepOf([]string{"a"}, [][]float64{logs})
	if w, ok = blockOrder(trials); ok {
		t.Errorf("half a per cent is warned of: %+v", w)
	}
	trials[3].Status = result.Failed // a missing trial
	if w, ok = blockOrder(trials); ok {
		t.Errorf("with a failed trial: %+v", w)
	}
}

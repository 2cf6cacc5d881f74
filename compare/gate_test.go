package compare

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/brewput/brewput/result"
)

// judgedOnce returns the result of a gate with a single analysis after all blocks.
func judgedOnce(g Gate, trials []result.Trial, metric string) GateDecision {
	interim := NewSequentialGate(g)
	interim.Open(g.InterimBlocks[len(g.InterimBlocks)-1], false, true)
	return interim.Judge(levels(trials), metric, -1)[0]
}

// TestUntrustedBlocks: an analysis under load decides nothing, and later analyses do not decide by its blocks
// alone.
func TestUntrustedBlocks(t *testing.T) {
	var trials []result.Trial
	for b := range 20 {
		head := 80 + float64(b%3) // clearly within the limit at first
		if b >= 10 {
			head = 130 + 20*float64(b%2) // but not in later blocks
		}
		trials = append(trials, benchTrial("base", b, takes(100+float64(b%3))), benchTrial("head", b, takes(head)))
	}
	g := NewSequentialGate(Gate{MaxRegression: 0.05, Alpha: 0.05, Layouts: 1, InterimBlocks: GateInterimBlocks(80)})

	g.Open(10, false, false)
	if v := g.Judge(levels(trials[:20]), result.TimePerOp, -1)[0]; v.Decision != Undecided || v.N != 10 {
		t.Errorf("under load: %+v", v)
	}
	g.Open(20, false, true)
	v := g.Judge(levels(trials), result.TimePerOp, -1)[0]
	if v.Decision != Undecided || v.N != 20 || v.High < 1.05 || v.Head != 106 {
		t.Errorf("after 20 blocks: %+v", v)
	}
}

// TestDecisionIsFinal: a decision keeps the medians, bounds and blocks of its analysis, even if the machine is
// loaded later.
func TestDecisionIsFinal(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	trials := simulatedTrials(rng, 20, 1, 1, 0.005, 0)
	g := NewSequentialGate(Gate{MaxRegression: 0.05, Alpha: 0.05, Layouts: 1, InterimBlocks: GateInterimBlocks(80)})
	g.Open(10, false, true)
	first := g.Judge(levels(trials[:20]), result.TimePerOp, -1)[0]
	if first.Decision != Pass || first.N != 10 {
		t.Fatalf("after 10 blocks: %+v", first)
	}
	for _, trusted := range []bool{true, false} {
		g.Open(20, false, trusted)
		if again := g.Judge(levels(trials), result.TimePerOp, -1)[0]; !reflect.DeepEqual(again, first) {
			t.Errorf("after 20 blocks: %+v, want %+v", again, first)
		}
	}
	g.Open(20, false, true)
	if other := g.Judge(levels(trials), "other", -1); len(other) != 1 || other[0].Decision != Undecided {
		t.Errorf("another metric: %+v", other)
	}
}

// TestSpending: the levels of all analyses add up to Alpha, whichever are untrusted and whenever the time ends.
func TestSpending(t *testing.T) {
	for _, c := range []struct {
		name    string
		layouts int
		blocks  []int
		refused int // number of analyses
		last    bool
		want    []float64
	}{
		{"all", 1, []int{10, 20, 30, 40, 60, 80}, 0, false,
			[]float64{0.00625, 0.00625, 0.00625, 0.00625, 0.0125, 0.0125}},
		{"the time ends", 1, []int{10, 20, 27}, 0, true, []float64{0.00625, 0.00625, 0.0375}},
		{"before the first", 1, []int{7}, 0, true, []float64{0.05}},
		{"too early", 1, []int{1, 10}, 0, false, []float64{0, 0.00625}},
		{"one refused", 1, []int{10, 20, 80}, 1, false, []float64{0, 0.0125, 0.0375}},
		{"layouts", 3, []int{10, 20, 80}, 0, false, []float64{0.05 / 64, 0.05 * 3 / 64, 0.05 * 60 / 64}},
	} {
		g := NewSequentialGate(Gate{MaxRegression: 0.05, Alpha: 0.05, Layouts: c.layouts,
			InterimBlocks: GateInterimBlocks(80)})
		for i, n := range c.blocks {
			if g.Open(n, c.last && i == len(c.blocks)-1, i >= c.refused); math.Abs(g.level-c.want[i]) > 1e-12 {
				t.Errorf("%s: after %d blocks %v is spent, want %v", c.name, n, g.level, c.want[i])
			}
		}
		if g.spent > g.Alpha+1e-12 {
			t.Errorf("%s: %v is spent in all", c.name, g.spent)
		}
	}
}

// TestGateOfFractions: a fraction that is 0 in some trials and grows eightfold must not pass.
func TestGateOfFractions(t *testing.T) {
	var trials []result.Trial
	for b := range 40 {
		trials = append(trials, benchTrial("base", b,
			result.Metrics{"misses/op": result.Value([]float64{0, 0.002, 0.004}[b%3])}),
			benchTrial("head", b, result.Metrics{"misses/op": result.Value([]float64{0.015, 0.016, 0.017}[b%3])}))
	}
	if v := judgedOnce(Gate{MaxRegression: 0.05, Alpha: 0.05, InterimBlocks: GateInterimBlocks(40)}, trials,
		"misses/op"); v.Decision != Undecided {
		t.Errorf("%+v", v)
	}
}

// TestGateOfEqualTimes: equal times from a coarse clock decide nothing in two blocks; equal counts do.
func TestGateOfEqualTimes(t *testing.T) {
	for metric, want := range map[string]string{result.TimePerOp: Undecided, result.AllocsPerOp: Pass} {
		var trials []result.Trial
		for b := range 2 {
			trials = append(trials, benchTrial("base", b, result.Metrics{metric: 2}),
				benchTrial("head", b, result.Metrics{metric: 1}))
		}
		v := judgedOnce(Gate{MaxRegression: 0.01, Alpha: 0.05, InterimBlocks: GateInterimBlocks(2)}, trials, metric)
		if v.Decision != want {
			t.Errorf("%s: %+v, want %s", metric, v, want)
		}
		if want == Undecided && (v.MoreBlocks == nil || *v.MoreBlocks != MinGateBlocks-2) {
			t.Errorf("%s: %v more blocks, want %d", metric, v.MoreBlocks, MinGateBlocks-2)
		}
	}
	var trials []result.Trial // one block of each of three layouts
	for b := range 3 {
		trials = append(trials, benchTrial("base", b, takes(2)), benchTrial("head", b, takes(1)))
	}
	if v := judgedOnce(Gate{MaxRegression: 0.01, Alpha: 0.05, Layouts: 3, InterimBlocks: GateInterimBlocks(3)}, trials,
		result.TimePerOp); v.Decision != Undecided || v.MoreLayouts != nil || v.MoreBlocks == nil ||
		*v.MoreBlocks != 3 {
		t.Errorf("three layouts: %+v", v)
	}
}

// TestGateOfFewBlocks: a decision needs both 6 blocks and as many as the variation demands, and blocks with a value are
// counted even if they are too few to compare.
func TestGateOfFewBlocks(t *testing.T) {
	var trials []result.Trial
	for b, head := range []float64{106, 103, 107, 105} {
		trials = append(trials, benchTrial("base", b, takes(100)), benchTrial("head", b, takes(head)))
	}
	g := Gate{MaxRegression: 0.05, Alpha: 0.05, InterimBlocks: GateInterimBlocks(4)}
	if v := judgedOnce(g, trials, result.TimePerOp); v.Decision != Undecided || v.MoreBlocks == nil ||
		*v.MoreBlocks < 100 {
		t.Errorf("a cost of %v after 4 blocks: %v more", v.Cost, v.MoreBlocks)
	}
	if v := judgedOnce(g, trials[:2], result.TimePerOp); v.Decision != Undecided || v.N != 1 || v.Cost.Known() {
		t.Errorf("one block: %+v", v)
	}
}

// TestClocked separates measured times from counts by the names of metrics.
func TestClocked(t *testing.T) {
	for metric, want := range map[string]bool{
		result.TimePerOp: true, result.BytesRate: true, result.CPUPerOp: true, result.Throughput: true, "p99-ns": true,
		"latency-ms": true, "ns/flip": true, "reqs/s": true, "sec/x": true, "s/op": true, "latency-s": true,
		"reqs/ms": true, "ops-per-sec": true, "ns/cache_hit": true, "time-per-op-ns": true,
		"time_per_cache_hit_ns": true, "ns/op_p99": true, "reqs_per_s_p99": true, "reqs/minute": true,
		"ops/cpu-sec": true, "x-msec": true,
		result.AllocsPerOp: false, result.AllocedPerOp: false, "misses/op": false, "froth": false, "conns": false,
		"items": false, "columns": false,
	} {
		if clocked(metric) != want {
			t.Errorf("%s: %v", metric, !want)
		}
	}
}

// TestUnknownDirection: words that only end like a unit have no direction.
func TestUnknownDirection(t *testing.T) {
	for _, m := range []string{"PSNR-dB", "transactions", "conns", "returns", "SSIM", "compression-ratio", "dB",
		"columns", "B/cycle", "bytes/write", "items_per_page", "MB-s", "tokens_s", "MB-s/core", "ops/cpu-sec",
		"ops_per_cpu_second", "ops_second"} {
		if d := Direction(m, nil); d != 0 {
			t.Errorf("%s: %d", m, d)
		}
	}
	for _, m := range []string{"p99-ns", "latency-ms", "heap-bytes", "peak-B", "B/op", result.TimePerOp,
		result.AllocsPerOp, result.AllocedPerOp, result.CPUPerOp, result.MutexPerOp, result.WallSeconds, "s/op",
		"time-per-op-ns", "time_per_cache_hit_ns", "gc_pause_per_cycle_ns", "latency-per-request-ms"} {
		if d := Direction(m, nil); d != -1 {
			t.Errorf("%s: %d", m, d)
		}
	}
	for _, m := range []string{"MB/s", "reqs/sec", result.Throughput, result.BytesRate, result.ItemsRate} {
		if d := Direction(m, nil); d != 1 {
			t.Errorf("%s: %d", m, d)
		}
	}
}

// TestGateOfRates checks that the cost of a rate that falls grows, and that its change is negative.
func TestGateOfRates(t *testing.T) {
	for _, direction := range []int{1, -1} {
		var trials []result.Trial
		for b := range 2 {
			trials = append(trials, benchTrial("base", b, result.Metrics{"beans": 8}),
				benchTrial("head", b, result.Metrics{"beans": 4}))
		}
		g := NewSequentialGate(Gate{MaxRegression: 0.05, Alpha: 0.05, InterimBlocks: GateInterimBlocks(2)})
		g.Open(2, false, true)
		v := g.Judge(levels(trials), "beans", direction)[0]
		if cost := map[int]result.Value{1: 2, -1: 0.5}[direction]; v.Cost != cost || v.Change() != 0.5 {
			t.Errorf("direction %d: cost %v, change %v", direction, v.Cost, v.Change())
		}
	}
}

// TestGateOfNothing: without comparisons nothing passes.
func TestGateOfNothing(t *testing.T) {
	if d := OverallDecision(nil); d != Undecided {
		t.Error(d)
	}
}

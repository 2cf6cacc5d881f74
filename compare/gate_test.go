package compare

import (
	"testing"

	"github.com/brewput/brewput/result"
)

// TestGateOfFractions: where a metric of fractions is 0 in some trials, eight times as many misses are not let pass as one
// and something.
func TestGateOfFractions(t *testing.T) {
	var trials []result.Trial
	for b := range 40 {
		trials = append(trials, benchTrial("base", b, result.Metrics{"misses/op": result.Value([]float64{0, 0.002, 0.004}[b%3])}),
			benchTrial("head", b, result.Metrics{"misses/op": result.Value([]float64{0.015, 0.016, 0.017}[b%3])}))
	}
	if v := (Gate{Max: 0.05, Alpha: 0.05, Looks: GateLooks(40)}).Judge(levels(trials), "misses/op", -1)[0]; v.Decision != Undecided {
		t.Errorf("%+v", v)
	}
}

// TestGateOfEqualTimes: times that a coarse clock tells the same in two blocks decide nothing; counts that are the same do.
func TestGateOfEqualTimes(t *testing.T) {
	for metric, want := range map[string]string{result.TimePerOp: Undecided, result.AllocsPerOp: Pass} {
		var trials []result.Trial
		for b := range 2 {
			trials = append(trials, benchTrial("base", b, result.Metrics{metric: 2}), benchTrial("head", b, result.Metrics{metric: 1}))
		}
		v := (Gate{Max: 0.01, Alpha: 0.05, Looks: GateLooks(2)}).Judge(levels(trials), metric, -1)[0]
		if v.Decision != want {
			t.Errorf("%s: %+v, want %s", metric, v, want)
		}
		if want == Undecided && (v.MoreBlocks == nil || *v.MoreBlocks != LeastGated-2) {
			t.Errorf("%s: %v more blocks, want %d", metric, v.MoreBlocks, LeastGated-2)
		}
	}
	var trials []result.Trial // a block of each of three layouts
	for b := range 3 {
		trials = append(trials, benchTrial("base", b, takes(2)), benchTrial("head", b, takes(1)))
	}
	if v := (Gate{Max: 0.01, Alpha: 0.05, Layouts: 3, Looks: GateLooks(3)}).Judge(levels(trials), result.TimePerOp, -1)[0]; v.Decision != Undecided || v.MoreLayouts != nil || v.MoreBlocks == nil || *v.MoreBlocks != 3 {
		t.Errorf("three layouts: %+v", v)
	}
}

// TestClocked tells what a clock measures from what is counted, by the names that benchmarks give.
func TestClocked(t *testing.T) {
	for metric, want := range map[string]bool{
		result.TimePerOp: true, result.BytesRate: true, result.CPUPerOp: true, result.Throughput: true, "p99-ns": true, "latency-ms": true, "ns/flip": true, "reqs/s": true, "sec/x": true, "s/op": true, "latency-s": true, "reqs/ms": true, "ops-per-sec": true, "ns/cache_hit": true, "time-per-op-ns": true, "time_per_cache_hit_ns": true, "ns/op_p99": true, "reqs_per_s_p99": true, "reqs/minute": true, "ops/cpu-sec": true, "x-msec": true,
		result.AllocsPerOp: false, result.AllocedPerOp: false, "misses/op": false, "froth": false, "conns": false, "items": false, "columns": false,
	} {
		if clocked(metric) != want {
			t.Errorf("%s: %v", metric, !want)
		}
	}
}

// TestDirectionIsNoGuess: words that only end like a unit have no direction.
func TestDirectionIsNoGuess(t *testing.T) {
	for _, m := range []string{"PSNR-dB", "transactions", "conns", "returns", "SSIM", "compression-ratio", "dB", "columns", "B/cycle", "bytes/write", "items_per_page", "MB-s", "tokens_s", "MB-s/core", "ops/cpu-sec", "ops_per_cpu_second", "ops_second"} {
		if d := Direction(m, nil); d != 0 {
			t.Errorf("%s: %d", m, d)
		}
	}
	for _, m := range []string{"p99-ns", "latency-ms", "heap-bytes", "peak-B", "B/op", result.TimePerOp, result.AllocsPerOp, result.AllocedPerOp, result.CPUPerOp, result.MutexPerOp, result.WallSeconds, "s/op", "time-per-op-ns", "time_per_cache_hit_ns", "gc_pause_per_cycle_ns", "latency-per-request-ms"} {
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

// TestGateOfNothing: where nothing was compared, nothing passes.
func TestGateOfNothing(t *testing.T) {
	if d := Decided(nil); d != Undecided {
		t.Error(d)
	}
}

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
		if v := (Gate{Max: 0.01, Alpha: 0.05, Looks: GateLooks(2)}).Judge(levels(trials), metric, -1)[0]; v.Decision != want {
			t.Errorf("%s: %+v, want %s", metric, v, want)
		}
	}
}

// TestDirectionIsNoGuess: words that only end like a unit have no direction.
func TestDirectionIsNoGuess(t *testing.T) {
	for _, m := range []string{"PSNR-dB", "transactions", "conns", "returns", "SSIM", "compression-ratio", "dB", "columns"} {
		if d := Direction(m, nil); d != 0 {
			t.Errorf("%s: %d", m, d)
		}
	}
	for _, m := range []string{"p99-ns", "latency-ms", "heap-bytes", "peak-B", "B/op", result.TimePerOp, result.AllocsPerOp, result.AllocedPerOp} {
		if d := Direction(m, nil); d != -1 {
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

package load

import (
	"math"
	"testing"
	"time"
)

// TestSampleBeyondTheWindow: a worker that would make a billion operations before it reads the clock ends with the
// window. It has counted its operations, and timed none.
func TestSampleBeyondTheWindow(t *testing.T) {
	const ms = time.Millisecond
	for _, warmup := range []time.Duration{0, 50 * ms} {
		l, _, _, err := runLoad(t, Closed{Op: sleepFor(ms / 10), Workers: 2, Warmup: warmup, Window: 100 * ms,
			Sample: 1e9})
		if err != nil {
			t.Fatal(err)
		}
		if l.Latency.Count() != 0 || math.Abs(float64(l.Inside)-2000) > 30 || math.Abs(l.Progress-2000) > 1 {
			t.Errorf("after %v: %d timed, %d inside, progress %v; want 0 and 2000", warmup, l.Latency.Count(), l.Inside,
				l.Progress)
		}
		if most := int64(2*(warmup+100*ms)/(ms/10)) + 100; l.Total > most {
			t.Errorf("after %v: %d operations in all, want at most %d", warmup, l.Total, most)
		}
	}
}

// TestSampleOfCounted: where operations are counted, the last of each worker's is timed at least.
func TestSampleOfCounted(t *testing.T) {
	l, _, _, err := runLoad(t, Closed{Op: sleepFor(time.Millisecond), Workers: 2, Operations: 100, Sample: 1e9})
	if err != nil || l.Total != 100 || l.Latency.Count() != 2 {
		t.Errorf("%d operations, %d timed: %v", l.Total, l.Latency.Count(), err)
	}
}

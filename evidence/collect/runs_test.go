package collect

import (
	"testing"
	"time"
)

// The time that a quota stopped the process is the median of its runs.
func TestThrottledRun(t *testing.T) {
	runs := []plainRun{{outcome: outcome{stopped: 9 * time.Second}}, {outcome: outcome{stopped: 6 * time.Second}}, {}}
	if r := medians(2, runs); r.Throttled != 6*time.Second {
		t.Errorf("stopped for 0, 6 and 9 s: %v", r.Throttled)
	}
}

// In each period, a quota stops all CPUs that the run uses, until the next one.
func TestStoppedTime(t *testing.T) {
	for name, c := range map[string]struct{ cpus, used, want time.Duration }{
		"no quota":                  {0, 20 * time.Second, 0},
		"one thread, half a CPU":    {5 * time.Second, 5 * time.Second, 5 * time.Second},
		"eight threads, two CPUs":   {60 * time.Second, 20 * time.Second, 7500 * time.Millisecond},
		"a counter that goes down":  {-time.Second, time.Second, 0},
		"stopped before it used it": {time.Second, 0, 10 * time.Second},
	} {
		if got := stoppedTime(10*time.Second, c.cpus, c.used); got != c.want {
			t.Errorf("%s: %v of 10 s, want %v", name, got, c.want)
		}
	}
}

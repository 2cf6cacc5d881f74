package collect

import (
	"testing"
	"time"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/result"
)

// The time that a quota stopped the process is the median of its runs.
func TestThrottledRun(t *testing.T) {
	runs := []plainRun{{outcome: outcome{stopped: 9 * time.Second}}, {outcome: outcome{stopped: 6 * time.Second}}, {}}
	if r := medians(2, runs); r.Throttled != 6*time.Second {
		t.Errorf("stopped for 0, 6 and 9 s: %v", r.Throttled)
	}
}

// A trial counts the throttling within its window.
func TestThrottledTrial(t *testing.T) {
	m := result.Metrics{"cpu_user_seconds": 1.5, "cpu_system_seconds": 0.5, host.ThrottledSeconds: 6}
	if e := fromTrial(result.Trial{WallSeconds: 4, Metrics: m}); e.stopped != 3*time.Second {
		t.Errorf("two threads, half a CPU: stopped for %v of 4 s", e.stopped)
	}
	m["cpu_user_seconds"], m["cpu_system_seconds"] = result.Unavailable, result.Unavailable
	if e := fromTrial(result.Trial{WallSeconds: 4, Metrics: m}); e.stopped != 0 {
		t.Errorf("unknown CPU time: stopped for %v", e.stopped)
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

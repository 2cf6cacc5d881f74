package host

import (
	"testing"
	"time"
)

// TestThrottledTime checks the sum over a cgroup and those above it, in both versions.
func TestThrottledTime(t *testing.T) {
	for what, c := range map[string]struct {
		files map[string]string
		want  time.Duration
	}{
		"version 2": {map[string]string{
			"proc/self/cgroup":           "0::/a/b\n",
			"proc/self/mountinfo":        "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
			"sys/fs/cgroup/a/cpu.stat":   "nr_throttled 4\nthrottled_usec 1500000\n",
			"sys/fs/cgroup/a/b/cpu.stat": "nr_throttled 1\nthrottled_usec 200\n",
		}, 1500200 * time.Microsecond},
		"version 1": {map[string]string{
			"proc/self/cgroup":             "3:cpu,cpuacct:/a\n",
			"proc/self/mountinfo":          "35 24 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
			"sys/fs/cgroup/cpu/a/cpu.stat": "nr_throttled 4\nthrottled_time 1500000\n",
			"sys/fs/cgroup/cpu/cpu.stat":   "nr_throttled 0\nthrottled_time 0\n",
		}, 1500 * time.Microsecond},
		"no quota":  {laptop(), 0},
		"no cgroup": {nil, 0},
	} {
		if got := throttledTime(tree(c.files)); got != c.want {
			t.Errorf("%s: %v, want %v", what, got, c.want)
		}
	}
	if got := throttledTime(nil); got != 0 {
		t.Errorf("another system: %v", got)
	}
}

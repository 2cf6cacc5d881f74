package host

import (
	"io/fs"
	"strings"
	"time"
)

// ThrottledSeconds is the growth of [ThrottledTime] within the window of a trial. It is a metric of the trials that
// collect evidence for explain, which are not stored.
const ThrottledSeconds = "throttled_cpu_seconds"

// ThrottledTime returns how long CPU quotas have stopped the cgroup of this process and those above it, summed over
// CPUs: two CPUs that are stopped for a second count two seconds. It is 0 if no group reports it.
func ThrottledTime() time.Duration { return throttledTime(systemRoot()) }

// throttledTime is ThrottledTime of a file system; nil stands for a system without such files.
func throttledTime(root fs.FS) time.Duration {
	if root == nil {
		return 0
	}
	read := absolute(root)
	group, _ := findCgroup(read("/proc/self/cgroup"), read("/proc/self/mountinfo"))
	return group.throttledTime(read)
}

// absolute returns a function that reads a file by its absolute path, or "" if it cannot.
func absolute(root fs.FS) func(name string) string {
	return func(name string) string {
		s, _ := text(root, strings.TrimPrefix(name, "/"))
		return s
	}
}

package host

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"time"
)

// The parsers of Linux's text files are pure functions, so that they are tested on every system. ok is false if
// the text does not hold the value.

// userHZ is the number of ticks per second in /proc, USER_HZ: 100 on every Linux that Go supports.
const userHZ = 100

// parseSteal reads the steal time of all CPUs, in seconds, from /proc/stat: the 8th number of the line "cpu"
// (Linux 2.6.11 and later).
func parseSteal(stat string) (seconds float64, ok bool) {
	ticks, ok := parseTicks(stat)
	return ticks[7] / userHZ, ok
}

// parseBusy reads the busy time of all CPUs, in seconds, from /proc/stat: user, nice, system, irq and softirq.
// Guest time is already part of user and nice.
func parseBusy(stat string) (seconds float64, ok bool) {
	ticks, ok := parseTicks(stat)
	return (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / userHZ, ok
}

// parseTicks reads the first 8 numbers of the line "cpu".
func parseTicks(stat string) (ticks [8]float64, ok bool) {
	for line := range strings.Lines(stat) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != "cpu" {
			continue
		}
		if len(f) <= len(ticks) {
			return ticks, false
		}
		for i := range ticks {
			n, err := strconv.ParseUint(f[i+1], 10, 64)
			if err != nil {
				return ticks, false
			}
			ticks[i] = float64(n)
		}
		return ticks, true
	}
	return ticks, false
}

// parseLoad1 reads the one-minute load average from /proc/loadavg.
func parseLoad1(loadavg string) (load float64, ok bool) {
	f := strings.Fields(loadavg)
	if len(f) < 3 {
		return 0, false
	}
	load, err := strconv.ParseFloat(f[0], 64)
	return load, err == nil && load >= 0 && !math.IsInf(load, 0)
}

// parseKeyed reads the integer of a line "key value" or "key: value", such as in /proc/self/io,
// /proc/self/status (in kB, not converted) and a cgroup's cpu.stat.
func parseKeyed(text, key string) (n uint64, ok bool) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) >= 2 && strings.TrimSuffix(f[0], ":") == key {
			n, err := strconv.ParseUint(f[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// parseInfo reads the first value of a key in /proc/cpuinfo: "model name : AMD EPYC".
func parseInfo(cpuinfo, key string) (value string, ok bool) {
	for line := range strings.Lines(cpuinfo) {
		k, v, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(k) == key {
			v = strings.TrimSpace(v)
			return v, v != ""
		}
	}
	return "", false
}

// parseList reads a list of numbers in the kernel's format: "0-3,8". The list may be empty.
func parseList(text string) ([]int, error) {
	const most = 1 << 20 // a list longer than that of any machine is an error
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	var list []int
	for word := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(word, "-")
		low, err := strconv.ParseUint(first, 10, 31)
		high := low
		if err == nil && ranged {
			high, err = strconv.ParseUint(last, 10, 31)
		}
		if err != nil || high < low || high-low >= most || len(list) >= most {
			return nil, fmt.Errorf("%q is no list of numbers such as 0-3,8: see %q", text, word)
		}
		for i := low; i <= high; i++ {
			list = append(list, int(i))
		}
	}
	return list, nil
}

// parseCPUMax converts cgroup v2's cpu.max, "QUOTA PERIOD" in microseconds, to CPUs. ok is false for "max", no
// limit.
func parseCPUMax(text string) (cpus float64, ok bool) {
	f := strings.Fields(text)
	if len(f) != 2 {
		return 0, false
	}
	return parseQuota(f[0], f[1])
}

// parseQuota converts cgroup v1's cpu.cfs_quota_us and cpu.cfs_period_us to CPUs. ok is false for -1, no limit.
func parseQuota(quota, period string) (cpus float64, ok bool) {
	q, err := strconv.ParseInt(strings.TrimSpace(quota), 10, 64)
	if err != nil || q <= 0 {
		return 0, false
	}
	p, err := strconv.ParseInt(strings.TrimSpace(period), 10, 64)
	if err != nil || p <= 0 {
		return 0, false
	}
	return float64(q) / float64(p), true
}

// cgroup is the location of the CPU limits of a process.
type cgroup struct {
	version int      // 1 or 2
	dirs    []string // absolute; the process's own group first, then the visible ones above it
}

// findCgroup finds the group from the texts of /proc/self/cgroup and /proc/self/mountinfo; formats: cgroups(7),
// proc_pid_mountinfo(5). Version 1 counts if it has the cpu controller.
func findCgroup(self, mountinfo string) (cgroup, bool) { return findGroup(self, mountinfo, "cpu") }

// findGroup is findCgroup for any controller.
func findGroup(self, mountinfo, controller string) (cgroup, bool) {
	var v1, v2 string
	for line := range strings.Lines(self) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		switch {
		case len(f) != 3:
		case f[0] == "0" && f[1] == "":
			v2 = f[2]
		case hasWord(f[1], controller):
			v1 = f[2]
		}
	}
	if v1 != "" {
		if dirs, ok := groupDirs(mountinfo, v1, "cgroup", controller); ok {
			return cgroup{1, dirs}, true
		}
	}
	if v2 != "" {
		if dirs, ok := groupDirs(mountinfo, v2, "cgroup2", controller); ok {
			return cgroup{2, dirs}, true
		}
	}
	return cgroup{}, false
}

// throttled counts the periods in which the group or one above it was stopped. ok is false if no group has the count.
func (g cgroup) throttled(read func(name string) string) (periods uint64, ok bool) {
	return g.sum(read, "nr_throttled")
}

// throttledTime returns how long the group and those above it were stopped, summed over CPUs; 0 if no group has the
// time.
func (g cgroup) throttledTime(read func(name string) string) time.Duration {
	key, unit := "throttled_usec", time.Microsecond
	if g.version == 1 {
		key, unit = "throttled_time", time.Nanosecond
	}
	n, _ := g.sum(read, key)
	return time.Duration(n) * unit
}

// sum adds a value of cpu.stat over the group and those above it, because a group does not count the stops of those
// above it. ok is false if no group has the value.
func (g cgroup) sum(read func(name string) string, key string) (sum uint64, ok bool) {
	for _, dir := range g.dirs {
		if n, has := parseKeyed(read(path.Join(dir, "cpu.stat")), key); has {
			sum, ok = sum+n, true
		}
	}
	return sum, ok
}

// groupDirs lists the directories of the group and of those above it, up to the mount point.
func groupDirs(mountinfo, name, kind, controller string) ([]string, bool) {
	for line := range strings.Lines(mountinfo) {
		left, right, found := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		l, r := strings.Fields(left), strings.Fields(right)
		if !found || len(l) < 5 || len(r) < 3 || r[0] != kind || kind == "cgroup" && !hasWord(r[2], controller) {
			continue
		}
		root, point := unescape(l[3]), unescape(l[4])
		// The group may be outside the mounted part, as in some containers; the mount point is the nearest
		// visible group.
		rest, inside := strings.CutPrefix(path.Clean(name), strings.TrimSuffix(root, "/"))
		if !inside || rest != "" && rest[0] != '/' || strings.Contains(name, "..") {
			rest = ""
		}
		var dirs []string
		for rest = strings.Trim(rest, "/"); rest != "" && rest != "."; rest = path.Dir(rest) {
			dirs = append(dirs, path.Join(point, rest))
		}
		return append(dirs, path.Clean(point)), true
	}
	return nil, false
}

func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// unescape decodes mountinfo's octal escapes of space, tab, newline and backslash.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

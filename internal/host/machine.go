package host

import (
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/brewput/brewput/result"
)

// linuxFiles reads what Linux shows in files. fsys is the root of the file system.
func linuxFiles(fsys fs.FS, m *result.Machine) {
	info, _ := text(fsys, "proc/cpuinfo")
	m.CPUModel = cpuModel(info)
	if flags, ok := parseInfo(info, "flags"); ok { // x86 only
		m.Hypervisor = new(strings.Contains(" "+flags+" ", " hypervisor "))
	}
	if mem, ok := text(fsys, "proc/meminfo"); ok {
		if kb, ok := parseKeyed(mem, "MemTotal"); ok && kb > 0 {
			m.MemoryBytes = new(kb << 10)
		}
	}
	if release, ok := text(fsys, "proc/sys/kernel/osrelease"); ok {
		m.Kernel = &release
	}
	if clock, ok := text(fsys, "sys/devices/system/clocksource/clocksource0/current_clocksource"); ok {
		m.ClockSource = &clock
	}
	if g, ok := text(fsys, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"); ok {
		m.Governor = &g
	}
	if nodes := list(fsys, "sys/devices/system/node/online"); len(nodes) > 0 {
		m.NUMANodes = new(len(nodes))
	}
	if status, ok := text(fsys, "proc/self/status"); ok {
		allowed, _ := parseInfo(status, "Cpus_allowed_list")
		if cpus, err := parseList(allowed); err == nil && len(cpus) > 0 {
			m.AffinityCPUs = new(len(cpus))
		}
	}
	linuxTopology(fsys, m)
	m.CgroupCPUs = linuxQuota(fsys)
}

// cpuModel returns the name of the CPU model; ARM's cpuinfo has only numbers.
func cpuModel(info string) *string {
	if name, ok := parseInfo(info, "model name"); ok {
		return &name
	}
	maker, ok := parseInfo(info, "CPU implementer")
	part, also := parseInfo(info, "CPU part")
	if !ok || !also {
		return nil
	}
	return new("implementer " + maker + " part " + part)
}

// linuxTopology counts cores, hardware threads and kinds of core of the online CPUs.
func linuxTopology(fsys fs.FS, m *result.Machine) {
	const dir = "sys/devices/system/cpu/"
	online := list(fsys, dir+"online")
	if len(online) == 0 {
		return
	}
	m.OnlineCPUs = new(len(online))
	cores := map[string]bool{}
	threads, capacities := 0, map[string]int{}
	for _, cpu := range online {
		own := dir + "cpu" + strconv.Itoa(cpu)
		siblings, ok := text(fsys, own+"/topology/thread_siblings_list")
		n := len(list(fsys, own+"/topology/thread_siblings_list"))
		if !ok || n == 0 {
			return // an incomplete count is no count
		}
		cores[siblings] = true
		threads = max(threads, n)
		if c, ok := text(fsys, own+"/cpu_capacity"); ok {
			capacities[c]++
		}
	}
	m.Cores, m.ThreadsPerCore = new(len(cores)), new(threads)

	// Intel's hybrid CPUs are two devices of the counter unit. On other hardware the kernel gives each CPU a
	// capacity, at most 1024. If all are equal, there is only one kind.
	p, e := list(fsys, "sys/devices/cpu_core/cpus"), list(fsys, "sys/devices/cpu_atom/cpus")
	switch best := capacities["1024"]; {
	case len(p) > 0 && len(e) > 0:
		m.PerformanceCPUs, m.EfficiencyCPUs = new(len(p)), new(len(e))
	case m.GOARCH == "arm64" && best > 0 && best < len(online):
		m.PerformanceCPUs, m.EfficiencyCPUs = new(best), new(len(online)-best)
	}
}

// linuxQuota returns the tightest CPU limit of the process's own cgroup and those above it.
func linuxQuota(fsys fs.FS) *float64 {
	self, _ := text(fsys, "proc/self/cgroup")
	mounts, _ := text(fsys, "proc/self/mountinfo")
	group, ok := findCgroup(self, mounts)
	if !ok {
		return nil
	}
	if cpus, _ := group.tightest(fsys); cpus > 0 {
		return &cpus
	}
	return nil
}

// tightest returns the lowest limit on the group's path and the file that sets it; 0 if there is none.
func (g cgroup) tightest(fsys fs.FS) (least float64, file string) {
	for _, dir := range g.dirs {
		name := path.Join(dir, "cpu.max")
		limit, _ := text(fsys, strings.TrimPrefix(name, "/"))
		cpus, ok := parseCPUMax(limit)
		if g.version == 1 {
			name = path.Join(dir, "cpu.cfs_quota_us")
			quota, _ := text(fsys, strings.TrimPrefix(name, "/"))
			period, _ := text(fsys, strings.TrimPrefix(path.Join(dir, "cpu.cfs_period_us"), "/"))
			cpus, ok = parseQuota(quota, period)
		}
		if ok && (least == 0 || cpus < least) {
			least, file = cpus, name
		}
	}
	return least, file
}

// text returns a small file without surrounding space; ok is false if it is missing or empty.
func text(fsys fs.FS, name string) (string, bool) {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return "", false
	}
	s := strings.TrimSpace(string(b))
	return s, s != ""
}

// list returns a file's list of numbers, nil if there is none.
func list(fsys fs.FS, name string) []int {
	s, _ := text(fsys, name)
	l, err := parseList(s)
	if err != nil {
		return nil
	}
	return l
}

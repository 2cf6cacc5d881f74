package host

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/doctor"
)

const cpuDir = "sys/devices/system/cpu"

// readTree reads the state that Linux shows in files. root is the root of the file system.
func readTree(root fs.FS, r *doctor.Readings) {
	if load, ok := text(root, "proc/loadavg"); ok {
		r.Load1 = parsed(parseLoad1(load))
	}
	if slack, ok := text(root, "proc/self/timerslack_ns"); ok {
		if n, err := strconv.ParseInt(slack, 10, 64); err == nil && n >= 0 {
			r.TimerSlack = doctor.Read(time.Duration(n))
		}
	}
	if sources, ok := text(root, "sys/devices/system/clocksource/clocksource0/available_clocksource"); ok {
		r.ClockSources = strings.Fields(sources)
	}
	readMemory(root, r)
	r.Quota = readQuota(root)
	r.Governors = readGovernors(root)
	r.Boost = readBoost(root)
	r.SMT = readSMT(root)
	r.Battery = readBattery(root)
}

// parsed converts the result of a parser to a reading.
func parsed[T any](v T, ok bool) doctor.Reading[T] {
	if !ok {
		return doctor.Reading[T]{}
	}
	return doctor.Read(v)
}

// readQuota returns the tightest limit on the path of the process's cgroup.
func readQuota(root fs.FS) doctor.Reading[doctor.Quota] {
	self, ok := text(root, "proc/self/cgroup")
	if !ok {
		return doctor.Absent[doctor.Quota]() // a kernel without control groups
	}
	mounts, _ := text(root, "proc/self/mountinfo")
	group, ok := findCgroup(self, mounts)
	if !ok {
		return doctor.Reading[doctor.Quota]{}
	}
	cpus, file := group.tightest(root)
	lift := "max"
	if group.version == 1 {
		lift = "-1"
	}
	return doctor.Read(doctor.Quota{CPUs: cpus, File: file, Lift: lift})
}

// Memory returns how many bytes processes may still use, and how many there are in total; ok is false if the
// system does not report it.
func Memory() (free, total uint64, ok bool) {
	root := systemRoot()
	if root == nil {
		return 0, 0, false
	}
	var r doctor.Readings
	readMemory(root, &r)
	total, _ = r.MemoryTotal.Get()
	free, ok = r.MemoryAvailable.Get()
	return free, total, ok
}

// readMemory reads the total and the free memory of the machine, or of the tightest limit on the path of the
// process's cgroup. A group's inactive page cache counts as free, because the kernel reclaims it on demand.
func readMemory(root fs.FS, r *doctor.Readings) {
	if mem, ok := text(root, "proc/meminfo"); ok {
		for name, to := range map[string]*doctor.Reading[uint64]{"MemTotal": &r.MemoryTotal,
			"MemAvailable": &r.MemoryAvailable} {
			if kb, ok := parseKeyed(mem, name); ok && kb < 1<<54 {
				*to = doctor.Read(kb << 10)
			}
		}
	}
	self, _ := text(root, "proc/self/cgroup")
	mounts, _ := text(root, "proc/self/mountinfo")
	group, _ := findGroup(self, mounts, "memory")
	limit, current, inactive := "memory.max", "memory.current", "inactive_file"
	if group.version == 1 {
		limit, current, inactive = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
	}
	for _, dir := range group.dirs {
		file := func(name string) string {
			s, _ := text(root, path.Join(strings.TrimPrefix(dir, "/"), name))
			return s
		}
		most, err := strconv.ParseUint(file(limit), 10, 64)
		used, also := strconv.ParseUint(file(current), 10, 64)
		cache, _ := parseKeyed(file("memory.stat"), inactive)
		if err != nil || also != nil {
			continue // no limit
		}
		free := most - min(most, used-min(used, cache))
		if available, ok := r.MemoryAvailable.Get(); ok && free < available {
			r.MemoryTotal, r.MemoryAvailable, r.MemoryFile = doctor.Read(most), doctor.Read(free), path.Join(dir, limit)
		}
	}
}

// fastCPUs lists the fast CPUs if there are two kinds, in the format of taskset.
func fastCPUs(root fs.FS) string {
	if root == nil {
		return ""
	}
	if cpus, ok := text(root, "sys/devices/cpu_core/cpus"); ok {
		return cpus
	}
	var fast []string
	for _, cpu := range onlineCPUs(root) {
		if c, ok := text(root, cpuPath(cpu, "cpu_capacity")); ok && c == "1024" {
			fast = append(fast, strconv.Itoa(cpu))
		}
	}
	return strings.Join(fast, ",")
}

// readGovernors returns the distinct governors of all CPUs. A virtual machine usually has none.
func readGovernors(root fs.FS) doctor.Reading[[]string] {
	var all []string
	for _, cpu := range onlineCPUs(root) {
		if g, ok := text(root, cpuPath(cpu, "cpufreq/scaling_governor")); ok && !slices.Contains(all, g) {
			all = append(all, g)
		}
	}
	if len(all) == 0 {
		return doctor.Absent[[]string]()
	}
	slices.Sort(all)
	return doctor.Read(all)
}

// onlineCPUs returns the numbers of the online CPUs. More than a kernel can be built for means that the file is
// damaged.
func onlineCPUs(root fs.FS) []int {
	const most = 8192 // NR_CPUS of arch/x86/Kconfig; other architectures have less
	cpus := list(root, cpuDir+"/online")
	if len(cpus) > most {
		return nil
	}
	return cpus
}

func cpuPath(cpu int, file string) string {
	return path.Join(cpuDir, "cpu"+strconv.Itoa(cpu), file)
}

// readBoost reads the boost setting where the drivers show it: intel_pstate in a file of its own, the others in
// cpufreq, recent amd_pstate for each CPU.
func readBoost(root fs.FS) doctor.Reading[doctor.Boost] {
	for _, f := range []struct{ file, on, off string }{
		{cpuDir + "/intel_pstate/no_turbo", "0", "1"},
		{cpuDir + "/cpufreq/boost", "1", "0"},
		{cpuDir + "/cpu0/cpufreq/boost", "1", "0"},
	} {
		switch v, ok := text(root, f.file); {
		case !ok:
		case v == f.on || v == f.off:
			file := "/" + strings.Replace(f.file, "/cpu0/", "/cpu*/", 1)
			return doctor.Read(doctor.Boost{On: v == f.on, File: file, Write: f.off})
		default:
			return doctor.Reading[doctor.Boost]{}
		}
	}
	return doctor.Absent[doctor.Boost]()
}

// readSMT groups the online CPUs by core, and counts those that this process may use.
func readSMT(root fs.FS) doctor.Reading[doctor.SMT] {
	online := onlineCPUs(root)
	if len(online) == 0 {
		return doctor.Reading[doctor.SMT]{}
	}
	allowed := online
	if status, ok := text(root, "proc/self/status"); ok {
		if l, ok := parseInfo(status, "Cpus_allowed_list"); ok {
			if cpus, err := parseList(l); err == nil {
				allowed = cpus
			}
		}
	}
	var s doctor.SMT
	threads, usable := map[string]int{}, map[string]int{}
	var one []string
	for _, cpu := range online {
		core, ok := text(root, cpuPath(cpu, "topology/thread_siblings_list"))
		if !ok {
			return doctor.Reading[doctor.SMT]{} // an incomplete count is no count
		}
		threads[core]++
		s.Threads = max(s.Threads, threads[core])
		if !slices.Contains(allowed, cpu) {
			continue
		}
		if usable[core]++; usable[core] == 1 {
			one = append(one, strconv.Itoa(cpu))
		}
		s.Usable = max(s.Usable, usable[core])
	}
	s.One = strings.Join(one, ",")
	return doctor.Read(s)
}

// readBattery reads /sys/class/power_supply: a battery that discharges, or mains that are offline.
func readBattery(root fs.FS) doctor.Reading[doctor.Battery] {
	const dir = "sys/class/power_supply"
	supplies, err := fs.ReadDir(root, dir)
	if err != nil {
		return doctor.Absent[doctor.Battery]()
	}
	var b doctor.Battery
	for _, s := range supplies {
		own := path.Join(dir, s.Name())
		if kind, _ := text(root, own+"/type"); kind != "Battery" {
			continue
		}
		if scope, _ := text(root, own+"/scope"); scope == "Device" {
			continue // the battery of a device, such as a mouse
		}
		b.Present = true
		status, _ := text(root, own+"/status")
		b.Drains = b.Drains || status == "Discharging"
	}
	return doctor.Read(b)
}

// sampleTree reads the counters that Linux shows in files.
func sampleTree(root fs.FS, s *sample) {
	if stat, ok := text(root, "proc/stat"); ok {
		s.busy = secondsReading(parseBusy(stat))
		if s.stolen = secondsReading(parseSteal(stat)); s.stolen == (doctor.Reading[time.Duration]{}) {
			s.stolen = doctor.Absent[time.Duration]() // a kernel that does not count it
		}
	}
	s.throttled = sampleThrottled(root)
	s.heat = sampleHeat(root)
	if vm, ok := text(root, "proc/vmstat"); ok {
		in, ok := parseKeyed(vm, "pswpin")
		out, also := parseKeyed(vm, "pswpout")
		s.swapped = doctor.Absent[uint64]() // a kernel without swap
		if ok && also {
			s.swapped = doctor.Read(in + out)
		}
	}
}

// sampleThrottled counts the periods in which a quota stopped this process.
func sampleThrottled(root fs.FS) doctor.Reading[uint64] {
	read := absolute(root)
	group, _ := findCgroup(read("/proc/self/cgroup"), read("/proc/self/mountinfo"))
	n, ok := group.throttled(read)
	if !ok {
		return doctor.Absent[uint64]() // no group on the path has the cpu controller, so none can be stopped
	}
	return doctor.Read(n)
}

// sampleHeat counts the throttlings by temperature of all CPUs; only Intel's CPUs report them.
func sampleHeat(root fs.FS) doctor.Reading[uint64] {
	sum, found := uint64(0), false
	for _, cpu := range onlineCPUs(root) {
		for _, what := range []string{"core_throttle_count", "package_throttle_count"} {
			t, ok := text(root, cpuPath(cpu, "thermal_throttle/"+what))
			if n, err := strconv.ParseUint(t, 10, 64); ok && err == nil {
				sum, found = sum+n, true
			}
		}
	}
	if !found {
		return doctor.Absent[uint64]()
	}
	return doctor.Read(sum)
}

// secondsReading converts a number of seconds to a reading.
func secondsReading(seconds float64, ok bool) doctor.Reading[time.Duration] {
	const ages = 1e9 // more seconds than that would overflow
	return parsed(time.Duration(min(seconds, ages)*float64(time.Second)), ok && seconds < ages)
}

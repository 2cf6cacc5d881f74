package host

import (
	"maps"
	"testing"
	"time"

	"github.com/brewput/brewput/doctor"
	"github.com/brewput/brewput/result"
)

// laptop is a machine on battery power: two cores of two threads, of which the process may use three, in a
// container of 1.5 CPUs.
func laptop() map[string]string {
	const cpu = "sys/devices/system/cpu/"
	const supply = "sys/class/power_supply/"
	files := map[string]string{
		"proc/loadavg":               "0.52 0.40 0.30 1/93 4711\n",
		"proc/meminfo":               "MemTotal: 16000000 kB\nMemFree: 1 kB\nMemAvailable:   1000000 kB\n",
		"proc/self/timerslack_ns":    "50000\n",
		"proc/self/status":           "Name:\tx\nCpus_allowed_list:\t1-3\n",
		"proc/self/cgroup":           "0::/a/b\n",
		"proc/self/mountinfo":        "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
		"proc/stat":                  "cpu  1000 200 300 9999 50 30 20 400 70 8\ncpu0 1 2 3 4 5 6 7 8 9 10\n",
		"proc/vmstat":                "nr_free_pages 5\npswpin 30\npswpout 12\n",
		"sys/fs/cgroup/a/cpu.max":    "150000 100000\n",
		"sys/fs/cgroup/a/cpu.stat":   "usage_usec 5\nnr_throttled 40\n",
		"sys/fs/cgroup/a/b/cpu.max":  "max 100000\n",
		"sys/fs/cgroup/a/b/cpu.stat": "usage_usec 5\nnr_throttled 2\n",
		"sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet acpi_pm \n",
		cpu + "online":                                       "0-3\n",
		cpu + "intel_pstate/no_turbo":                        "0\n",
		cpu + "cpu0/cpufreq/scaling_governor":                "powersave\n",
		cpu + "cpu1/cpufreq/scaling_governor":                "performance\n",
		cpu + "cpu2/cpufreq/scaling_governor":                "powersave\n",
		cpu + "cpu0/thermal_throttle/core_throttle_count":    "5\n",
		cpu + "cpu3/thermal_throttle/package_throttle_count": "7\n",
		supply + "AC/type":                                   "Mains\n",
		supply + "BAT0/type":                                 "Battery\n",
		supply + "BAT0/status":                               "Discharging\n",
		supply + "mouse/type":                                "Battery\n",
		supply + "mouse/scope":                               "Device\n",
		supply + "mouse/status":                              "Discharging\n",
	}
	for i, s := range []string{"0,2", "1,3", "0,2", "1,3"} {
		files[cpuPath(i, "topology/thread_siblings_list")] = s + "\n"
	}
	return files
}

func want[T comparable](t *testing.T, what string, got doctor.Reading[T], v T) {
	t.Helper()
	if g, ok := got.Get(); !ok || g != v {
		t.Errorf("%s is %+v, want %+v", what, got, v)
	}
}

func TestReadTree(t *testing.T) {
	var r doctor.Readings
	readTree(tree(laptop()), &r)
	want(t, "load", r.Load1, 0.52)
	want(t, "memory", r.MemoryAvailable, 1000000<<10)
	want(t, "slack", r.TimerSlack, 50*time.Microsecond)
	want(t, "quota", r.Quota, doctor.Quota{CPUs: 1.5, File: "/sys/fs/cgroup/a/cpu.max", Lift: "max"})
	want(t, "boost", r.Boost, doctor.Boost{On: true, File: "/sys/devices/system/cpu/intel_pstate/no_turbo", Write: "1"})
	want(t, "SMT", r.SMT, doctor.SMT{Threads: 2, Usable: 2, One: "1,2"})
	want(t, "battery", r.Battery, doctor.Battery{Present: true, Drains: true})
	if g, ok := r.Governors.Get(); !ok || len(g) != 2 || g[0] != "performance" || g[1] != "powersave" {
		t.Errorf("governors %v", g)
	}
	if len(r.ClockSources) != 3 || r.ClockSources[0] != "tsc" {
		t.Errorf("clock sources %q", r.ClockSources)
	}
}

// TestReadTreeOthers changes files of the laptop ("" removes one) and compares a reading.
func TestReadTreeOthers(t *testing.T) {
	const cpu = "sys/devices/system/cpu/"
	for _, x := range []struct {
		name  string
		files map[string]string
		check func(t *testing.T, r doctor.Readings)
	}{
		{"boost of cpufreq", map[string]string{cpu + "intel_pstate/no_turbo": "", cpu + "cpufreq/boost": "0"},
			func(t *testing.T, r doctor.Readings) {
				want(t, "boost", r.Boost, doctor.Boost{File: "/sys/devices/system/cpu/cpufreq/boost", Write: "0"})
			}},
		{"boost of each CPU", map[string]string{cpu + "intel_pstate/no_turbo": "", cpu + "cpu0/cpufreq/boost": "1"},
			func(t *testing.T, r doctor.Readings) {
				want(t, "boost", r.Boost, doctor.Boost{On: true, File: "/sys/devices/system/cpu/cpu*/cpufreq/boost",
					Write: "0"})
			}},
		{"boost without a driver", map[string]string{cpu + "intel_pstate/no_turbo": ""},
			func(t *testing.T, r doctor.Readings) {
				if r.Boost != doctor.Absent[doctor.Boost]() {
					t.Errorf("boost %+v", r.Boost)
				}
			}},
		{"boost in a new language", map[string]string{cpu + "intel_pstate/no_turbo": "perhaps"},
			func(t *testing.T, r doctor.Readings) {
				if r.Boost != (doctor.Reading[doctor.Boost]{}) {
					t.Errorf("boost %+v", r.Boost)
				}
			}},
		{"pinned to one thread of each core", map[string]string{"proc/self/status": "Cpus_allowed_list:\t0-1\n"},
			func(t *testing.T, r doctor.Readings) {
				want(t, "SMT", r.SMT, doctor.SMT{Threads: 2, Usable: 1, One: "0,1"})
			}},
		{"half a topology", map[string]string{cpu + "cpu3/topology/thread_siblings_list": ""},
			func(t *testing.T, r doctor.Readings) {
				if _, ok := r.SMT.Get(); ok {
					t.Errorf("SMT %+v", r.SMT)
				}
			}},
		{"version 1", map[string]string{"proc/self/cgroup": "1:cpu:/job\n",
			"proc/self/mountinfo":     "32 31 0:29 / /cg rw - cgroup cgroup rw,cpu\n",
			"cg/job/cpu.cfs_quota_us": "50000", "cg/job/cpu.cfs_period_us": "100000"},
			func(t *testing.T, r doctor.Readings) {
				want(t, "quota", r.Quota, doctor.Quota{CPUs: 0.5, File: "/cg/job/cpu.cfs_quota_us", Lift: "-1"})
			}},
		{"a tighter limit below", map[string]string{"sys/fs/cgroup/a/b/cpu.max": "50000 100000"},
			func(t *testing.T, r doctor.Readings) {
				want(t, "quota", r.Quota, doctor.Quota{CPUs: 0.5, File: "/sys/fs/cgroup/a/b/cpu.max", Lift: "max"})
			}},
		{"no limit", map[string]string{"sys/fs/cgroup/a/cpu.max": ""}, func(t *testing.T, r doctor.Readings) {
			want(t, "quota", r.Quota, doctor.Quota{Lift: "max"})
		}},
		{"groups that cannot be seen", map[string]string{"proc/self/mountinfo": ""},
			func(t *testing.T, r doctor.Readings) {
				if r.Quota != (doctor.Reading[doctor.Quota]{}) {
					t.Errorf("quota %+v", r.Quota)
				}
			}},
		{"no groups", map[string]string{"proc/self/cgroup": ""}, func(t *testing.T, r doctor.Readings) {
			if r.Quota != doctor.Absent[doctor.Quota]() {
				t.Errorf("quota %+v", r.Quota)
			}
		}},
		{"a limit of memory", map[string]string{"sys/fs/cgroup/a/memory.max": "100000000",
			"sys/fs/cgroup/a/memory.current": "99000000",
			"sys/fs/cgroup/a/memory.stat":    "anon 3\ninactive_file 19000000\n",
			"sys/fs/cgroup/a/b/memory.max":   "max"},
			func(t *testing.T, r doctor.Readings) {
				want(t, "memory", r.MemoryAvailable, 20_000_000)
				want(t, "memory in all", r.MemoryTotal, 100_000_000)
				if r.MemoryFile != "/sys/fs/cgroup/a/memory.max" {
					t.Errorf("by %s", r.MemoryFile)
				}
			}},
		{"a limit of memory beyond what there is",
			map[string]string{"sys/fs/cgroup/a/memory.max": "1000000000000", "sys/fs/cgroup/a/memory.current": "1"},
			func(t *testing.T, r doctor.Readings) {
				want(t, "memory", r.MemoryAvailable, 1000000<<10)
				want(t, "memory in all", r.MemoryTotal, 16000000<<10)
			}},
		{"a limit of memory of version 1", map[string]string{"proc/self/cgroup": "2:memory:/job\n1:cpu:/\n",
			"proc/self/mountinfo": "32 31 0:29 / /cg rw - cgroup cgroup rw,cpu\n33 31 0:30 / /mem rw - " +
				"cgroup cgroup rw,memory\n",
			"mem/job/memory.limit_in_bytes": "100000000", "mem/job/memory.usage_in_bytes": "99000000",
			"mem/job/memory.stat":       "inactive_file 1\ntotal_inactive_file 19000000\n",
			"mem/memory.limit_in_bytes": "9223372036854771712"}, func(t *testing.T, r doctor.Readings) {
			want(t, "memory", r.MemoryAvailable, 20_000_000)
			want(t, "memory in all", r.MemoryTotal, 100_000_000)
			if r.MemoryFile != "/mem/job/memory.limit_in_bytes" {
				t.Errorf("by %s", r.MemoryFile)
			}
		}},
		{"plugged in", map[string]string{"sys/class/power_supply/BAT0/status": "Full"},
			func(t *testing.T, r doctor.Readings) {
				want(t, "battery", r.Battery, doctor.Battery{Present: true})
			}},
	} {
		t.Run(x.name, func(t *testing.T) {
			files := laptop()
			maps.Copy(files, x.files)
			maps.DeleteFunc(files, func(_, text string) bool { return text == "" })
			var r doctor.Readings
			readTree(tree(files), &r)
			x.check(t, r)
		})
	}
}

// TestFastCPUs has Intel's CPUs, whose kinds are devices of their own, and others, which have capacities.
func TestFastCPUs(t *testing.T) {
	const cpu = "sys/devices/system/cpu/"
	for want, files := range map[string]map[string]string{
		"":    laptop(),
		"0-3": {"sys/devices/cpu_core/cpus": "0-3\n", "sys/devices/cpu_atom/cpus": "4-11\n"},
		"4,5": {cpu + "online": "0,4-5", cpu + "cpu0/cpu_capacity": "446", cpu + "cpu4/cpu_capacity": "1024",
			cpu + "cpu5/cpu_capacity": "1024"},
	} {
		if got := fastCPUs(tree(files)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestReadTreeNothing checks that missing or damaged files give no readings, in particular not 0.
func TestReadTreeNothing(t *testing.T) {
	damaged := map[string]string{}
	for name := range laptop() {
		damaged[name] = "\x00%&\n"
	}
	delete(damaged, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") // any word is valid there
	for what, files := range map[string]map[string]string{"nothing": {}, "damaged": damaged} {
		x := newExaminer(tree(files), result.Environment{Machine: result.Machine{CPUs: 2}}, "brewput")
		r := x.Readings()
		_, load := r.Load1.Get()
		_, memory := r.MemoryAvailable.Get()
		_, slack := r.TimerSlack.Get()
		_, quota := r.Quota.Get()
		_, governors := r.Governors.Get()
		_, boost := r.Boost.Get()
		_, smt := r.SMT.Get()
		_, steal := r.Steal.Get()
		_, others := r.Others.Get()
		_, heat := r.Heat.Get()
		_, throttled := r.Throttled.Get()
		_, swapped := r.Swapped.Get()
		_, online := r.Online.Get()
		_, late := r.Sleep.Get()
		_, clock := r.ClockRead.Get()
		_, race := r.Race.Get()
		for name, known := range map[string]bool{"load": load, "memory": memory, "slack": slack, "quota": quota,
			"governors": governors, "boost": boost, "smt": smt,
			"steal": steal, "others": others, "heat": heat, "throttled": throttled, "swapped": swapped,
			"online": online, "sleep": late, "clock": clock, "race": race} {
			if known {
				t.Errorf("%s: %s is known: %+v", what, name, r)
			}
		}
	}
}

// TestOtherSystems checks that readings are absent, not unknown, on systems without such files.
func TestOtherSystems(t *testing.T) {
	r := newExaminer(nil, result.Environment{Machine: result.Machine{CPUs: 2, Cores: new(2)}}, "brewput").Readings()
	checks, _ := doctor.Judge(r, nil)
	status := map[string]doctor.Status{}
	for _, c := range checks {
		status[c.Name] = c.Status
	}
	for _, name := range []string{"load", "others", "steal", "throttled", "heat", "quota", "governor", "boost", "smt",
		"clock", "timer", "memory", "battery"} {
		if status[name] != doctor.Unavailable {
			t.Errorf("%s is %s", name, status[name])
		}
	}
	if status["cores"] != doctor.Good || status["virtual"] != doctor.Unknown {
		t.Errorf("%v", status)
	}
}

// TestCounterDifferences compares counters over a window of two seconds.
func TestCounterDifferences(t *testing.T) {
	first, last := takeSample(tree(laptop())), sample{}
	files := laptop()
	files["proc/stat"] = "cpu  1300 200 300 9999 50 30 20 420 70 8\n"
	files["proc/vmstat"] = "pswpin 30\npswpout 15\n"
	files["sys/fs/cgroup/a/cpu.stat"] = "nr_throttled 41\n"
	files["sys/devices/system/cpu/cpu3/thermal_throttle/package_throttle_count"] = "9\n"
	last = takeSample(tree(files))
	want(t, "busy", first.busy, 15500*time.Millisecond)
	want(t, "throttled", first.throttled, 42)
	want(t, "heat", first.heat, 12)
	want(t, "swapped", first.swapped, 42)
	first.own, last.own = doctor.Read(time.Second), doctor.Read(2*time.Second)
	want(t, "others", last.othersSince(first, 2*time.Second), 1.0) // 3 s busy, 1 s of them in this process
	want(t, "steal", last.stealSince(first, 2*time.Second), 0.1)
	want(t, "throttled", growth(last.throttled, first.throttled), 1)
	want(t, "heat", growth(last.heat, first.heat), 2)
	want(t, "swapped", growth(last.swapped, first.swapped), 3)

	last.own = doctor.Read(9 * time.Second)
	want(t, "others, by ticks less than none", last.othersSince(first, 2*time.Second), 0)
	if r := first.stealSince(last, 2*time.Second); r != (doctor.Reading[float64]{}) {
		t.Errorf("a counter that fell: %+v", r)
	}
	if r := last.stealSince(first, 0); r != (doctor.Reading[float64]{}) {
		t.Errorf("over no time: %+v", r)
	}
	delete(files, "proc/stat")
	if r := takeSample(tree(files)).othersSince(first, time.Second); r != (doctor.Reading[float64]{}) {
		t.Errorf("a file that went away: %+v", r)
	}
}

func TestLasting(t *testing.T) {
	if r := secondsReading(1.68, true); r != doctor.Read(1680*time.Millisecond) {
		t.Errorf("1.68 s: %+v", r)
	}
	for seconds, ok := range map[float64]bool{1e9: true, 1e300: true, 1: false} {
		if r := secondsReading(seconds, ok); r != (doctor.Reading[time.Duration]{}) {
			t.Errorf("%v s, %v: %+v", seconds, ok, r)
		}
	}
}

func TestSummary(t *testing.T) {
	var lates []time.Duration
	for i := range 100 {
		lates = append(lates, time.Duration(100-i))
	}
	want(t, "lateness", summary(lates), doctor.Lateness{N: 100, Median: 51, P90: 91})
	if _, ok := summary(nil).Get(); ok {
		t.Error("of no tries there is a summary")
	}
	var asked []time.Duration
	late := measureLateness(func(d time.Duration) (time.Time, bool) {
		asked = append(asked, d)
		return time.Time{}, false
	})
	if _, ok := late.Get(); ok || len(asked) != tries || asked[0] != 200*time.Microsecond ||
		asked[tries-1] != 2180*time.Microsecond {
		t.Errorf("%+v after %v", late, asked)
	}
}

// TestSleeper checks that it does not wake early.
func TestSleeper(t *testing.T) {
	const d = 300 * time.Microsecond
	start := time.Now()
	if end, ok := sleeper(d); !ok || end.Sub(start) < d {
		t.Errorf("a sleep of %v: %v, %v", d, end.Sub(start), ok)
	}
}

// FuzzExamine checks that an examination ends without negative numbers, whatever the files contain.
func FuzzExamine(f *testing.F) {
	names := []string{"proc/loadavg", "proc/meminfo", "proc/self/timerslack_ns", "proc/self/status", "proc/self/cgroup",
		"proc/self/mountinfo",
		"proc/stat", "proc/vmstat", "sys/fs/cgroup/a/cpu.max", "sys/fs/cgroup/a/cpu.stat",
		"sys/devices/system/cpu/online",
		"sys/devices/system/cpu/intel_pstate/no_turbo", "sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
		"sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "sys/class/power_supply/BAT0/status"}
	for i, name := range names {
		f.Add(uint8(i), laptop()[name])
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		files := laptop()
		files[names[int(which)%len(names)]] = text
		fsys := tree(files)
		x := newExaminer(fsys, result.Environment{Machine: result.Machine{CPUs: 2}}, "brewput")
		linuxFiles(fsys, new(result.Machine))
		r := x.Readings()
		for name, v := range map[string]doctor.Reading[float64]{"load": r.Load1, "others": r.Others, "steal": r.Steal} {
			if got, ok := v.Get(); ok && !(got >= 0) {
				t.Errorf("%s is %v", name, got)
			}
		}
		if q, ok := r.Quota.Get(); ok && !(q.CPUs >= 0) {
			t.Errorf("quota %+v", q)
		}
		if d, ok := r.TimerSlack.Get(); ok && d < 0 {
			t.Errorf("slack %v", d)
		}
		for _, c := range func() []doctor.Check { c, _ := doctor.Judge(r, nil); return c }() {
			if c.Claim == "" {
				t.Errorf("%+v", c)
			}
		}
	})
}

// FuzzParsers checks that the parsers of Linux's files accept any text without a panic.
func FuzzParsers(f *testing.F) {
	for _, text := range laptop() {
		f.Add(text, "nr_throttled")
	}
	f.Fuzz(func(t *testing.T, text, key string) {
		if s, ok := parseSteal(text); ok && !(s >= 0) {
			t.Errorf("steal %v", s)
		}
		if b, ok := parseBusy(text); ok && b < 0 {
			t.Errorf("busy %v", b)
		}
		if l, ok := parseLoad1(text); ok && !(l >= 0) {
			t.Errorf("load %v", l)
		}
		if c, ok := parseCPUMax(text); ok && !(c > 0) {
			t.Errorf("cpu.max %v", c)
		}
		if c, ok := parseQuota(text, key); ok && !(c > 0) {
			t.Errorf("quota %v", c)
		}
		parseKeyed(text, key)
		if v, ok := parseInfo(text, key); ok && v == "" {
			t.Error("an empty value")
		}
		if l, err := parseList(text); err == nil {
			for _, n := range l {
				if n < 0 {
					t.Errorf("list %v", l)
				}
			}
		}
		if g, ok := findCgroup(text, key); ok && (len(g.dirs) == 0 || g.version != 1 && g.version != 2) {
			t.Errorf("cgroup %+v", g)
		}
	})
}

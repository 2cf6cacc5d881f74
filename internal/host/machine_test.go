package host

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/brewput/brewput/result"
)

// tree returns a file system with these files.
func tree(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// hybrid is a laptop: two P cores of two threads, four E cores, in a container of 2.5 CPUs.
func hybrid() map[string]string {
	const cpu = "sys/devices/system/cpu/"
	files := map[string]string{
		"proc/cpuinfo": "processor : 0\nmodel name\t: Some CPU\nflags\t\t: fpu hypervisor " +
			"sse\n\nmodel name : other\n",
		"proc/meminfo":              "MemTotal:       16384000 kB\nMemFree: 1 kB\n",
		"proc/sys/kernel/osrelease": "6.1.0-9\n",
		"proc/self/status":          "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-2,5\n",
		"proc/self/cgroup":          "0::/a/b\n",
		"proc/self/mountinfo":       "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
		"sys/fs/cgroup/a/cpu.max":   "250000 100000\n",
		"sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
		"sys/devices/system/node/online":                                  "0-1\n",
		"sys/devices/cpu_core/cpus":                                       "0-3\n",
		"sys/devices/cpu_atom/cpus":                                       "4-7\n",
		cpu + "cpu0/cpufreq/scaling_governor":                             "powersave\n",
		cpu + "online":                                                    "0-7\n",
	}
	for i, s := range []string{"0-1", "0-1", "2-3", "2-3", "4", "5", "6", "7"} {
		files[fmt.Sprintf("%scpu%d/topology/thread_siblings_list", cpu, i)] = s + "\n"
	}
	return files
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestLinuxFiles(t *testing.T) {
	m := result.Machine{GOOS: "linux", GOARCH: "amd64", CPUs: 4}
	linuxFiles(tree(hybrid()), &m)
	want := `{"fingerprint":"","goos":"linux","goarch":"amd64","cpu_model":"Some CPU","kernel":"6.1.0-9","hypervisor":true,` +
		`"memory_bytes":16777216000,"online_cpus":8,"cores":6,"threads_per_core":2,"performance_cpus":4,"efficiency_cpus":4,` +
		`"numa_nodes":2,"cpus":4,"affinity_cpus":4,"cgroup_cpus":2.5,"clock_source":"tsc","governor":"powersave"}`
	if got := jsonOf(t, m); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestLinuxFilesMissing checks that missing or damaged values are null, not 0.
func TestLinuxFilesMissing(t *testing.T) {
	want := `{"fingerprint":"","goos":"","goarch":"","cpu_model":null,"kernel":null,"hypervisor":null,` +
		`"memory_bytes":null,"online_cpus":null,"cores":null,"threads_per_core":null,"performance_cpus":null,"efficiency_cpus":null,` +
		`"numa_nodes":null,"cpus":0,"affinity_cpus":null,"cgroup_cpus":null,"clock_source":null,"governor":null}`
	garbage := map[string]string{}
	for name := range hybrid() {
		garbage[name] = "\x00%&\n"
	}
	delete(garbage, "proc/sys/kernel/osrelease") // any word is valid there
	delete(garbage, "sys/devices/system/clocksource/clocksource0/current_clocksource")
	delete(garbage, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	for what, files := range map[string]map[string]string{"nothing": nil, "garbage": garbage} {
		var m result.Machine
		linuxFiles(tree(files), &m)
		if got := jsonOf(t, m); got != want {
			t.Errorf("%s: got  %s\nwant %s", what, got, want)
		}
	}
}

func TestLinuxTopologyIncomplete(t *testing.T) {
	files := hybrid()
	delete(files, "sys/devices/system/cpu/cpu5/topology/thread_siblings_list")
	var m result.Machine
	linuxFiles(tree(files), &m)
	if m.OnlineCPUs == nil || *m.OnlineCPUs != 8 || m.Cores != nil || m.ThreadsPerCore != nil {
		t.Errorf("got %s", jsonOf(t, m))
	}
}

func TestLinuxARM(t *testing.T) {
	const cpu = "sys/devices/system/cpu/"
	files := map[string]string{
		"proc/cpuinfo": "processor : 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n",
		cpu + "online": "0-2",
	}
	for i, capacity := range []string{"446", "446", "1024"} {
		files[fmt.Sprintf("%scpu%d/topology/thread_siblings_list", cpu, i)] = fmt.Sprint(i)
		files[fmt.Sprintf("%scpu%d/cpu_capacity", cpu, i)] = capacity
	}
	m := result.Machine{GOARCH: "arm64"}
	linuxFiles(tree(files), &m)
	if m.CPUModel == nil || *m.CPUModel != "implementer 0x41 part 0xd0c" {
		t.Errorf("model: %s", jsonOf(t, m.CPUModel))
	}
	if m.PerformanceCPUs == nil || *m.PerformanceCPUs != 1 || *m.EfficiencyCPUs != 2 || *m.Cores != 3 ||
		*m.ThreadsPerCore != 1 {
		t.Errorf("got %s", jsonOf(t, m))
	}
	files[cpu+"cpu0/cpu_capacity"], files[cpu+"cpu1/cpu_capacity"] = "1024", "1024"
	m = result.Machine{GOARCH: "arm64"}
	linuxFiles(tree(files), &m)
	if m.PerformanceCPUs != nil || m.EfficiencyCPUs != nil {
		t.Errorf("cores all of a kind: got %s", jsonOf(t, m))
	}
}

func TestLinuxQuotaV1(t *testing.T) {
	files := map[string]string{
		"proc/self/cgroup":        "1:cpu:/job\n",
		"proc/self/mountinfo":     "32 31 0:29 / /cg rw - cgroup cgroup rw,cpu\n",
		"cg/job/cpu.cfs_quota_us": "300000\n", "cg/job/cpu.cfs_period_us": "100000\n",
		"cg/cpu.cfs_quota_us": "-1\n", "cg/cpu.cfs_period_us": "100000\n",
	}
	if q := linuxQuota(tree(files)); q == nil || *q != 3 {
		t.Errorf("got %s, want 3", jsonOf(t, q))
	}
	files["cg/cpu.cfs_quota_us"] = "100000"
	if q := linuxQuota(tree(files)); q == nil || *q != 1 {
		t.Errorf("a tighter limit above: got %s, want 1", jsonOf(t, q))
	}
	files["cg/cpu.cfs_quota_us"], files["cg/job/cpu.cfs_quota_us"] = "-1", "-1"
	if q := linuxQuota(tree(files)); q != nil {
		t.Errorf("no limit: got %v", *q)
	}
}

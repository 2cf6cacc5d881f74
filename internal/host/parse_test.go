package host

import (
	"slices"
	"strings"
	"testing"
)

func TestParseSteal(t *testing.T) {
	for _, x := range []struct {
		text string
		want float64
		ok   bool
	}{
		{"cpu  6546 0 3139 289880 1116 0 50 101 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n", 1.01, true},
		{"cpu0 1 2 3 4 5 6 7 8 9 10\ncpu 1 2 3 4 5 6 7 250 9 10", 2.5, true},
		{"cpu 1 2 3 4 5 6 7 0 0 0\n", 0, true},
		{"cpu 1 2 3 4 5 6 7\n", 0, false}, // before Linux 2.6.11
		{"cpu 1 2 3 4 5 6 7 x 9 10\n", 0, false},
		{"cpu 1 2 3 4 5 6 7 -8 9 10\n", 0, false},
		{"intr 1 2 3 4 5 6 7 8 9", 0, false},
		{"", 0, false},
		{"\x00\xff\n\n", 0, false},
	} {
		if got, ok := parseSteal(x.text); ok != x.ok || ok && got != x.want {
			t.Errorf("%q: %v %v, want %v %v", x.text, got, ok, x.want, x.ok)
		}
	}
}

func TestParseBusy(t *testing.T) {
	if got, ok := parseBusy("cpu  100 20 3 9999 9999 40 5 9999 9999 9999\n"); !ok || got != 1.68 {
		t.Errorf("%v %v, want 1.68: neither idle nor waiting nor stolen, and no guest twice", got, ok)
	}
	if got, ok := parseBusy("cpu 1 2 3 4 5 6 7\n"); ok {
		t.Errorf("%v of a line that is too short", got)
	}
}

func TestParseLoad1(t *testing.T) {
	for _, x := range []struct {
		text string
		want float64
		ok   bool
	}{
		{"0.09 0.13 0.05 1/93 4711\n", 0.09, true},
		{"12.00 1 1", 12, true},
		{"", 0, false},
		{"0.09", 0, false},
		{"a b c", 0, false},
		{"-1 0 0", 0, false},
		{"NaN 0 0", 0, false},
		{"+Inf 0 0", 0, false},
	} {
		if got, ok := parseLoad1(x.text); ok != x.ok || ok && got != x.want {
			t.Errorf("%q: %v %v, want %v %v", x.text, got, ok, x.want, x.ok)
		}
	}
}

func TestParseKeyed(t *testing.T) {
	const io = "rchar: 6976\nwchar: 0\nsyscr: 10\nsyscw: 0\n"
	const stat = "usage_usec 5\nnr_periods 7\nnr_throttled 3\n"
	for _, x := range []struct {
		text, key string
		want      uint64
		ok        bool
	}{
		{io, "syscr", 10, true},
		{io, "syscw", 0, true},
		{io, "sysc", 0, false},
		{stat, "nr_throttled", 3, true},
		{"VmPeak:\t  99 kB\nVmHWM:\t    2048 kB\n", "VmHWM", 2048, true},
		{"syscr:", "syscr", 0, false},
		{"syscr: -1", "syscr", 0, false},
		{"syscr: 99999999999999999999", "syscr", 0, false},
		{"", "syscr", 0, false},
	} {
		if got, ok := parseKeyed(x.text, x.key); ok != x.ok || ok && got != x.want {
			t.Errorf("%q of %q: %v %v, want %v %v", x.key, x.text, got, ok, x.want, x.ok)
		}
	}
}

func TestParseList(t *testing.T) {
	for _, x := range []struct {
		text string
		want []int
	}{
		{"0-3,8\n", []int{0, 1, 2, 3, 8}},
		{"0", []int{0}},
		{"5-5", []int{5}},
		{"0,2,4-5", []int{0, 2, 4, 5}},
		{" \n", nil},
	} {
		if got, err := parseList(x.text); err != nil || !slices.Equal(got, x.want) {
			t.Errorf("%q: %v %v, want %v", x.text, got, err, x.want)
		}
	}
	for _, bad := range []string{"a", "3-1", "1-", "-1", "1,,2", "0-2147483647", "0-3:2/4", "99999999999"} {
		if got, err := parseList(bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v %v, want an error that shows it", bad, got, err)
		}
	}
}

func TestParseLimits(t *testing.T) {
	for _, x := range []struct {
		text string
		want float64
		ok   bool
	}{
		{"150000 100000\n", 1.5, true},
		{"max 100000\n", 0, false},
		{"", 0, false},
		{"100000", 0, false},
		{"100000 0", 0, false},
		{"0 100000", 0, false},
		{"x 100000", 0, false},
		{"100000 x", 0, false},
	} {
		if got, ok := parseCPUMax(x.text); ok != x.ok || ok && got != x.want {
			t.Errorf("cpu.max %q: %v %v, want %v %v", x.text, got, ok, x.want, x.ok)
		}
	}
	if got, ok := parseQuota("50000\n", "100000\n"); !ok || got != 0.5 {
		t.Errorf("quota: %v %v, want 0.5", got, ok)
	}
	if got, ok := parseQuota("-1\n", "100000\n"); ok {
		t.Errorf("quota -1: %v, want no limit", got)
	}
}

func TestFindCgroup(t *testing.T) {
	const (
		mountV2 = "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
		mountV1 = "24 1 0:2 / /proc rw - proc proc rw\n" +
			"33 31 0:30 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n" +
			"32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
	)
	for _, x := range []struct {
		name, self, mounts string
		version            int // 0: none
		dirs               []string
	}{
		{"v2", "0::/user.slice/a b\n", mountV2, 2,
			[]string{"/sys/fs/cgroup/user.slice/a b", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"}},
		{"v2 root", "0::/\n", mountV2, 2, []string{"/sys/fs/cgroup"}},
		{"v2 in a container without its own namespace", "0::/docker/x/sub\n",
			"35 24 0:30 /docker/x /sys/fs/cgroup rw - cgroup2 c rw\n", 2,
			[]string{"/sys/fs/cgroup/sub", "/sys/fs/cgroup"}},
		{"v2 another root that shares letters", "0::/docker/xy\n",
			"35 24 0:30 /docker/x /sys/fs/cgroup rw - cgroup2 c rw\n", 2, []string{"/sys/fs/cgroup"}},
		{"v2 above the namespace", "0::/../other\n", mountV2, 2, []string{"/sys/fs/cgroup"}},
		{"v1", "2:cpuacct:/\n1:cpu,x:/job\n0::/\n", mountV1, 1,
			[]string{"/sys/fs/cgroup/cpu/job", "/sys/fs/cgroup/cpu"}},
		{"v1 and v2, cpu in v2", "3:cpuset:/\n0::/job\n", mountV1 + mountV2, 2,
			[]string{"/sys/fs/cgroup/job", "/sys/fs/cgroup"}},
		{"v1 not mounted", "1:cpu:/job\n0::/job\n", mountV2, 2, []string{"/sys/fs/cgroup/job", "/sys/fs/cgroup"}},
		{"name with a colon", "0::/a:b\n", mountV2, 2, []string{"/sys/fs/cgroup/a:b", "/sys/fs/cgroup"}},
		{"escaped mount", "0::/\n", `35 24 0:30 / /my\040cg rw - cgroup2 c rw`, 2, []string{"/my cg"}},
		{"nothing", "", "", 0, nil},
		{"no mounts", "0::/x\n", "", 0, nil},
		{"garbage", "::\n0:\nx", "- - -\n1 2 - cgroup2\n", 0, nil},
	} {
		got, ok := findCgroup(x.self, x.mounts)
		if ok != (x.version != 0) || got.version != x.version || !slices.Equal(got.dirs, x.dirs) {
			t.Errorf("%s: %+v %v, want version %d of %q", x.name, got, ok, x.version, x.dirs)
		}
	}
}

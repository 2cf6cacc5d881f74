package host

import (
	"encoding/json"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	e := Read()
	if e.GoVersion != runtime.Version() || e.GOOS != runtime.GOOS || e.GOARCH != runtime.GOARCH {
		t.Errorf("got %s %s/%s", e.GoVersion, e.GOOS, e.GOARCH)
	}
	if e.CPUs != runtime.NumCPU() || e.GOMAXPROCS != runtime.GOMAXPROCS(0) || e.GOMAXPROCSFrom == "" {
		t.Errorf("got %d CPUs, GOMAXPROCS %d from %q", e.CPUs, e.GOMAXPROCS, e.GOMAXPROCSFrom)
	}
	if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(e.Fingerprint) {
		t.Errorf("fingerprint %q", e.Fingerprint)
	}
	if e.ExeSHA256 == nil || len(*e.ExeSHA256) != 64 {
		t.Errorf("executable %v", e.ExeSHA256)
	}
	if again := Read(); again.Fingerprint != e.Fingerprint || again.SameMachine(e) != nil || again.SameBuild(e) != nil {
		t.Errorf("read twice: %v, %v", again.SameMachine(e), again.SameBuild(e))
	}
	// An unknown value must not be 0 or "".
	v := reflect.ValueOf(e)
	for _, f := range reflect.VisibleFields(v.Type()) {
		p := v.FieldByIndex(f.Index)
		if p.Kind() == reflect.Pointer && !p.IsNil() && p.Elem().Kind() != reflect.Bool && p.Elem().IsZero() {
			t.Errorf("%s is zero; unknown is null", f.Name)
		}
	}
	if runtime.GOOS == "linux" && (e.Kernel == nil || e.MemoryBytes == nil || e.OnlineCPUs == nil ||
		e.AffinityCPUs == nil) {
		t.Errorf("linux without its files: %+v", e.Machine)
	}
}

func TestEnvironmentJSON(t *testing.T) {
	e := Read()
	var back Environment
	if err := json.Unmarshal([]byte(jsonOf(t, e)), &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, e) {
		t.Errorf("through JSON: %+v, want %+v", back, e)
	}
	name := regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Environment]()) {
		if !f.Anonymous && !name.MatchString(f.Tag.Get("json")) {
			t.Errorf("%s has the JSON name %q", f.Name, f.Tag.Get("json"))
		}
	}
}

func TestSameMachine(t *testing.T) {
	a := Environment{Machine: Machine{CPUModel: new("A"), CPUs: 4, CgroupCPUs: new(1.5)}}
	b := Environment{Machine: Machine{CPUModel: new("A"), CPUs: 4, CgroupCPUs: new(1.5)}, GOGC: "off"}
	if err := a.SameMachine(b); err != nil {
		t.Errorf("equal machines: %v", err)
	}
	b.CPUModel, b.CgroupCPUs = new("B"), nil
	err := a.SameMachine(b)
	if err == nil {
		t.Fatal("different machines pass")
	}
	for _, want := range []string{`cpu_model is "A" here and "B" there`, "cgroup_cpus is 1.5 here and unknown there"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "goos") {
		t.Errorf("%q names what is the same", err)
	}
	if strings.Contains(err.Error(), "new run") {
		t.Errorf("%q advises, as who continues a run does again", err)
	}
}

func TestSameBuild(t *testing.T) {
	a := Environment{Build: Build{GoVersion: "go1", Race: new(false), BuildFlags: []string{}}, GOGC: "100"}
	b := a
	b.CPUs, b.BuildFlags, b.GOMAXPROCS = 8, nil, 3
	if err := a.SameBuild(b); err != nil {
		t.Errorf("equal builds: %v", err)
	}
	b.Race, b.GOGC, b.BuildFlags = new(true), "off", []string{"-tags=x"}
	err := a.SameBuild(b)
	if err == nil {
		t.Fatal("different builds pass")
	}
	for _, want := range []string{"race is false here and true there", `gogc is "100" here and "off" there`,
		`build_flags is [] here and ["-tags=x"] there`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	base := Machine{GOOS: "linux", CPUModel: new("A"), Cores: new(2), MemoryBytes: new(uint64(16 << 30)), CPUs: 4}
	same, want := base, base.hash()
	same.CPUs, same.CgroupCPUs, same.Governor, same.MemoryBytes = 1, new(0.5), new("powersave"),
		new(uint64(16<<30-1<<20))
	if got := same.hash(); got != want {
		t.Errorf("limits of the process change the fingerprint: %s, %s", got, want)
	}
	if *base.MemoryBytes != 16<<30 {
		t.Errorf("the hash changed the machine: %d bytes", *base.MemoryBytes)
	}
	for what, change := range map[string]func(*Machine){
		"goos":       func(m *Machine) { m.GOOS = "darwin" },
		"goarch":     func(m *Machine) { m.GOARCH = "arm64" },
		"model":      func(m *Machine) { m.CPUModel = new("B") },
		"no model":   func(m *Machine) { m.CPUModel = nil },
		"kernel":     func(m *Machine) { m.Kernel = new("6.1") },
		"hypervisor": func(m *Machine) { m.Hypervisor = new(true) },
		"memory":     func(m *Machine) { m.MemoryBytes = new(uint64(8 << 30)) },
		"online":     func(m *Machine) { m.OnlineCPUs = new(2) },
		"cores":      func(m *Machine) { m.Cores = new(4) },
		"threads":    func(m *Machine) { m.ThreadsPerCore = new(2) },
		"numa":       func(m *Machine) { m.NUMANodes = new(2) },
	} {
		m := base
		change(&m)
		if m.hash() == want {
			t.Errorf("another %s has the same fingerprint", what)
		}
	}
}

func TestProcsFrom(t *testing.T) {
	for _, x := range []struct {
		procs  int
		env    string
		cpus   int
		online *int
		quota  *float64
		want   string
	}{
		{4, "4", 8, new(8), nil, "env"},
		{4, "5", 8, new(8), nil, "program"},
		{8, "junk", 8, new(8), nil, "cpus"},
		{8, "0", 8, new(8), nil, "cpus"},
		{8, "", 8, nil, nil, "cpus"},
		{4, "", 4, new(8), nil, "affinity"},
		{3, "", 8, new(8), new(2.5), "cgroup"},
		{2, "", 8, new(8), new(0.5), "cgroup"}, // the runtime rounds up to 2
		{8, "", 8, new(8), new(2.5), "cpus"},   // GODEBUG=containermaxprocs=0
		{2, "", 2, new(2), new(9.), "cpus"},
		{3, "", 8, new(8), nil, "program"},
	} {
		m := Machine{CPUs: x.cpus, OnlineCPUs: x.online, CgroupCPUs: x.quota}
		if got := procsFrom(x.procs, x.env, m); got != x.want {
			t.Errorf("%+v: %s", x, got)
		}
	}
}

func TestBuildSettings(t *testing.T) {
	hash := func(name string) *string {
		if name == "/src/default.pgo" {
			return new("abc")
		}
		return nil
	}
	b := Build{BuildFlags: []string{}}
	b.settings(nil, hash)
	if got, want := jsonOf(t, b), `{"go_version":"","goexperiment":null,"goamd64":null,"goarm64":null,"pgo":null,"build_flags":[],`+
		`"race":false,"cover":false,"vcs_revision":null,"vcs_modified":null,"exe_sha256":null}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	b = Build{BuildFlags: []string{}}
	b.settings([]debug.BuildSetting{{Key: "-race", Value: "true"}, {Key: "-cover", Value: "true"},
		{Key: "-tags", Value: "a,b"},
		{Key: "-ldflags", Value: "-s -w"}, {Key: "-pgo", Value: "/src/default.pgo"}, {Key: "GOEXPERIMENT", Value: "x"},
		{Key: "GOAMD64", Value: "v3"},
		{Key: "vcs.revision", Value: "49d7"}, {Key: "vcs.modified", Value: "true"}, {Key: "vcs.time", Value: "now"}},
		hash)
	if got, want := jsonOf(t, b), `{"go_version":"","goexperiment":"x","goamd64":"v3","goarm64":null,"pgo":"sha256:abc",`+
		`"build_flags":["-tags=a,b","-ldflags=-s -w"],"race":true,"cover":true,"vcs_revision":"49d7","vcs_modified":true,"exe_sha256":null}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for name, want := range map[string]string{"/gone/x.pgo": "x.pgo", "x.pgo": "x.pgo", `C:\src\x.pgo`: "x.pgo"} {
		if got := pgo(name, hash); got == nil || *got != want {
			t.Errorf("profile %q: %s, want %q", name, jsonOf(t, got), want)
		}
	}
}

func TestGCSettings(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40))
	if gogc, limit := gcSettings(); gogc != "50" || limit != "1099511627776" {
		t.Errorf("got GOGC %s, GOMEMLIMIT %s", gogc, limit)
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(1<<63 - 1)
	if gogc, limit := gcSettings(); gogc != "off" || limit != "off" {
		t.Errorf("got GOGC %s, GOMEMLIMIT %s; want off", gogc, limit)
	}
}

func TestJoinSettings(t *testing.T) {
	for _, x := range [][3]string{{"", "", ""}, {"a=1", "", "a=1"}, {"", "b=2", "b=2"}, {"a=1", "b=2", "a=1,b=2"}} {
		if got := joinSettings(x[0], x[1]); got != x[2] {
			t.Errorf("%q and %q: %q, want %q", x[0], x[1], got, x[2])
		}
	}
}

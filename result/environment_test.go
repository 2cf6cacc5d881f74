package result_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/result"
)

func TestDifferences(t *testing.T) {
	a := result.Environment{Machine: result.Machine{CPUs: 2},
		Build: result.Build{GoVersion: "go1.26", VCSRevision: new("abc")}, GOGC: "100",
		GOMAXPROCS: 2}
	b := a
	if a.MachineDifferences(b) != nil || a.ProgramDifferences(b) != nil {
		t.Error("the same differs")
	}
	b.CPUs, b.VCSRevision, b.GOGC, b.GODEBUG, b.GOMAXPROCS = 4, nil, "off", new("madvdontneed=1"), 4
	got, want := a.MachineDifferences(b), []result.Difference{{Name: "cpus", A: "2", B: "4"}}
	if !slices.Equal(got, want) {
		t.Errorf("machine: %v, want %v", got, want)
	}
	want = []result.Difference{{Name: "vcs_revision", A: `"abc"`, B: "unknown"}, {Name: "godebug", A: "unknown", B: `"madvdontneed=1"`},
		{Name: "gogc", A: `"100"`, B: `"off"`}}
	if got := a.ProgramDifferences(b); !slices.Equal(got, want) {
		t.Errorf("program: %v, want %v", got, want)
	}

	b = a
	b.GOGCFrom = "env"
	if got := a.ProgramDifferences(b); got != nil {
		t.Errorf("with a run of a version that did not store where GOGC came from: %v", got)
	}
	a.GOGCFrom = "default"
	want = []result.Difference{{Name: "gogc_from", A: `"default"`, B: `"env"`}}
	if got := a.ProgramDifferences(b); !slices.Equal(got, want) {
		t.Errorf("program: %v, want %v", got, want)
	}
	if err := a.SameBuild(b); err == nil || !strings.Contains(err.Error(), "gogc_from") {
		t.Errorf("one GOGC is of the environment: %v", err)
	}
	a.GOGCFrom = "env"
	b.GOGCFrom, a.GOGC, b.GOGC = "program", "50", "50" // what is set stays, whoever sets it
	if got := a.ProgramDifferences(b); got != nil {
		t.Errorf("GOGC of 50 from two places: %v", got)
	}
}

func TestSameMachine(t *testing.T) {
	a := result.Environment{Machine: result.Machine{CPUModel: new("A"), CPUs: 4, CgroupCPUs: new(1.5)}}
	b := result.Environment{Machine: result.Machine{CPUModel: new("A"), CPUs: 4, CgroupCPUs: new(1.5)}, GOGC: "off"}
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
	a := result.Environment{Build: result.Build{GoVersion: "go1", Race: new(false), BuildFlags: []string{}},
		GOGC: "100"}
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
	base := result.Machine{GOOS: "linux", CPUModel: new("A"), Cores: new(2), MemoryBytes: new(uint64(16 << 30)),
		CPUs: 4}
	same, want := base, base.ComputeFingerprint()
	same.CPUs, same.CgroupCPUs, same.Governor, same.MemoryBytes = 1, new(0.5), new("powersave"),
		new(uint64(16<<30-1<<20))
	if got := same.ComputeFingerprint(); got != want {
		t.Errorf("limits of the process change the fingerprint: %s, %s", got, want)
	}
	if *base.MemoryBytes != 16<<30 {
		t.Errorf("the hash changed the machine: %d bytes", *base.MemoryBytes)
	}
	for what, change := range map[string]func(*result.Machine){
		"goos":       func(m *result.Machine) { m.GOOS = "darwin" },
		"goarch":     func(m *result.Machine) { m.GOARCH = "arm64" },
		"model":      func(m *result.Machine) { m.CPUModel = new("B") },
		"no model":   func(m *result.Machine) { m.CPUModel = nil },
		"kernel":     func(m *result.Machine) { m.Kernel = new("6.1") },
		"hypervisor": func(m *result.Machine) { m.Hypervisor = new(true) },
		"memory":     func(m *result.Machine) { m.MemoryBytes = new(uint64(8 << 30)) },
		"online":     func(m *result.Machine) { m.OnlineCPUs = new(2) },
		"cores":      func(m *result.Machine) { m.Cores = new(4) },
		"threads":    func(m *result.Machine) { m.ThreadsPerCore = new(2) },
		"numa":       func(m *result.Machine) { m.NUMANodes = new(2) },
	} {
		m := base
		change(&m)
		if m.ComputeFingerprint() == want {
			t.Errorf("another %s has the same fingerprint", what)
		}
	}
}

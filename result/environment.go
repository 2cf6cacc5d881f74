package result

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Environment is everything that the values of a run depend on, apart from its plan. It names neither host nor
// user.
type Environment struct {
	Machine
	Build

	GOMAXPROCS     int    `json:"gomaxprocs"`
	GOMAXPROCSFrom string `json:"gomaxprocs_from"` // env, cgroup, affinity or cpus; otherwise program
	// defaults of the build, then those of the environment, which win; null if none is set
	GODEBUG *string `json:"godebug"`
	// percent in force in the command, or off; open loops on other processes have 400 instead of a default of 100
	GOGC       string `json:"gogc"`
	GOGCFrom   string `json:"gogc_from"`  // env, default or program; "" in runs of versions that did not store it
	GOMEMLIMIT string `json:"gomemlimit"` // bytes in force, or off
}

// Machine describes the computer as far as this process may use it. Null means unknown or absent.
type Machine struct {
	// Fingerprint is a hash of the properties that stay the same for one computer and kernel: CPU model,
	// topology, kernel, hypervisor, memory, GOOS and GOARCH. It does not include limits of the process.
	Fingerprint string  `json:"fingerprint"`
	GOOS        string  `json:"goos"`
	GOARCH      string  `json:"goarch"`
	CPUModel    *string `json:"cpu_model"`
	Kernel      *string `json:"kernel"`       // version
	Hypervisor  *bool   `json:"hypervisor"`   // this is a virtual machine
	MemoryBytes *uint64 `json:"memory_bytes"` // of the machine, not of a limit

	OnlineCPUs      *int `json:"online_cpus"`      // of the machine
	Cores           *int `json:"cores"`            // physical cores
	ThreadsPerCore  *int `json:"threads_per_core"` // the maximum over all cores
	PerformanceCPUs *int `json:"performance_cpus"` // null if all cores are of one kind, or unknown
	EfficiencyCPUs  *int `json:"efficiency_cpus"`
	NUMANodes       *int `json:"numa_nodes"`

	CPUs         int      `json:"cpus"`          // usable by this process when it started
	AffinityCPUs *int     `json:"affinity_cpus"` // in the affinity mask now
	CgroupCPUs   *float64 `json:"cgroup_cpus"`   // CPU limit of the cgroup; null if there is none

	ClockSource *string `json:"clock_source"`
	Governor    *string `json:"governor"` // of the first CPU
}

// Build describes how the program was built. Null means that it is not recorded, or not set.
type Build struct {
	GoVersion    string   `json:"go_version"`
	GOEXPERIMENT *string  `json:"goexperiment"`
	GOAMD64      *string  `json:"goamd64"` // instruction set level; null on other architectures
	GOARM64      *string  `json:"goarm64"`
	PGO          *string  `json:"pgo"`         // SHA-256 of the profile, or its file name if the file does not exist
	BuildFlags   []string `json:"build_flags"` // flags that change the code: -tags, -ldflags, -gcflags, ...
	Race         *bool    `json:"race"`
	Cover        *bool    `json:"cover"`
	VCSRevision  *string  `json:"vcs_revision"`
	VCSModified  *bool    `json:"vcs_modified"` // the source differed from the revision
	ExeSHA256    *string  `json:"exe_sha256"`
}

// SameMachine returns an error that names the differences between the machine e, read here, and o, recorded
// earlier. It returns nil if raw times of the two may be mixed. Limits of the process count too.
func (e Environment) SameMachine(o Environment) error {
	if diff := differences(e.Machine, o.Machine); diff != "" {
		return fmt.Errorf("this is not the machine of the recorded run: %s; times of two machines must not be mixed",
			diff)
	}
	return nil
}

// SameBuild returns an error that names the differences between the running program e and the program o,
// recorded earlier, including runtime settings. It returns nil if they measure the same.
func (e Environment) SameBuild(o Environment) error {
	if diff := differences(programs(e, o)); diff != "" {
		return fmt.Errorf("this is not the program of the recorded run: %s; times of two builds must not be mixed",
			diff)
	}
	return nil
}

// differences names the fields in which two structs of the same type differ, by their JSON names; "" if there
// are none.
func differences(here, there any) string {
	var all []string
	for _, d := range fields(here, there) {
		all = append(all, fmt.Sprintf("%s is %s here and %s there", d.Name, d.A, d.B))
	}
	return strings.Join(all, ", ")
}

// Difference is a setting in which two runs, machines or builds differ, as text; "unknown" stands for null.
type Difference struct {
	Name string `json:"name"`
	A    string `json:"a"` // in the newer run
	B    string `json:"b"` // in the older run
}

// MachineDifferences returns the differences of the machines of e and o. Raw times of two machines must not be
// mixed or compared.
func (e Environment) MachineDifferences(o Environment) []Difference {
	return fields(e.Machine, o.Machine)
}

// ProgramDifferences returns the differences of the builds and the runtime settings of two runs. A user may
// want to compare these on one machine.
func (e Environment) ProgramDifferences(o Environment) []Difference {
	return fields(programs(e, o))
}

// program is the part of an environment that does not belong to the machine, without GOMAXPROCS, which each
// trial sets.
type program struct {
	Build
	GODEBUG    *string `json:"godebug"`
	GOGC       string  `json:"gogc"`
	GOGCFrom   string  `json:"gogc_from"`
	GOMEMLIMIT string  `json:"gomemlimit"`
}

func (e Environment) program() program {
	return program{e.Build, e.GODEBUG, e.GOGC, e.GOGCFrom, e.GOMEMLIMIT}
}

// programs returns the programs of two environments. They keep where GOGC came from only if it may matter: the usual
// 100 of one environment and of no environment is not the same for a client that sends an open loop to servers.
func programs(e, o Environment) (x, y program) {
	x, y = e.program(), o.program()
	known := x.GOGCFrom != "" && y.GOGCFrom != ""
	if !known || x.GOGC != "100" || (x.GOGCFrom == "env") == (y.GOGCFrom == "env") {
		x.GOGCFrom, y.GOGCFrom = "", ""
	}
	return x, y
}

// fields returns the fields in which two structs of the same type differ.
func fields(x, y any) []Difference {
	var all []Difference
	a, b := reflect.ValueOf(x), reflect.ValueOf(y)
	for _, f := range reflect.VisibleFields(a.Type()) {
		if f.Anonymous {
			continue
		}
		if x, y := formatField(a.FieldByIndex(f.Index)), formatField(b.FieldByIndex(f.Index)); x != y {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			all = append(all, Difference{name, x, y})
		}
	}
	return all
}

// formatField formats the value of a field for messages and hashes.
func formatField(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "unknown"
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.String || v.Kind() == reflect.Slice {
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}

// ComputeFingerprint returns a hash of the properties that stay the same for one computer and kernel: 64 bits in
// hexadecimal. See Machine.Fingerprint.
func (m Machine) ComputeFingerprint() string {
	if m.MemoryBytes != nil {
		// The kernel reserves a part that changes slightly from boot to boot.
		const unit = 64 << 20
		m.MemoryBytes = new((*m.MemoryBytes + unit/2) / unit * unit)
	}
	h := sha256.New()
	for _, part := range []any{m.GOOS, m.GOARCH, m.CPUModel, m.Kernel, m.Hypervisor, m.MemoryBytes,
		m.OnlineCPUs, m.Cores, m.ThreadsPerCore, m.PerformanceCPUs, m.EfficiencyCPUs, m.NUMANodes} {
		fmt.Fprintln(h, formatField(reflect.ValueOf(part)))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Burn is a calibration of the burn loop on one machine: CPU work of a given length is that many iterations. Durations
// are nanoseconds in JSON.
type Burn struct {
	Rate        float64       `json:"rate_per_ns"` // iterations per nanosecond of Clock; above 0
	Median      time.Duration `json:"median_ns"`   // of check burns with a nominal time of 1 ms
	P95         time.Duration `json:"p95_ns"`
	Clock       string        `json:"clock"` // "thread-cpu", or "wall", which includes the time of other processes
	Fingerprint string        `json:"fingerprint"`
	Measured    time.Time     `json:"measured"` // when Rate was measured
	Stored      bool          `json:"-"`        // it is in the cache directory
}

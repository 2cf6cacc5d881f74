// Package host describes the machine of a measurement and the resources that it used: the environment that is
// stored with a run, and the counters of the process and the system around a trial. A value that a system does
// not provide is null or [result.Unavailable], never 0.
package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
)

// Environment is everything that the values of a run depend on, apart from its plan. It names neither host nor
// user.
type Environment struct {
	Machine
	Build

	GOMAXPROCS     int    `json:"gomaxprocs"`
	GOMAXPROCSFrom string `json:"gomaxprocs_from"` // env, cgroup, affinity or cpus; otherwise program
	// defaults of the build, then those of the environment, which win; null if none is set
	GODEBUG    *string `json:"godebug"`
	GOGC       string  `json:"gogc"`       // percent in force, or off
	GOMEMLIMIT string  `json:"gomemlimit"` // bytes in force, or off
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

// Read reads the environment. It hashes the whole executable, so call it once in a process.
func Read() Environment {
	e := Environment{Machine: readMachine(), Build: readBuild()}
	e.GOMAXPROCS = runtime.GOMAXPROCS(0)
	e.GOMAXPROCSFrom = procsFrom(e.GOMAXPROCS, os.Getenv("GOMAXPROCS"), e.Machine)
	if all := joinSettings(defaultGODEBUG(), os.Getenv("GODEBUG")); all != "" {
		e.GODEBUG = &all
	}
	e.GOGC, e.GOMEMLIMIT = gcSettings()
	return e
}

func readMachine() Machine {
	m := Machine{GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, CPUs: runtime.NumCPU()}
	readSystem(&m)
	m.Fingerprint = m.hash()
	return m
}

// hash computes the fingerprint: 64 bits in hexadecimal.
func (m Machine) hash() string {
	if m.MemoryBytes != nil {
		// The kernel reserves a part that changes slightly from boot to boot.
		const unit = 64 << 20
		m.MemoryBytes = new((*m.MemoryBytes + unit/2) / unit * unit)
	}
	h := sha256.New()
	for _, part := range []any{m.GOOS, m.GOARCH, m.CPUModel, m.Kernel, m.Hypervisor, m.MemoryBytes,
		m.OnlineCPUs, m.Cores, m.ThreadsPerCore, m.PerformanceCPUs, m.EfficiencyCPUs, m.NUMANodes} {
		fmt.Fprintln(h, show(reflect.ValueOf(part)))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// procsFrom returns the origin of GOMAXPROCS by the rules of the runtime (Go 1.25 and later): the variable,
// otherwise the usable CPUs, but at most the cgroup's limit rounded up, which counts as at least 2.
func procsFrom(procs int, env string, m Machine) string {
	if n, err := strconv.Atoi(env); err == nil && n > 0 {
		if n == procs {
			return "env"
		}
		return "program"
	}
	if m.CgroupCPUs != nil {
		if limit := max(2, int(math.Ceil(*m.CgroupCPUs))); limit < m.CPUs && limit == procs {
			return "cgroup"
		}
	}
	switch {
	case procs != m.CPUs:
		return "program"
	case m.OnlineCPUs != nil && m.CPUs < *m.OnlineCPUs:
		return "affinity"
	default:
		return "cpus"
	}
}

// joinSettings joins two lists of key=value, either of which may be empty.
func joinSettings(a, b string) string { return strings.Trim(a+","+b, ",") }

// gcSettings returns GOGC and GOMEMLIMIT in force, whether set by the environment or by the program.
func gcSettings() (gogc, limit string) {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(s)
	gogc, limit = "off", "off"
	// GOGC=off is a negative percentage, which is huge in the unsigned metric.
	if v := s[0].Value.Uint64(); v <= math.MaxInt32 {
		gogc = strconv.FormatUint(v, 10)
	}
	if v := s[1].Value.Uint64(); v < math.MaxInt64 {
		limit = strconv.FormatUint(v, 10)
	}
	return gogc, limit
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
	if diff := differences(e.program(), o.program()); diff != "" {
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

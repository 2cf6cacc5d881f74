// Package host describes the machine of a measurement and the resources that it used: the environment that is
// stored with a run, and the counters of the process and the system around a trial. A value that a system does
// not provide is null or [result.Unavailable], never 0.
package host

import (
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"

	"github.com/brewput/brewput/result"
)

// Read reads the environment. It hashes the whole executable, so call it once in a process.
func Read() result.Environment {
	e := result.Environment{Machine: readMachine(), Build: readBuild()}
	e.GOMAXPROCS = runtime.GOMAXPROCS(0)
	e.GOMAXPROCSFrom = procsFrom(e.GOMAXPROCS, os.Getenv("GOMAXPROCS"), e.Machine)
	if all := joinSettings(defaultGODEBUG(), os.Getenv("GODEBUG")); all != "" {
		e.GODEBUG = &all
	}
	e.GOGC, e.GOMEMLIMIT = gcSettings()
	e.GOGCFrom = gogcFrom(e.GOGC, os.Getenv("GOGC"))
	return e
}

func readMachine() result.Machine {
	m := result.Machine{GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, CPUs: runtime.NumCPU()}
	readSystem(&m)
	m.Fingerprint = m.ComputeFingerprint()
	return m
}

// procsFrom returns the origin of GOMAXPROCS by the rules of the runtime (Go 1.25 and later): the variable,
// otherwise the usable CPUs, but at most the cgroup's limit rounded up, which counts as at least 2.
func procsFrom(procs int, env string, m result.Machine) string {
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

// gogcFrom returns the origin of GOGC. The runtime replaces a value of the environment that is not an integer by 100,
// and a negative one by off.
func gogcFrom(gogc, env string) string {
	want := "100"
	if n, err := strconv.ParseInt(env, 10, 32); err == nil && n >= 0 {
		want = strconv.FormatInt(n, 10)
	} else if err == nil || env == "off" {
		want = "off"
	}
	switch {
	case gogc != want:
		return "program"
	case env != "":
		return "env"
	default:
		return "default"
	}
}

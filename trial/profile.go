package trial

import (
	"bytes"
	"runtime/pprof"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/gopprof"
	"github.com/brewput/brewput/result"
)

// fewSamples is the number of samples of a CPU profile below which the shares are not known to a few percent:
// the standard error of a share s of n samples is sqrt(s(1-s)/n).
const fewSamples = 100

// The parts of the CPU-time breakdown of a profiled trial. Idle is the time without CPU use.

const (
	partUseful = "ledger_useful" // the design's own code, allocation included
	// inside operations of channels and locks, including waits for the runtime's own lock of one
	partChannel = "ledger_channel"
	// parking, waking, starting and searching for goroutines, and everything else in the runtime
	partScheduler = "ledger_scheduler"
	partGC        = "ledger_gc"
)

// startProfile starts a CPU profile.
func (m *measurement) startProfile() {
	m.profile = new(bytes.Buffer)
	if err := pprof.StartCPUProfile(m.profile); err != nil {
		m.warn("no CPU profile: %v", err)
		m.profile = nil
	}
}

// stopProfile ends the profile and counts its samples.
func (m *measurement) stopProfile() {
	if m.profile == nil {
		return
	}
	pprof.StopCPUProfile()
	p, err := gopprof.Parse(m.profile.Bytes())
	if err != nil {
		m.warn("no CPU profile: %v", err)
		return
	}
	m.samples, m.parts = countSamples(p)
	if m.samples < fewSamples {
		m.warn("a CPU profile has fewer than 100 samples, one per 10 ms of CPU time: use longer trials")
	}
}

// countSamples counts the samples of a CPU profile, in total and by part.
func countSamples(p *gopprof.Profile) (all int64, parts map[string]int64) {
	parts = map[string]int64{}
	for _, s := range p.Samples {
		if len(s.Values) > 0 {
			all += s.Values[0]
			parts[partOf(s.Stack)] += s.Values[0]
		}
	}
	return all, parts
}

// setProfiledShares computes where the core-seconds of the window went. It splits the CPU time by the shares of
// the samples; the rest of CPUs x window is idle.
func (m *measurement) setProfiledShares(span float64, cpu result.Value) {
	total := result.Value(span * float64(m.spec.Point.Int("cpus")))
	for _, part := range []string{partUseful, partChannel, partScheduler, partGC} {
		share := result.Unavailable
		if m.samples > 0 && total > 0 {
			share = cpu / total * result.Value(m.parts[part]) / result.Value(m.samples)
		}
		m.set(part, share)
	}
	m.set("profile_samples", result.Value(m.samples))
	if total > 0 {
		m.set("ledger_idle", max(0, 1-cpu/total))
	}
}

// partOf returns the part of the breakdown that a stack belongs to. The innermost function that belongs to a
// part decides. A wake-up inside a send belongs to the scheduler, the send around it to channels, and a
// function of the design that calls the send to neither.
func partOf(stack []gopprof.Frame) string {
	if slices.ContainsFunc(stack, func(f gopprof.Frame) bool {
		return strings.HasPrefix(f.Function,
			"runtime/pprof.")
	}) {
		return partScheduler // the profiler itself
	}
	for _, f := range stack {
		name, ok := strings.CutPrefix(f.Function, "runtime.")
		if !ok {
			if isLockOperation(f.Function) {
				return partChannel
			}
			return partUseful
		}
		for _, p := range []struct {
			part  string
			names []string
		}{{partGC, gcPrefixes()}, {partChannel, channelPrefixes()}, {partScheduler, schedulerPrefixes()}} {
			for _, n := range p.names {
				if strings.HasPrefix(name, n) {
					return p.part
				}
			}
		}
	}
	return partScheduler
}

// isLockOperation reports whether a function outside the runtime is an operation of a channel, a lock or a
// group.
func isLockOperation(function string) bool {
	for _, prefix := range []string{"sync.(*Mutex)", "sync.(*RWMutex)", "sync.(*WaitGroup)", "sync.(*Cond)",
		"sync.runtime_", "internal/sync.", "github.com/brewput/brewput/env.(*Chan["} {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}

// Prefixes of the functions of package runtime that belong to a part (Go 1.26: mgc.go, chan.go, proc.go).
func gcPrefixes() []string {
	return []string{"gc", "bgsweep", "bgscavenge", "scanobject", "scanblock", "markroot", "sweepone", "(*sweepLocked)",
		"wbBuf", "(*gcWork)"}
}

func channelPrefixes() []string {
	return []string{"chansend", "chanrecv", "closechan", "selectgo", "selectnb", "sellock", "selunlock", "semacquire",
		"semrelease"}
}

func schedulerPrefixes() []string {
	return []string{
		"goready", "ready", "wakep", "startm", "stopm", "handoffp", "schedule", "findRunnable", "park_m", "mcall",
		"mstart", "sysmon", "gopark", "gosched", "gopreempt",
		"newproc", "goexit0", "resetspinning", "exitsyscall", "entersyscall", "execute", "checkTimers", "netpoll",
		"asyncPreempt", "preempt", "injectglist", "retake",
	}
}

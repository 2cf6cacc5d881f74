package explain

import (
	"math"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for rules that use profiles alone.
const (
	externalUsed   = 0.2 // largest fraction of one CPU that a program in an external wait uses
	spawnShare     = 0.3 // fraction of the CPU time in starting and scheduling goroutines, from which they are too fine
	spawnLineShare = 0.05
	convoyShare    = 0.35 // fraction of the CPU time in taking and releasing locks
	syscallShare   = 0.6  // fraction of the CPU time in system calls, for a program that waits as long for them
)

// spawnByProfile finds goroutines that are too fine without a trace: the CPU profile shows how much time it takes to
// start and schedule them.
func spawnByProfile(a *analysis) []Finding {
	if a.trace != nil || !a.hasSamples() {
		return nil
	}

	groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		if !containsAny(w.stack, "runtime.newproc") || a.byStandardLibrary(w.stack) {
			return evidence.Frame{}, false
		}
		return a.prog.ownFrame(w.stack)
	})

	cost := a.spawning()
	if len(groups) == 0 || groups[0].share < spawnLineShare || cost < spawnShare || a.cpu.share(Channels) > cost/2 {
		return nil
	}

	f := a.newFinding(GoroutineTooFine, "Starting and scheduling goroutines takes %s of the CPU time.", percent(cost))
	f.Where = []string{a.prog.position(groups[0].at)}
	f.Share = cost
	f.citef("%s of the goroutines' CPU time is in the go statement at %s", percent(groups[0].share),
		a.quote(groups[0].at))
	f.citef("starting, queueing and ending goroutines takes %s of the CPU time", percent(cost))
	most := cost * a.activeFraction()
	f.Gain = newGain(0.9*most, 0.4*most, math.Min(0.95, 1.3*most))
	f.Alternative = "The scheduler wakes them often, but seldom starts them: an execution trace would show it."
	f.Fix = "Use a worker pool, and give each goroutine a chunk, not one element."
	f.Experiment = "Give each goroutine ten elements: the cost should fall to a tenth."
	return []Finding{f}
}

// convoyByProfile finds a lock convoy without a trace: the CPUs spend their time taking and releasing a lock, and the
// program is slower on several CPUs than on one.
func convoyByProfile(a *analysis) []Finding {
	if a.trace != nil || !a.hasSamples() || a.oneCPU == nil || a.run == nil || a.oneCPU.Wall <= 0 ||
		a.run.Wall < a.oneCPU.Wall {
		return nil
	}

	share := a.cpu.share(Locks)
	groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		if w.category != Locks || !containsAny(w.stack, "sync.(*Mutex)") || containsAny(w.stack, "sync.(*RWMutex)") {
			return evidence.Frame{}, false
		}
		return a.prog.ownFrame(w.stack)
	})
	if share < convoyShare || len(groups) == 0 {
		return nil
	}

	slower := "no faster"
	if a.isClearlySlower() {
		slower = "slower"
	}
	f := a.newFinding(LockConvoy, "Lock operations take %s of the CPU time; %.0f CPUs are %s than one.",
		percent(share), a.cpus, slower)
	for _, g := range groups[:min(2, len(groups))] {
		f.Where = append(f.Where, a.prog.position(g.at))
		f.citef("%s of the goroutines' CPU time is in the lock at %s", percent(g.share), a.quote(g.at))
	}

	f.Share = share
	f.citef("it takes %s on %d CPUs and %s on one", formatDuration(a.run.Wall), a.run.CPUs,
		formatDuration(a.oneCPU.Wall))
	most := 1 - a.lowerBound()
	f.Gain = newGain(math.Max(1-a.oneCPU.Wall.Seconds()/a.run.Wall.Seconds(), 0.7*most), 0.3*most, most)
	f.Alternative = "The critical sections are long, and the CPU time in the lock is spinning for them."
	f.Fix = "Take it less often: batch operations, use shards, or use an atomic."
	f.Experiment = "Take it once for ten operations: its share should fall to a tenth."
	return []Finding{f}
}

// externalByProfile finds without a trace programs that compute little: they wait in system calls that block, or for
// something outside the process.
func externalByProfile(a *analysis) []Finding {
	if a.trace != nil || a.run == nil || a.run.Wall < minWall || a.acceptsByProfile() {
		return nil
	}

	used := a.used / a.wall
	if f, ok := a.blockingByProfile(used); ok {
		return []Finding{f}
	}
	if used >= externalUsed {
		return nil
	}

	f := a.newFinding(DependencyWait, "It computes for %s of the time, and waits for something external.",
		percent(used))
	f.Share = 1 - used
	f.citef("it used %s of CPU time in %s", formatSeconds(a.used), formatDuration(a.run.Wall))
	if s, delay := a.longestBlocked(); s != nil {
		f.Where = a.prog.positions(s)
		if at, ok := a.prog.ownFrame(s); ok {
			f.citef("goroutines waited %s in all at %s", formatSeconds(delay), a.quote(at))
		}
	}

	f.Confidence = Low
	f.Alternative = "The program itself sleeps, or bounds its requests: an execution trace would show it."
	f.Fix = "Make the external side faster, or send several requests concurrently."
	f.Experiment = "Use a stub that replies at once: what remains is the program's own time."
	return []Finding{f}
}

// blockingByProfile finds a program whose CPU time is in system calls for files, and that waits about as long for them.
// used is its CPU time as a fraction of the wall time.
func (a *analysis) blockingByProfile(used float64) (Finding, bool) {
	calls := a.run.Reads + a.run.Writes
	if a.cpu == nil || used > 1-blockShare || a.run.System < a.run.User || a.run.Voluntary < 100 || calls < 100 {
		return Finding{}, false
	}

	groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		if w.category != SystemCalls || !containsAny(w.stack, "os.(*File)") {
			return evidence.Frame{}, false
		}
		return a.prog.ownFrame(w.stack)
	})
	if len(groups) == 0 || groups[0].share < syscallShare/2 || a.cpu.userShare(SystemCalls) < syscallShare {
		return Finding{}, false
	}

	f := a.newFinding(BlockingSyscall, "System calls block: it computes for only %s of the time.", percent(used))
	f.Where = []string{a.prog.position(groups[0].at)}
	f.Share = 1 - used
	f.citef("%s of CPU time in %s, and %d context switches for %d reads and writes", formatSeconds(a.used),
		formatDuration(a.run.Wall), a.run.Voluntary, calls)
	f.citef("%s", a.quote(groups[0].at))

	f.adviseCalls(containsAny(groups[0].sample, syncFunctions...), false)
	return f, true
}

// acceptsByProfile reports whether a profile shows a goroutine that waits for connections.
func (a *analysis) acceptsByProfile() bool {
	return slices.ContainsFunc(a.e.Profiles, func(p evidence.Profile) bool {
		return slices.ContainsFunc(p.Samples, func(s evidence.Sample) bool {
			return acceptsConnections(s.Stack) || containsAny(s.Stack, "net/http.(*Server).Serve")
		})
	})
}

// longestBlocked returns the stack of the block profile with the longest delay, and the delay in seconds. It ignores
// goroutines that wait for a WaitGroup.
func (a *analysis) longestBlocked() (longest []evidence.Frame, delay float64) {
	i := slices.IndexFunc(a.e.Profiles, func(p evidence.Profile) bool { return p.Kind == evidence.Block })
	if i < 0 {
		return nil, 0
	}

	b := &a.e.Profiles[i]
	value := slices.Index(b.Types, "delay/nanoseconds")
	for _, s := range b.Samples {
		if value < 0 || value >= len(s.Values) || containsAny(s.Stack, "sync.(*WaitGroup)") {
			continue
		}
		if x := float64(s.Values[value]) / 1e9; x > delay {
			longest, delay = s.Stack, x
		}
	}

	return longest, delay
}

package explain

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for the machine, and for CPU time that does no useful work.
const (
	// CPU time on several CPUs divided by that on one; two threads of one core reach 1.6 without any sharing
	inflated   = 1.8
	tracedInfl = 1.7  // the same, if a trace shows that several goroutines work
	notDouble  = 1.2  // the ratio from which CPUs slow each other down; half of them take less than twice as long
	sharedInfl = 1.4  // as inflated, if much of the time is on lines that add to memory; see also adjacentCost
	sharedCost = 0.4  // fraction of the goroutines' CPU time there
	atomicInfl = 1.1  // as inflated, for atomic additions
	atomicCost = 0.3  // fraction of the goroutines' CPU time in atomic additions
	fullTime   = 0.7  // fraction of the time that all CPUs are wanted
	fullUsed   = 0.85 // fraction of the CPU time that is used
	throttle   = 0.05 // fraction of the time that a quota stops the process
	otherLoad  = 0.3  // number of CPUs that other processes used
	withheld   = 0.75 // CPU time in the CPU profile, divided by that in the trace, which takes longer to record
	noiseShare = 0.15 // fraction of the CPU profile's samples in profilers
)

// workInflation finds work that takes more CPU time on several CPUs than on one. It compares runs, or finds atomic
// additions to shared memory.
func workInflation(a *analysis) []Finding {
	if f, ok := a.contendedAtomics(); ok {
		return []Finding{f}
	}
	if f, ok := a.contendedCalls(); ok {
		return []Finding{f}
	}

	r := a.inflation()
	if math.IsNaN(r) || r < sharedInfl || a.cpus < 2 || a.oneCPU.Wall <= 0 || a.oneCPU.Count < 3 || a.run.Count < 3 {
		return nil
	}
	counter, adjacent := a.adjacentCounter()
	least := inflated
	if a.trace != nil {
		least = tracedInfl
	}
	if r < least && !adjacent && a.memoryUpdateShare() < sharedCost {
		return nil
	}
	if a.trace != nil && a.widestClass() == nil || a.activeFraction() < 0.7 || a.saturation() < 0.5 {
		return nil
	}
	if a.hasSamples() && a.cpu.share(Locks, Channels, Scheduler, GarbageCollector) > 0.2 {
		return nil
	}

	f := a.newFinding(WorkInflation, "The same work takes %.2fx as much CPU time on %d CPUs as on one.", r, a.run.CPUs)
	f.Share = 1 - 1/r
	f.citef("CPU time: %s on one CPU, %s on %d", formatDuration(a.oneCPU.User+a.oneCPU.System),
		formatDuration(a.run.User+a.run.System), a.run.CPUs)
	if adjacent {
		f.Where = append(f.Where, a.prog.position(counter))
		f.citef("a loop updates one element; the next ones may share its cache line (false sharing): %s",
			a.quote(counter))
	}
	lines := a.hottestLines(nil, 2)
	// The samples of a slow addition to memory are often at the next statement, which is that of its loop.
	if len(lines) == 2 && a.addsToMemory(lines[1]) && strings.HasPrefix(a.prog.sourceLine(lines[0].at), "for ") {
		slices.Reverse(lines)
	}
	for _, g := range lines {
		f.Where = append(f.Where, a.prog.position(g.at))
		f.citef("%s of the goroutines' CPU time is at %s", percent(g.share), a.quote(g.at))
	}

	saved := (1 - 1/r) * a.activeFraction()
	f.Gain = newGain(0.9*saved, 0.4*saved, saved)
	f.Alternative = "The CPUs share a core, caches or memory, and slow each other whatever the program does."
	f.Fix = "Avoid false sharing: pad to 128 bytes, or sum locally and add once."
	f.Experiment = "Run two processes side by side: if they are as slow, it is the machine."
	return []Finding{f}
}

// addsToMemory reports whether a line with a tenth of the CPU time adds to memory, as far as the source shows.
func (a *analysis) addsToMemory(g group) bool {
	line := a.prog.sourceLine(g.at)
	return g.share >= 0.1 && (atomicAdd.MatchString(line) || updatesMemory(line))
}

// contendedAtomics finds atomic additions that several goroutines make all the time.
func (a *analysis) contendedAtomics() (Finding, bool) {
	if !a.hasSamples() || a.used < 1.3*a.wall {
		return Finding{}, false
	}

	share := 0.0
	groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		if w.category == Locks || w.category == Channels || w.category == Scheduler || len(w.stack) == 0 {
			return evidence.Frame{}, false
		}
		leaf := w.stack[0]
		add := hasAnyPrefix(leaf.Function, "sync/atomic.", "internal/runtime/atomic.") &&
			(strings.Contains(leaf.Function, "Add") || strings.Contains(leaf.Function, "Xadd"))
		if !add && !(a.prog.isOwn(leaf) && atomicAdd.MatchString(a.prog.sourceLine(leaf))) {
			return evidence.Frame{}, false
		}
		share += w.weight / math.Max(a.cpu.user, 1e-9)
		return a.prog.ownFrame(w.stack)
	})

	r := a.inflation()
	if share < atomicCost || len(groups) == 0 || !math.IsNaN(r) && r < atomicInfl {
		return Finding{}, false
	}

	f := a.newFinding(WorkInflation, "All CPUs add to the same memory: %s of the CPU time.", percent(share))
	f.Where = []string{a.prog.position(groups[0].at)}
	f.Share = share
	f.citef("%s of the goroutines' CPU time is in atomic additions at %s", percent(share), a.quote(groups[0].at))
	saved := 0.8 * share
	if !math.IsNaN(r) {
		f.citef("the same work takes %.2fx as much CPU time on %d CPUs as on one", r, a.run.CPUs)
		saved = math.Max(0.6*share, 1-1/r)
	}

	f.Gain = newGain(saved*a.activeFraction(), 0.3*saved, math.Max(share, saved))
	f.Alternative = "The additions are few, and the counted work takes much longer."
	f.Fix = "Count in each goroutine, and add up once at the end."
	f.Experiment = "Give each goroutine its own counter, 128 bytes apart."
	return f, true
}

var atomicAdd = regexp.MustCompile(`\.Add\(|atomic\.Add`)

// cpuSaturated finds programs that use all CPUs.
func cpuSaturated(a *analysis) []Finding {
	if a.wall == 0 || a.cpus < a.available && a.cpus < 2 || a.unusedCPU() > 1-fullUsed ||
		a.trace != nil && a.saturation() < fullTime || a.cpus < 2 && a.trace == nil {
		return nil
	}
	if a.hasSamples() && a.cpu.share(Locks, Channels, Scheduler, GarbageCollector) > 0.4 {
		return nil
	}

	f := a.newFinding(CPUSaturated, "All %.0f CPUs are in use: the work is the limit, not its structure.", a.cpus)
	f.Share = 1 - a.unusedCPU()
	f.citef("%s", a.usage())
	if a.trace != nil {
		f.citef("at least as many goroutines as CPUs wanted to run %s of the time", percent(a.saturation()))
	}

	for _, g := range a.hottestLines(nil, 2) {
		if g.share >= 0.1 {
			f.Where = append(f.Where, a.prog.position(g.at))
			f.citef("%s of the goroutines' CPU time is at %s", percent(g.share), a.quote(g.at))
		}
	}

	f.Alternative = "Cache misses or memory bandwidth slow the work, which no CPU profile shows."
	f.Fix = "Use more CPUs, or do less work in the hottest lines."
	f.Experiment = "Run it on half the CPUs: it should take twice as long."
	// A run that a timer ends does more work on more CPUs.
	if r := a.inflation(); r >= notDouble && a.oneCPU.Count >= 3 && a.run.Count >= 3 && a.cpus > 1 &&
		(a.trace == nil || !a.endsByTimer()) {
		f.Claim = fmt.Sprintf("All %.0f CPUs are in use, and slow each other down: memory, caches or shared cores.",
			a.cpus)
		f.citef("the same work takes %.2fx as much CPU time on %d CPUs as on one", r, a.run.CPUs)
		f.Alternative = "The goroutines write to shared memory, or collect more garbage."
		f.Fix = "Do less work, or touch less memory: denser data, blocks for a cache."
		f.Experiment = fmt.Sprintf("Run %.0f processes on one CPU each, side by side: they should be slower.", a.cpus)
	}
	if a.cpus == 1 {
		f.Claim = "Its only CPU is in use: the work is the limit, not its structure."
		f.Experiment = "Give it half the work: it should take half the time."
	}
	if a.cpus < a.available {
		f.Claim = fmt.Sprintf("All %.0f CPUs that GOMAXPROCS allows are in use, of %.0f in the machine.", a.cpus,
			a.available)

		f.Alternative = "It is set on purpose, or by a library that follows a quota."
		f.Fix = fmt.Sprintf("Raise GOMAXPROCS: the program sets it to %d of %.0f.", a.procs, a.available)
		f.Experiment = "Remove the call of runtime.GOMAXPROCS: the time should fall."
	}

	f.Confidence = High
	return []Finding{f}
}

// oversubscribed finds machines that provide fewer CPUs than GOMAXPROCS.
func oversubscribed(a *analysis) []Finding {
	if a.run == nil || a.run.Wall <= 0 {
		return nil
	}

	f := a.newFinding(OSOversubscription, "")
	f.Level = ProfileLevel
	f.Alternative = "Load from other processes, which may be gone next time."
	f.Experiment = "Run it alone on an idle machine: the finding should disappear."
	throttled := a.run.Throttled.Seconds() / a.run.Wall.Seconds()
	switch {
	case throttled >= throttle:
		f.Claim = fmt.Sprintf("A CPU quota below GOMAXPROCS stops it for %s of the time.", percent(throttled))
		f.Share = math.Min(1, throttled)
		f.citef("throttled for %s of %s", formatDuration(a.run.Throttled), formatDuration(a.run.Wall))
		f.Fix = "Raise the quota, or set GOMAXPROCS to it."
	case a.run.MachineCPUs > 0 && a.procs > a.run.MachineCPUs:
		f.Claim = fmt.Sprintf("GOMAXPROCS is %d on %d CPUs: the kernel preempts threads that run Go code.", a.procs,
			a.run.MachineCPUs)
		f.Share = 1 - float64(a.run.MachineCPUs)/float64(a.procs)
		f.citef("%d involuntary context switches in %s", a.run.Involuntary, formatDuration(a.run.Wall))
		f.Fix = "Set GOMAXPROCS to the number of CPUs."
	default:
		return nil
	}

	return []Finding{f}
}

// profilerNoise finds profilers that take much of the CPU time that they measure.
func profilerNoise(a *analysis) []Finding {
	if !a.hasSamples() || a.cpu.noise < noiseShare {
		return nil
	}

	f := a.newFinding(ProfilerNoise, "Profilers take %s of the CPU time in the profile.", percent(a.cpu.noise))
	f.Level = ProfileLevel
	f.Share = a.cpu.noise
	f.citef("their samples are excluded from all shares")

	f.Alternative = "The program profiles itself on purpose."
	f.Fix = "Collect one kind of profile at a time, without an execution trace."
	f.Experiment = "Collect the CPU profile alone: the finding should disappear."
	return []Finding{f}
}

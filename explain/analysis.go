package explain

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/result"
)

// analysis is the evidence with the quantities that rules derive from it. Fractions of the time are 0 to 1.
type analysis struct {
	e         *evidence.Evidence
	prog      program
	trace     *evidence.Trace // nil if there is none, or if it is empty
	cpu       *profile        // nil if there is none
	ranges    map[Name]Range  // of gains; nil: those of the rules
	run       *evidence.Run   // without a profiler, on the most CPUs; nil if there is none
	oneCPU    *evidence.Run   // without a profiler, on one CPU; nil if there is none besides run
	procs     int             // GOMAXPROCS at the end, which a program may set itself; 0 if unknown
	cpus      float64         // CPUs that the program can use: GOMAXPROCS, but no more than available; 1 if unknown
	available float64         // CPUs that the process may use
	wall      float64         // seconds, of the undisturbed run, or else of the trace, or else of the CPU profile

	// used is the CPU time of an undisturbed run in seconds. essential is the part that the job itself needs: user
	// code, allocation and system calls, but not channels, locks, the scheduler and the collector.
	used, essential float64
	traced          float64 // CPUs that goroutines had in the trace, if the CPU profile shows clearly fewer; else 0

	// Results that are computed once, when a rule needs them.
	rounds      map[asking]verdict      // see roundAt
	readyOps    map[evidence.Frame]bool // see findsReady
	searchLoops map[evidence.Frame]searchLoop
	heap        map[string]heapValues // by the value type
	wakeUp      float64               // of wakeUpFraction
}

// procsMetric is the name of GOMAXPROCS in package runtime/metrics.
const procsMetric = "/sched/gomaxprocs:threads"

// newAnalysis selects the runs, the trace and the profile that rules use.
func newAnalysis(e *evidence.Evidence) *analysis {
	a := &analysis{e: e, prog: newProgram(&e.Program), trace: e.Trace, cpu: newProfile(e), cpus: 1, available: 1}
	if a.trace != nil && (a.trace.Duration <= 0 || len(a.trace.Demand.Time) == 0) {
		a.trace = nil
	}

	for i := range e.Runs {
		r := &e.Runs[i]
		if a.run == nil || r.CPUs > a.run.CPUs {
			a.run = r
		}
	}

	for i := range e.Runs {
		// The program may set more CPUs itself.
		if r := &e.Runs[i]; r.CPUs == 1 && r != a.run && r.Metrics[procsMetric] <= 1 {
			a.oneCPU = r
		}
	}

	switch {
	case a.run != nil && a.run.CPUs > 0:
		a.procs = a.run.CPUs
		if n := a.metric(procsMetric); n >= 1 {
			a.procs = int(n)
		}
		a.cpus, a.available = float64(min(a.procs, a.run.CPUs)), float64(a.run.CPUs)
	case a.trace != nil:
		a.procs, a.cpus, a.available = a.trace.CPUs, float64(a.trace.CPUs), float64(a.trace.CPUs)
	}

	a.setTimes()
	return a
}

// setTimes sets wall, used and essential.
func (a *analysis) setTimes() {
	switch {
	case a.run != nil && a.run.Wall > 0:
		a.wall = a.run.Wall.Seconds()
		a.used = (a.run.User + a.run.System).Seconds()
	case a.trace != nil:
		a.wall = a.trace.Duration.Seconds()
		a.used = (a.trace.Running + a.trace.GC.Workers + a.trace.Background).Seconds()
		a.limitToProfile()
	case a.cpu != nil:
		a.wall = a.cpu.duration.Seconds()
		a.used = a.cpu.total / 1e9
	}
	if a.used == 0 && a.trace != nil {
		a.used = a.fraction(a.trace.Running+a.trace.GC.Workers) * a.wall
	}

	a.essential = a.used
	if a.hasSamples() {
		a.essential = a.used * a.cpu.share(UserCode, Allocation, SystemCalls)
	}
}

// hasSamples reports whether there is a CPU profile with enough samples to give shares.
func (a *analysis) hasSamples() bool { return a.cpu != nil && a.cpu.samples >= minSamples }

// hasLongTrace reports whether there is a trace that is long enough to show what limits the program.
func (a *analysis) hasLongTrace() bool { return a.trace != nil && a.trace.Duration >= minTrace }

// fraction returns a time as a fraction of the trace's duration.
func (a *analysis) fraction(d time.Duration) float64 { return float64(d) / float64(a.trace.Duration) }

// demandShare returns the fraction of the time in which exactly n goroutines wanted a CPU.
func (a *analysis) demandShare(n int) float64 {
	if n >= len(a.trace.Demand.Time) {
		return 0
	}
	return a.fraction(a.trace.Demand.Time[n])
}

// wakeUpFraction returns the fraction of the run-queue wait during which a CPU was available but had no goroutine,
// because it was waking up or looking for work. On virtual machines a wake-up takes 100 µs.
func (a *analysis) wakeUpFraction() float64 {
	if a.wakeUp == 0 {
		queued := time.Duration(0)
		for _, c := range a.classes() {
			queued += c.Runnable
		}
		a.wakeUp = math.Min(1, float64(a.trace.Searching)/math.Max(1, float64(queued)))
	}
	return a.wakeUp
}

// blockedTime returns how long a wait blocked goroutines: the time parked, plus the wake-up latency after it.
func (a *analysis) blockedTime(w *evidence.Wait) time.Duration {
	return w.Waited + time.Duration(a.wakeUpFraction()*float64(w.Queued))
}

// activeFraction returns the fraction of the time in which at least one goroutine wanted a CPU. Work that is saved
// shortens the wall time by this fraction of it.
func (a *analysis) activeFraction() float64 {
	if a.trace != nil {
		return 1 - a.demandShare(0)
	}
	return math.Min(1, a.used/math.Max(a.wall, 1e-9))
}

// saturation returns the fraction of the time in which at least as many goroutines as CPUs wanted to run.
func (a *analysis) saturation() float64 {
	if a.trace == nil {
		return math.Min(1, a.used/math.Max(a.cpus*a.wall, 1e-9))
	}
	s := 0.0
	for n := int(a.cpus); n < len(a.trace.Demand.Time); n++ {
		s += a.demandShare(n)
	}
	return s
}

// unusedCPU returns the fraction of the CPU time that was not used.
func (a *analysis) unusedCPU() float64 {
	return math.Max(0, 1-a.used/math.Max(a.cpus*a.wall, 1e-9))
}

// idleCPU returns the fraction of the CPU time that no goroutine wanted. Without a trace it is the fraction that was
// not used.
func (a *analysis) idleCPU() float64 {
	if a.trace == nil {
		return a.unusedCPU()
	}
	wanted := 0.0
	for n := range a.trace.Demand.Time {
		wanted += math.Min(float64(n), a.cpus) * a.demandShare(n)
	}
	return math.Max(0, 1-wanted/a.cpus)
}

// knownCPUs returns the number of CPUs that the program can use, or 0 if it is unknown: profiles do not show it.
func (a *analysis) knownCPUs() int { return min(a.procs, int(a.cpus)) }

// usage returns in words how many CPUs the program used.
func (a *analysis) usage() string {
	used := a.used / math.Max(a.wall, 1e-9)
	if n := a.knownCPUs(); n > 0 {
		return fmt.Sprintf("it used %.2f of %s", used, result.Count(n, "CPU"))
	}
	return fmt.Sprintf("it used %.2f CPUs; the profile does not show how many there were", used)
}

// slack returns the larger of idleCPU and unusedCPU: time that is lost while CPUs wake up was wanted but not used.
func (a *analysis) slack() float64 { return math.Max(a.idleCPU(), a.unusedCPU()) }

// lowerBound returns a lower bound for the remaining fraction of the wall time. The bound is the essential work on all
// CPUs, or the longest of some serial parts, given as fractions of the time (asymptotic bounds of operational analysis:
// Denning and Buzen 1978).
func (a *analysis) lowerBound(serial ...float64) float64 {
	least := a.essential / math.Max(a.cpus*a.wall, 1e-9)
	for _, s := range serial {
		least = math.Max(least, s)
	}
	return math.Min(1, least)
}

// uncontendedBound returns the lower bound of a program in which nobody waits for a lock. Waits cost CPU time besides
// that of the lock operations: caches grow cold and threads wake up. A run on one CPU has no such cost.
func (a *analysis) uncontendedBound() float64 {
	least := a.lowerBound()
	if inflation := a.inflation(); inflation > 1 { // false for NaN
		least = math.Min(least, a.used/inflation/math.Max(a.cpus*a.wall, 1e-9))
	}
	return least
}

// level returns the level of evidence of findings that use the trace if there is one.
func (a *analysis) level() EvidenceLevel {
	if a.trace != nil {
		return TraceLevel
	}
	return ProfileLevel
}

// newGain returns a gain in wall time, rounded to three digits, with Low <= Estimate <= High.
func newGain(estimate, low, high float64) *Gain {
	fit := func(x float64) float64 {
		if math.IsNaN(x) {
			return 0
		}
		return math.Round(1000*math.Max(0, math.Min(0.99, x))) / 1000
	}
	return &Gain{Metric: "wall_seconds", Estimate: fit(estimate), Low: fit(math.Min(low, estimate)),
		High: fit(math.Max(high, estimate)), Computed: fit(estimate)}
}

// bounded returns the gain as one of which the high end is the most that a change can save, such as by Amdahl's law.
func (g *Gain) bounded() *Gain {
	g.most = g.High
	return g
}

// newFinding returns a finding with its claim, of medium confidence.
func (a *analysis) newFinding(name Name, claim string, args ...any) Finding {
	return Finding{Kind: "finding", Name: name, Level: a.level(), Claim: fmt.Sprintf(claim, args...),
		Confidence: Medium}
}

// citef adds a formatted sentence to the evidence.
func (f *Finding) citef(format string, args ...any) {
	f.Evidence = append(f.Evidence, fmt.Sprintf(format, args...))
}

// quote returns a position with its source line, or with its function if the source is not available.
func (a *analysis) quote(f evidence.Frame) string {
	if line := a.prog.sourceLine(f); line != "" {
		return fmt.Sprintf("%s: %s", a.prog.position(f), line)
	}
	return fmt.Sprintf("%s, in %s", a.prog.position(f), shortName(f.Function))
}

// percent formats a fraction in whole percent, below 1% with one decimal.
func percent(x float64) string { return decimal.WholePercent(x) }

// formatDuration formats a time with two or three digits.
func formatDuration(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= 10*time.Millisecond:
		return d.Round(time.Millisecond).String()
	case d >= 10*time.Microsecond:
		return d.Round(time.Microsecond).String()
	}
	return d.Round(10 * time.Nanosecond).String()
}

// formatSeconds formats a time in seconds.
func formatSeconds(s float64) string { return formatDuration(time.Duration(s * float64(time.Second))) }

// capitalize returns s with its first letter in upper case.
func capitalize(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// formatNumber formats a number with at most two significant digits below 10, and no decimals from there on.
func formatNumber(x float64) string {
	if x >= 10 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}

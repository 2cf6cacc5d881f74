package explain

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// view is the evidence as rules look at it.
type analysis struct {
	e         *evidence.Evidence
	prog      program
	trace     *evidence.Trace // nil where there is none
	cpu       *profile        // nil where there is none
	run       *evidence.Run   // undisturbed, at the most CPUs; nil where there is none
	oneCPU    *evidence.Run   // at one CPU, where there was another
	procs     int             // GOMAXPROCS at the end, which a program may set itself
	cpus      float64         // that it can use: GOMAXPROCS, and no more than it was given
	available float64         // CPUs that it may use
	wall      float64         // seconds, of the undisturbed run, else of the trace, else of the CPU profile
	// used is the CPU time of an undisturbed run in seconds; core that of it which the job itself needs: the program's
	// own code, what it allocates, and its system calls, without channels, locks, the scheduler and the collector.
	used, essential float64
	parsed          sources
	pollLoops       map[evidence.Frame]bool
	searchLoops     map[evidence.Frame]searchLoop
	wakeUp          float64 // see late
}

// procsMetric is GOMAXPROCS in package runtime/metrics.
const procsMetric = "/sched/gomaxprocs:threads"

func newAnalysis(e *evidence.Evidence) *analysis {
	v := &analysis{e: e, prog: program{&e.Program}, trace: e.Trace, cpu: newProfile(e), cpus: 1, available: 1}
	if v.trace != nil && (v.trace.Duration <= 0 || len(v.trace.Demand.Time) == 0) {
		v.trace = nil
	}

	for i := range e.Runs {
		r := &e.Runs[i]
		if v.run == nil || r.CPUs > v.run.CPUs {
			v.run = r
		}
	}

	for i := range e.Runs {
		if r := &e.Runs[i]; r.CPUs == 1 && r != v.run && r.Metrics[procsMetric] <= 1 { // it may set more itself
			v.oneCPU = r
		}
	}

	switch {
	case v.run != nil && v.run.CPUs > 0:
		v.procs = v.run.CPUs
		if n := v.metric(procsMetric); n >= 1 {
			v.procs = int(n)
		}
		v.cpus, v.available = float64(min(v.procs, v.run.CPUs)), float64(v.run.CPUs)
	case v.trace != nil:
		v.procs, v.cpus, v.available = v.trace.CPUs, float64(v.trace.CPUs), float64(v.trace.CPUs)
	}

	v.setTimes()
	return v
}

// times settles wall, used and core.
func (a *analysis) setTimes() {
	switch {
	case a.run != nil && a.run.Wall > 0:
		a.wall = a.run.Wall.Seconds()
		a.used = (a.run.User + a.run.System).Seconds()
	case a.trace != nil:
		a.wall = a.trace.Duration.Seconds()
		a.used = (a.trace.Running + a.trace.GC.Workers + a.trace.Background).Seconds()
	default:
		is := func(p evidence.Profile) bool { return p.Kind == evidence.CPU }
		if i := slices.IndexFunc(a.e.Profiles, is); i >= 0 && a.cpu != nil {
			a.wall = a.e.Profiles[i].Duration.Seconds()
			a.used = a.cpu.total / 1e9
		}
	}
	if a.used == 0 && a.trace != nil {
		a.used = a.fraction(a.trace.Running+a.trace.GC.Workers) * a.wall
	}

	a.essential = a.used
	if a.hasSamples() {
		a.essential = a.used * a.cpu.share(UserCode, Allocation, SystemCalls)
	}
}

// sampled reports whether there is a CPU profile that tells shares.
func (a *analysis) hasSamples() bool { return a.cpu != nil && a.cpu.samples >= minSamples }

// traced is a time as a fraction of the trace's duration.
func (a *analysis) fraction(d time.Duration) float64 { return float64(d) / float64(a.trace.Duration) }

// wanting is the fraction of the time in which exactly n of the program's goroutines wanted a CPU.
func (a *analysis) demandShare(n int) float64 {
	if n >= len(a.trace.Demand.Time) {
		return 0
	}
	return a.fraction(a.trace.Demand.Time[n])
}

// late is the part of the goroutines' queueing for a CPU in which one was there and had no goroutine: it was being
// woken, or looked for work. On virtual machines that takes 100 us.
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

// kept is how long a wait kept goroutines: parked, and from there until a CPU had come for them.
func (a *analysis) blockedTime(w *evidence.Wait) time.Duration {
	return w.Waited + time.Duration(a.wakeUpFraction()*float64(w.Queued))
}

// busy is the fraction of the time in which somebody wanted a CPU: what is saved of the work of a busy program is
// saved of its time in that proportion.
func (a *analysis) activeFraction() float64 {
	if a.trace != nil {
		return 1 - a.demandShare(0)
	}
	return math.Min(1, a.used/math.Max(a.wall, 1e-9))
}

// saturated is the fraction of the time in which at least as many wanted a CPU as there are.
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

// unused is the fraction of the CPUs' time that nothing used.
func (a *analysis) unusedCPU() float64 {
	return math.Max(0, 1-a.used/math.Max(a.cpus*a.wall, 1e-9))
}

// idle is the fraction of the CPUs' time for which nobody wanted one, in the trace; without one, that was not used.
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

// slack is the fraction of the CPUs' time that was not used or that nobody wanted, whichever is more: what is lost
// while one waits for a CPU to wake was wanted.
func (a *analysis) slack() float64 { return math.Max(a.idleCPU(), a.unusedCPU()) }

// floor is the fraction of the wall time that is left at least when nothing but the job's own work on all CPUs, or one
// of the serial parts given as fractions of the time, keeps it (the bounds of operational analysis: Denning and Buzen
// 1978).
func (a *analysis) lowerBound(serial ...float64) float64 {
	least := a.essential / math.Max(a.cpus*a.wall, 1e-9)
	for _, s := range serial {
		least = math.Max(least, s)
	}
	return math.Min(1, least)
}

// tier of findings that stand on the trace, if it is there.
func (a *analysis) level() EvidenceLevel {
	if a.trace != nil {
		return TraceLevel
	}
	return ProfileLevel
}

// gain is a fraction of the wall time, made consistent.
func newGain(estimate, low, high float64) *Gain {
	fit := func(x float64) float64 {
		if math.IsNaN(x) {
			return 0
		}
		return math.Round(1000*math.Max(0, math.Min(0.99, x))) / 1000
	}
	return &Gain{Metric: "wall_seconds", Estimate: fit(estimate), Low: fit(math.Min(low, estimate)),
		High: fit(math.Max(high, estimate))}
}

// finding begins one.
func (a *analysis) newFinding(name Name, claim string, args ...any) Finding {
	return Finding{Kind: "finding", Name: name, Level: a.level(), Claim: fmt.Sprintf(claim, args...), Confidence: Medium}
}

// says adds evidence.
func (f *Finding) citef(format string, args ...any) {
	f.Evidence = append(f.Evidence, fmt.Sprintf(format, args...))
}

// quoted is a place with its source line, where that is at hand.
func (a *analysis) quote(f evidence.Frame) string {
	if line := a.prog.sourceLine(f); line != "" {
		return fmt.Sprintf("%s: %s", a.prog.position(f), line)
	}
	return fmt.Sprintf("%s, in %s", a.prog.position(f), shortName(f.Function))
}

// percent writes a fraction.
func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

// span writes a time for readers: two or three digits.
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

func formatSeconds(s float64) string { return formatDuration(time.Duration(s * float64(time.Second))) }

func capitalize(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// plainly writes a number without needless digits.
func formatNumber(x float64) string {
	if x >= 10 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}

// classes of the program that had goroutines.
func (a *analysis) classes() []*evidence.Class {
	var out []*evidence.Class
	if a.trace == nil {
		return nil
	}

	for i := range a.trace.Classes {
		if c := &a.trace.Classes[i]; c.Count > 0 && !isHook(c.Start) && (c.Running > 0 || c.Runnable > 0 ||
			len(c.Waiting) > 0) && c.Start.Function != "" {
			out = append(out, c)
		}
	}

	return out
}

// running is the CPU time of all of them in the trace.
func (a *analysis) totalRunning() time.Duration {
	total := time.Duration(0)
	for _, c := range a.classes() {
		total += c.Running
	}
	return total
}

// isMain reports whether a class is the main goroutine.
func isMain(c *evidence.Class) bool { return c.Start.Function == "main.main" }

// name is how a class is spoken of.
func (a *analysis) className(c *evidence.Class) string {
	if isMain(c) {
		return "the main goroutine"
	}
	name := shortName(c.Start.Function)
	if c.Count == 1 {
		return "the goroutine of " + name
	}
	return fmt.Sprintf("the %d goroutines of %s", c.Count, name)
}

// verb is the form of a verb that goes with the name of a class.
func verb(c *evidence.Class, one, many string) string {
	if c.Count > 1 {
		return many
	}
	return one
}

// hottest are the program's own lines that the goroutines of a class spend most CPU time in, or below.
func (a *analysis) hottestLines(c *evidence.Class, most int) []group {
	if a.cpu == nil {
		return nil
	}
	groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		if c != nil && w.root != c.Start.Function || w.root == "" {
			return evidence.Frame{}, false
		}
		return a.prog.ownFrame(w.stack)
	})
	return groups[:min(most, len(groups))]
}

// entry is the place in the program that is deepest among those which most of a class's CPU time is spent in or below.
func (a *analysis) entryPoint(c *evidence.Class) (group, bool) {
	if a.cpu == nil {
		return group{}, false
	}

	total := 0.0
	below := map[evidence.Frame]*group{}
	depth := map[evidence.Frame]int{}
	for _, w := range a.cpu.list {
		if w.root != c.Start.Function {
			continue
		}
		total += w.weight
		seen := map[evidence.Frame]bool{}
		for i, f := range w.stack {
			if !a.prog.isOwn(f) || seen[f] {
				continue
			}
			seen[f] = true
			if below[f] == nil {
				below[f] = &group{at: f}
			}
			g := below[f]
			g.share += w.weight
			if w.weight > g.most {
				g.most, g.sample = w.weight, w.stack
			}
			depth[f] = max(depth[f], len(w.stack)-i)
		}
	}

	var best *group
	for f, g := range below {
		if g.share < entryShare*total {
			continue
		}
		if best == nil || depth[f] > depth[best.at] || depth[f] == depth[best.at] && a.prog.position(f) < a.prog.position(best.at) {
			best = g
		}
	}
	if best == nil {
		return group{}, false
	}

	return *best, true
}

// entryShare is what most of the CPU time is.
const entryShare = 0.6

// callee is what a place calls in a stack, if that is a library's.
func (a *analysis) callee(at evidence.Frame, stack []evidence.Frame) string {
	i := slices.Index(stack, at)
	if i <= 0 || a.prog.isOwn(stack[i-1]) || strings.HasPrefix(stack[i-1].Function, "runtime.") {
		return ""
	}
	return shortName(stack[i-1].Function)
}

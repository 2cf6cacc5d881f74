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
type view struct {
	e     *evidence.Evidence
	p     program
	t     *evidence.Trace // nil where there is none
	cpu   *profile        // nil where there is none
	run   *evidence.Run   // undisturbed, at the most CPUs; nil where there is none
	one   *evidence.Run   // at one CPU, where there was another
	procs int             // GOMAXPROCS at the end, which a program may set itself
	cpus  float64         // that it can use: GOMAXPROCS, and no more than it was given
	given float64         // CPUs that it may use
	wall  float64         // seconds, of the undisturbed run, else of the trace, else of the CPU profile
	// used is the CPU time of an undisturbed run in seconds; core that of it which the job itself needs: the program's
	// own code, what it allocates, and its system calls, without channels, locks, the scheduler and the collector.
	used, core float64
	code       sources
	looked     map[evidence.Frame]bool
	loops      map[evidence.Frame]searchLoop
	waking     float64 // see late
}

// procsMetric is GOMAXPROCS in package runtime/metrics.
const procsMetric = "/sched/gomaxprocs:threads"

func viewOf(e *evidence.Evidence) *view {
	v := &view{e: e, p: program{&e.Program}, t: e.Trace, cpu: profileOf(e), cpus: 1, given: 1}
	if v.t != nil && (v.t.Duration <= 0 || len(v.t.Demand.For) == 0) {
		v.t = nil
	}
	for i := range e.Runs {
		r := &e.Runs[i]
		if v.run == nil || r.CPUs > v.run.CPUs {
			v.run = r
		}
	}
	for i := range e.Runs {
		if r := &e.Runs[i]; r.CPUs == 1 && r != v.run && r.Metrics[procsMetric] <= 1 { // it may set more itself
			v.one = r
		}
	}
	switch {
	case v.run != nil && v.run.CPUs > 0:
		v.procs = v.run.CPUs
		if n := v.metric(procsMetric); n >= 1 {
			v.procs = int(n)
		}
		v.cpus, v.given = float64(min(v.procs, v.run.CPUs)), float64(v.run.CPUs)
	case v.t != nil:
		v.procs, v.cpus, v.given = v.t.CPUs, float64(v.t.CPUs), float64(v.t.CPUs)
	}
	v.times()
	return v
}

// times settles wall, used and core.
func (v *view) times() {
	switch {
	case v.run != nil && v.run.Wall > 0:
		v.wall = v.run.Wall.Seconds()
		v.used = (v.run.User + v.run.System).Seconds()
	case v.t != nil:
		v.wall = v.t.Duration.Seconds()
		v.used = (v.t.Running + v.t.GC.Workers + v.t.Background).Seconds()
	default:
		is := func(p evidence.Profile) bool { return p.Kind == evidence.CPU }
		if i := slices.IndexFunc(v.e.Profiles, is); i >= 0 && v.cpu != nil {
			v.wall = v.e.Profiles[i].Duration.Seconds()
			v.used = v.cpu.total / 1e9
		}
	}
	if v.used == 0 && v.t != nil {
		v.used = v.traced(v.t.Running+v.t.GC.Workers) * v.wall
	}
	v.core = v.used
	if v.sampled() {
		v.core = v.used * v.cpu.share(UserCode, Allocation, SystemCalls)
	}
}

// sampled reports whether there is a CPU profile that tells shares.
func (v *view) sampled() bool { return v.cpu != nil && v.cpu.samples >= minSamples }

// traced is a time as a fraction of the trace's duration.
func (v *view) traced(d time.Duration) float64 { return float64(d) / float64(v.t.Duration) }

// wanting is the fraction of the time in which exactly n of the program's goroutines wanted a CPU.
func (v *view) wanting(n int) float64 {
	if n >= len(v.t.Demand.For) {
		return 0
	}
	return v.traced(v.t.Demand.For[n])
}

// late is the part of the goroutines' queueing for a CPU in which one was there and had no goroutine: it was being
// woken, or looked for work. On virtual machines that takes 100 us.
func (v *view) late() float64 {
	if v.waking == 0 {
		queued := time.Duration(0)
		for _, c := range v.classes() {
			queued += c.Runnable
		}
		v.waking = math.Min(1, float64(v.t.Searching)/math.Max(1, float64(queued)))
	}
	return v.waking
}

// kept is how long a wait kept goroutines: parked, and from there until a CPU had come for them.
func (v *view) kept(w *evidence.Wait) time.Duration {
	return w.Waited + time.Duration(v.late()*float64(w.Queued))
}

// busy is the fraction of the time in which somebody wanted a CPU: what is saved of the work of a busy program is
// saved of its time in that proportion.
func (v *view) busy() float64 {
	if v.t != nil {
		return 1 - v.wanting(0)
	}
	return math.Min(1, v.used/math.Max(v.wall, 1e-9))
}

// saturated is the fraction of the time in which at least as many wanted a CPU as there are.
func (v *view) saturated() float64 {
	if v.t == nil {
		return math.Min(1, v.used/math.Max(v.cpus*v.wall, 1e-9))
	}
	s := 0.0
	for n := int(v.cpus); n < len(v.t.Demand.For); n++ {
		s += v.wanting(n)
	}
	return s
}

// unused is the fraction of the CPUs' time that nothing used.
func (v *view) unused() float64 {
	return math.Max(0, 1-v.used/math.Max(v.cpus*v.wall, 1e-9))
}

// idle is the fraction of the CPUs' time for which nobody wanted one, in the trace; without one, that was not used.
func (v *view) idle() float64 {
	if v.t == nil {
		return v.unused()
	}
	wanted := 0.0
	for n := range v.t.Demand.For {
		wanted += math.Min(float64(n), v.cpus) * v.wanting(n)
	}
	return math.Max(0, 1-wanted/v.cpus)
}

// slack is the fraction of the CPUs' time that was not used or that nobody wanted, whichever is more: what is lost
// while one waits for a CPU to wake was wanted.
func (v *view) slack() float64 { return math.Max(v.idle(), v.unused()) }

// floor is the fraction of the wall time that is left at least when nothing but the job's own work on all CPUs, or one
// of the serial parts given as fractions of the time, keeps it (the bounds of operational analysis: Denning and Buzen
// 1978).
func (v *view) floor(serial ...float64) float64 {
	least := v.core / math.Max(v.cpus*v.wall, 1e-9)
	for _, s := range serial {
		least = math.Max(least, s)
	}
	return math.Min(1, least)
}

// tier of findings that stand on the trace, if it is there.
func (v *view) tier() EvidenceLevel {
	if v.t != nil {
		return TraceLevel
	}
	return ProfileLevel
}

// gain is a fraction of the wall time, made consistent.
func gain(estimate, low, high float64) *Gain {
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
func (v *view) finding(name Name, claim string, args ...any) Finding {
	return Finding{Kind: "finding", Name: name, Level: v.tier(), Claim: fmt.Sprintf(claim, args...), Confidence: Medium}
}

// says adds evidence.
func (f *Finding) says(format string, args ...any) {
	f.Evidence = append(f.Evidence, fmt.Sprintf(format, args...))
}

// quoted is a place with its source line, where that is at hand.
func (v *view) quoted(f evidence.Frame) string {
	if line := v.p.line(f); line != "" {
		return fmt.Sprintf("%s: %s", v.p.at(f), line)
	}
	return fmt.Sprintf("%s, in %s", v.p.at(f), short(f.Function))
}

// percent writes a fraction.
func percent(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) }

// span writes a time for readers: two or three digits.
func span(d time.Duration) string {
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

func seconds(s float64) string { return span(time.Duration(s * float64(time.Second))) }

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// plainly writes a number without needless digits.
func plainly(x float64) string {
	if x >= 10 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}

// classes of the program that had goroutines.
func (v *view) classes() []*evidence.Class {
	var out []*evidence.Class
	if v.t == nil {
		return nil
	}
	for i := range v.t.Classes {
		if c := &v.t.Classes[i]; c.Count > 0 && !hooked(c.Start) && (c.Running > 0 || c.Runnable > 0 ||
			len(c.Waiting) > 0) && c.Start.Function != "" {
			out = append(out, c)
		}
	}
	return out
}

// running is the CPU time of all of them in the trace.
func (v *view) running() time.Duration {
	total := time.Duration(0)
	for _, c := range v.classes() {
		total += c.Running
	}
	return total
}

// isMain reports whether a class is the main goroutine.
func isMain(c *evidence.Class) bool { return c.Start.Function == "main.main" }

// name is how a class is spoken of.
func (v *view) name(c *evidence.Class) string {
	if isMain(c) {
		return "the main goroutine"
	}
	name := short(c.Start.Function)
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
func (v *view) hottest(c *evidence.Class, most int) []group {
	if v.cpu == nil {
		return nil
	}
	groups := v.cpu.groups(func(w *weighed) (evidence.Frame, bool) {
		if c != nil && w.root != c.Start.Function || w.root == "" {
			return evidence.Frame{}, false
		}
		return v.p.ours(w.stack)
	})
	return groups[:min(most, len(groups))]
}

// entry is the place in the program that is deepest among those which most of a class's CPU time is spent in or below.
func (v *view) entry(c *evidence.Class) (group, bool) {
	if v.cpu == nil {
		return group{}, false
	}
	total := 0.0
	below := map[evidence.Frame]*group{}
	depth := map[evidence.Frame]int{}
	for _, w := range v.cpu.list {
		if w.root != c.Start.Function {
			continue
		}
		total += w.weight
		seen := map[evidence.Frame]bool{}
		for i, f := range w.stack {
			if !v.p.own(f) || seen[f] {
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
		if best == nil || depth[f] > depth[best.at] || depth[f] == depth[best.at] && v.p.at(f) < v.p.at(best.at) {
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
func (v *view) callee(at evidence.Frame, stack []evidence.Frame) string {
	i := slices.Index(stack, at)
	if i <= 0 || v.p.own(stack[i-1]) || strings.HasPrefix(stack[i-1].Function, "runtime.") {
		return ""
	}
	return short(stack[i-1].Function)
}

package explain

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// longestAlone returns the class whose goroutines were alone for longest, and for what fraction of the trace.
func (a *analysis) longestAlone() (*evidence.Class, float64) {
	var most *evidence.Class
	for _, c := range a.classes() {
		if most == nil || c.Alone-c.Tail > most.Alone-most.Tail {
			most = c
		}
	}
	if most == nil {
		return nil, 0
	}
	return most, a.fraction(most.Alone - most.Tail)
}

// parks reports whether goroutines wait for others by an operation: on channels and locks.
func parks(op evidence.Op) bool {
	switch op {
	case evidence.OpSend, evidence.OpReceive, evidence.OpSelect, evidence.OpMutex, evidence.OpRWMutex, evidence.OpCond:
		return true
	}
	return false
}

// parkCount returns how often the goroutines of a class waited for others on channels and locks.
func (a *analysis) parkCount(c *evidence.Class) (n int64) {
	for _, w := range a.trace.Waits {
		if parks(w.Op) && a.isIn(c, w.Classes...) {
			n += w.Count
		}
	}
	return n
}

// minDivisible is the shortest operation that is worth dividing: a hundred times the cost of starting goroutines and
// waiting for them, and twice the time to wake a CPU.
const minDivisible = 200 * time.Microsecond

// fewParks is the number of parkings a second below which a goroutine works independently.
const fewParks = 200.0

// singleThreaded finds programs in which one goroutine does all the work.
func singleThreaded(a *analysis) []Finding {
	if a.available < 2 || a.smallOperations() {
		return nil
	}
	if a.trace == nil {
		return a.singleByCPUTime()
	}

	c, alone := a.longestAlone()
	if c == nil || a.activeFraction() < minActive || alone < aloneShare*a.activeFraction() ||
		c.Peak > 1 && c.Running > 0 && c.Members[0].Running < c.Running*9/10 || a.isBlocked(c) {
		return nil
	}
	if float64(a.parkCount(c))/a.trace.Duration.Seconds() > fewParks && !isMain(c) {
		return nil
	}

	f := a.newFinding(SingleThreaded, "%s %s all the work, on one CPU of %.0f.", capitalize(a.className(c)),
		verb(c, "does", "do"), a.available)
	f.Share = alone
	for _, g := range a.hottestLines(c, 2) {
		if g.share >= 0.1 {
			f.Where = append(f.Where, a.prog.position(g.at))
			f.citef("%s of the goroutines' CPU time is spent at %s", percent(g.share), a.quote(g.at))
		}
	}
	if g, ok := a.entryPoint(c); ok && !slices.Contains(f.Where, a.prog.position(g.at)) {
		f.Where = append(f.Where, a.prog.position(g.at))
	}
	if len(f.Where) == 0 && c.Start.File != "" {
		f.Where = []string{a.prog.position(c.Start)}
	}

	f.citef("exactly one goroutine wanted a CPU for %s of the time; it used %.2f CPUs", percent(a.demandShare(1)),
		a.used/a.wall)
	waits := min(a.blocked(c), max(0, 1-a.used/a.wall)) // a system call may also compute
	a.singleGain(&f, max(0, alone-waits))
	if c.Start.Function == "testing.tRunner" && a.cpus >= a.available {
		f.Fix = "Call t.Parallel in tests that share nothing, or make fewer fixtures."
		f.Alternative = "The tests share state, such as a database or the environment, so they must run in turn."
		f.Experiment = "Run half of the tests, with -run: it should take half the time."
	}
	return []Finding{f}
}

// smallOperations reports whether the program is a benchmark of operations that are too short to divide. Benchmarks run
// their operations in sequence by design.
func (a *analysis) smallOperations() bool {
	return a.run != nil && a.run.Operations > 0 && a.run.Wall/time.Duration(a.run.Operations) < minDivisible &&
		a.cpu != nil &&
		slices.ContainsFunc(a.cpu.list, func(w weightedSample) bool {
			return strings.HasPrefix(w.root, "testing.(*B).")
		})
}

// singleGain sets what dividing the program's own code among the CPUs saves.
func (a *analysis) singleGain(f *Finding, alone float64) {
	own := 1.0
	if a.hasSamples() {
		own = a.cpu.userShare(UserCode, Allocation)
	}

	most := alone * own * (1 - 1/a.available)
	f.Gain = newGain(splitEfficiency*most, 0.5*most, most).bounded()
	f.Confidence = High
	f.Alternative = "Each step needs the result of the one before, so nothing can be divided."
	f.Fix = "Divide the loop among as many goroutines as CPUs, each with own results."
	if a.cpus < a.available {
		f.Fix = "Raise GOMAXPROCS (the program sets it to " + strconv.Itoa(a.procs) + "), and divide the loop."
	}

	f.Experiment = "Run each half of the input in its own process: both should take half."
}

// singleByCPUTime finds a single-threaded program without a trace: its CPU time equals its wall time, and one start
// function has nearly all samples.
func (a *analysis) singleByCPUTime() []Finding {
	if !a.hasSamples() || a.wall == 0 {
		return nil
	}

	// Find the start function with the most CPU time.
	used := a.used / a.wall * a.cpu.user / a.cpu.total
	root, most := "", 0.0
	by := map[string]float64{}
	for _, w := range a.cpu.list {
		if w.root != "" {
			if by[w.root] += w.weight; by[w.root] > most {
				root, most = w.root, by[w.root]
			}
		}
	}
	if used < minActive || used > 1.1 || most < aloneShare*a.cpu.user ||
		a.cpu.share(Locks, Channels, Scheduler) > 0.15 {
		return nil
	}

	f := a.newFinding(SingleThreaded, "One goroutine at a time works: %.2f CPUs of %.0f are used.", a.used/a.wall,
		a.available)
	f.Level = ProfileLevel
	f.Share = used
	f.citef("%s of the goroutines' CPU time is in goroutines of %s", percent(most/a.cpu.user), shortName(root))
	for _, g := range a.hottestLines(nil, 2) {
		f.Where = append(f.Where, a.prog.position(g.at))
		f.citef("%s of it is spent at %s", percent(g.share), a.quote(g.at))
	}

	a.singleGain(&f, math.Min(1, used))
	// Only one goroutine with such a start function exists at a time.
	if root != "main.main" && !isBenchmark(root) {
		f.Gain, f.Confidence = nil, Low

		f.Alternative = "Several goroutines take turns, so there is no loop to divide: a trace would show it."
		f.Experiment = "Take an execution trace: it shows how many goroutines work."
	}

	return []Finding{f}
}

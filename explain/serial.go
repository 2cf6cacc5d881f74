package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for work that is not divided among CPUs.
const (
	aloneShare      = 0.85 // fraction of the active time with only one goroutine that wanted a CPU
	minActive       = 0.7  // fraction of the time that at least one goroutine ran
	splitEfficiency = 0.85 // fraction of the ideal gain that dividing a loop achieves in practice
	phaseShare      = 0.05 // fraction of the time in serial phases

	// smallest gain that is predicted: every fork and join has a short serial beginning or end
	phaseGain = 0.12
	phaseWide = 0.15 // fraction of the time in parallel phases
	tailShare = 0.1  // fraction of the time in which one goroutine of several remains
	uneven    = 1.15 // running time of the longest goroutine divided by the mean
	poolParks = 4    // mean number of times that a goroutine of a pool waits for tasks

	// shortest tail of a batch: waking a CPU, which delays the start of a goroutine, takes less
	tailLong = 150 * time.Microsecond

	// Limits for few batches. With fewer than tailOften batches, page faults or a slow CPU can cause a gain below
	// tailChance and tails below tailSure.
	tailChance = 0.1
	tailOften  = 3
	tailSure   = 500 * time.Millisecond

	// If 99 of 100 goroutines run for less than tailEqual times the mean, a gain below tailNoise is no imbalance.
	// With fewer batches than tailOften, the times of each are known.
	tailEqual = 1.3
	tailNoise = 0.15
)

// widestClass returns the class with several goroutines at a time that ran most.
func (a *analysis) widestClass() *evidence.Class {
	var most *evidence.Class
	for _, c := range a.classes() {
		if c.Peak >= 2 && (most == nil || c.Running > most.Running) {
			most = c
		}
	}
	return most
}

// serialPhase finds phases in which one goroutine works alone, between phases in which several do.
func serialPhase(a *analysis) []Finding {
	if a.trace == nil || a.cpus < 2 {
		return nil
	}

	c, alone := a.longestAlone()
	wide := a.widestClass()
	parallel := a.activeFraction() - a.demandShare(1)
	if c == nil || wide == nil || c == wide || alone < phaseShare || parallel < phaseWide || c.Peak > 1 ||
		wide.Running < a.totalRunning()/10 {
		return nil
	}

	work := float64(a.totalRunning())
	serial := float64(c.Alone-c.Tail) / math.Max(work, 1)
	subject := capitalize(a.className(c))
	if c.Count > 1 {
		subject = "One goroutine of " + shortName(c.Start.Function) + " at a time"
	}

	f := a.newFinding(SerialPhase, "%s works alone for %s of the time.", subject, percent(alone))
	f.Share = alone
	g, ok := a.entryPoint(c)
	if ok {
		f.Where = append(f.Where, a.prog.position(g.at))
		call := a.callee(g.at, g.sample)
		if call != "" {
			f.Claim = subject + " works alone for " + percent(alone) + " of the time, in " + call + "."
			f.citef("its CPU time is mostly in %s: %s", call, a.quote(g.at))
		} else {
			f.citef("its CPU time is mostly below %s", a.quote(g.at))
		}
	}

	for _, h := range a.hottestLines(c, 1) {
		if !slices.Contains(f.Where, a.prog.position(h.at)) {
			f.Where = append(f.Where, a.prog.position(h.at))
		}
	}

	a.citeAmdahl(&f, serial)
	f.citef("up to %d goroutines of %s run in parallel for %s of the time", wide.Peak,
		shortName(wide.Start.Function), percent(parallel))
	most := alone * (1 - 1/a.cpus)
	f.Gain = newGain(0.8*most, 0.3*most, most).bounded()
	if 0.8*most < phaseGain {
		f.Gain, f.Confidence = nil, Low
		if alone*a.wall < 3*startTime.Seconds() || a.activeFraction() < minActive || a.rate(a.parkCount(c)) > fewParks {
			return nil // the start of a process, or short stretches between waits
		}
	}

	f.Alternative = "The phase waits for something other than its CPU, or must come before or after."
	f.Fix = "Divide the phase as well, or overlap it with the parallel part."
	f.Experiment = "Skip the phase, which takes " + percent(alone) + " of the time: the time should fall."
	return []Finding{f}
}

// citeAmdahl adds what Amdahl's law predicts for a serial fraction of the work, in two digits.
func (a *analysis) citeAmdahl(f *Finding, serial float64) {
	if a.slowsDown() {
		return
	}
	limit := 1 / math.Max(serial, 1e-3)
	if limit >= 100 {
		limit = 10 * math.Round(limit/10)
	}
	f.citef("%s of the work is serial: by Amdahl's law at most %sx faster than on one CPU, %sx on %.0f CPUs",
		percent(serial), formatNumber(limit), formatNumber(1/(serial+(1-serial)/a.cpus)), a.cpus)
}

// loadImbalance finds goroutines of one batch that end at very different times: those that the program starts, or else
// those of a third-party pool that runs its tasks.
func loadImbalance(a *analysis) []Finding {
	if a.trace == nil || a.cpus < 2 {
		return nil
	}
	for _, pools := range []bool{false, true} {
		if f, ok := a.longTail(pools); ok {
			return []Finding{f}
		}
	}
	return nil
}

// longTail returns the finding for the longest tail of a batch, of goroutines that the program starts or of pools.
// Those of a pool that waits for tasks often end when the pool shrinks, not at the end of a batch.
func (a *analysis) longTail(pools bool) (Finding, bool) {
	var worst *evidence.Class
	var at evidence.Frame
	how := ""
	for _, c := range a.classes() {
		if _, own := a.goStatement(c); own == pools || worst != nil && c.Tail <= worst.Tail ||
			a.fraction(c.Tail) < tailShare || pools && a.taskWaits(c) > poolParks*c.Count {
			continue
		}
		if from, by, ok := a.workSource(c); ok {
			worst, at, how = c, from, by
		}
	}
	if worst == nil || worst.Running == 0 || worst.Tail < tailLong*time.Duration(worst.Batches) {
		return Finding{}, false
	}
	if int64(len(worst.Members)) >= worst.Count && imbalance(worst) < uneven {
		return Finding{}, false // one goroutine began later, or the machine delayed it
	}

	tail := a.fraction(worst.Tail)

	f := a.newFinding(LoadImbalance, "For %s of the time only one of %s works.", percent(tail),
		a.className(worst))
	f.Share = tail
	f.Where = []string{a.prog.position(at)}
	var ran []string
	for _, m := range worst.Members[:min(4, len(worst.Members))] {
		ran = append(ran, formatDuration(m.Running))
	}

	f.citef("the goroutines that ran longest had a CPU for %s", strings.Join(ran, ", "))
	f.citef("%s at %s", how, a.quote(at))
	saved := tail * (1 - 1/a.cpus)
	if mean := float64(worst.Busy.Sum) / math.Max(1, float64(worst.Busy.Count)); worst.Batches >= tailOften &&
		worst.Busy.Sum > 0 && float64(worst.Busy.P99) < tailEqual*mean && saved < tailNoise {
		return Finding{}, false // the pieces are nearly equal: the CPUs differ, or begin at different times
	}
	f.Gain = newGain(0.9*saved, 0.5*saved, saved)
	f.Confidence = High
	if worst.Batches < tailOften && worst.Tail < tailSure && saved < tailChance {
		if f.Gain.Estimate < minGain {
			return Finding{}, false
		}
		f.Gain, f.Confidence = nil, Low
	}

	f.Alternative = "The last piece cannot be divided, and came last by chance."
	f.Fix = "Hand out smaller pieces to free workers (a channel), the largest first."
	f.Experiment = "Halve the pieces: the time in which one is left should halve."
	return f, true
}

// imbalance returns the running time of the goroutine that ran longest, divided by the mean of all.
func imbalance(c *evidence.Class) float64 {
	total := time.Duration(0)
	for _, m := range c.Members {
		total += m.Running
	}
	return float64(c.Members[0].Running) * float64(len(c.Members)) / math.Max(1, float64(total))
}

// oneCPU finds programs that use one CPU of several, because of GOMAXPROCS in their environment or in their code.
func oneCPU(a *analysis) []Finding {
	if a.run == nil || a.procs != 1 || a.run.MachineCPUs < 2 {
		return nil
	}

	f := a.newFinding(OneCPUPathology, "It runs on one of %d CPUs, and uses it for %s of the time.",
		a.run.MachineCPUs, percent(a.saturation()))
	f.Share = a.saturation()
	if a.trace == nil {
		if a.run.CPUs == 1 || f.Share < minActive {
			return nil // One CPU may be intended, and only a trace shows whether several goroutines want it.
		}
		f.Confidence = Low
	} else {
		wants := a.parallelism().Demand
		if wants < 1.5 {
			return nil
		}
		f.Claim = fmt.Sprintf("It runs on one of %d CPUs; on average %.1f goroutines compete for it.",
			a.run.MachineCPUs, wants)
		most := 1 - 1/math.Min(wants, float64(a.run.MachineCPUs))
		f.Gain = newGain(0.8*most, 0.3*most, most).bounded()
		f.citef("goroutines were runnable but not running for %s of the time",
			percent(1-a.demandShare(0)-a.demandShare(1)))
	}

	f.Fix = "Raise GOMAXPROCS, or do the work in one goroutine without channels."
	if a.run.CPUs > 1 {
		f.citef("the program sets GOMAXPROCS to 1; it was started with %d", a.run.CPUs)

		f.Alternative = "A quota requires it, or it leaves the other CPUs to other processes."
		f.Fix = "Remove the call of runtime.GOMAXPROCS; a library may make it."
		f.Experiment = "Remove the call: the time should fall."
		return []Finding{f}
	}

	f.citef("GOMAXPROCS is 1")

	f.Alternative = "The one CPU is a quota, and more would be throttled."
	f.Experiment = "Run it with GOMAXPROCS=2: the time should fall."
	return []Finding{f}
}

package explain

import (
	"math"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for the granularity of goroutines.
const (
	fineRate = 5000.0 // number of goroutines a second

	// running time of each goroutine: ten times the cost of starting one, which is about 1 µs with its time in the run
	// queue
	fineBody  = 15 * time.Microsecond
	fineCost  = 0.1           // fraction of the CPU time that goes into starting, queueing and joining goroutines
	spawnCost = 700e-9        // CPU time in seconds for each goroutine, if no profile shows it (0.3 to 1.5 µs)
	queueRoom = 100           // number of goroutines for each CPU that may queue
	wakeShare = 0.15          // fraction of the CPU time that is idle although a goroutine is runnable
	wakeAlone = wakeShare / 2 // fraction of the time that one goroutine is runnable and none runs
)

// tooFine finds goroutines that do less work than it costs to start them.
func tooFine(a *analysis) []Finding {
	if a.trace == nil {
		return nil
	}

	var c *evidence.Class
	for _, k := range a.classes() {
		if k.Count >= 500 && (c == nil || k.Count > c.Count) && k.Busy.P50 < fineBody {
			if _, ok := a.spawnSite(k); ok {
				c = k
			}
		}
	}
	if c == nil || float64(c.Count)/a.trace.Duration.Seconds() < fineRate {
		return nil
	}

	pool, _ := a.poolCost(c)
	cost := float64(c.Count) * spawnCost / math.Max(a.used, 1e-9)
	source := "at 0.7 µs each"
	if a.hasSamples() {
		cost = math.Min(1, a.cpu.share(Locks)+a.scheduling(c.Count)+a.spawnAllocation()+pool)
		source = "in the CPU profile"
	}
	if cost < fineCost {
		return nil
	}

	f := a.newFinding(GoroutineTooFine, "%d goroutines run for only %s each: starting one costs more.", c.Count,
		formatDuration(c.Busy.P50))
	f.Share = cost
	f.citef("%.0f goroutines start each second; half of them run for less than %s",
		float64(c.Count)/a.trace.Duration.Seconds(), formatDuration(c.Busy.P50))
	a.locateSpawn(&f, c)
	f.citef("starting, queueing and joining them takes up to %s of the CPU time, %s", percent(cost), source)
	if pool >= minGain {
		f.citef("the code of the pool takes %s of the CPU time", percent(pool))
	}

	f.Gain = a.fineGain(c.Count, cost, pool)
	f.Confidence = High
	f.Alternative = "They wait for something external, and the CPU time is spent elsewhere."
	f.Fix = "Use a worker pool, and give each goroutine a chunk, not one element."
	if pool >= minGain {
		f.Fix = "Submit a chunk of the elements as one task, not each element."
	}
	f.Experiment = "Give each goroutine ten elements: the cost should fall to a tenth."
	if w := a.replies(c); w != nil {
		a.citeReplies(&f, w)
		f.Gain, f.Confidence = nil, Low
		f.Fix = "Make one call for many elements; fewer goroutines may wait longer."
		f.Experiment = "Time it with half the goroutines, each with twice the elements."
	}
	return []Finding{f}
}

// fineGain returns what chunks save if goroutines that start or park so often cost a fraction of the CPU time, and the
// library that starts them another. What remains is the essential work without the allocations for goroutines, and the
// time in which no goroutine wants a CPU. Without a profile the essential work is unknown, so that only the estimated
// cost is subtracted.
func (a *analysis) fineGain(parks int64, cost, pool float64) *Gain {
	collected, _ := a.gcCPUShare()
	left := math.Max(0, a.essential-(a.spawnAllocation()+pool)*a.used)/(a.cpus*a.wall) + a.otherScheduling(parks)
	if a.essential == a.used {
		left = (1 - cost) * a.used / (a.cpus * a.wall)
	}

	most := math.Min(1-left, a.activeFraction())

	// Estimate the gain between the measured cost and the largest possible gain.
	est := math.Min(0.95*most, math.Max(cost, (cost+collected)*a.activeFraction()))
	if est < most/2 {
		est = (est + 0.9*most) / 2
	}

	return newGain(est, 0.6*cost*a.activeFraction(), most)
}

// spawning returns the fraction of the CPU time that starts, queues and ends goroutines, without the go statements of
// the standard library. A timer does not show who set it, so those that timers start count.
func (a *analysis) spawning() float64 {
	return a.spawnAllocation() + a.cpu.shareOf(func(w *weightedSample) bool {
		return w.category == Scheduler && !(containsAny(w.stack, "runtime.newproc") && a.byStandardLibrary(w.stack))
	})
}

// spawnAllocation returns the fraction of the CPU time in allocations for go statements: closures and stacks. Those of
// the standard library do not count.
func (a *analysis) spawnAllocation() float64 {
	if a.cpu == nil {
		return 0
	}
	return a.cpu.shareOf(func(w *weightedSample) bool {
		return w.allocatesGoroutine() && !a.byStandardLibrary(w.stack)
	})
}

// allocatesGoroutine reports whether a sample allocates for a go statement.
func (w *weightedSample) allocatesGoroutine() bool {
	return w.category == Allocation && containsAny(w.stack, "runtime.newproc", "runtime.malg", "runtime.gfget")
}

// unboundedSpawn finds goroutines that are started without a limit.
func unboundedSpawn(a *analysis) []Finding {
	if a.trace == nil {
		return nil
	}

	for _, c := range a.classes() {
		if float64(c.Peak) < queueRoom*a.cpus || c.Peak < 500 || c.Runnable < 20*c.Running && c.Stuck > c.Count/2 {
			continue
		}
		if _, ok := a.spawnSite(c); !ok {
			continue
		}
		queues := float64(c.Runnable) / float64(a.trace.Duration)
		if queues < 20*a.cpus {
			continue
		}

		f := a.newFinding(UnboundedSpawn, "Up to %d goroutines of %s exist at once, for %.0f CPUs.", c.Peak,
			shortName(c.Start.Function), a.cpus)
		f.Share = math.Min(1, a.saturation())
		f.citef("on average %.0f of them are runnable but not running; each holds its stack", queues)
		a.locateSpawn(&f, c)

		f.Alternative = "They wait for something external, and that many are needed to keep it busy."
		f.Fix = "Bound them by a worker pool or errgroup: it saves memory, and maybe time."
		f.Experiment = "Bound them: peak memory should fall, and the time may."
		if w := a.replies(c); w != nil {
			a.citeReplies(&f, w)
			f.Fix = "Bound them if memory matters, but fewer goroutines may wait longer."
			f.Experiment = "Bound them: peak memory should fall, but the time may rise."
		}
		return []Finding{f}
	}

	return nil
}

// wakeLatency finds programs in which goroutines wait for idle CPUs to wake up.
func wakeLatency(a *analysis) []Finding {
	if a.trace == nil {
		return nil
	}

	lost := 0.0
	for n, d := range a.trace.Demand.Time {
		if n == 0 {
			continue
		}
		could := math.Min(float64(n), a.cpus) * float64(d)
		lost += math.Max(0, could-float64(a.trace.Demand.CPUTime[n]))
	}

	lost /= float64(a.trace.Duration)
	nobody := 0.0 // one goroutine wanted a CPU and none ran: nothing else happens until the wake-up
	if len(a.trace.Demand.Time) > 1 {
		nobody = a.fraction(a.trace.Demand.Time[1] - a.trace.Demand.CPUTime[1])
	}
	if lost < wakeShare || nobody < wakeAlone || a.trace.WakeIdle.Count < 100 {
		return nil
	}

	f := a.newFinding(WakeLatency, "Waking an idle CPU takes %s; %s of the time is lost to wake-ups.",
		formatDuration(a.trace.WakeIdle.P50), percent(lost))
	f.Share = lost
	var worst *evidence.Wait
	for i := range a.trace.Waits {
		if w := &a.trace.Waits[i]; worst == nil || w.Queued > worst.Queued {
			worst = w
		}
	}
	if worst != nil {
		f.Where = a.prog.positions(worst.Stack)
	}

	f.citef("%d goroutines became runnable while a CPU was idle; half waited more than %s",
		a.trace.WakeIdle.Count, formatDuration(a.trace.WakeIdle.P50))
	f.citef("for %s of the time one goroutine was runnable and none ran", percent(nobody))
	f.Gain = newGain(0.8*nobody, 0.4*nobody, lost)
	f.Alternative = "The machine is loaded or virtual, and its CPUs are not there when needed."
	f.Fix = "Hand over less often: larger pieces, batches, or one goroutine for both."
	f.Experiment = "Double the size of the pieces: wake-ups and lost time should halve."
	return []Finding{f}
}

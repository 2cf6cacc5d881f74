package explain

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for channels.
const (
	// computing time between two channel operations, below which they are expensive
	handoffBurst = 20 * time.Microsecond
	handoffCost  = 0.3    // fraction of the CPU time in channels and the scheduler
	handoffRate  = 3000.0 // parkings a second

	// For programs that are no faster on several CPUs than on one. Waking a CPU takes tens of microseconds.
	stallBurst = 100 * time.Microsecond // as handoffBurst
	stallRate  = 5000.0                 // as handoffRate
	stallWall  = 0.9                    // fraction of the wall time on one CPU, above which more CPUs do not help

	parkMost = 50 * time.Microsecond // largest CPU time of one parking, with waking and the search for work
	parkCost = 1500e-9               // CPU time in seconds of one parking and waking, if no profile shows it

	stageFull   = 0.85 // utilization from which a stage can be the bottleneck
	stageNext   = 0.75 // largest utilization of the next stage
	stagePushed = 0.3  // fraction of the time that others wait to send to a stage in an external wait
	stageIdle   = 0.2  // fraction of the CPU time that is idle

	// For stages in lockstep.
	stepWaits = 0.05 // fraction of the time that a sender, and that a receiver, is parked
	stepIdle  = 0.08 // fraction of the CPU time that is idle
	profiled  = 4    // factor of stepWaits in a block profile, which sums the waits of all goroutines
)

// handoff finds goroutines that send so little at a time that the channel operations cost more than the work.
func handoff(a *analysis) []Finding {
	stalls := a.stalls()
	longest := handoffBurst
	if stalls {
		longest = stallBurst
	}

	parks, worst := a.channelParks(longest)
	if a.trace != nil && worst == nil && (a.cpu == nil || a.cpu.share(Channels) < handoffCost) {
		return nil
	}
	if stalls && worst != nil && a.rate(parks) >= stallRate {
		return []Finding{a.stallFinding(worst, parks)}
	}

	// Estimate the cost from the CPU profile, or else from the number of parkings.
	cost, source := 0.0, ""
	switch {
	case a.hasSamples():
		cost, source = a.cpu.share(Channels)+a.scheduling(parks), "in the CPU profile"
		if a.cpu.share(Channels) < 0.1 {
			return nil
		}
	case a.trace != nil:
		cost, source = math.Min(0.9, float64(parks)*parkCost/a.trace.Duration.Seconds()/math.Max(0.1, a.used/a.wall)),
			"at 1.5 µs for each parking"
	}
	if cost < handoffCost || a.trace != nil && float64(parks)/a.trace.Duration.Seconds() < handoffRate &&
		(a.cpu == nil || a.cpu.share(Channels) < handoffCost) {
		return nil
	}

	return []Finding{a.handoffFinding(worst, parks, cost, source)}
}

// channelParks returns how often goroutines of the program parked on channels, if they computed for less than longest
// (median) between two parkings, and the site with most of these. Without a trace it returns nothing.
func (a *analysis) channelParks(longest time.Duration) (parks int64, worst *evidence.Wait) {
	if a.trace == nil {
		return 0, nil
	}
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if w.Op != evidence.OpSend && w.Op != evidence.OpReceive && w.Op != evidence.OpSelect ||
			len(w.Classes) == 0 || a.trace.Classes[w.Classes[0]].Bursts.P50 >= longest {
			continue
		}
		if _, ok := a.prog.ownFrame(w.Stack); !ok || containsAny(w.Stack, httpClient...) {
			continue // a client's channels are not the program's own; see httpTurns
		}

		parks += w.Count
		if worst == nil || w.Count > worst.Count {
			worst = w
		}
	}
	return parks, worst
}

// stallFinding returns the finding for a program whose handoffs keep it from using several CPUs.
func (a *analysis) stallFinding(worst *evidence.Wait, parks int64) Finding {
	f := a.handoffFinding(worst, parks, a.handoffShare(), "in the CPU profile")
	f.Claim = fmt.Sprintf("Channel handoffs make %.0f CPUs no faster than one (%.0f waits a second).", a.cpus,
		a.rate(parks))
	f.citef("it takes %s on %d CPUs and %s on one, and %s of the CPU time is unused", formatDuration(a.run.Wall),
		a.run.CPUs, formatDuration(a.oneCPU.Wall), percent(a.unusedCPU()))

	work := a.used
	if a.hasSamples() {
		work *= 1 - a.handoffShare()
	}
	most := 1 - math.Min(1, math.Max(work/(a.cpus*a.wall), a.busiestWork(0, a.handoffShare())))
	f.Gain = newGain(0.7*most, 0.1*most, most)
	f.Confidence = Medium
	return f
}

// stalls reports whether several CPUs are no faster than one although no CPU, no lock and no goroutine is the
// bottleneck. If one goroutine runs all the time, or if other processes take CPUs, those are the reason instead.
func (a *analysis) stalls() bool {
	return a.trace != nil && a.oneCPU != nil && a.run != nil && !a.isLoaded() && a.run.Count >= 3 &&
		a.oneCPU.Count >= 3 && a.oneCPU.Wall > 0 &&
		a.run.Wall.Seconds() > stallWall*a.oneCPU.Wall.Seconds() && a.unusedCPU() >= stageIdle &&
		(a.oneCPU.User+a.oneCPU.System).Seconds() > stallWall*a.oneCPU.Wall.Seconds() && a.demandShare(0) < stepWaits &&
		!slices.ContainsFunc(a.classes(), a.hasFullMember) &&
		!slices.ContainsFunc(lockRules(a),
			func(f Finding) bool { return f.Gain != nil && f.Gain.Estimate >= 2*minGain })
}

// rate returns a count of the trace in events per second.
func (a *analysis) rate(n int64) float64 { return float64(n) / a.trace.Duration.Seconds() }

// scheduling returns the fraction of the CPU time in the scheduler that so many parkings of the trace can explain. The
// scheduler also works for other goroutines, above all the collector's workers.
func (a *analysis) scheduling(parks int64) float64 {
	all := a.cpu.share(Scheduler)
	if a.trace == nil {
		return all
	}
	return math.Min(all, a.rate(parks)*parkMost.Seconds()*a.wall/math.Max(a.used, 1e-9))
}

// otherScheduling returns the rest of the scheduler's time as a fraction of the wall time on all CPUs. It remains after
// any change to the parkings.
func (a *analysis) otherScheduling(parks int64) float64 {
	if !a.hasSamples() {
		return 0
	}
	return (a.cpu.share(Scheduler) - a.scheduling(parks)) * a.used / math.Max(a.cpus*a.wall, 1e-9)
}

// handoffShare returns the fraction of the CPU time in channels and the scheduler.
func (a *analysis) handoffShare() float64 {
	if !a.hasSamples() {
		return 0
	}
	return a.cpu.share(Channels, Scheduler)
}

// handoffFinding returns a finding for channel operations that take cost, a fraction of the CPU time. worst may be nil.
func (a *analysis) handoffFinding(worst *evidence.Wait, parks int64, cost float64, source string) Finding {
	f := a.newFinding(ChanHandoff, "Channel operations on small items take up to %s of the CPU time.",
		percent(cost))
	f.Share = cost
	if worst != nil {
		sides := [][]evidence.Frame{worst.Stack}
		for _, w := range worst.Wakers[:min(1, len(worst.Wakers))] {
			sides = append(sides, w.Stack)
		}
		f.Where = a.prog.positions(sides...)
		if at, ok := a.prog.ownFrame(worst.Stack); ok {
			f.citef("goroutines parked %d times, most at %s", parks, a.quote(at))
		}
		f.citef("they compute for %s between two parkings (median)",
			formatDuration(a.trace.Classes[worst.Classes[0]].Bursts.P50))
	} else if a.cpu != nil {
		for _, g := range a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
			if w.category != Channels {
				return evidence.Frame{}, false
			}
			return a.prog.ownFrame(w.stack)
		}) {
			if len(f.Where) < 2 {
				f.Where = append(f.Where, a.prog.position(g.at))
			}
		}
	}

	f.citef("channel operations, parking and waking take up to %s of the CPU time, %s", percent(cost), source)

	// The remaining time bounds the gain.
	busiest := math.Min(1, a.busiestWork(handoffBurst, cost))
	left := math.Min(1, math.Max(busiest, a.boundWithoutHandoff(cost)+a.otherScheduling(parks)))
	most := 1 - left
	f.Gain = newGain(0.9*most, math.Min(0.5*most, cost*a.activeFraction()*0.5),
		min(0.97, most+0.1, 1-busiest))
	f.Confidence = High
	f.Alternative = "Computing each item is slow, and the channel only waits for it."
	f.Fix = "Send batches of 100 items or more, or do both sides in one goroutine."
	f.Experiment = "Send two items at a time: parkings should halve, and time should fall."
	return f
}

// boundWithoutHandoff returns a lower bound for the remaining fraction of the wall time if channel operations cost
// nothing. The work is divided among the CPUs, but takes no less time than the busiest single goroutine.
func (a *analysis) boundWithoutHandoff(cost float64) float64 {
	if !a.hasSamples() {
		longest := 0.0
		for _, c := range a.classes() {
			if c.Peak == 1 {
				longest = math.Max(longest, a.fraction(c.Running)*(1-cost))
			}
		}
		return math.Min(1, math.Max(longest, (1-cost)*a.used/(a.cpus*a.wall)))
	}

	peak, by := map[string]int{}, map[string]float64{}
	for _, c := range a.classes() {
		peak[c.Start.Function] += c.Peak
	}
	for _, w := range a.cpu.list {
		if w.category != Channels && w.category != Scheduler && w.category != Locks && w.category != GarbageCollector {
			by[w.root] += w.weight
		}
	}

	longest := 0.0
	for _, c := range a.classes() {
		if root := c.Start.Function; peak[root] == 1 {
			longest = math.Max(longest, by[root]/a.cpu.total*a.used/a.wall+a.aloneBeside(c))
		}
	}
	return a.lowerBound(longest)
}

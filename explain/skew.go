package explain

import (
	"math"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for workers of which one has most of the work.
const (
	skewBusy   = 0.7 // fraction of its lifetime that the busiest one computes or waits for a CPU
	skewStarve = 0.5 // fraction of their lifetimes that all others wait for work
	skewIdle   = 0.2 // fraction of the CPU time that is idle
	skewSite   = 0.8 // fraction of the time in which they wait for work that they wait at one line
	skewPieces = 10  // number of times that other goroutines have given them work there
)

// skewed finds workers that live side by side, one of which is busy while all others wait for work: the division of the
// work among them is uneven, as by a hash of keys that are not equally frequent.
func skewed(a *analysis) []Finding {
	if !a.hasLongTrace() || a.cpus < 2 || a.unusedCPU() < skewIdle {
		return nil
	}
	for _, c := range a.classes() {
		if !isSkewed(c, a.trace.Duration) || !a.takeWork(c) {
			continue
		}
		at, how, ok := a.workSource(c)
		if !ok {
			continue
		}

		busiest := c.Members[0]
		works := a.fraction(busiest.Running + busiest.Runnable)
		f := a.newFinding(LoadImbalance, "One of %s has most of the work, and the others wait for theirs.",
			a.className(c))
		f.Share = works
		f.Where = []string{a.prog.position(at)}
		f.citef("one computes or waits for a CPU for %s of the time, the next one for %s", percent(works),
			percent(a.fraction(c.Members[1].Running+c.Members[1].Runnable)))
		f.citef("%s at %s", how, a.quote(at))

		// Divided evenly, the work of all takes as long as that of the mean one, or the CPUs are the limit. The time in
		// which the busiest does not work remains.
		even := a.fraction(c.Running) / math.Min(float64(c.Count), a.cpus)
		most := math.Max(0, math.Min(works-even, 1-a.lowerBound()))
		f.Gain = newGain(0.7*most, 0.3*most, most)
		f.Alternative = "They have different jobs, or one worker must take the pieces of one key in order."
		f.Fix = "Hand pieces to whichever worker is free, or divide the largest key."
		f.Experiment = "Give the pieces to the workers in turn: all should be busy for as long."
		return []Finding{f}
	}
	return nil
}

// isSkewed reports whether the goroutines of a class live side by side for most of a trace of a duration, and one of
// them is busy while the others wait for work.
func isSkewed(c *evidence.Class, whole time.Duration) bool {
	if c.Count < 2 || int64(c.Peak) != c.Count || int64(len(c.Members)) != c.Count {
		return false
	}
	for i, m := range c.Members {
		life := m.Ended - m.Born
		switch {
		case life < whole/2:
			return false
		case i == 0 && float64(m.Running+m.Runnable) < skewBusy*float64(life):
			return false
		case i > 0 && float64(m.ChannelWait) < skewStarve*float64(life):
			return false
		}
	}
	return true
}

// takeWork reports whether the goroutines of a class are workers: while they wait on channels, they do at one line,
// where goroutines of other classes give them work. Services that are started in one loop wait at lines of their own,
// or for timers, and stages of a pipeline for each other.
func (a *analysis) takeWork(c *evidence.Class) bool {
	type site struct {
		waited     time.Duration
		given, own int64 // number of wake-ups by goroutines of other classes, and of the same
	}
	all, most := time.Duration(0), &site{}
	by := map[string]*site{}
	for _, w := range a.trace.Waits {
		if !a.isIn(c, w.Classes...) ||
			w.Op != evidence.OpReceive && w.Op != evidence.OpSend && w.Op != evidence.OpSelect {
			continue
		}
		at, _ := a.prog.ownFrame(w.Stack)
		line := a.prog.fileLine(at)
		x := by[line]
		if x == nil {
			x = &site{}
			by[line] = x
		}
		x.waited += w.Waited + w.Pending
		all += w.Waited + w.Pending
		for _, k := range w.Wakers {
			switch {
			case a.isIn(c, k.Class):
				x.own += k.Count
			case k.Class >= 0:
				x.given += k.Count
			}
		}
		if x.waited > most.waited {
			most = x
		}
	}
	return float64(most.waited) >= skewSite*float64(all) && most.given >= skewPieces && most.own <= most.given/10
}

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
)

// skewed finds workers that live side by side, one of which is busy while all others wait for work: the division of the
// work among them is uneven, as by a hash of keys that are not equally frequent.
func skewed(a *analysis) []Finding {
	if !a.hasLongTrace() || a.cpus < 2 || a.unusedCPU() < skewIdle {
		return nil
	}
	for _, c := range a.classes() {
		at, own := a.goStatement(c)
		if !own || !isSkewed(c, a.trace.Duration) {
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
		f.citef("they are started at %s", a.quote(at))

		// Divided evenly, the work of all takes as long as that of the mean one, or the CPUs are the limit.
		even := a.fraction(c.Running) / math.Min(float64(c.Count), a.cpus)
		most := math.Max(0, 1-a.lowerBound(even, 1-works))
		f.Gain = newGain(0.7*most, 0.3*most, most)
		f.Confidence = High
		f.Alternative = "The pieces of one key must stay in order, so that one worker must take them all."
		f.Fix = "Hand pieces to whichever worker is free, or divide the largest key."
		f.Experiment = "Give the pieces to the workers in turn: all should be busy for as long."
		return []Finding{f}
	}
	return nil
}

// isSkewed reports whether the goroutines of a class live side by side for most of a trace of a duration, and one of
// them is busy while the others wait for work.
func isSkewed(c *evidence.Class, whole time.Duration) bool {
	if c.Waiting["chan send"] > whole/10 { // they are stages of a pipeline
		return false
	}
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

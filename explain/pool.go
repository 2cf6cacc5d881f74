package explain

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Thresholds of pools.
const (
	poolWaits  = 0.5 // of the workers' lives outside the program
	poolStarve = 0.2 // of their lives at most they wait for work
	poolSpare  = 0.4 // of the CPUs' time is unused
	// goroutines that wait outside: of more, each has a job of its own, or what they wait for is the limit
	poolMost = 32
)

// fewWorkers finds pools of workers that are all occupied while CPUs are not.
func tooFewWorkers(a *analysis) []Finding {
	if a.trace == nil || a.idleCPU() < poolSpare {
		return nil
	}

	for _, c := range a.classes() {
		at, own := a.goStatement(c) // a library sizes its pools itself: one goroutine for each connection
		if isMain(c) || !own || a.handlesConnections(c) || int64(c.Peak) != c.Count && c.Alive == 0 && c.Batches > 1 ||
			len(c.Members) == 0 {
			continue
		}
		life, running, queued, channels, locks, outside := lifetimes(c)
		if life < a.trace.Duration/2 || channels > time.Duration(poolStarve*float64(life)) || locks > life/10 {
			continue
		}
		waits := outside > time.Duration(poolWaits*float64(life)) && c.Peak <= poolMost
		works := running+queued > life*85/100 && float64(c.Peak) < a.cpus
		pool := c.Count >= 2 || a.startedInLoop(c)
		if !pool || !waits && !works || a.timerPaced(c) {
			continue
		}

		f := a.newFinding(TooFewWorkers, "%s are all occupied, and %s of the CPUs' time is unused.",
			capitalize(a.className(c)), percent(a.unusedCPU()))
		f.Share = a.unusedCPU()
		f.Where = []string{a.prog.position(at)}
		f.citef("they are started at %s", a.quote(at))
		all := float64(life)
		f.citef("they ran for %s of their lives, waited outside for %s, and for work for %s",
			percent(float64(running)/all), percent(float64(outside)/all), percent(float64(channels)/all))
		most := 1 - a.lowerBound()
		if works {
			most = math.Min(most, 1-float64(c.Peak)/a.cpus)
		}
		f.Gain = newGain(math.Min(0.75, 0.9*most), math.Min(0.4, 0.5*most), most)
		f.Alternative = "What they wait for serves no more at a time, so that more workers only wait longer."
		f.Fix = "Start more of them, until CPUs or the other side are the limit."
		f.Experiment = "Double their number: the time should halve while nothing else is the limit."
		return []Finding{f}
	}

	return nil
}

// starts is the go statement that makes the goroutines of a class, where the program itself makes them, not a library
// that it calls.
func (a *analysis) goStatement(c *evidence.Class) (evidence.Frame, bool) {
	i := slices.IndexFunc(c.Created, func(f evidence.Frame) bool {
		return !evidence.IsWrapper(f.Function) &&
			!hasAnyPrefix(f.Function, "runtime.")
	})
	if i < 0 {
		return evidence.Frame{}, false
	}
	f := c.Created[i]
	return f, a.prog.isOwn(f) || a.prog.Module == "" && !a.prog.isStandard(f) && !isHook(f)
}

// lives adds up the members of a class, by how many of them lived at a time.
func lifetimes(c *evidence.Class) (life, running, queued, channels, locks, outside time.Duration) {
	for _, m := range c.Members {
		life += m.Ended - m.Born
		running += m.Running
		queued += m.Runnable
		channels += m.ChannelWait
		locks += m.LockWait
		outside += m.External
	}
	n := time.Duration(max(1, min(c.Peak, len(c.Members))))
	return life / n, running / n, queued / n, channels / n, locks / n, outside / n
}

// inLoop reports whether the go statement that made a class stands in a loop, as far as the source is at hand.
func (a *analysis) startedInLoop(c *evidence.Class) bool {
	at, ok := a.prog.ownFrame(c.Created)
	if !ok || a.prog.Source == nil {
		return false
	}
	for back := range 4 {
		if strings.HasPrefix(strings.TrimSpace(a.prog.Source(at.File, at.Line-back)), "for ") {
			return true
		}
	}
	return false
}

// turnsLimited reports whether the goroutines of a class sleep by a timer of their own, so that nobody waits for them.
func (a *analysis) timerPaced(c *evidence.Class) bool {
	for _, w := range a.trace.Waits {
		if w.Op == evidence.OpSend && w.Waited > a.trace.Duration/5 {
			return false // somebody has work for them
		}
	}
	return c.Alive > 0 && c.Count == c.Alive
}

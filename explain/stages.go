package explain

import (
	"math"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
)

// The least that a goroutine does as a stage of a pipeline.
const (
	minStageLife = 1.0 / 3 // lifetime, as a fraction of the trace
	minHandoffs  = 10      // number of waits, or of wake-ups
)

// stage is a class of goroutines in a pipeline.
type stage struct {
	class       *evidence.Class
	life        float64 // lifetime, as a fraction of the trace
	utilization float64 // fraction of its lifetime: the program may prepare its input before the pipeline starts

	// fraction of the lifetime that it waits for a timer, the network or a system call; part of utilization
	external float64
	single   bool
}

// hasFullMember reports whether a goroutine of a class computes nearly all its life, and lives long enough for a stage.
func (a *analysis) hasFullMember(c *evidence.Class) bool {
	return slices.ContainsFunc(c.Members, func(m evidence.Member) bool {
		life := a.fraction(m.Ended - m.Born)
		return life >= minStageLife && a.fraction(m.Running) >= stageFull*life
	})
}

// wakeCount returns how often the goroutines of a class woke others that waited on a channel.
func (a *analysis) wakeCount(c *evidence.Class) (n int64) {
	for _, w := range a.trace.Waits {
		if w.Op != evidence.OpSend && w.Op != evidence.OpReceive {
			continue
		}
		for _, k := range w.Wakers {
			if a.isIn(c, k.Class) {
				n += k.Count
			}
		}
	}

	return n
}

// stages returns the pipeline's stages, those with the highest utilization first. A stage waits on channels for others,
// or is always in use and lets others wait: the slowest stage never waits itself. A class that is always in an external
// wait is a stage only if others bring it work; a ticker is not.
func (a *analysis) stages() []stage {
	var out []stage
	for _, c := range a.classes() {
		life, running, _, _, _, outside := lifetimes(c)
		if a.fraction(life) < minStageLife {
			continue
		}
		of := func(d time.Duration) float64 { return math.Min(1, float64(d)/float64(life)) }
		full := of(running) >= stageFull || of(running+outside) >= stageFull && a.sendWaitShare(c) >= stagePushed
		if a.parkCount(c) < minHandoffs && (!full || a.wakeCount(c) < minHandoffs) {
			continue
		}
		out = append(out, stage{c, a.fraction(life), of(running + outside), of(outside), c.Peak == 1})
	}

	slices.SortFunc(out, func(x, y stage) int {
		switch {
		case x.utilization > y.utilization:
			return -1
		case x.utilization < y.utilization:
			return 1
		}
		return 0
	})

	return out
}

// channelRules finds the bottleneck of a pipeline, or of a channel that goroutines share.
func channelRules(a *analysis) []Finding {
	if a.trace == nil {
		return nil
	}

	if f, _, ok := a.semaphoreAndLock(); ok {
		return []Finding{f}
	}

	line := a.stages()
	if len(line) < 2 {
		return nil
	}
	for i := range line { // a stage that lives shorter may be the first
		if f, ok := a.stageLimited(slices.Concat(line[i:i+1], line[:i], line[i+1:])); ok {
			return []Finding{f}
		}
	}
	if f, ok := a.lockstep(line); ok {
		return []Finding{f}
	}

	return nil
}

// stageLimited finds a pipeline with one stage that is in use nearly all the time, while the others wait for it.
func (a *analysis) stageLimited(line []stage) (Finding, bool) {
	s, other, next := line[0], line[1], 0.0
	for _, o := range line[1:] {
		// Only what another stage does in the lifetime of this one counts, and not what it prepares alone.
		alone := math.Max(0, a.fraction(o.class.Alone)-s.external*s.life) // not while this one waits outside
		prepared := math.Min(alone, math.Max(0, o.life-s.life))
		if used := math.Min(1, (o.utilization*o.life-prepared)/s.life); used > next {
			other, next = o, used
		}
	}

	waited, neighbour := a.waitShare(s.class)
	if !s.single || s.utilization < stageFull || next > stageNext || waited < 0.3*s.life {
		return Finding{}, false
	}

	unused := a.idleCPU()
	// The stage runs all the time, so that the wake-up latency of other CPUs is not the limit.
	if s.utilization-s.external >= stageFull {
		unused = a.slack()
	}
	if unused < stageIdle {
		return Finding{}, false
	}
	if s.external > s.utilization/2 && a.sendWaitShare(s.class) < stagePushed {
		return Finding{}, false // no goroutine brings it work faster than it finishes: it waits for something else
	}

	f := a.newFinding(StageLimited, "%s is the slowest stage, busy %s of its lifetime.",
		capitalize(a.className(s.class)), percent(s.utilization))
	f.Share = s.utilization * s.life
	if neighbour != nil {
		f.Where = a.prog.positions(neighbour.Stack)
	}

	f.Where = append(a.stagePosition(s.class), f.Where...)
	f.citef("the next stage, %s, is busy %s of that time", a.className(other.class), percent(next))
	f.citef("its neighbours wait for it %s of that time", percent(math.Min(1, waited/s.life)))
	for _, g := range a.hottestLines(s.class, 1) {
		f.citef("%s of the goroutines' CPU time is in it at %s", percent(g.share), a.quote(g.at))
	}

	// What runs before and after the stage remains. At best, more goroutines also save channel operations and
	// collections, but usually these remain too.
	rest := 1 - s.life + next*s.life
	kept := 0.0
	if a.hasSamples() {
		kept = a.cpu.share(Channels, GarbageCollector) * a.used / math.Max(a.cpus*a.wall, 1e-9)
	}
	usual := 1 - math.Min(1, math.Max(a.lowerBound()+kept, rest))
	f.Gain = newGain(0.85*usual, math.Min(0.3, 0.5*usual), 1-a.lowerBound(rest))
	f.Confidence = High
	f.Alternative = "The stage must see the items one after the other."
	f.Fix = "Run several goroutines for this stage; restore the order if it matters."
	f.Experiment = "Start two of it: time should fall until something else is the limit."
	return f, true
}

// busiestWork returns how long the busiest single goroutine computes outside channel operations, as a fraction of the
// time. cost replaces its share of channels and the scheduler if the CPU profile has no samples of it. A trace slows
// down goroutines that park often, so that those with a median burst below least do not count.
func (a *analysis) busiestWork(least time.Duration, cost float64) float64 {
	busiest := 0.0
	for _, c := range a.classes() {
		if c.Peak == 1 && c.Bursts.P50 >= least {
			busiest = math.Max(busiest, a.fraction(c.Running)*(1-a.handoffShareOf(c, cost))+a.aloneBeside(c))
		}
	}
	return busiest
}

// aloneBeside returns how long other goroutines that hand nothing over run alone, as a fraction of the time, such as
// main while it prepares the input. A class waits meanwhile, so that this time adds to its own.
func (a *analysis) aloneBeside(c *evidence.Class) float64 {
	alone := time.Duration(0)
	for _, o := range a.classes() {
		if o != c && a.parkCount(o) < minHandoffs && a.wakeCount(o) < minHandoffs {
			alone += o.Alone
		}
	}
	return a.fraction(alone)
}

// handoffShareOf returns the fraction of a class's CPU time in channels and the scheduler, or otherwise if the CPU
// profile has no samples of the class.
func (a *analysis) handoffShareOf(c *evidence.Class, otherwise float64) float64 {
	if !a.hasSamples() {
		return otherwise
	}
	all, part := 0.0, 0.0
	for _, w := range a.cpu.list {
		if w.root != c.Start.Function {
			continue
		}
		all += w.weight
		if w.category == Channels || w.category == Scheduler {
			part += w.weight
		}
	}
	if all == 0 {
		return otherwise
	}
	return part / all
}

// stagePosition returns the position where a class works most, or else where it was started.
func (a *analysis) stagePosition(c *evidence.Class) []string {
	for _, g := range a.hottestLines(c, 1) {
		return []string{a.prog.position(g.at)}
	}
	return a.prog.positions(c.Created)
}

// waitShare returns how long others waited until a class woke them, as a fraction of the time, and the site with the
// longest wait.
func (a *analysis) waitShare(c *evidence.Class) (share float64, longest *evidence.Wait) {
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if w.Op != evidence.OpSend && w.Op != evidence.OpReceive && w.Op != evidence.OpSelect {
			continue
		}
		var all, by int64
		for _, k := range w.Wakers {
			all += k.Count
			if a.isIn(c, k.Class) {
				by += k.Count
			}
		}
		if by == 0 || len(w.Classes) == 1 && a.isIn(c, w.Classes...) {
			continue
		}
		share += a.fraction(a.blockedTime(w)) * float64(by) / float64(all)
		if longest == nil || w.Waited > longest.Waited {
			longest = w
		}
	}

	return share, longest
}

// sendWaitShare returns how long others waited to send to a class, as a fraction of the time.
func (a *analysis) sendWaitShare(c *evidence.Class) float64 {
	waited := time.Duration(0)
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if w.Op == evidence.OpSend &&
			slices.ContainsFunc(w.Wakers, func(k evidence.Waker) bool { return a.isIn(c, k.Class) }) {
			waited += a.blockedTime(w)
		}
	}
	return a.fraction(waited)
}

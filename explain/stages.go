package explain

import (
	"math"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
)

// stage is a class of goroutines in a pipeline.
type stage struct {
	class       *evidence.Class
	utilization float64

	// fraction of the time that it waits for a timer, the network or a system call; part of utilization
	external float64
	single   bool
}

// wakeCount returns how often the goroutines of a class woke others that waited on a channel.
func (a *analysis) wakeCount(c *evidence.Class) (n int64) {
	for _, w := range a.trace.Waits {
		if w.Op != evidence.OpSend && w.Op != evidence.OpReceive {
			continue
		}
		for _, k := range w.Wakers {
			if k.Class >= 0 && &a.trace.Classes[k.Class] == c {
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
		full := a.fraction(running) >= stageFull || a.fraction(running+outside) >= stageFull &&
			a.sendWaitShare(c) >= stagePushed
		if life < a.trace.Duration/3 || a.parkCount(c) < 10 && (!full || a.wakeCount(c) < 10) {
			continue
		}
		out = append(out, stage{c, math.Min(1, a.fraction(running+outside)), a.fraction(outside), c.Peak == 1})
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

	if a.idleCPU() >= stepIdle {
		if f, ok := a.semaphore(); ok {
			return []Finding{f}
		}
	}

	line := a.stages()
	if len(line) < 2 {
		return nil
	}
	if f, ok := a.stageLimited(line); ok {
		return []Finding{f}
	}
	if f, ok := a.lockstep(line); ok {
		return []Finding{f}
	}

	return nil
}

// stageLimited finds a pipeline with one stage that is in use nearly all the time, while the others wait for it.
func (a *analysis) stageLimited(line []stage) (Finding, bool) {
	s := line[0]
	next := 0.0
	for _, o := range line[1:] {
		next = math.Max(next, o.utilization)
	}

	waited, neighbour := a.waitShare(s.class)
	if !s.single || s.utilization < stageFull || next > stageNext || waited < 0.3 {
		return Finding{}, false
	}

	unused := a.idleCPU()
	// The stage runs all the time, so that the wake-up latency of other CPUs is not the limit.
	if a.fraction(s.class.Running) >= stageFull {
		unused = a.slack()
	}
	if unused < stageIdle {
		return Finding{}, false
	}
	if s.external > s.utilization/2 && a.sendWaitShare(s.class) < stagePushed {
		return Finding{}, false // no goroutine brings it work faster than it finishes: it waits for something else
	}

	f := a.newFinding(StageLimited, "%s is the slowest stage, busy %s of the time.",
		capitalize(a.className(s.class)), percent(s.utilization))
	f.Share = s.utilization
	if neighbour != nil {
		f.Where = a.prog.positions(neighbour.Stack)
	}

	f.Where = append(a.stagePosition(s.class), f.Where...)
	f.citef("the next stage, %s, is busy %s of the time", a.className(line[1].class), percent(next))
	f.citef("its neighbours wait for it %s of the time", percent(math.Min(1, waited)))
	for _, g := range a.hottestLines(s.class, 1) {
		f.citef("%s of the goroutines' CPU time is in it at %s", percent(g.share), a.quote(g.at))
	}

	most := 1 - a.lowerBound(next)
	f.Gain = newGain(0.85*most, math.Min(0.3, 0.5*most), most)
	f.Confidence = High
	f.Alternative = "The stage must see the items one after the other."
	f.Fix = "Run several goroutines for this stage; a larger buffer would not help."
	f.Experiment = "Start two of it: time should fall until something else is the limit."
	return f, true
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
			if k.Class >= 0 && &a.trace.Classes[k.Class] == c {
				by += k.Count
			}
		}
		if by == 0 || slices.ContainsFunc(w.Classes, func(i int) bool { return &a.trace.Classes[i] == c }) &&
			len(w.Classes) == 1 {
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
		if w.Op == evidence.OpSend && slices.ContainsFunc(w.Wakers,
			func(k evidence.Waker) bool { return k.Class >= 0 && &a.trace.Classes[k.Class] == c }) {
			waited += a.blockedTime(w)
		}
	}
	return a.fraction(waited)
}

// lockstep finds a pipeline whose stages wait for each other in turns: the channel between them is alternately full and
// empty.
func (a *analysis) lockstep(line []stage) (Finding, bool) {
	var worst *evidence.Resource
	for i := range a.trace.Resources {
		r := &a.trace.Resources[i]
		if r.Kind != evidence.OpChannel || a.fraction(r.Full) < stepWaits || a.fraction(r.Empty) < stepWaits ||
			a.fraction(r.Starved) < stepIdle || r.FullCount < 10 || r.EmptyCount < 10 {
			continue
		}
		if worst == nil || r.Full+r.Empty > worst.Full+worst.Empty {
			worst = r
		}
	}
	if worst == nil || line[0].utilization > 0.95 {
		return Finding{}, false
	}

	most := math.Min(1-a.lowerBound(line[0].utilization), a.slack())
	name := UnbufferedLockstep
	if a.isBuffered(worst) {
		if a.idleCPU() < stepIdle {
			return Finding{}, false
		}
		name = UndersizedBuffer
		most = math.Min(most, a.idleCPU())
	}

	f := a.newFinding(name, "Two pipeline stages wait for each other in turns, without a buffer.")
	f.Fix = "Give the channel a buffer of 1 to 16."
	if name == UndersizedBuffer {
		f.Claim = "The buffer between two stages is alternately full and empty."
		f.Fix = "Make the buffer several times larger."
	}

	f.Where = a.prog.positions(worst.Sites...)
	f.Share = a.idleCPU()
	f.citef("senders wait %s of the time (%d times), receivers %s (%d times)", percent(a.fraction(worst.Full)),
		worst.FullCount, percent(a.fraction(worst.Empty)), worst.EmptyCount)
	f.citef("no stage is busy for more than %s of the time, and %s of the CPU time is idle",
		percent(line[0].utilization), percent(a.idleCPU()))
	f.Gain = newGain(0.8*most, 0.2*most, 1.2*most)
	f.Alternative = "The stages take constant times, and one of them is the limit."
	f.Experiment = "Double the buffer: if nothing changes, it is not the limit."
	return f, true
}

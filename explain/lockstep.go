package explain

import (
	"math"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// lockstep finds a pipeline whose stages wait for each other in turns: the channel between them is alternately full and
// empty.
func (a *analysis) lockstep(line []stage) (Finding, bool) {
	var worst *evidence.Resource
	for i := range a.trace.Resources {
		r := &a.trace.Resources[i]
		if r.Kind != evidence.ResourceChannel || a.fraction(r.Full) < stepWaits || a.fraction(r.Empty) < stepWaits ||
			a.fraction(r.Starved) < stepIdle || r.FullCount < 10 || r.EmptyCount < 10 {
			continue
		}
		if worst == nil || r.Full+r.Empty > worst.Full+worst.Empty {
			worst = r
		}
	}
	busiest := 0.0
	for _, s := range line {
		busiest = math.Max(busiest, a.leastTime(s, line))
	}
	if worst == nil || busiest > 0.95 {
		return Finding{}, false
	}

	most := math.Min(1-a.lowerBound(busiest), a.slack())
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
		percent(busiest), percent(a.idleCPU()))
	f.Gain = newGain(0.8*most, 0.2*most, 1.2*most)
	f.Alternative = "The stages take constant times, and one of them is the limit."
	f.Experiment = "Double the buffer: if nothing changes, it is not the limit."
	return f, true
}

// leastTime returns the least time of the run because of one stage, as a fraction: its own work, with what it waits for
// outside the program and what other goroutines do alone, such as preparing the input. They may do this while it waits
// outside, except before it begins and after it ends.
func (a *analysis) leastTime(s stage, line []stage) float64 {
	prepared := 0.0
	for _, o := range line { // another stage, before this one begins
		prepared += math.Min(a.fraction(o.class.Alone), math.Max(0, a.fraction(s.class.First-o.class.First)))
	}
	alone := a.aloneBeside(s.class) // of other goroutines than stages: usually before this stage, too
	alone += math.Min(prepared, math.Max(0, a.fraction(s.class.First)-alone))
	outside := math.Min(alone, math.Max(0, 1-s.life))
	return (s.utilization-s.external)*s.life + math.Max(alone, outside+s.external*s.life)
}

// lockstepByProfile finds a pipeline in lockstep without a trace: in the block profile, goroutines waited to send and
// others to receive, while CPUs were idle.
func lockstepByProfile(a *analysis) []Finding {
	i := slices.IndexFunc(a.e.Profiles, func(p evidence.Profile) bool { return p.Kind == evidence.Block })
	if a.trace != nil || i < 0 || a.cpu == nil || a.unusedCPU() < stageIdle || a.used < a.wall/2 {
		return nil
	}

	sharing, sent, received := a.blockedOnChannels(&a.e.Profiles[i])
	roots, most := map[string]float64{}, 0.0
	for _, w := range a.cpu.list {
		if w.root != "" {
			roots[w.root] += w.weight / a.cpu.total * a.used / a.wall
			most = math.Max(most, roots[w.root])
		}
	}
	if sent < profiled*stepWaits || received < profiled*stepWaits || len(roots) < 2 || most > stageFull {
		return nil
	}

	groups := sharing.groupBy(func(w *weightedSample) (evidence.Frame, bool) { return a.prog.ownFrame(w.stack) })
	var sites [][]evidence.Frame
	for _, g := range groups[:min(2, len(groups))] {
		sites = append(sites, g.sample)
	}

	name := UnbufferedLockstep
	if a.isBuffered(&evidence.Resource{Sites: sites}) {
		name = UndersizedBuffer
	}

	f := a.newFinding(name, "Two pipeline stages wait for each other in turns.")
	f.Confidence = Low
	f.Where = a.prog.positions(sites...)
	f.Share = a.unusedCPU()
	f.citef("goroutines wait to send for %s of the time, and to receive for %s", percent(sent), percent(received))
	f.citef("no goroutine computes for more than %s of the time", percent(most))
	f.citef("%s", a.usage())
	left := math.Min(1-a.lowerBound(most), a.unusedCPU())
	f.Gain = newGain(0.6*left, 0.1*left, left)
	f.Alternative = "They wait for work, and there is none: an execution trace would show it."
	f.Fix = "Give the channel a buffer, or a larger one."
	f.Experiment = "Double the buffer: if nothing changes, it is not the limit."
	return []Finding{f}
}

// blockedOnChannels returns the stacks of a block profile that waited for channels, and how long goroutines waited to
// send and to receive, as a fraction of the wall time.
func (a *analysis) blockedOnChannels(b *evidence.Profile) (sharing *profile, sent, received float64) {
	sharing = &profile{user: 1}
	value := slices.Index(b.Types, "delay/nanoseconds")
	for _, s := range b.Samples {
		if value < 0 || value >= len(s.Values) {
			continue
		}
		x := float64(s.Values[value]) / 1e9 / a.wall
		switch {
		case containsAny(s.Stack, "runtime.chansend"):
			sent += x
		case containsAny(s.Stack, "runtime.chanrecv"):
			received += x
		default:
			continue
		}
		sharing.list = append(sharing.list, weightedSample{stack: s.Stack, weight: x})
	}
	return sharing, sent, received
}

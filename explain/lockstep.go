package explain

import (
	"math"
	"slices"

	"github.com/brewput/brewput/evidence"
)

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
	if sent < 4*stepWaits || received < 4*stepWaits || len(roots) < 2 || most > stageFull {
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
	f.citef("no goroutine computes for more than %s of the time, and %s of the CPU time is unused", percent(most),
		percent(a.unusedCPU()))
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

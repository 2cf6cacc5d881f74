package explain

import (
	"math"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// addLeft sets what the changes of findings still save after that of the first one with a gain, where that is known.
// The first saves a fraction g1 of the wall time, and another alone g2. Two changes at different lines save CPU time
// independently: the second still saves g2, but no more than the rest, 1-g1, and not what both count of the collector.
// If one change uses more CPUs and the other saves CPU time, they multiply: the second saves g2 (1-g1), because it
// saves a part of a time that is shorter.
func (a *analysis) addLeft(found []Finding) {
	first := slices.IndexFunc(found, func(f Finding) bool { return f.Gain != nil })
	if first < 0 {
		return
	}
	for i := first + 1; i < len(found); i++ {
		if f := &found[i]; f.Gain != nil {
			f.Gain.Left = a.left(&found[first], f)
		}
	}
}

// left returns what a change saves after the first one, as a fraction of the wall time now, or nil if that is unknown.
func (a *analysis) left(first, f *Finding) *float64 {
	x := f.Gain.Estimate
	switch {
	case first.savesCPU && f.savesCPU && !a.shareTime(first.Where, f.Where):
		collected, _ := a.gcCPUShare()
		twice := math.Max(0, first.garbage+f.garbage-collected*a.activeFraction())
		x = math.Max(0, math.Min(x, 1-first.Gain.Estimate)-twice)
	case first.Name == SingleThreaded && f.savesCPU, first.savesCPU && f.Name == SingleThreaded:
		x *= 1 - first.Gain.Estimate
	default:
		return nil
	}
	x = math.Round(1000*x) / 1000
	return &x
}

// shareTime reports whether two sets of positions share CPU time: they have one in common, or the stack of a sample
// passes through both.
func (a *analysis) shareTime(some, others []string) bool {
	if slices.ContainsFunc(some, func(at string) bool { return slices.Contains(others, at) }) {
		return true
	}
	at := map[evidence.Frame]string{}
	passes := func(stack []evidence.Frame, positions []string) bool {
		return slices.ContainsFunc(stack, func(f evidence.Frame) bool {
			if !a.prog.mayBeOwn(f) {
				return false
			}
			if at[f] == "" {
				at[f] = a.prog.fileLine(f)
			}
			return slices.Contains(positions, at[f])
		})
	}
	return a.cpu != nil && slices.ContainsFunc(a.cpu.list, func(w weightedSample) bool {
		return passes(w.stack, some) && passes(w.stack, others)
	})
}

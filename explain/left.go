package explain

import (
	"math"
	"slices"
)

// addLeft sets what the changes of findings still save after that of the first one with a gain, where that is known.
// The first saves a fraction g1 of the wall time, and another alone g2. If both save CPU time at lines of their own,
// the second still saves g2 of the wall time now. If one makes several CPUs share work of which the other saves a part,
// it saves g2 (1-g1), because it saves that part of a time that is shorter.
func addLeft(found []Finding) {
	var first *Finding
	for i := range found {
		f := &found[i]
		switch {
		case f.Gain == nil:
		case first == nil:
			first = f
		default:
			f.Gain.Left = left(first, f)
		}
	}
}

// left returns what a change saves after the first one, as a fraction of the wall time now, or nil if that is unknown.
func left(first, f *Finding) *float64 {
	x := f.Gain.Estimate
	switch {
	case first.Name != SingleThreaded && f.Name != SingleThreaded &&
		slices.ContainsFunc(f.Where, func(at string) bool { return slices.Contains(first.Where, at) }):
		return nil // they may be about the same time
	case first.savesCalls() && f.savesCalls():
		x = math.Min(x, 1-first.Gain.Estimate)
	case first.Name == SingleThreaded && f.savesCalls(), first.savesCalls() && f.Name == SingleThreaded:
		x *= 1 - first.Gain.Estimate
	default:
		return nil
	}
	x = math.Round(1000*x) / 1000
	return &x
}

// savesCalls reports whether the change saves CPU time at the lines of the finding, by profiles. Waits are no such
// cost, and neither is garbage collection alone: what one change does not allocate, no other needs to collect.
func (f *Finding) savesCalls() bool {
	return f.local && f.Level == ProfileLevel || f.Name == HotFunction || f.Name == EscapePerOp
}

package findings

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/explain"
)

// Target is a requirement on a score.
type Target struct {
	What  string
	Met   bool
	Known bool // false if no program was scored for it
}

// Targets returns the requirements on the scores b and a of findings with a trace (level B) and without (level A):
// precision, macro-F1 and right first findings with a trace, macro-F1 without, and no false alarm in either.
func Targets(b, a Score) []Target {
	return []Target{
		atLeast("level B: precision", b.Precision.Value, 0.9, b.Precision.Total),
		atLeast("level B: macro-F1", b.MacroF1, 0.75, len(b.Counted)),
		atLeast("level A: macro-F1", a.MacroF1, 0.6, len(a.Counted)),
		atLeast("level B: first finding right in", b.First.Value, 0.8, b.First.Total),
		{fmt.Sprintf("%d and %d false alarms at levels B and A, at most 0", b.FalseAlarms.Hits, a.FalseAlarms.Hits),
			b.FalseAlarms.Hits+a.FalseAlarms.Hits == 0, b.FalseAlarms.Total+a.FalseAlarms.Total > 0},
	}
}

// RangeTargets returns the requirements on estimates and ranges, as the families of other folds calibrate them: the
// right coverage, ranges that are narrow enough to help, and a small bias in the families that are held out. (Over all
// folds it is near zero by construction.) It returns none for few families.
func RangeTargets(promises []Promise) []Target {
	promises = ofFamilies(promises)
	if len(promises) < leastFamilies {
		return nil
	}
	by := CrossCalibrated(promises)
	r, out := NewRanges(promises, by), NewRanges(heldOut(promises), by)
	return []Target{
		{fmt.Sprintf("level B: mean error of estimates for families held out %+.3f, within 0.05", out.Error),
			math.Abs(out.Error) <= 0.05, out.Count > 0},
		{fmt.Sprintf("level B: ranges hold %s of the gains, and are to hold %v", r.Held, explain.Coverage),
			r.Held.Low <= explain.Coverage && explain.Coverage <= r.Held.High, true},
		{fmt.Sprintf("level B: median width of ranges %.2f, at most 0.40", r.Width), r.Width <= 0.4, true},
	}
}

// atLeast is a lower bound on a value that n programs or classes give.
func atLeast(what string, value, bound float64, n int) Target {
	if n == 0 {
		return Target{What: fmt.Sprintf("%s: too few programs, at least %.2f", what, bound)}
	}
	return Target{fmt.Sprintf("%s %.2f, at least %.2f", what, value, bound), value >= bound, true}
}

package findings

import "fmt"

// Target is a requirement on a score.
type Target struct {
	What string
	Met  bool
}

// Targets returns the requirements on the scores b and a of findings with a trace (level B) and without (level A):
// precision, macro-F1 and right first findings with a trace, macro-F1 without, and no false alarm in either.
func Targets(b, a Score) []Target {
	return []Target{
		{fmt.Sprintf("level B: precision %.2f, at least 0.90", b.Precision.Value), b.Precision.Value >= 0.9},
		{fmt.Sprintf("level B: macro-F1 %.2f, at least 0.75", b.MacroF1), b.MacroF1 >= 0.75},
		{fmt.Sprintf("level A: macro-F1 %.2f, at least 0.60", a.MacroF1), a.MacroF1 >= 0.6},
		{fmt.Sprintf("level B: first finding right in %.2f, at least 0.80", b.First.Value), b.First.Value >= 0.8},
		{fmt.Sprintf("%d and %d false alarms at levels B and A, at most 0", b.FalseAlarms.Hits, a.FalseAlarms.Hits),
			b.FalseAlarms.Hits+a.FalseAlarms.Hits == 0},
	}
}

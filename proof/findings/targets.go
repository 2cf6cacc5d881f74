package findings

import "fmt"

// Target is what a score is held to.
type Target struct {
	What string
	Met  bool
}

// Targets are those of the tiers: precision and macro-F1 at tier B, macro-F1 at tier A, and no false alarm at either.
func Targets(b, a Score) []Target {
	return []Target{
		{fmt.Sprintf("tier B: precision %.2f, at least 0.90", b.Precision.Value), b.Precision.Value >= 0.9},
		{fmt.Sprintf("tier B: macro-F1 %.2f, at least 0.75", b.MacroF1), b.MacroF1 >= 0.75},
		{fmt.Sprintf("tier A: macro-F1 %.2f, at least 0.60", a.MacroF1), a.MacroF1 >= 0.6},
		{fmt.Sprintf("tier B: first finding right in %.2f, at least 0.80", b.First.Value), b.First.Value >= 0.8},
		{fmt.Sprintf("%d and %d false alarms at tiers B and A, at most 0", b.FalseAlarms.Hits, a.FalseAlarms.Hits),
			b.FalseAlarms.Hits+a.FalseAlarms.Hits == 0},
	}
}

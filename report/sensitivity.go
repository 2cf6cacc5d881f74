package report

import (
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// sensitivityColumns returns the ranges of a prediction if one of the scheduler's costs is halved or doubled, and if
// one burn lasts longer. It returns nil if they were not asked for.
func (f *frame) sensitivityColumns(group, metric string) []column {
	costs := func(s *compare.Sensitivity) (low, high result.Value) { return s.Low, s.High }
	burn := func(s *compare.Sensitivity) (low, high result.Value) { return s.DisturbedLow, s.DisturbedHigh }
	return append(f.rangeColumns(group, "costs x1/2 to x2", metric, costs),
		f.rangeColumns(group, "one burn longer", metric, burn)...)
}

// rangeColumns returns one range of a prediction. It returns nil if the range was not asked for.
func (f *frame) rangeColumns(group, head, metric string,
	bounds func(*compare.Sensitivity) (low, high result.Value)) []column {
	found := false
	c := f.column(group, head, func(r compare.Row) string {
		for _, s := range r.Sensitivity {
			if s.Metric != metric {
				continue
			}
			found = true
			low, high := bounds(&s)
			if text, ok := interval(result.Summary{Metric: metric, Median: s.Value, Low: low, High: high}, digits); ok {
				return text
			}
			return unavailable
		}
		return ""
	})
	if !found {
		return nil
	}
	return []column{c}
}

// sensitivityTexts names the predictions that depend much on the scheduler's costs, or says that none does.
func sensitivityTexts(rows []compare.Row) []string {
	var texts []string
	found := false
	for _, r := range rows {
		worst := -1 // one sentence for each row: throughput and latency say the same
		for i, s := range r.Sensitivity {
			found = true
			if s.Matters() && (worst < 0 || r.Sensitivity[worst].Known() &&
				!(s.MaxShare() <= r.Sensitivity[worst].MaxShare())) {
				worst = i
			}
		}
		if worst >= 0 {
			texts = append(texts, r.Sensitivity[worst].Text())
		}
	}
	if found && texts == nil {
		texts = []string{"no prediction changes by more than 2% if one scheduler cost is halved or doubled, or one " +
			"burn lasts longer"}
	}
	return texts
}

// writeSensitivities writes the sentences of sensitivityTexts.
func writeSensitivities(b *strings.Builder, rows []compare.Row, st Style) {
	writeList(b, rows, sensitivityTexts(rows), "sensitivity to the scheduler's costs",
		"one cost at a time halved or doubled, and one burn longer", st)
}

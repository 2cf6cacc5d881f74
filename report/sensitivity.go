package report

import (
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// sensitivityColumn is the range of a prediction if one of the scheduler's costs is half or twice what it is; no
// column where nobody asked for it.
func (f *frame) sensitivityColumn(group, metric string) []column {
	some := false
	c := f.column(group, "costs x1/2 to x2", func(r compare.Row) string {
		for _, s := range r.Sensitivity {
			if s.Metric != metric {
				continue
			}
			some = true
			if text, ok := interval(result.Summary{Metric: metric, Median: s.Value, Low: s.Low, High: s.High}, digits); ok {
				return text
			}
			return unavailable
		}
		return ""
	})
	if !some {
		return nil
	}
	return []column{c}
}

// sensitive says which predictions depend on the scheduler's costs so much that a reader must know; where none does
// it says that.
func sensitive(rows []compare.Row) []string {
	var texts []string
	some := false
	for _, r := range rows {
		worst := -1 // one sentence for each row: throughput and latency say the same
		for i, s := range r.Sensitivity {
			some = true
			if s.Matters() && (worst < 0 || r.Sensitivity[worst].Share.Known() && !(s.Share <= r.Sensitivity[worst].Share)) {
				worst = i
			}
		}
		if worst >= 0 {
			texts = append(texts, r.Sensitivity[worst].Text())
		}
	}
	if some && texts == nil {
		texts = []string{"no prediction changes by more than 2 % if one of the scheduler's costs is half or twice what it is"}
	}
	return texts
}

// sensitivities writes what sensitive says.
func sensitivities(b *strings.Builder, rows []compare.Row, st Style) {
	texts := sensitive(rows)
	if texts == nil {
		return
	}
	heading(b, rows[0].Workload+": what the costs of the scheduler do", "each x 1/2 and x 2, all else equal", st)
	for _, text := range texts {
		words := strings.Fields(st.ascii(text))
		words[0] = "  " + words[0]
		wrap(b, words, " ", 4, st.width())
	}
}

package report

import (
	"fmt"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// LoneMetrics names the metrics that only one side has for benchmarks that both have.
func LoneMetrics(b *compare.BenchComparison) (notes []string) {
	for _, m := range b.UnmatchedMetrics() {
		for _, only := range []struct {
			side string
			rows []compare.Row
		}{{"old", m.OnlyB}, {"new", m.OnlyA}} {
			if len(only.rows) > 0 {
				notes = append(notes, fmt.Sprintf("%s only in the %s: %s", metricHead(m.Metric), only.side,
					compare.CaseNames(only.rows)))
			}
		}
	}
	return notes
}

// SideTitle names the files or runs of a side.
func SideTitle(s compare.Side) string {
	if len(s.Paths) == 1 {
		return s.Name
	}
	return fmt.Sprintf("%s (%s)", result.Count(len(s.Paths), map[bool]string{true: "file", false: "run"}[s.Files]),
		strings.Join(s.Paths, ", "))
}

package report

import (
	"slices"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// TestFailedColumn: a column shows the share of the requests that failed, if any did in most trials of a row.
func TestFailedColumn(t *testing.T) {
	row := func(design string, open bool, metrics map[string]float64) compare.Row {
		for _, name := range []string{result.Throughput, result.LatencyMean, "arrived", "offered_per_s"} {
			metrics[name] = 200
		}
		return compare.Row{Workload: "http", Design: design, World: result.Live, Open: open, N: 6,
			Metrics: summaries(0, 6, metrics)}
	}
	cells := func(rows ...compare.Row) (texts []string, notes bool) {
		f := frames(rows)[0]
		columns := f.columns()
		for _, c := range columns {
			if c.head == "failed" {
				for _, x := range c.cells {
					texts = append(texts, x.text)
				}
			}
		}
		return texts, slices.Contains(f.footnotes(columns),
			noQuantile+" : in some trial, too few requests for this quantile, or too many lost")
	}
	for _, c := range frames([]compare.Row{row("a", false, map[string]float64{})})[0].columns() {
		if c.head == "lines" {
			t.Error("lines of code are known of no row, but have a column")
		}
	}
	for _, open := range []bool{false, true} {
		some := map[string]float64{result.ErrorShare: 0.125, result.FailedRequests: 25}
		none := map[string]float64{result.ErrorShare: 0, result.FailedRequests: 0}
		got, notes := cells(row("a", open, some), row("b", open, none))
		if !slices.Equal(got, []string{"12.5%", "0.0%"}) || !notes {
			t.Errorf("open %t: %q, footnote %t", open, got, notes)
		}
		if got, _ = cells(row("b", open, none), row("local", open, map[string]float64{})); got != nil {
			t.Errorf("open %t: no request failed, but the column is %q", open, got)
		}
	}
}

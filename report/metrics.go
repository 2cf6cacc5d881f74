package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// ownMetrics returns the rows with metrics that the designs measure themselves, and the names of these metrics.
func (f *frame) ownMetrics() (rows []compare.Row, names []string) {
	for _, r := range f.rows {
		own := slices.DeleteFunc(slices.Collect(maps.Keys(r.Metrics)), common)
		if r.N > 0 && len(own) > 0 {
			rows, names = append(rows, r), append(names, own...)
		}
	}
	slices.Sort(names)
	return rows, slices.Compact(names)
}

// ofServers are the prefixes of metrics that the contract defines, but that only designs with servers have.
var ofServers = []string{"errors_", "status_", "code_", "connections", "resent", "sent_bytes", "received_bytes",
	result.ServerCPUSeconds}

// common reports whether other parts of the page are about a metric, because designs of any kind may have it.
func common(metric string) bool {
	ofServer := func(prefix string) bool { return strings.HasPrefix(metric, prefix) }
	return result.KnownMetric(metric) && !slices.ContainsFunc(ofServers, ofServer)
}

// writeMetrics writes the metrics that the designs measure themselves, by their names in JSON.
func writeMetrics(b *strings.Builder, f *frame, st Style) {
	rows, names := f.ownMetrics()
	if len(rows) == 0 {
		return
	}
	columns := f.labels()
	for _, r := range rows {
		f.label(columns, r)
	}
	own, average := frame{rows: rows}, "medians"
	if f.virtual() {
		average = "means"
	}
	for i, name := range names {
		c := own.column("", name, func(r compare.Row) string {
			s, has := r.Metrics[name]
			if !has || f.predicted(r) && r.FailedCondition != nil {
				return ""
			}
			return number(withMean(s).Median, result.UnitOf(name), fewDigits)
		})
		c.drop = i + 1
		if !slices.ContainsFunc(rows, func(r compare.Row) bool { return withMean(r.Metrics[name]).Median != 0 }) {
			c.drop += len(names) // a metric that is 0 in all rows says least
		}
		columns = append(columns, c)
	}
	writeHeading(b, f.rows[0].Workload+": metrics of the designs", average, st)
	writeTable(b, columns, func([]column) []string { return nil }, st)
}

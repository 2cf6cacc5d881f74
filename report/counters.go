package report

import (
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// jobCounters are the counters that explain the times of jobs. Those of a design's own are in the part metrics.
var jobCounters = []struct {
	group, head, metric string
	drop                int
}{
	{"CPU time", "user", "cpu_user_seconds", 0}, {"CPU time", "system", "cpu_system_seconds", 0},
	{"system calls", "read", "read_calls", 0}, {"system calls", "write", "write_calls", 3},
	{"allocated", "objects", "allocs", 1}, {"allocated", "bytes", "alloc_bytes", 2},
}

// counterColumns returns the columns of what the system and the runtime counted while the jobs ran. It returns nil if
// nothing was counted.
func (f *frame) counterColumns() []column {
	if !f.job || !f.known(jobCounters[0].metric) {
		return nil
	}
	columns := f.labels()
	rows := slices.DeleteFunc(slices.Clone(f.rows),
		func(r compare.Row) bool { return r.N == 0 || r.World == result.Virtual })
	for _, r := range rows {
		f.label(columns, r)
	}
	measured := frame{rows: rows}
	for _, x := range jobCounters {
		c := measured.metricColumn(x.group, x.head, x.metric, fewDigits)
		c.drop = x.drop
		columns = append(columns, c)
	}
	return columns
}

// writeCounters writes the counters that explain the times of jobs.
func writeCounters(b *strings.Builder, f *frame, st Style) {
	if columns := f.counterColumns(); columns != nil {
		writeHeading(b, f.rows[0].Workload+": counters of the jobs", "medians; child processes included", st)
		writeTable(b, columns, func([]column) []string { return nil }, st)
	}
}

package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// writeResources writes what the instrumented trials measured for the busiest resource of each row, or for all.
func writeResources(b *strings.Builder, f *frame, st Style) {
	if !slices.ContainsFunc(f.rows, func(r compare.Row) bool { return len(r.Resources) > 0 }) {
		return
	}
	writeHeading(b, f.rows[0].Workload+": resources",
		f.instrumentedRemark("from instrumented trials, which no other table includes"), st)

	labels := f.labels()
	columns := append(labels,
		column{head: "resource", left: true}, column{head: "kind", left: true}, column{head: "count", drop: 3},
		column{head: "busy"}, column{group: "mean", head: "use", drop: 4}, column{group: "mean", head: "wait"},
		column{head: "waited", drop: 1},
		column{head: "violations"}, column{head: "occupied"})

	for _, r := range f.rows {
		shown := r.Resources
		if !st.shows("all-resources") {
			shown = busiest(shown)
		}
		for i, x := range shown {
			if i == 0 {
				f.label(columns, r)
			} else {
				for j := range labels {
					columns[j].add("", plain) // a row's name is written once for all its resources
				}
			}
			addResource(columns[len(labels):], x)
		}
	}

	// Columns that say nothing are dropped, and so are violations if there are none.
	calm := !slices.ContainsFunc(f.rows, violated)
	columns = slices.DeleteFunc(columns, func(c column) bool {
		return calm && c.head == "violations" ||
			!slices.ContainsFunc(c.cells, func(x cell) bool { return x.text != "" && x.text != noQuantile })
	})
	writeTable(b, columns, func([]column) []string {
		if s := slowDownText(f.rows); s != "" {
			return []string{s}
		}
		return nil
	}, st)
}

// busiest returns the resource with the highest utilization. Equals are decided by the mean wait, and so are
// resources without a utilization. One with violations comes first.
func busiest(list []result.Resource) []result.Resource {
	value := func(x *float64) float64 {
		if x == nil {
			return -1
		}
		return *x
	}
	if len(list) == 0 {
		return nil
	}
	return []result.Resource{slices.MaxFunc(list, func(a, b result.Resource) int {
		return cmp.Or(cmp.Compare(a.Violations, b.Violations),
			cmp.Compare(value(a.Utilization), value(b.Utilization)),
			cmp.Compare(value(a.WaitMeanNs), value(b.WaitMeanNs)))
	})}
}

// violated reports whether two users were in a station of the row at once.
func violated(r compare.Row) bool {
	return slices.ContainsFunc(r.Resources, func(x result.Resource) bool { return x.Violations > 0 })
}

// addResource fills the columns after the labels. Cells that do not apply to the kind of resource stay empty.
func addResource(columns []column, x result.Resource) {
	share := func(p *float64) string {
		if p == nil {
			return ""
		}
		return percentCell(*p)
	}

	use, wait, waited, violations, occupied := "", "", "", "", ""
	if x.BusyMeanNs != nil {
		use = number(result.Value(*x.BusyMeanNs), result.Nanoseconds, fewDigits)
	}
	if x.WaitMeanNs != nil {
		wait = number(result.Value(*x.WaitMeanNs), result.Nanoseconds, fewDigits)
	}
	if x.Uses > 0 && x.Kind != "station" { // goroutines wait for a station at its lock or channel
		waited = percentCell(float64(x.Waits) / float64(x.Uses))
		if x.RecvWaits != nil { // sending and receiving are two different waits
			waited += " / " + percentCell(float64(*x.RecvWaits)/float64(x.Uses))
		}
	}

	if x.Kind == "station" {
		violations = strconv.FormatInt(x.Violations, 10)
	}
	if x.Occupancy != nil && x.Capacity != nil {
		occupied = strconv.FormatFloat(*x.Occupancy, 'f', 2, 64) + " of " + strconv.Itoa(*x.Capacity)
	}

	texts := []string{x.Name, x.Kind, strconv.Itoa(x.Count), share(x.Utilization), use, wait, waited, violations,
		occupied}
	for i, text := range texts {
		t := plain
		if i == 7 && x.Violations > 0 {
			t = alarm
		}
		columns[i].add(text, t)
	}
}

// slowDownText states the cost of instrumentation, from the least to the most affected row.
func slowDownText(rows []compare.Row) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		if v := float64(r.SlowDown); v > 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	from, to := fmt.Sprintf("%.2f", low), fmt.Sprintf("%.2f", high)
	switch {
	case math.IsInf(low, 1):
		return ""
	case from == to:
		return "an operation took " + from + " times as long in instrumented trials"
	default:
		return "an operation took " + from + " to " + to + " times as long in instrumented trials"
	}
}

// profiled reports whether the instrumented trials took CPU profiles.
func (f *frame) profiled() bool {
	return slices.ContainsFunc(f.rows, func(r compare.Row) bool { _, found := r.CPUTime["channel"]; return found })
}

// writeCPUTime writes the breakdown of CPU time in the instrumented trials.
func writeCPUTime(b *strings.Builder, f *frame, st Style) {
	if !slices.ContainsFunc(f.rows, func(r compare.Row) bool { return len(r.CPUTime) > 0 }) {
		return
	}
	writeHeading(b, f.rows[0].Workload+": core-seconds", "how the instrumented trials used them", st)

	columns := f.labels()
	names := []string{"useful", "runtime", "gc", "idle"}
	if f.profiled() {
		names = []string{"useful", "channel", "scheduler", "gc", "idle"}
	}
	for _, name := range names {
		columns = append(columns, column{head: name})
	}

	first := len(columns) - len(names)
	for _, r := range f.rows {
		if len(r.CPUTime) == 0 {
			continue
		}
		f.label(columns, r)
		for i, name := range names {
			if v, ok := r.CPUTime[name]; ok && v.Known() {
				columns[first+i].add(percentCell(float64(v)), plain)
			} else {
				columns[first+i].add(unavailable, dim)
			}
		}
	}
	render(b, columns, st)
}

// instrumentedRemark returns a remark on instrumented trials. Virtual time needs none.
func (f *frame) instrumentedRemark(remark string) string {
	if f.rows[0].World == result.Virtual {
		return ""
	}
	return remark
}

package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/brewput/brewput/result"
)

// Calibration writes the scheduler's costs on a machine and the price ladder. The page begins with about.
func Calibration(w io.Writer, about []string, c result.Calibration, st Style) error {
	var b strings.Builder
	head := make([]string, len(about))
	for i, s := range about {
		head[i] = st.text(s)
	}
	wrap(&b, head, st.pick(" · ", ", "), 0, st.width())
	b.WriteString("\n")
	writeCosts(&b, c, st)
	writeHandOvers(&b, c, st)
	writeLadder(&b, c, st)
	for _, text := range c.Warnings {
		b.WriteString("\n")
		wrap(&b, st.split("warning: "+text), " ", 2, st.width())
	}
	return st.emit(w, b.String())
}

// timeCell prints a time of a calibration.
func timeCell(v result.Value) cell {
	if !v.Known() {
		return cell{unavailable, dim}
	}
	return cell{number(v, result.Nanoseconds, fewDigits), plain}
}

// estimateCells prints a median and its interval.
func estimateCells(e result.Estimate) (median, ends cell) {
	s := result.Summary{Metric: "wall_ns", Median: e.Median, Low: e.Low, High: e.High}
	text, _ := interval(s, fewDigits)
	return timeCell(e.Median), cell{text, dim}
}

// millisecondShare prints the time of a 1 ms burn as a share of 1 ms.
func millisecondShare(v result.Value) cell { return cell{percentCell(float64(v) / 1e6), plain} }

// writeCosts writes the table of costs.
func writeCosts(b *strings.Builder, c result.Calibration, st Style) {
	columns := []column{
		{head: "cost", left: true}, {head: "median"}, {head: "95% interval", drop: 2}, {head: "10%", drop: 3},
		{head: "90%", drop: 3},
		{group: "microprogram", head: "reading", left: true, drop: 1}, {group: "microprogram", head: "live", drop: 1},
		{group: "microprogram", head: "virtual", drop: 1},
	}

	for _, p := range c.Prices {
		median, ends := estimateCells(p.Estimate)
		low, high := cell{}, cell{}
		if p.P10.Known() {
			low, high = timeCell(p.P10), timeCell(p.P90)
		}
		if p.Cost == "burn" {
			median, low, high = millisecondShare(p.Median), millisecondShare(p.P10), millisecondShare(p.P90)
			ends = cell{fmt.Sprintf("[%.1f, %.1f]", float64(p.Low)/1e4, float64(p.High)/1e4), dim}
		}
		addRow(columns, cell{p.Cost, plain}, median, ends, low, high, cell{p.Reading, plain}, timeCell(p.Live),
			timeCell(p.Virtual))
	}

	writeTable(b, columns, func([]column) []string {
		return []string{fmt.Sprintf("medians of %d rounds in fresh processes, %.0f s; costs with 10%% and 90%% are "+
			"drawn from their distribution", c.Rounds, c.Seconds)}
	}, st)
}

// writeHandOvers writes the table that compares simulated with live hand-overs.
func writeHandOvers(b *strings.Builder, c result.Calibration, st Style) {
	if len(c.HandOvers) == 0 {
		return
	}
	writeHeading(b, "hand-over", "from runnable to running on an idle CPU", st)
	columns := []column{
		{head: "CPU was idle for", left: true}, {head: "cost", left: true, drop: 1},
		{group: "median", head: "live"}, {group: "median", head: "virtual"}, {group: "90%", head: "live", drop: 2},
		{group: "90%", head: "virtual", drop: 2},
		{group: "99%", head: "live"}, {group: "99%", head: "virtual"},
	}
	for _, h := range c.HandOvers {
		_, idle, _ := strings.Cut(h.Reading, "@")
		cells := []cell{{strings.Replace(idle, "..", " to ", 1), plain}, {cmp.Or(h.Cost, "all"), plain}}
		for _, v := range []result.Value{h.Live.P50, h.Virtual.P50, h.Live.P90, h.Virtual.P90, h.Live.P99,
			h.Virtual.P99} {
			cells = append(cells, timeCell(v))
		}
		addRow(columns, cells...)
	}
	writeTable(b, columns, func([]column) []string { return nil }, st)
}

// writeLadder writes the table of operations alone and shared.
func writeLadder(b *strings.Builder, c result.Calibration, st Style) {
	if len(c.Ladder) == 0 {
		return
	}
	writeHeading(b, "price ladder", "per operation, for its own goroutine", st)
	columns := []column{
		{head: "operation", left: true}, {group: "alone on its CPU", head: "median"},
		{group: "alone on its CPU", head: "95% interval", drop: 1},
		{group: "with another CPU", head: "median"}, {group: "with another CPU", head: "95% interval", drop: 1},
	}
	for _, r := range c.Ladder {
		same, sameEnds := estimateCells(r.Same)
		other, otherEnds := estimateCells(r.Other)
		addRow(columns, cell{r.Operation, plain}, same, sameEnds, other, otherEnds)
	}
	writeTable(b, columns, func([]column) []string { return nil }, st)
}

// addRow adds one cell to each of the columns.
func addRow(columns []column, cells ...cell) {
	for i, x := range cells {
		columns[i].cells = append(columns[i].cells, x)
	}
}

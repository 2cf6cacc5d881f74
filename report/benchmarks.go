package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// Benchmarks is a page of Go benchmarks: what they measured or how two sides compare, and how they scale.
type Benchmarks struct {
	Title       string
	How         string // how the sides are compared; "" without a comparison
	A, B        string // names of the sides: head and base, or new and old; "" for levels of a factor
	ARun, BRun  string // paths of two runs or files; several on a side are separated by commas
	RunsA       int    // number of runs or files on a side, if one has several
	RunsB       int
	Workload    string              // package of two runs; "" if they have several
	Paired      bool                // the lines of two runs were measured in the same blocks
	Differences []result.Difference // settings in which two runs differ
	OnlyA       []compare.Row       // rows that only one of two runs has
	OnlyB       []compare.Row
	Rows        []compare.Row            // of two sides, the rows of A
	Metrics     []compare.MetricVerdicts // in the order of the tables
	Scalings    []compare.Scaling
	Notes       []string // sentences about the run
	Broken      []result.Broken
	Warnings    []compare.Warning
}

// metricHeads are the headings of the metrics that Brewput names differently from go test.
var metricHeads = map[string]string{
	result.TimePerOp: "time/op", result.AllocedPerOp: "B/op", result.AllocsPerOp: "allocs/op", result.BytesRate: "B/s",
	result.CPUPerOp: "CPU/op",
}

// metricHead returns the heading of a metric. A metric that a benchmark reports itself keeps its name.
func metricHead(metric string) string {
	if h, ok := metricHeads[metric]; ok {
		return h
	}
	return metric
}

// benchDigits is the number of significant digits of medians.
const benchDigits = 4

// formatValue prints a metric's value. Counts have no unit, because the heading names it.
func formatValue(v result.Value, metric string) string {
	u := result.UnitOf(metric)
	switch u {
	case result.PerOp:
		u = ""
	case result.BytesPerOp, result.BytesPerSec:
		u = "B"
	}
	return number(v, u, benchDigits)
}

// Table writes the page for people.
func (p Benchmarks) Table(w io.Writer, st Style) error {
	var b strings.Builder
	wrap(&b, st.split(p.Title), " ", 2, st.width())
	if len(p.Rows) == 0 && len(p.Metrics) == 0 && p.ARun == "" {
		b.WriteString("No trial finished, so there is nothing to show.\n")
	}

	f := p.frame()
	if len(p.Rows) > 0 && len(p.Metrics) == 0 {
		blankLine(&b)
		writeShared(&b, f.shared[1:], st)
		writeTable(&b, p.columns(f), f.footnotes, st)
	}

	if p.How != "" {
		wrap(&b, st.split(p.How), " ", 0, st.width())
	}
	for _, m := range p.Metrics {
		text := equalText(verdictsOf(m))
		if text == "" && m.Metric != result.TimePerOp && !st.shows("equivalent") {
			text = equivalentText(verdictsOf(m))
		}
		if text != "" {
			writeHeading(&b, metricHead(m.Metric), text, st)
			continue
		}
		writeHeading(&b, metricHead(m.Metric), familyErrorText(verdictsOf(m)), st)
		p.writeComparisons(&b, m, st)
	}

	p.writeScalings(&b, st)
	if st.shows("plots") {
		writeSpeedups(&b, p.Scalings, st)
	}
	p.writeEnd(&b, st)
	writeAnswer(&b, p.answer(), st)
	return st.emit(w, b.String())
}

// answer is the last part of the page.
func (p Benchmarks) answer() []string {
	if p.ARun != "" && len(p.Metrics) == 0 {
		return []string{"Nothing can be compared: each side needs at least 2 results of the same benchmark (go test " +
			"-count 2)."}
	}
	return compare.BenchAnswer(p.Metrics, p.Rows, p.Scalings, metricHead)
}

// writeScalings writes a line for each benchmark that something keeps from scaling, or all about all of them.
func (p Benchmarks) writeScalings(b *strings.Builder, st Style) {
	text, list := scalingLine, slices.DeleteFunc(slices.Clone(p.Scalings), func(s compare.Scaling) bool {
		return !s.Unscaled()
	})
	if st.shows("scaling") {
		text, list = scalingText, p.Scalings
	}
	for i, s := range list {
		if i == 0 {
			remark := ""
			if slices.ContainsFunc(list, func(s compare.Scaling) bool { return s.Low.Known() }) {
				remark = "95% intervals, paired by block"
			}
			writeHeading(b, "how they scale", remark, st)
		}
		wrap(b, st.split(text(s)), " ", 2, st.width())
	}
	for _, s := range list {
		if s.Speedup < 1 && s.Unscaled() && len(s.Curve) > 0 {
			wrap(b, st.split("find out why: "+explainCommand(s)), " ", 2, st.width())
			return
		}
	}
}

// writeEnd writes the notes, errors and warnings of the whole run.
func (p Benchmarks) writeEnd(b *strings.Builder, st Style) {
	writeParagraphs(b, p.notes(), st)
	writeMessages(b, "errors", alarm, nil, p.Rows, func(r compare.Row) []string { return r.Errors }, st)
	writeMessages(b, "warnings", caution, p.Warnings, p.Rows, func(r compare.Row) []string { return r.Warnings }, st)
}

// frame returns the frame of all rows, or nil if there are none.
func (p Benchmarks) frame() *frame {
	if len(p.Rows) == 0 {
		return nil
	}
	f := frames(p.Rows)[0]
	return &f
}

// benchmarkColumns returns the columns that name the rows. Names of benchmarks may be as long as a page is wide.
func (f *frame) benchmarkColumns() []column {
	columns := f.labels()
	columns[0].head, columns[0].liftable = "benchmark", true
	for _, r := range f.rows {
		f.label(columns, r)
	}
	return columns
}

// columns returns the columns of a table without comparisons.
func (p Benchmarks) columns(f *frame) []column {
	columns := f.benchmarkColumns()
	if f.trials == 0 {
		columns = append(columns, f.column("", "trials", func(r compare.Row) string { return fmt.Sprint(trials(r)) }))
	}

	columns = append(columns, f.column("time/op", "median",
		func(r compare.Row) string { return metricCell(r, result.TimePerOp) }),
		f.column("time/op", "95% interval", func(r compare.Row) string {
			if text, ok := interval(r.Metric(result.TimePerOp), benchDigits); ok {
				return text
			}
			return map[bool]string{true: noInterval}[r.N > 0]
		}))

	for _, metric := range p.otherMetrics(f) {
		c := f.column("", metricHead(metric), func(r compare.Row) string { return metricCell(r, metric) })
		c.drop = 2
		columns = append(columns, c)
	}

	if f.known(result.CPUPerOp) {
		used := f.column("CPUs", "used", func(r compare.Row) string {
			x := float64(r.Metric(result.CPUPerOp).Median / r.Metric(result.TimePerOp).Median)
			if r.N == 0 || !(x >= 0) {
				return ""
			}
			return fmt.Sprintf("%.2f", x)
		})
		used.drop = 1
		columns = append(columns, used)
	}

	if note := f.noteColumn(); note.cells != nil {
		columns = append(columns, note)
	}
	return columns
}

// metricCell prints a row's median, or "" if the row does not have the metric.
func metricCell(r compare.Row, metric string) string {
	if _, has := r.Metrics[metric]; !has || r.N == 0 {
		return ""
	}
	return formatValue(r.Metric(metric).Median, metric)
}

// otherMetrics returns the metrics other than time that some benchmark reports. Metrics of the benchmarks' own come
// last.
func (p Benchmarks) otherMetrics(f *frame) []string {
	var names []string
	for _, metric := range []string{result.BytesRate, result.AllocedPerOp, result.AllocsPerOp} {
		if f.known(metric) {
			names = append(names, metric)
		}
	}
	return append(names, compare.CustomMetrics(f.rows)...)
}

package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// Benchmarks are Go benchmarks on a page: what they measured, or two sides of it beside each other, and how they scale.
type Benchmarks struct {
	Title    string
	How      string        // how the sides are compared; "" where nothing is
	A, B     string        // names of the sides: head and base, or two files
	Rows     []compare.Row // of two sides, those of A
	Metrics  []BenchMetric // in the order of tables
	Scalings []compare.Scaling
	Notes    []string // sentences about the run
	Warnings []compare.Warning
}

// BenchMetric is a metric that sides are compared by.
type BenchMetric struct {
	Name           string
	Sides          []compare.Sides
	Verdicts       []compare.Verdict
	Geomean        result.Value
	GeoLow, GeoTop result.Value
	Pairs          int // behind the geometric mean
}

// metricHeads are the headings of metrics that have another name of ours.
var metricHeads = map[string]string{
	result.TimePerOp: "time/op", result.AllocedPerOp: "B/op", result.AllocsPerOp: "allocs/op", result.BytesRate: "B/s",
	result.CPUPerOp: "CPU/op",
}

// metricHead is a metric's heading: a metric of the benchmark's own is called as it calls it.
func metricHead(metric string) string {
	if h, ok := metricHeads[metric]; ok {
		return h
	}
	return metric
}

// benchDigits are those of medians.
const benchDigits = 4

// value prints a metric's value; counts need no unit, which their heading has.
func value(v result.Value, metric string) string {
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
	wrap(&b, strings.Fields(st.ascii(p.Title)), " ", 2, st.width())
	if len(p.Rows) == 0 && len(p.Metrics) == 0 {
		b.WriteString("No trial ended: there is nothing to show.\n")
	}
	f := p.frame()
	if len(p.Rows) > 0 && len(p.Metrics) == 0 {
		blank(&b)
		sharing(&b, f.shared[1:], st)
		fitted(&b, p.columns(f), func([]column) []string { return nil }, st)
	}
	if p.How != "" {
		wrap(&b, strings.Fields(p.How), " ", 0, st.width())
	}
	for _, m := range p.Metrics {
		heading(&b, metricHead(m.Name), chance(m), st)
		if text, quiet := m.quiet(); quiet {
			b.WriteString(text + "\n")
			continue
		}
		fitted(&b, p.contrast(m), func([]column) []string { return nil }, st)
		for _, v := range m.Verdicts {
			if v.Verdict == compare.Undecided {
				wrap(&b, strings.Fields(st.ascii("  "+undecided(v))), " ", 4, st.width())
			}
		}
	}
	if len(p.Scalings) > 0 {
		heading(&b, "how they scale", "95 % intervals, paired by block", st)
		for _, s := range p.Scalings {
			wrap(&b, strings.Fields(st.ascii(scaled(s))), " ", 2, st.width())
		}
	}
	speedups(&b, p.Rows, st)
	p.ends(&b, st)
	_, err := io.WriteString(w, b.String())
	return err
}

// ends writes what is to be known about the run as a whole.
func (p Benchmarks) ends(b *strings.Builder, st Style) {
	for i, n := range p.Notes {
		if i == 0 {
			blank(b)
		}
		wrap(b, strings.Fields(st.ascii(n)), " ", 2, st.width())
	}
	messages(b, "errors", alarm, nil, p.Rows, func(r compare.Row) []string { return r.Errors }, st)
	messages(b, "warnings", caution, p.Warnings, p.Rows, func(r compare.Row) []string { return r.Warnings }, st)
}

// frame is that of all rows; nil where there are none.
func (p Benchmarks) frame() *frame {
	if len(p.Rows) == 0 {
		return nil
	}
	f := frames(p.Rows)[0]
	return &f
}

// benchmarks are the columns that name the rows of benchmarks, whose names may be as long as a page is wide.
func (f *frame) benchmarks() []column {
	columns := f.labels()
	columns[0].head, columns[0].lifts = "benchmark", true
	for _, r := range f.rows {
		f.label(columns, r)
	}
	return columns
}

// columns are those of a table without comparisons.
func (p Benchmarks) columns(f *frame) []column {
	columns := f.benchmarks()
	if f.trials == 0 {
		columns = append(columns, f.column("", "trials", func(r compare.Row) string { return fmt.Sprint(trials(r)) }))
	}
	columns = append(columns, f.column("time/op", "median", func(r compare.Row) string { return cellOf(r, result.TimePerOp) }),
		f.column("time/op", "95 % interval", func(r compare.Row) string {
			if text, ok := interval(r.Metric(result.TimePerOp), benchDigits); ok {
				return text
			}
			return map[bool]string{true: noInterval}[r.N > 0]
		}))
	for _, metric := range p.others(f) {
		c := f.column("", metricHead(metric), func(r compare.Row) string { return cellOf(r, metric) })
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

func cellOf(r compare.Row, metric string) string {
	if _, has := r.Metrics[metric]; !has || r.N == 0 {
		return ""
	}
	return value(r.Metric(metric).Median, metric)
}

// others are the metrics beside time that some benchmark reports, those of its own last.
func (p Benchmarks) others(f *frame) []string {
	var names []string
	for _, metric := range []string{result.BytesRate, result.AllocedPerOp, result.AllocsPerOp} {
		if f.known(metric) {
			names = append(names, metric)
		}
	}
	return append(names, OwnMetrics(f.rows)...)
}

// OwnMetrics are the metrics that benchmarks themselves report, in the order of their names.
func OwnMetrics(rows []compare.Row) []string {
	ours := []string{result.Throughput, result.BytesRate, result.TimePerOp, result.AllocedPerOp, result.AllocsPerOp, result.CPUPerOp,
		result.MutexPerOp, result.GCPerOp, result.SchedPerOp, result.CPUSeconds, result.Parallelism, "steal_seconds", "machine_cpu_seconds",
		"throttled_periods", "load1"}
	var names []string
	for i := range rows {
		for name := range rows[i].Metrics {
			if !slices.Contains(ours, name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// quiet reports whether all pairs are exactly equal, and says so in a line.
func (m BenchMetric) quiet() (string, bool) {
	for _, v := range m.Verdicts {
		if !v.Exact || v.Ratio != 1 {
			return "", false
		}
	}
	if len(m.Verdicts) == 1 {
		return "equal", len(m.Verdicts) > 0
	}
	return fmt.Sprintf("equal in all %d", len(m.Verdicts)), len(m.Verdicts) > 0
}

// chance is what the verdicts of a metric promise together.
func chance(m BenchMetric) string {
	n := 0
	for _, v := range m.Verdicts {
		if !v.Exact {
			n++
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "the chance of a false difference is at most 5 %"
	}
	return fmt.Sprintf("the chance of a false difference among these %d is at most 5 %%", n)
}

// contrast are the columns of a table of two sides.
func (p Benchmarks) contrast(m BenchMetric) []column {
	var rows []compare.Row
	for _, v := range m.Verdicts {
		rows = append(rows, compare.Row{Workload: v.Workload, World: v.World, Design: v.A, Point: v.Point})
	}
	var columns []column
	if len(rows) > 0 {
		columns = frames(rows)[0].benchmarks()
	}
	between := column{head: "", left: true}
	before, after := column{group: metricHead(m.Name), head: p.B}, column{group: metricHead(m.Name), head: p.A}
	group := p.A + " / " + p.B
	if p.A == "" {
		before.head, after.head, group = "first", "second", "second / first"
	}
	ratios, intervals := column{group: group, head: "ratio"}, column{group: group, head: "95 % interval"}
	blocks, verdicts := column{head: "n", drop: 1}, column{head: "verdict", left: true}
	for _, v := range m.Verdicts {
		between.add(levelsOf(v), plain)
		a, b := m.medians(v)
		before.add(value(b, m.Name), plain)
		after.add(value(a, m.Name), plain)
		ratios.add(ratio(v.Ratio)+"x", plain)
		switch {
		case v.Exact:
			intervals.add("exact", dim)
		default:
			intervals.add(inBrackets(v.Low, v.High), plain)
		}
		n := fmt.Sprint(v.N)
		if !v.Paired {
			n = fmt.Sprintf("%d, %d", v.NB, v.NA)
		}
		blocks.add(n, plain)
		verdicts.add(v.Verdict, tones[v.Verdict])
	}
	if p.A == "" {
		columns = append(columns, between)
	}
	columns = append(columns, before, after, ratios, intervals, blocks, verdicts)
	if m.Pairs > 1 {
		geomean(columns, m)
	}
	return columns
}

// tones are those of verdicts.
var tones = map[string]tone{compare.Slower: alarm, compare.Worse: alarm, compare.Undecided: caution}

// geomean adds a last line with the geometric mean of the ratios.
func geomean(columns []column, m BenchMetric) {
	for i := range columns {
		text := ""
		switch {
		case i == 0:
			text = "geomean"
		case columns[i].head == "ratio":
			text = ratio(m.Geomean) + "x"
		case columns[i].head == "95 % interval" && m.GeoLow.Known():
			text = inBrackets(m.GeoLow, m.GeoTop)
		}
		columns[i].add(text, bold)
	}
}

// medians are those of the two sides of a verdict.
func (m BenchMetric) medians(v compare.Verdict) (a, b result.Value) {
	for _, s := range m.Sides {
		if s.A.Design != v.A || s.B.Design != v.B {
			continue
		}
		if both, onlyA, onlyB := compare.Split(s.A.Point, s.B.Point); both.String() == v.Point.String() &&
			onlyA.String() == v.OnlyA.String() && onlyB.String() == v.OnlyB.String() {
			return s.A.Metric(m.Name).Median, s.B.Metric(m.Name).Median
		}
	}
	return result.Unavailable, result.Unavailable
}

// levelsOf names the two levels that a verdict within a run compares: the first, then the second.
func levelsOf(v compare.Verdict) string {
	first, second := points(v.OnlyB, nil), points(v.OnlyA, nil)
	if first == "" && second == "" {
		return ""
	}
	return first + ", " + second
}

// undecided says what would decide a comparison.
func undecided(v compare.Verdict) string {
	where := v.A
	if at := points(v.Point, nil); at != "" {
		where += " (" + at + ")"
	}
	if v.Layouts > 0 {
		return fmt.Sprintf("%s: undecided by %d layouts; more layouts decide more than more blocks do", where, v.Layouts)
	}
	return where + ": undecided; " + prospect(v)
}

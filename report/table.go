package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// Significant digits: of the measure that designs are judged by, and of the others.
const (
	digits    = 4
	fewDigits = 3

	exactly    = "exact"
	noInterval = "±?"
	noQuantile = "-"
)

// The other metrics of the table.
const (
	latencyP95 = "latency_p95_ns"
	latencyP99 = "latency_p99_ns"
)

// measure is the metric that a table is about, with its heading.
func (f *frame) measure() (metric, heading string) {
	switch {
	case f.job:
		return result.WallSeconds, "wall time"
	case f.open:
		return result.ResponseP50, "median response"
	}
	return result.Throughput, "throughput"
}

// known reports whether some row has the metric.
func (f *frame) known(metric string) bool {
	return slices.ContainsFunc(f.rows, func(r compare.Row) bool { return r.Metric(metric).Median.Known() })
}

// columns are the main table's.
func (f *frame) columns() []column {
	columns := f.labels()
	for _, r := range f.rows {
		f.label(columns, r)
	}
	if f.trials == 0 {
		columns = append(columns, f.column("", "trials", func(r compare.Row) string { return strconv.Itoa(trials(r)) }))
	}
	if f.open {
		columns = append(columns, f.openColumns()...)
	} else {
		columns = append(columns, f.measureColumns()...)
	}
	columns = append(columns, f.besideColumn()...)
	columns = append(columns, f.formulaColumns()...)
	columns = append(columns, f.twinColumns()...)
	if f.job {
		for i, metric := range []string{result.ItemsRate, result.BytesRate} {
			if f.known(metric) {
				c := f.metricColumn("", []string{"items/s", "bytes/s"}[i], metric, fewDigits)
				c.drop = 2 + i
				columns = append(columns, c)
			}
		}
	} else if !f.open {
		columns = append(columns, f.latencyColumns()...)
	}
	used := f.metricColumn("CPUs", "used", result.Parallelism, fewDigits)
	used.drop = 4
	lines := f.column("", "lines", lines)
	lines.drop = 1
	if f.open { // a price for which the times pay: they matter more
		lines.drop = 3
	}
	columns = append(columns, used, lines)
	if note := f.noteColumn(); note.cells != nil {
		columns = append(columns, note)
	}
	return columns
}

// measureColumns are the median and, where some row has one, its interval.
func (f *frame) measureColumns() []column {
	metric, heading := f.measure()
	average := "median"
	if f.virtual() {
		average = "mean"
	}
	columns := []column{f.column(heading, average, func(r compare.Row) string {
		switch {
		case r.N == 0:
			return ""
		case f.predicted(r) && r.Refusal != nil:
			return notModelled
		}
		return number(mean(r.Metric(metric)).Median, result.UnitOf(metric), digits)
	})}
	some := false
	c := f.column(heading, "95% interval", func(r compare.Row) string {
		if r.N == 0 || f.predicted(r) && r.Refusal != nil {
			return ""
		}
		s := r.Metric(metric)
		if s.Exact {
			some = true
			return exactly
		}
		text, ok := interval(mean(s), digits)
		if !ok {
			return noInterval
		}
		some = true
		if len(s.States) > 0 {
			text += " " + several
		}
		return text
	})
	if some {
		columns = append(columns, c)
	}
	return append(columns, f.sensitivityColumn(heading, metric)...)
}

// besideColumn is each row's ratio to the baseline, where there is one.
func (f *frame) besideColumn() []column {
	i := slices.IndexFunc(f.rows, func(r compare.Row) bool { return r.BaselineVerdict != nil })
	if i < 0 {
		return nil
	}
	return []column{f.column("vs", f.rows[i].BaselineVerdict.B, func(r compare.Row) string {
		if r.BaselineVerdict == nil {
			return ""
		}
		return ratio(r.BaselineVerdict.Ratio) + "x"
	})}
}

// mean is a summary with its mean in place of its median, where it has one: in virtual time. Of few replications that
// differ the mean has no interval worth a name: it may reach below 0.
func mean(s result.Summary) result.Summary {
	if s.Mean != nil {
		s.Median, s.Low, s.High = s.Mean.Mean, s.Mean.Low, s.Mean.High
	}
	if s.Mean != nil && vague(s.Low, s.High) {
		s.Low, s.High = result.Unavailable, result.Unavailable
	}
	return s
}

// virtual reports whether all rows are calculated.
func (f *frame) virtual() bool {
	return !slices.ContainsFunc(f.rows, func(r compare.Row) bool { return r.World != result.Virtual })
}

// latencyColumns are the mean and the quantiles of a stream's operations.
func (f *frame) latencyColumns() []column {
	mean := f.metricColumn("latency", "mean", result.LatencyMean, fewDigits)
	columns := append([]column{mean}, f.sensitivityColumn("latency", result.LatencyMean)...)
	for _, q := range []struct {
		head, metric string
		drop         int
	}{{"p50", result.LatencyP50, 3}, {"p95", latencyP95, 5}, {"p99", latencyP99, 6}} {
		if q.metric == latencyP99 && !f.known(latencyP99) {
			continue
		}
		c := f.column("latency", q.head, func(r compare.Row) string {
			v := r.Metric(q.metric).Median
			if r.N > 0 && !v.Known() && r.Metric(result.LatencyMean).Median.Known() {
				return noQuantile
			}
			return valueOf(r, q.metric, fewDigits)
		})
		c.drop = q.drop
		columns = append(columns, c)
	}
	return columns
}

// footnotes explain the signs that the columns show.
func (f *frame) footnotes(columns []column) []string {
	interval := func(c column) bool { return c.head == "95% interval" }
	has := func(sign string) bool { return shows(columns, sign) }
	var notes []string
	measured := slices.ContainsFunc(f.rows, func(r compare.Row) bool { return r.N > 0 })
	need := "at least 6 trials"
	if f.virtual() {
		need = "at least 2 replications, and more where they differ much"
	}
	if measured && !f.open && !slices.ContainsFunc(columns, interval) {
		notes = append(notes, "no intervals: they need "+need)
	} else if has(noInterval) {
		notes = append(notes, noInterval+" : an interval needs "+need)
	}
	if has(exactly) {
		notes = append(notes, exactly+" : with this seed the load repeats itself to the nanosecond; rate and times "+
			"are those of one period")
	}
	if slices.ContainsFunc(f.rows, func(r compare.Row) bool { return len(r.Measure().States) > 0 }) {
		notes = append(notes, several+" : the load repeats itself, but a disturbance of one burn changes how; the "+
			"interval spans the steady states")
	}
	if has(noQuantile) {
		text := noQuantile + " : too few operations for this quantile"
		if f.open {
			text = noQuantile + " : too few customers for this quantile, or too many lost, in some trial"
		}
		notes = append(notes, text)
	}
	if has(tooShort) {
		notes = append(notes, tooShort+" : the formula is of a queue that has run for ever, and the trials are short "+
			"compared with its memory; "+f.longest()+" would be long enough")
	}
	if has(takeTurn) {
		notes = append(notes, takeTurn+" : requests take turns on the CPU, and the formula is of one after the other")
	}
	notes = append(notes, f.formulaNotes(columns)...)
	notes = append(notes, f.twinNotes(columns)...)
	if has(notAvailable) {
		notes = append(notes, notAvailable+" : unavailable")
	}
	return notes
}

// shows reports whether a cell of the columns is a sign.
func shows(columns []column, sign string) bool {
	return slices.ContainsFunc(columns, func(c column) bool {
		return slices.ContainsFunc(c.cells,
			func(x cell) bool { return x.text == sign || x.text == Style{}.ascii(sign) })
	})
}

// column makes a column of one text per row.
func (f *frame) column(group, head string, text func(compare.Row) string) column {
	c := column{group: group, head: head}
	for _, r := range f.rows {
		s, t := text(r), plain
		if r.Bound || s == unavailable {
			t = dim
		}
		c.add(s, t)
	}
	return c
}

func (f *frame) metricColumn(group, head, metric string, digits int) column {
	return f.column(group, head, func(r compare.Row) string { return valueOf(r, metric, digits) })
}

// valueOf is a metric's median. A row without numbers stays empty: its note says why.
func valueOf(r compare.Row, metric string, digits int) string {
	if r.N == 0 || r.Refusal != nil && r.World == result.Virtual {
		return ""
	}
	if _, has := r.Metrics[metric]; !has && (metric == result.ItemsRate || metric == result.BytesRate) {
		return "" // a job that counts neither items nor bytes
	}
	v := r.Metric(metric).Median
	if metric == result.Parallelism && v.Known() && !math.IsInf(float64(v), 0) {
		return strconv.FormatFloat(float64(v), 'f', 2, 64)
	}
	return number(v, result.UnitOf(metric), digits)
}

func lines(r compare.Row) string {
	if r.Lines == nil {
		return unavailable
	}
	return strconv.Itoa(*r.Lines)
}

// noteColumn has no cells where no row has a note.
func (f *frame) noteColumn() column {
	c := column{head: "note", left: true}
	some := false
	for _, r := range f.rows {
		text, t := note(r), dim
		if f.predicted(r) {
			text = strings.TrimSuffix(predictedNote+", "+text, ", ")
		}
		if r.Unexpected > 0 {
			t = alarm
		}
		some = some || text != ""
		c.add(text, t)
	}
	if !some {
		c.cells = nil
	}
	return c
}

// note says how a row's trials ended where that is more than "right". "failed 2/10" is 2 of 10 trials.
func note(r compare.Row) string {
	var words []string
	if r.Bound {
		words = append(words, "bound")
	}
	if r.Reference {
		words = append(words, "reference")
	}
	if r.Overloaded() {
		words = append(words, "unstable")
	}
	total := trials(r)
	if r.Late > 0 {
		words = append(words, fmt.Sprintf("late %d/%d", r.Late, total))
	}
	for _, s := range []struct {
		status result.Status
		word   string
	}{{result.Wrong, "wrong answer"}, {result.Violated, "violated"}, {result.Failed, "failed"}} {
		n := r.Statuses[s.status]
		if s.status == result.Failed {
			n -= r.Late
		}
		if n == total && n > 0 {
			words = append(words, s.word)
		} else if n > 0 {
			words = append(words, fmt.Sprintf("%s %d/%d", s.word, n, total))
		}
	}
	return strings.Join(words, ", ")
}

package report

import (
	"math"
	"slices"
	"strconv"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// Significant digits of the measure by which designs are judged, and of the other metrics.
const (
	digits    = 4
	fewDigits = 3

	exactSign  = "exact"
	noInterval = "±?"
	noQuantile = "-"
)

// Other metrics of the table.
const (
	latencyP95 = "latency_p95_ns"
	latencyP99 = "latency_p99_ns"
)

// measure is the metric that a table is about, with its heading.
func (f *frame) measure() (metric, heading string) {
	metric = result.Throughput
	switch {
	case f.job:
		metric = result.WallSeconds
	case f.open:
		metric = result.ResponseP50
	}
	return metric, measureHeading(metric)
}

// measureHeading is the heading of a metric by which designs are compared.
func measureHeading(metric string) string {
	switch metric {
	case result.WallSeconds:
		return "wall time"
	case result.ResponseP50:
		return "median response"
	}
	return "throughput"
}

// known reports whether some row has the metric.
func (f *frame) known(metric string) bool {
	return slices.ContainsFunc(f.rows, func(r compare.Row) bool { return r.Metric(metric).Median.Known() })
}

// columns returns the columns of the main table.
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

	columns = append(columns, f.baselineColumn()...)
	columns = append(columns, f.formulaColumns()...)
	columns = append(columns, f.predictionColumns()...)

	if f.job {
		for i, metric := range []string{result.ItemsRate, result.BytesRate} {
			if f.known(metric) {
				c := f.metricColumn("", []string{"items/s", "bytes/s"}[i], metric, fewDigits)
				c.drop = 2 + i
				columns = append(columns, c)
			}
		}
	} else if !f.open {
		columns = append(columns, f.failedColumn()...)
		columns = append(columns, f.latencyColumns()...)
	}

	used := f.metricColumn("CPUs", "used", result.Parallelism, fewDigits)
	used.drop = 4
	columns = append(columns, used)
	columns = append(columns, f.linesColumn()...)
	columns = append(columns, f.guaranteeColumn()...)
	if note := f.noteColumn(); note.cells != nil {
		columns = append(columns, note)
	}
	return columns
}

// linesColumn returns the lines of code. It returns nil if they are known of no design, such as a server of the user.
func (f *frame) linesColumn() []column {
	if !slices.ContainsFunc(f.rows, func(r compare.Row) bool { return r.Lines != nil }) {
		return nil
	}
	c := f.column("", "lines", lineCount)
	c.drop = 1
	if f.open { // the times of an open loop matter more
		c.drop = 3
	}
	return []column{c}
}

// guaranteeColumn returns what the designs guarantee. It returns nil if all that are not bounds guarantee the same.
func (f *frame) guaranteeColumn() []column {
	own := slices.DeleteFunc(slices.Clone(f.rows), func(r compare.Row) bool { return r.Bound })
	if !slices.ContainsFunc(own, func(r compare.Row) bool { return r.Guarantee != own[0].Guarantee }) {
		return nil
	}
	c := f.column("", "guarantee", func(r compare.Row) string { return r.Guarantee })
	c.left, c.drop = true, 1 // the answer names it too
	return []column{c}
}

// measureColumns returns the median and, if some row has one, its interval.
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
		case f.predicted(r) && r.FailedCondition != nil:
			return notModelled
		}
		return number(withMean(r.Metric(metric)).Median, result.UnitOf(metric), digits)
	})}

	found := false
	c := f.column(heading, "95% interval", func(r compare.Row) string {
		if r.N == 0 || f.predicted(r) && r.FailedCondition != nil {
			return ""
		}
		s := r.Metric(metric)
		if s.Exact {
			found = true
			return exactSign
		}
		text, ok := interval(withMean(s), digits)
		if !ok {
			return noInterval
		}
		found = true
		if len(s.States) > 0 {
			text += " " + severalStates
		}
		return text
	})

	if found {
		columns = append(columns, c)
	}
	return append(columns, f.sensitivityColumns(heading, metric)...)
}

// baselineColumn returns each row's ratio to the baseline. It returns nil if there is no baseline.
func (f *frame) baselineColumn() []column {
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

// withMean replaces a summary's median by its mean, if it has one, as in virtual time. The interval of a mean of few,
// very different replications is dropped: it may even reach below 0.
func withMean(s result.Summary) result.Summary {
	if s.Mean != nil {
		s.Median, s.Low, s.High = s.Mean.Mean, s.Mean.Low, s.Mean.High
	}
	if s.Mean != nil && vague(s.Low, s.High) {
		s.Low, s.High = result.Unavailable, result.Unavailable
	}
	return s
}

// virtual reports whether all rows are simulated.
func (f *frame) virtual() bool {
	return !slices.ContainsFunc(f.rows, func(r compare.Row) bool { return r.World != result.Virtual })
}

// failedColumn returns the share of the requests that failed. It returns nil if none failed in most trials.
func (f *frame) failedColumn() []column {
	if !f.anyPositive(result.ErrorShare) {
		return nil
	}
	return []column{f.column("requests", "failed", func(r compare.Row) string {
		if _, has := r.Metrics[result.ErrorShare]; !has || r.N == 0 {
			return ""
		}
		return percentCell(float64(r.Metric(result.ErrorShare).Median))
	})}
}

// latencyColumns returns the mean and the quantiles of a stream's operations.
func (f *frame) latencyColumns() []column {
	mean := f.metricColumn("latency", "mean", result.LatencyMean, fewDigits)
	columns := append([]column{mean}, f.sensitivityColumns("latency", result.LatencyMean)...)
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
			return medianText(r, q.metric, fewDigits)
		})
		c.drop = q.drop
		columns = append(columns, c)
	}
	return columns
}

// column makes a column with one text for each row.
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

// metricColumn makes a column of a metric's medians.
func (f *frame) metricColumn(group, head, metric string, digits int) column {
	return f.column(group, head, func(r compare.Row) string { return medianText(r, metric, digits) })
}

// medianText prints a metric's median. A row without numbers stays empty; its note gives the reason.
func medianText(r compare.Row, metric string, digits int) string {
	if r.N == 0 || r.FailedCondition != nil && r.World == result.Virtual {
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

// lineCount prints the lines of code of a row's design.
func lineCount(r compare.Row) string {
	if r.Lines == nil {
		return unavailable
	}
	return strconv.Itoa(*r.Lines)
}

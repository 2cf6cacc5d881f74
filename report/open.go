package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// openColumns are the main table's of an open loop, after the labels: what came, what was lost, and how
// long the server and the customer took it to last.
func (f *frame) openColumns() []column {
	optional := func(c column, drop int) column {
		c.drop = drop
		return c
	}
	columns := []column{
		f.metricColumn("customers", "came", "offered_per_s", fewDigits),
		optional(f.column("customers", "of capacity", ofCapacity), 5),
		optional(f.metricColumn("customers", "in time", result.Goodput, fewDigits), 6),
	}
	for _, lost := range []struct{ head, metric string }{{"dropped", result.Dropped}, {"gave up", result.Abandoned}} {
		if f.anyPositive(lost.metric) {
			columns = append(columns, f.column("customers", lost.head,
				func(r compare.Row) string { return shareOfArrived(r, lost.metric) }))
		}
	}
	tail := "p95"
	if f.known("response_p99_ns") {
		tail = "p99"
	}
	columns = append(columns,
		f.quantileColumn("service", "p50"), optional(f.quantileColumn("service", tail), 7),
		optional(f.column("response", "mean", responseMean), 2))
	for _, model := range []struct{ metric, head string }{{result.ModelMD1, "M/D/1"}, {result.ModelMG1, "M/G/1"}} {
		if slices.ContainsFunc(f.rows, func(r compare.Row) bool { _, has := r.Metrics[model.metric]; return has }) {
			c := f.column("response", model.head+" mean",
				func(r compare.Row) string { return modelMean(r, model.metric) })
			columns = append(columns, optional(c, 3))
		}
	}
	return append(columns, f.quantileColumn("response", "p50"), f.quantileColumn("response", tail))
}

// Why there is no prediction where nothing else speaks against one.
const (
	tooShort   = "short"
	timeSliced = "shared"
)

// predicted is a formula's mean response. It is empty where the formula is of something else.
func modelMean(r compare.Row, metric string) string {
	has := func(name string) bool { _, ok := r.Metrics[name]; return ok }
	switch known := r.Metric(metric).Median.Known(); {
	case !has(metric) || r.Overloaded():
		return ""
	case has(result.ModelWindow):
		return tooShort
	case !known && has(result.ModelAlone):
		return timeSliced
	case !known:
		return "" // too many were lost in some trial
	}
	return medianText(r, metric, fewDigits)
}

// longest is the --duration that would do for every row that is too short for a prediction, rounded up.
func (f *frame) longestDuration() string {
	most := 0.0
	for _, r := range f.rows {
		if v := r.Metric(result.ModelWindow).Median; v.Known() {
			most = max(most, float64(v))
		}
	}
	if most == 0 {
		return "a longer duration"
	}
	unit := math.Pow10(int(math.Floor(math.Log10(most))) - 1)
	return "a duration of " + number(result.Value(math.Ceil(most/unit)*unit), result.Nanoseconds, 2)
}

// responseMean is empty where nothing is known of the response.
func responseMean(r compare.Row) string {
	if r.Overloaded() {
		return ""
	}
	return medianText(r, "response_mean_ns", fewDigits)
}

// some reports whether some row has more than none of a metric.
func (f *frame) anyPositive(metric string) bool {
	return slices.ContainsFunc(f.rows, func(r compare.Row) bool { return r.Metric(metric).Median > 0 })
}

// quantileColumn shows a quantile; an unstable row has none.
func (f *frame) quantileColumn(of, q string) column {
	return f.column(of, q, func(r compare.Row) string {
		metric := of + "_" + q + "_ns"
		if v := r.Metric(metric).Median; r.N > 0 && !v.Known() {
			if r.Overloaded() && of == "response" {
				return ""
			}
			return noQuantile
		}
		return medianText(r, metric, fewDigits)
	})
}

// ofCapacity is the rate as a fraction of the design's own capacity.
func ofCapacity(r compare.Row) string {
	v := r.Metric(result.OfferedLoad).Median
	if r.N == 0 || !v.Known() {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(v))
}

// shareOfArrived is a count of customers as a share of all.
func shareOfArrived(r compare.Row, metric string) string {
	if r.N == 0 {
		return ""
	}
	return percent(float64(r.Metric(metric).Median) / float64(r.Metric("arrived").Median))
}

// twoViews says how the busiest stable row of each design looks to the server and to the customer.
func (f *frame) viewTexts() []string {
	var list []string
	for _, d := range f.designs() {
		var busiest *compare.Row
		for i := range f.rows {
			r := &f.rows[i]
			if r.Design == d && r.N > 0 && !r.Overloaded() && !r.Bound && (busiest == nil || r.Rate > busiest.Rate) {
				busiest = r
			}
		}
		if busiest == nil {
			continue
		}
		for _, q := range []struct {
			Name string
			Q    float64
		}{{"p99", 0.99}, {"p95", 0.95}, {"p90", 0.9}, {"p75", 0.75}, {"p50", 0.5}} {
			server, customer := busiest.Metric("service_"+q.Name+"_ns").Median,
				busiest.Metric("response_"+q.Name+"_ns").Median
			lost := float64(busiest.Metric(result.LostShare).Median)
			text := "" // a lower quantile must do where there are too few customers, not where too many are lost
			switch {
			case !server.Known():
			case customer.Known():
				text = number(customer, result.Nanoseconds, 2) + " for the customer"
			case lost > 1-q.Q:
				text = fmt.Sprintf("never for %s of the customers", percent(lost))
			}
			if text != "" {
				list = append(list, fmt.Sprintf("%s: %s is %s for the server and %s", f.rowName(busiest), q.Name,
					number(server, result.Nanoseconds, 2), text))
				break
			}
		}
	}
	return list
}

// place names a row by its design and what varies, as in "locking at load 0.9".
func (f *frame) rowName(r *compare.Row) string {
	if at := f.rowLevels(r, ""); at != "" {
		return r.Design + " at " + at
	}
	return r.Design
}

// at is a row's levels of what varies but for one factor, as in "cpus 2, load 0.9".
func (f *frame) rowLevels(r *compare.Row, but string) string {
	var levels []string
	for _, name := range f.varying {
		if l := level(*r, name); l != "" && name != but {
			levels = append(levels, name+" "+l)
		}
	}
	return strings.Join(levels, ", ")
}

// views writes the sentences of twoViews below the verdicts.
func writeViews(b *strings.Builder, f *frame, st Style) {
	if !f.open {
		return
	}
	list := f.viewTexts()
	if len(list) == 0 {
		return
	}
	writeHeading(b, f.rows[0].Workload+": the server's view and the customer's",
		"at the highest rate measured that each could serve", st)
	for _, text := range list {
		b.WriteString("  ")
		wrap(b, st.split(text), " ", 4, st.width()-2)
	}
}

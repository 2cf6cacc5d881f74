package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/result"
)

// openColumns returns the columns of an open loop after the labels: arrivals, losses, and the service and response
// times.
func (f *frame) openColumns() []column {
	optional := func(c column, drop int) column {
		c.drop = drop
		return c
	}
	columns := []column{
		f.metricColumn("requests", "arrived", "offered_per_s", fewDigits),
		optional(f.column("requests", "of capacity", ofCapacity), 5),
		optional(f.metricColumn("requests", "in time", result.Goodput, fewDigits), 6),
	}
	for _, lost := range []struct{ head, metric string }{{"dropped", result.Dropped}, {"gave up", result.Abandoned},
		{"failed", result.FailedRequests}} {
		if f.anyPositive(lost.metric) {
			columns = append(columns, f.column("requests", lost.head,
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

// Reasons why there is no prediction by a formula.
const (
	tooShort   = "short"
	timeSliced = "shared"
)

// modelMean prints a formula's mean response time. It is empty if the formula does not apply.
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
		return "" // too many requests were lost in some trial
	}
	return medianText(r, metric, fewDigits)
}

// longestDuration names the duration, rounded up, that is long enough for all rows whose trials are too short for a
// prediction.
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

// responseMean prints the mean response time. It is empty if it is unknown.
func responseMean(r compare.Row) string {
	if r.Overloaded() {
		return ""
	}
	return medianText(r, "response_mean_ns", fewDigits)
}

// anyPositive reports whether some row has a positive median of the metric.
func (f *frame) anyPositive(metric string) bool {
	return slices.ContainsFunc(f.rows, func(r compare.Row) bool { return r.Metric(metric).Median > 0 })
}

// quantileColumn returns the column of a quantile. Unstable rows have no response time.
func (f *frame) quantileColumn(kind, q string) column {
	return f.column(kind, q, func(r compare.Row) string {
		metric := kind + "_" + q + "_ns"
		if v := r.Metric(metric).Median; r.N > 0 && !v.Known() {
			if r.Overloaded() && kind == "response" {
				return ""
			}
			return noQuantile
		}
		return medianText(r, metric, fewDigits)
	})
}

// ofCapacity prints the rate as a fraction of the design's own capacity.
func ofCapacity(r compare.Row) string {
	v := r.Metric(result.OfferedLoad).Median
	if r.N == 0 || !v.Known() {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(v))
}

// shareOfArrived prints a number of requests as a share of all that arrived.
func shareOfArrived(r compare.Row, metric string) string {
	if r.N == 0 {
		return ""
	}
	return percentCell(float64(r.Metric(metric).Median) / float64(r.Metric("arrived").Median))
}

// viewTexts compares service and response time for the busiest stable row of each design.
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

		// Use the highest quantile that is known.
		for _, q := range []struct {
			Name string
			Q    float64
		}{{"p99", 0.99}, {"p95", 0.95}, {"p90", 0.9}, {"p75", 0.75}, {"p50", 0.5}} {
			service, response := busiest.Metric("service_"+q.Name+"_ns").Median,
				busiest.Metric("response_"+q.Name+"_ns").Median
			lost := float64(busiest.Metric(result.LostShare).Median)
			text := "" // with too few requests a lower quantile is used, but not with too many lost
			switch {
			case !service.Known():
			case response.Known():
				text = number(response, result.Nanoseconds, 2) + " at the client"
			case lost > 1-q.Q:
				text = fmt.Sprintf("%s of the requests got no answer", decimal.Percent(lost, 3))
			}
			if text != "" {
				list = append(list, fmt.Sprintf("%s: %s is %s at the server and %s", f.rowName(busiest), q.Name,
					number(service, result.Nanoseconds, 2), text))
				break
			}
		}
	}
	return list
}

// rowName names a row by its design and what varies, as in "locking at load 0.9".
func (f *frame) rowName(r *compare.Row) string {
	if at := f.rowLevels(r, ""); at != "" {
		return r.Design + " at " + at
	}
	return r.Design
}

// rowLevels prints a row's levels of the varying factors other than except, as in "cpus 2, load 0.9".
func (f *frame) rowLevels(r *compare.Row, except string) string {
	var levels []string
	for _, name := range f.varying {
		if l := level(*r, name); l != "" && name != except {
			levels = append(levels, name+" "+l)
		}
	}
	return strings.Join(levels, ", ")
}

// writeViews writes the sentences of viewTexts.
func writeViews(b *strings.Builder, f *frame, st Style) {
	if !f.open {
		return
	}
	writeList(b, f.rows, f.viewTexts(), "latency at the server and at the client",
		"at the highest measured rate that each design could serve", st)
}

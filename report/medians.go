package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

const (
	sameRatio    = 0.0005 // the relative difference up to which two ratios are equal for a reader
	visibleRatio = 0.03   // the one from which a reader who divides the medians wonders
)

// contradicts reports whether a table's medians, as the ratio medians, contradict the ratio of the means over blocks
// in the same line: they are far from it, outside of its interval, or differ in the other direction although a
// difference is proven. It is false if a number is unknown.
func contradicts(medians, ratio, low, high result.Value, proven bool) bool {
	switch {
	case !(math.Abs(float64(medians/ratio)-1) > sameRatio):
		return false
	case proven && (medians-1)*(ratio-1) < 0:
		return true
	}
	return medians < low || medians > high || math.Abs(float64(medians/ratio)-1) > visibleRatio
}

// mediansContradict reports whether medians contradict the ratio of a verdict.
func mediansContradict(v compare.Verdict, medians result.Value) bool {
	proven := v.Verdict != compare.Equivalent && v.Verdict != compare.Undecided
	return v.NoRatio == "" && !v.Exact && contradicts(medians, v.Ratio, v.Low, v.High, proven)
}

// mediansNote is the footnote of columns on the named benchmarks, whose medians contradict their ratios.
func mediansNote(columns string, names []string) []string {
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return nil
	}
	if len(names) > 3 {
		names = append(names[:2:2], fmt.Sprintf("%d others", len(names)-2))
	}
	return []string{columns + " : of the means over blocks; that of the medians differs for " +
		compare.JoinNames(names)}
}

// comparisonNotes returns the function that writes the footnotes of a table of a metric.
func comparisonNotes(metric string, g compare.MetricGroup) func([]column) []string {
	return func(columns []column) []string {
		var names []string
		for _, v := range g.Verdicts {
			a, b := medians(g, v, metric)
			if mediansContradict(v, a/b) {
				names = append(names, v.A)
			}
		}
		notes := vagueNote(columns)
		if n := len(g.Verdicts); g.N > 1 && g.N < n {
			notes = append(notes, fmt.Sprintf("geomean : none, because %d of %d ratios are 0 or missing", n-g.N, n))
		}
		return append(notes, mediansNote("change and ratio", names)...)
	}
}

// addGeomean adds a last row with the geometric mean of the ratios.
func addGeomean(columns []column, g compare.MetricGroup) {
	for i := range columns {
		text := ""
		switch {
		case i == 0:
			text = "geomean"
		case columns[i].head == "change":
			text = compare.PercentChange(g.Geomean)
		case columns[i].head == "ratio":
			text = ratio(g.Geomean) + "x"
		case columns[i].head == "95% interval" && g.GeoLow.Known():
			text = bracketed(g.GeoLow, g.GeoHigh)
		}
		columns[i].add(text, bold)
	}
}

// footnotes explains the signs that the columns show, and costs that contradict the medians.
func (g Gate) footnotes(columns []column) []string {
	var names []string
	for _, v := range g.List {
		medians := v.Head / v.Base
		if v.MoreIsBetter {
			medians = 1 / medians
		}
		if v.NoRatio == "" && !v.Exact && contradicts(medians, v.Cost, v.Low, v.High, v.Decision == compare.Fail) {
			names = append(names, v.Design)
		}
	}
	return append(vagueNote(columns), mediansNote("change and cost", names)...)
}

// mediansNote is the footnote of verdicts whose ratio contradicts the medians in the table. Memory counts only if all
// is set.
func (c Commands) mediansNote(all bool) []string {
	of := map[string]*compare.Row{}
	for i := range c.Rows {
		of[c.Rows[i].Design] = &c.Rows[i]
	}
	var names []string
	for _, v := range c.Verdicts {
		a, b := of[v.A].Metric(v.Metric).Median, of[v.B].Metric(v.Metric).Median
		if (all || v.Metric != result.MaxRSS) && mediansContradict(v, a/b) {
			name := commandHeads[v.Metric]
			if len(c.Rows) > 2 {
				name += " of " + c.Names[v.A]
			}
			names = append(names, name)
		}
	}
	return mediansNote("ratio", names)
}

// contradicted names the proven live verdicts whose ratio contradicts that of the medians, which the table of rows
// shows.
func contradicted(rows []compare.Row, verdicts []compare.Verdict) []string {
	find := func(v compare.Verdict, design string, only plan.Point) result.Value {
		settings := slices.Concat(v.Point.Settings(), only.Settings())
		for _, r := range rows {
			if r.Workload == v.Workload && r.World == v.World && r.Design == design &&
				len(r.Point.Settings()) == len(settings) && !slices.ContainsFunc(settings, func(s plan.Setting) bool {
				return level(r, s.Factor) != s.Level.String()
			}) {
				return r.Metric(v.Metric).Median
			}
		}
		return result.Unavailable
	}
	var names []string
	for _, v := range verdicts {
		medians := find(v, v.A, v.OnlyA) / find(v, v.B, v.OnlyB)
		proven := v.Verdict == compare.Faster || v.Verdict == compare.Slower
		if v.World == result.Live && proven && mediansContradict(v, medians) {
			a, b, _ := verdictSides(v, nil)
			names = append(names, a+" / "+b)
		}
	}
	return names
}

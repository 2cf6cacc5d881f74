package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// formulaColumns returns the column of a measured time or metric over the prediction of a closed form. It returns nil
// if no design has a formula.
func (f *frame) formulaColumns() []column {
	if !slices.ContainsFunc(f.rows, func(r compare.Row) bool { return r.Formula != nil }) {
		return nil
	}
	cell := func(text func(*compare.Formula) string) func(r compare.Row) string {
		return func(r compare.Row) string {
			switch {
			case r.Formula == nil:
				return ""
			case r.Formula.N == 0:
				return noFormula
			}
			return text(r.Formula)
		}
	}
	columns := []column{f.column("measured /", "formula",
		cell(func(x *compare.Formula) string { return ratio(x.Ratio) }))}
	if metric := f.formulaMetric(); metric != "" { // the table has no other column with the metric
		columns = []column{
			f.metricColumn(metric, "measured", metric, 3),
			f.column("", "formula", cell(func(x *compare.Formula) string {
				return number(x.Predicted, result.UnitOf(metric), 3)
			})),
		}
	}
	for i := range columns {
		columns[i].drop = 1
	}
	return columns
}

// formulaMetric returns the metric, other than the wall time, that all closed forms predict, or "".
func (f *frame) formulaMetric() (metric string) {
	for _, r := range f.rows {
		switch {
		case r.Formula == nil:
		case r.Formula.Metric == result.WallSeconds || metric != "" && metric != r.Formula.Metric:
			return ""
		default:
			metric = r.Formula.Metric
		}
	}
	return metric
}

// noFormula stands for the ratio if a formula predicts nothing.
const noFormula = "none"

// formulaNotes gives the reasons why formulas predict nothing, each with its designs.
func (f *frame) formulaNotes(columns []column) []string {
	if !slices.ContainsFunc(columns, func(c column) bool { return c.head == "formula" }) {
		return nil
	}
	var reasons []string
	designs := map[string][]string{} // by reason
	for _, r := range f.rows {
		if r.Formula == nil || r.Formula.N > 0 || slices.Contains(designs[r.Formula.Reason], r.Design) {
			continue
		}
		if designs[r.Formula.Reason] == nil {
			reasons = append(reasons, r.Formula.Reason)
		}
		designs[r.Formula.Reason] = append(designs[r.Formula.Reason], r.Design)
	}

	notes := make([]string, len(reasons))
	for i, reason := range reasons {
		subject := "the formula of " + designs[reason][0] + " gives no prediction: "
		if len(designs[reason]) > 1 {
			subject = "the formula gives no prediction for " + strings.Join(designs[reason], ", ") + ": "
		}
		notes[i] = noFormula + " : " + subject + reason
	}
	return notes
}

// formulaTexts returns the closed form of each design with its source and its fit.
func (f *frame) formulaTexts() []string {
	var texts, designs []string
	for _, r := range f.rows {
		if r.Formula == nil || slices.Contains(designs, r.Design) {
			continue
		}
		designs = append(designs, r.Design)
		name := r.Design
		if m := r.Formula.Metric; m != result.WallSeconds {
			name += " " + m
		}
		texts = append(texts, name+" = "+r.Formula.Text+f.formulaFit(r.Design)+"; "+r.Formula.Source)
	}
	return texts
}

// formulaFit states what was measured relative to the formula of a design: at its only point with the interval,
// otherwise the least and the largest ratio.
func (f *frame) formulaFit(design string) string {
	var points []compare.Row // with a prediction, by its ratio
	for _, r := range f.rows {
		if r.Design == design && r.Formula != nil && r.Formula.N > 0 {
			points = append(points, r)
		}
	}
	if len(points) == 0 {
		return ""
	}
	slices.SortStableFunc(points, func(a, b compare.Row) int { return cmp.Compare(a.Formula.Ratio, b.Formula.Ratio) })
	least, most := points[0], points[len(points)-1]
	switch {
	case len(points) > 1:
		return ": measured " + ratio(least.Formula.Ratio) + " (" + strings.TrimSpace(f.pointSuffix(least)) + ") to " +
			ratio(most.Formula.Ratio) + " (" + strings.TrimSpace(f.pointSuffix(most)) + ") of it"
	case least.Formula.Low.Known():
		return ": measured " + ratio(least.Formula.Ratio) + " of it (" +
			intervalText("", least.Formula.Low, least.Formula.High) + f.pointSuffix(least) + ")"
	}
	return ""
}

// pointSuffix names a row's point, as in " at load 0.9", if its design has several rows.
func (f *frame) pointSuffix(r compare.Row) string {
	n := 0
	for _, o := range f.rows {
		if o.Design == r.Design {
			n++
		}
	}
	if n < 2 {
		return ""
	}
	return strings.TrimPrefix(f.rowName(&r), r.Design)
}

// writeFormulas writes the closed forms of the designs.
func writeFormulas(b *strings.Builder, f *frame, st Style) {
	writeList(b, f.rows, f.formulaTexts(), "formulas",
		"closed forms of "+f.formulaSubject()+", with inputs measured in the same blocks", st)
}

// formulaSubject names what the closed forms of the designs predict.
func (f *frame) formulaSubject() string {
	if metric := f.formulaMetric(); metric != "" {
		return metric
	}
	if slices.ContainsFunc(f.rows, func(r compare.Row) bool {
		return r.Formula != nil && r.Formula.Metric != result.WallSeconds
	}) {
		return "the wall time or the named metric"
	}
	return "the wall time"
}

package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
)

// formulaColumns returns the column of measured time over the prediction of a closed form. It returns nil if no
// design has a formula.
func (f *frame) formulaColumns() []column {
	if !slices.ContainsFunc(f.rows, func(r compare.Row) bool { return r.Formula != nil }) {
		return nil
	}
	c := f.column("measured /", "formula", func(r compare.Row) string {
		switch {
		case r.Formula == nil:
			return ""
		case r.Formula.N == 0:
			return noFormula
		}
		return ratio(r.Formula.Ratio)
	})
	c.drop = 1
	return []column{c}
}

// noFormula stands for the ratio if a formula predicts nothing.
const noFormula = "none"

// formulaNotes says why formulas predict nothing, each reason once.
func (f *frame) formulaNotes(columns []column) []string {
	if !slices.ContainsFunc(columns, func(c column) bool { return c.head == "formula" }) {
		return nil
	}
	var notes []string
	for _, r := range f.rows {
		if r.Formula == nil || r.Formula.N > 0 {
			continue
		}
		if text := noFormula + " : the formula of " + r.Design + " gives no prediction: " +
			r.Formula.Reason; !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
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
		texts = append(texts, r.Design+" = "+r.Formula.Text+f.formulaFit(r.Design)+"; "+r.Formula.Source)
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
		"closed forms of the wall time, with inputs measured in the same blocks", st)
}

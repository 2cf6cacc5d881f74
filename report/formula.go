package report

import (
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
)

// formulaColumns are what was measured over what a closed form predicts, with its interval. There are none where no
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

// noFormula stands where a formula predicts nothing.
const noFormula = "none"

// formulaNotes say why formulas predict nothing, each reason once.
func (f *frame) formulaNotes(columns []column) []string {
	if !slices.ContainsFunc(columns, func(c column) bool { return c.head == "formula" }) {
		return nil
	}
	var notes []string
	for _, r := range f.rows {
		if r.Formula == nil || r.Formula.N > 0 {
			continue
		}
		if text := noFormula + " : the formula of " + r.Design + " predicts nothing: " + r.Formula.Reason; !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	return notes
}

// formulaTexts are the closed forms of the designs, each once, with their sources, and how well each does at a point if it
// is of one point only.
func (f *frame) formulaTexts() []string {
	var texts, designs []string
	for _, r := range f.rows {
		if r.Formula == nil || slices.Contains(designs, r.Design) {
			continue
		}
		designs = append(designs, r.Design)
		text := r.Design + " = " + r.Formula.Text
		if r.Formula.N > 0 && r.Formula.Low.Known() {
			text += ": measured " + ratio(r.Formula.Ratio) + " of it (" + ratio(r.Formula.Low) + " to " + ratio(r.Formula.High) + f.where(r) + ")"
		}
		texts = append(texts, text+"; "+r.Formula.Source)
	}
	return texts
}

// where says at which point a row is, if its design has several.
func (f *frame) where(r compare.Row) string {
	n := 0
	for _, o := range f.rows {
		if o.Design == r.Design {
			n++
		}
	}
	if n < 2 {
		return ""
	}
	return " at " + f.place(&r)
}

// formulas writes the closed forms of the designs.
func formulas(b *strings.Builder, f *frame, st Style) {
	for i, text := range f.formulaTexts() {
		if i == 0 {
			heading(b, f.rows[0].Workload+": formulas", "the wall time by closed forms, of what the same blocks measured", st)
		}
		b.WriteString("  ")
		wrap(b, strings.Fields(st.ascii(text)), " ", 4, st.width()-2)
	}
}

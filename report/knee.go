package report

import (
	"fmt"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// kneeTitle explains what a knee is.
func kneeTitle() string {
	return fmt.Sprintf("levels within %.0f%% of the best", 100*compare.KneeMargin)
}

// kneeTexts returns a sentence for each knee.
func (f *frame) kneeTexts() (texts []string) {
	for i := range f.rows {
		for _, k := range f.rows[i].Knees {
			texts = append(texts, f.kneeText(&f.rows[i], k))
		}
	}
	return texts
}

func (f *frame) kneeText(r *compare.Row, k compare.Knee) string {
	text := k.Design
	if at := f.rowLevels(r, k.Factor); at != "" {
		text += " at " + at
	}
	at, _ := r.Point.Get(k.Factor)
	text += ": " + k.Factor + " " + levelRange(k.First, k.Last) + fmt.Sprintf(" (%s at %s)",
		number(k.Best, result.UnitOf(result.WallSeconds), digits), at)
	if k.Below != nil {
		text += fmt.Sprintf(", %sx at %s", ratio(k.BelowRatio), k.Below)
	}
	if k.Above != nil {
		text += fmt.Sprintf(", %sx at %s", ratio(k.AboveRatio), k.Above)
	}
	if k.FormulaFirst != nil {
		text += "; by its formula " + levelRange(*k.FormulaFirst, *k.FormulaLast)
	}
	return text
}

// levelRange prints a range of levels.
func levelRange(first, last plan.Level) string {
	if first.String() == last.String() {
		return first.String()
	}
	return first.String() + " to " + last.String()
}

// writeKnees writes the levels of a factor between which a job's time is flat.
func writeKnees(b *strings.Builder, f *frame, st Style) {
	writeList(b, f.rows, f.kneeTexts(), "knees", kneeTitle(), st)
}

// markdownKnees writes the same as a list.
func markdownKnees(b *strings.Builder, f *frame) {
	for i, text := range f.kneeTexts() {
		if i == 0 {
			b.WriteString("\nKnees: " + markdownLine(kneeTitle()) + ":\n\n")
		}
		b.WriteString("- " + markdownLine(text) + "\n")
	}
}

package report

import (
	"io"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/quote"
)

// Markdown writes the main table as a GitHub table with its footnotes, the verdicts as a list, the warnings, and last
// the answer. It leaves no column out.
func Markdown(w io.Writer, rows []compare.Row, verdicts []compare.Verdict, warnings []compare.Warning,
	answer compare.Answer) error {
	var b strings.Builder
	fs := frames(rows)
	for _, f := range fs {
		blankLine(&b)
		columns := f.columns()
		b.WriteString(markdownLine(strings.Join(f.shared, " · ")) + "\n\n")
		markdownTable(&b, columns)
		markdownFootnotes(&b, f.footnotes(columns))
	}
	for i := range fs {
		for _, text := range fs[i].answerTexts() {
			b.WriteString("\n" + markdownLine(text) + "\n")
		}
	}

	markdownVerdicts(&b, verdicts)
	markdownFurther(&b, answer.FurtherVerdicts)
	markdownWinners(&b, answer.Winners)

	for i := range fs {
		markdownPredictions(&b, &fs[i])
		markdownFormulas(&b, &fs[i])
		markdownSerials(&b, &fs[i])
		markdownKnees(&b, &fs[i])
		if columns := fs[i].counterColumns(); columns != nil {
			b.WriteString("\n")
			markdownTable(&b, columns)
		}
	}

	for i, text := range append(stateTexts(rows), sensitivityTexts(rows)...) {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("- " + markdownLine(text) + "\n")
	}

	if sum := compare.DecisionChecksum(rows); sum != 0 {
		blankLine(&b)
		b.WriteString(checksumText(sum) + "\n")
	}
	for i, x := range warnings {
		markdownWarning(&b, i, x.Text)
	}
	markdownAnswer(&b, answer)
	return Style{}.emit(w, b.String())
}

// markdownAnswer ends the page.
func markdownAnswer(b *strings.Builder, a compare.Answer) {
	if len(a.Text) > 0 {
		b.WriteString("\n" + markdownLine(strings.Join(a.Text, " ")) + "\n")
	}
}

// escapeMarkdown quotes text in a cell of a table.
func escapeMarkdown(s string) string { return quote.Markdown(s) }

// markdownLine quotes text that begins a line or an item of a list.
func markdownLine(s string) string { return quote.MarkdownLine(s) }

func markdownTable(b *strings.Builder, columns []column) {
	heads, rules, rows := "|", "|", 0
	for _, c := range columns {
		head := strings.TrimSpace(c.group + " " + c.head)
		heads += " " + escapeMarkdown(head) + " |"
		if c.left {
			rules += " --- |"
		} else {
			rules += " ---: |"
		}
		rows = len(c.cells)
	}
	b.WriteString(heads + "\n" + rules + "\n")
	for i := range rows {
		line := "|"
		for _, c := range columns {
			line += " " + escapeMarkdown(c.cells[i].text) + " |"
		}
		b.WriteString(line + "\n")
	}
}

// markdownFootnotes writes the explanations of the signs in a table.
func markdownFootnotes(b *strings.Builder, notes []string) {
	for i, n := range notes {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString(markdownLine(n) + "  \n") // two spaces end a line in Markdown
	}
}

func markdownVerdicts(b *strings.Builder, verdicts []compare.Verdict) {
	n, shared := judgedCount(verdicts), sharedFactors(verdicts)
	for i, v := range verdicts {
		if i == 0 {
			b.WriteString("\n")
		}
		at := pointText(v.Point, shared)
		if at != "" {
			at += ": "
		}
		b.WriteString("- " + markdownLine(at+verdictText(v, n, shared)) + "\n")
		for _, text := range verdictNotes(v) {
			b.WriteString("  - " + markdownLine(text) + "\n")
		}
	}
}

// markdownPredictions writes how well predictions and measurements agree.
func markdownPredictions(b *strings.Builder, f *frame) {
	sentence, off := f.agreement()
	if sentence != "" {
		b.WriteString("\n" + markdownLine(sentence) + "\n")
	}
	for i, text := range off {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("- " + markdownLine(text) + "\n")
	}
}

// markdownFormulas writes the closed forms of the designs.
func markdownFormulas(b *strings.Builder, f *frame) {
	for i, text := range f.formulaTexts() {
		if i == 0 {
			b.WriteString("\nFormulas of " + f.formulaSubject() + ":\n\n")
		}
		b.WriteString("- " + markdownLine(text) + "\n")
	}
}

// markdownWarning writes the i-th warning of a list.
func markdownWarning(b *strings.Builder, i int, text string) {
	if i == 0 {
		b.WriteString("\nWarnings:\n\n")
	}
	b.WriteString("- " + markdownLine(text) + "\n")
}

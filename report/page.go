package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/quote"
)

// Table writes the page for people: the results, the verdicts, plots, what the instrumented trials measured, and last
// the errors and warnings.
func Table(w io.Writer, rows []compare.Row, verdicts []compare.Verdict, warnings []compare.Warning, st Style) error {
	if len(rows) == 0 {
		_, err := io.WriteString(w, "No trial ended: there is nothing to show.\n")
		return err
	}

	fs := frames(rows)
	var b strings.Builder
	for i := range fs {
		writeResults(&b, &fs[i], st)
		writeAnswers(&b, &fs[i], st)
	}

	if len(verdicts) == 0 && haveOneTrial(rows) {
		what := "blocks"
		if fs[0].virtual() {
			what = "replications"
		}
		b.WriteString(st.paint(dim, "no verdicts: they need at least 2 "+what) + "\n")
	}

	writeVerdicts(&b, verdicts, st)
	writeStates(&b, rows, st)
	writeSensitivities(&b, rows, st)
	for i := range fs {
		writeViews(&b, &fs[i], st)
		writePredictions(&b, &fs[i], st)
	}

	for _, part := range []func(*strings.Builder, *frame, Style){writeFormulas, writeSerials, writeKnees,
		writeCounters, writePlots, writeBoxes, writeResources, writeCPUTime} {
		for i := range fs {
			part(&b, &fs[i], st)
		}
	}

	if sum := compare.DecisionChecksum(rows); sum != 0 {
		blankLine(&b)
		b.WriteString(st.paint(dim, checksumText(sum)) + "\n")
	}
	writeMessages(&b, "errors", alarm, nil, rows, func(r compare.Row) []string { return r.Errors }, st)
	writeMessages(&b, "warnings", caution, warnings, rows, func(r compare.Row) []string { return r.Warnings }, st)
	return st.emit(w, b.String())
}

// checksumText prints the checksum of the scheduler's decisions in virtual time.
func checksumText(sum uint64) string {
	return fmt.Sprintf("decisions of the scheduler: checksum %016x", sum)
}

// haveOneTrial reports whether designs that could be compared have one trial each.
func haveOneTrial(rows []compare.Row) bool {
	design := ""
	for _, r := range rows {
		switch {
		case r.Bound || r.N != 1:
		case design != "" && design != r.Design:
			return true
		default:
			design = r.Design
		}
	}
	return false
}

// writeResults writes the main table of a frame.
func writeResults(b *strings.Builder, f *frame, st Style) {
	blankLine(b)
	writeShared(b, f.shared, st)
	writeTable(b, f.columns(), f.footnotes, st)
}

// writeShared writes what all rows of a table share.
func writeShared(b *strings.Builder, texts []string, st Style) {
	words := make([]string, len(texts))
	for i, s := range texts {
		words[i] = st.text(s)
	}
	wrap(b, words, st.pick(" · ", ", "), 0, st.width())
	b.WriteString("\n")
}

// writeTable writes a table that fits the page, with its footnotes and the headings of dropped columns.
func writeTable(b *strings.Builder, columns []column, footnotes func([]column) []string, st Style) {
	columns, dropped := fit(mapTexts(columns, st.text), st)
	render(b, columns, st)
	notes := footnotes(columns)
	if len(dropped) > 0 {
		notes = append(notes, fmt.Sprintf("left out to fit %d columns: %s", st.width(), strings.Join(dropped, ", ")))
	}
	for _, n := range notes {
		var line strings.Builder
		wrap(&line, st.split(n), " ", 2, st.width())
		b.WriteString(st.paint(dim, strings.TrimSuffix(line.String(), "\n")) + "\n")
	}
}

// blankLine separates the parts of the page.
func blankLine(b *strings.Builder) {
	if b.Len() > 0 {
		b.WriteString("\n")
	}
}

// writeHeading begins a part of the page. A remark that does not fit next to the title is on the line below it.
func writeHeading(b *strings.Builder, title, remark string, st Style) {
	blankLine(b)
	title, remark = st.text(title), st.text(remark)
	b.WriteString(st.paint(bold, title))
	if remark != "" {
		sep := "  "
		if quote.Width(title+sep+remark) > st.width() {
			sep = "\n"
		}
		b.WriteString(sep + st.paint(dim, remark))
	}
	b.WriteString("\n")
}

// writeMessages writes the warnings of the whole run. Then it writes each distinct text of the rows once, with the
// rows and designs that it concerns.
func writeMessages(b *strings.Builder, title string, t tone, runWarnings []compare.Warning, rows []compare.Row,
	texts func(compare.Row) []string, st Style) {
	type concern struct {
		text    string
		rows    int
		designs []string
	}

	// Collect equal texts of several rows.
	var list []*concern
	for _, r := range rows {
		for _, text := range texts(r) {
			i := slices.IndexFunc(list, func(c *concern) bool { return c.text == text })
			if i < 0 {
				list = append(list, &concern{text: text})
				i = len(list) - 1
			}
			list[i].rows++
			if !slices.Contains(list[i].designs, r.Design) {
				list[i].designs = append(list[i].designs, r.Design)
			}
		}
	}

	if len(list)+len(runWarnings) == 0 {
		return
	}

	writeHeading(b, title, "", st)
	for _, x := range runWarnings {
		writeWarning(b, x.Text, st)
	}
	for _, c := range list {
		where := fmt.Sprintf("(%d of %d rows: %s)", c.rows, len(rows), strings.Join(c.designs, ", "))
		if c.rows == len(rows) {
			where = "(every row)"
		}
		b.WriteString(st.paint(t, "!") + " ")
		wrap(b, st.split(c.text+" "+where), " ", 2, st.width()-2)
	}
}

// writeWarning writes a warning of a run.
func writeWarning(b *strings.Builder, text string, st Style) {
	b.WriteString(st.paint(caution, "!") + " ")
	wrap(b, st.split(text), " ", 2, st.width()-2)
}

package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/quote"
)

// Table writes the page for people: the results, the parts that the style shows, the verdicts, the errors and
// warnings, and last the answer.
func Table(w io.Writer, rows []compare.Row, verdicts []compare.Verdict, warnings []compare.Warning,
	answer compare.Answer, st Style) error {
	if len(rows) == 0 {
		_, err := io.WriteString(w, "No trial finished, so there is nothing to show.\n")
		return err
	}

	fs := frames(rows)
	var b strings.Builder
	for i := range fs {
		writeResults(&b, &fs[i], st)
		writeAnswers(&b, &fs[i], st)
	}
	writeParts(&b, fs, rows, st)
	writeVerdicts(&b, verdicts, st)
	writeFurther(&b, answer.FurtherVerdicts, st)
	writeWinners(&b, answer.Winners, st)
	writeNotesBelow(&b, mediansNote("ratio", contradicted(rows, verdicts)), st)
	writeMessages(&b, "errors", alarm, nil, rows, func(r compare.Row) []string { return r.Errors }, st)
	writeMessages(&b, "warnings", caution, warnings, rows, func(r compare.Row) []string { return r.Warnings }, st)
	writeAnswer(&b, answer.Text, st)
	return st.emit(w, b.String())
}

// writeParts writes the optional parts of the page, and the sentences that are always there.
func writeParts(b *strings.Builder, fs []frame, rows []compare.Row, st Style) {
	if st.shows("states") {
		writeStates(b, rows, st)
	}
	writeSensitivities(b, rows, st) // only if the user asked for them
	for i := range fs {
		if st.shows("views") {
			writeViews(b, &fs[i], st)
		}
		writePredictions(b, &fs[i], st)
	}
	for _, part := range []struct {
		name  string
		write func(*strings.Builder, *frame, Style)
	}{{"formulas", writeFormulas}, {"serial", writeSerials}, {"knees", writeKnees}, {"counters", writeCounters},
		{"metrics", writeMetrics}, {"plots", writePlots}, {"latency", writeBoxes}, {"resources", writeResources},
		{"cpu", writeCPUTime}} {
		for i := range fs {
			if st.shows(part.name) || part.name == "cpu" && fs[i].profiled() { // the user asked for a profile
				part.write(b, &fs[i], st)
			}
		}
	}
	if sum := compare.DecisionChecksum(rows); sum != 0 && st.shows("checksum") {
		blankLine(b)
		b.WriteString(st.paint(dim, checksumText(sum)) + "\n")
	}
}

// writeAnswer writes the answer, the last lines of every page: each sentence on lines of its own.
func writeAnswer(b *strings.Builder, sentences []string, st Style) {
	if len(sentences) == 0 {
		return
	}
	blankLine(b)
	for _, text := range sentences {
		wrapPainted(b, st.split(text), bold, st)
	}
}

// wrapPainted writes a sentence on lines of its own, in a tone.
func wrapPainted(b *strings.Builder, words []string, t tone, st Style) {
	for _, line := range lines(words, 0, st.width()) {
		b.WriteString(st.paint(t, line) + "\n")
	}
}

// checksumText prints the checksum of the scheduler's decisions in virtual time.
func checksumText(sum uint64) string {
	return fmt.Sprintf("decisions of the scheduler: checksum %016x", sum)
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
	writeNotesBelow(b, notes, st)
}

// writeNotesBelow writes the notes below a table or list.
func writeNotesBelow(b *strings.Builder, notes []string, st Style) {
	for _, n := range notes {
		b.WriteString(st.paint(dim, strings.Join(lines(st.split(n), 2, st.width()), "\n")) + "\n")
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
	title, words := st.text(title), st.split(remark)
	b.WriteString(st.paint(bold, title))
	if text := "  " + strings.Join(words, " "); len(words) > 0 && quote.Width(title+text) <= st.width() {
		b.WriteString("  " + st.paint(dim, text[2:]))
		words = nil
	}
	b.WriteString("\n")
	if len(words) > 0 {
		wrapPainted(b, words, dim, st)
	}
}

package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// RunComparison is a page that compares two stored runs. A is the new one, B the old one.
type RunComparison struct {
	Workload    string
	A, B        string              // directories of the runs
	Differences []result.Difference // settings in which the runs differ
	Comparison  compare.RunComparison
	Warnings    []compare.Warning
}

const (
	unpaired = "unpaired: the runs were measured at different times, so changes of the machine count as " +
		"differences; comparisons within one run avoid this"
	nested = "unpaired: the runs are the replicates, so the intervals include run-to-run variation; comparisons " +
		"within one run avoid this"
	noDifference = "both runs have the same program and settings: any difference comes from the machine"
)

// Table writes the page for people.
func (c RunComparison) Table(w io.Writer, st Style) error {
	var b strings.Builder
	wrap(&b, st.split(c.title()), " ", 2, st.width())
	wrap(&b, st.split(c.method()), " ", 0, st.width())
	blankLine(&b)
	if differences := c.differenceColumns(); len(c.Differences) > 0 {
		render(&b, differences, st)
	} else {
		b.WriteString(noDifference + "\n")
	}

	for _, t := range c.tables() {
		blankLine(&b)
		writeShared(&b, t.shared, st)
		writeTable(&b, t.columns, vagueNote, st)
	}

	writeVerdicts(&b, c.Comparison.Verdicts(), st)
	writeParagraphs(&b, c.unmatchedTexts(), st)
	if len(c.Warnings) > 0 {
		writeHeading(&b, "warnings", "", st)
	}
	for _, x := range c.Warnings {
		writeCaution(&b, warningText(x, c), "", caution, st)
	}
	writeAnswer(&b, c.Comparison.Answer().Text, st)
	return st.emit(w, b.String())
}

// title names the workload and both sides.
func (c RunComparison) title() string {
	return c.Workload + ": old " + runs(c.B) + ", new " + runs(c.A)
}

// runs names the runs of a side.
func runs(names string) string {
	if list := strings.Split(names, ","); len(list) > 1 {
		return "runs " + strings.Join(list, ", ")
	}
	return "run " + names
}

// method says how the sides are compared.
func (c RunComparison) method() string {
	for _, v := range c.Comparison.Verdicts() {
		if v.RunsA > 0 {
			return nested
		}
	}
	return unpaired
}

// warningText is a warning's text with its side, and with its run if the side has several.
func warningText(w compare.Warning, c RunComparison) string {
	for _, side := range []struct{ name, runs string }{{"new", c.A}, {"old", c.B}} {
		switch {
		case w.Run == "":
		case w.Run == side.runs:
			return side.name + ": " + w.Text
		case slices.Contains(strings.Split(side.runs, ","), w.Run):
			return side.name + ", " + w.Run + ": " + w.Text
		}
	}
	return w.Text
}

// differenceColumns returns the table of settings in which the runs differ.
func (c RunComparison) differenceColumns() []column {
	columns := []column{{head: "setting", left: true}, {head: "old", left: true}, {head: "new", left: true}}
	for _, d := range c.Differences {
		columns[0].add(d.Name, plain)
		columns[1].add(shortenHash(d.B), plain)
		columns[2].add(shortenHash(d.A), plain)
	}
	return columns
}

// shortenHash cuts hashes to their first 12 digits.
func shortenHash(s string) string {
	hex := func(r rune) bool { return r >= '0' && r <= '9' || r >= 'a' && r <= 'f' }
	if len(s) >= 40 && strings.TrimFunc(s, hex) == "" {
		return s[:12]
	}
	return s
}

// matchTable is a table of matched rows. Streams and jobs have tables of their own.
type matchTable struct {
	shared  []string
	columns []column
}

// tables returns the tables of all matched rows.
func (c RunComparison) tables() []matchTable {
	var rows []compare.Row
	for _, m := range c.Comparison.Matches {
		rows = append(rows, m.A)
	}
	var tables []matchTable
	for _, f := range frames(rows) {
		f.shared = slices.DeleteFunc(f.shared, func(s string) bool { return strings.HasSuffix(s, " each") })
		tables = append(tables, matchTable{f.shared, c.columns(&f)})
	}
	return tables
}

// columns returns the columns of a table of matched rows.
func (c RunComparison) columns(f *frame) []column {
	metric, heading := f.measure()
	columns := f.labels()
	before, after := column{group: heading, head: "old"}, column{group: heading, head: "new"}
	// The sentences below the table repeat the interval, so that its column may be dropped.
	ratios, intervals := column{group: "new / old", head: "ratio"},
		column{group: "new / old", head: "95% interval", drop: 1}
	blocks, verdicts := column{head: "blocks", drop: 2}, column{head: "verdict", left: true}
	notes, found := column{head: "note", left: true}, false

	var judged []*compare.Verdict

	for _, m := range c.Comparison.Matches {
		if m.A.Job != f.job {
			continue
		}
		f.label(columns, m.A)
		before.add(medianText(m.B, metric, digits), plain)
		after.add(medianText(m.A, metric, digits), plain)
		blocks.add(fmt.Sprintf("%d, %d", m.B.N, m.A.N), plain)
		r, interval, verdict := "", "", "none"
		if v := m.Verdict; v != nil {
			r, interval, verdict = ratio(v.Ratio)+"x", bracketed(v.Low, v.High), v.Verdict
		}
		judged = append(judged, m.Verdict)
		ratios.add(r, plain)
		intervals.add(interval, plain)
		verdicts.add(verdict, plain)
		text := matchNote(m)
		found = found || text != ""
		notes.add(text, dim)
	}

	columns = append(columns, before, after, ratios, intervals)
	columns = append(columns, rankColumns("new / old", judged)...)
	columns = append(columns, blocks, verdicts)
	if found {
		columns = append(columns, notes)
	}
	return columns
}

// matchNote combines the notes of the rows of both runs.
func matchNote(m compare.Match) string {
	a, b := rowNote(m.A), rowNote(m.B)
	switch {
	case a == b:
		return a
	case a == "":
		return "old: " + b
	case b == "":
		return "new: " + a
	}
	return "old: " + b + "; new: " + a
}

// unmatchedTexts names the rows that only one of the runs has.
func (c RunComparison) unmatchedTexts() []string {
	var texts []string
	for _, side := range []struct {
		name string
		rows []compare.Row
	}{{"old", c.Comparison.OnlyB}, {"new", c.Comparison.OnlyA}} {
		if len(side.rows) > 0 {
			texts = append(texts, fmt.Sprintf("only in the %s run: %s", side.name, compare.CaseNames(side.rows)))
		}
	}
	return texts
}

// Markdown writes the page as GitHub tables and lists.
func (c RunComparison) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(markdownLine(c.title()) + "\n\n" + c.method() + ".\n\n")
	if len(c.Differences) > 0 {
		markdownTable(&b, c.differenceColumns())
	} else {
		b.WriteString(noDifference + ".\n")
	}

	for _, t := range c.tables() {
		b.WriteString("\n" + markdownLine(strings.Join(t.shared, " · ")) + "\n\n")
		markdownTable(&b, t.columns)
		markdownFootnotes(&b, vagueNote(t.columns))
	}
	markdownVerdicts(&b, c.Comparison.Verdicts())

	for _, text := range c.unmatchedTexts() {
		b.WriteString("\n" + markdownLine(text) + "\n")
	}
	for i, x := range c.Warnings {
		markdownWarning(&b, i, warningText(x, c))
	}
	markdownAnswer(&b, c.Comparison.Answer())
	return Style{}.emit(w, b.String())
}

package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Between is two stored runs beside each other: A is the new one, B the old.
type Between struct {
	Workload string
	A, B     string               // directories
	Facts    []compare.Difference // in which the runs differ
	Contrast compare.Contrast
	Warnings []compare.Warning
}

const (
	unpaired = "unpaired: the blocks of two runs lie apart in time, so what the machine did differently between " +
		"them is part of the difference; designs of one run are compared without it"
	nested = "unpaired: the runs are the replicates, so what differs from run to run is in the " +
		"intervals; designs of one " +
		"run are compared without it"
	noFact = "program and settings are the same in both: a difference is the machine's"
)

// Table writes the page for people.
func (c Between) Table(w io.Writer, st Style) error {
	var b strings.Builder
	wrap(&b, st.words(c.title()), " ", 2, st.width())
	wrap(&b, st.words(c.how()), " ", 0, st.width())
	blank(&b)
	if facts := c.factColumns(); len(c.Facts) > 0 {
		render(&b, facts, st)
	} else {
		b.WriteString(noFact + "\n")
	}
	for _, t := range c.tables() {
		blank(&b)
		sharing(&b, t.shared, st)
		fitted(&b, t.columns, vagueNote, st)
	}
	verdicts := c.Contrast.Verdicts()
	if len(verdicts) == 0 {
		b.WriteString("\n" + st.paint(dim, noVerdicts) + "\n")
	}
	writeVerdicts(&b, verdicts, st)
	paragraphs(&b, c.leftOver(), st)
	if len(c.Warnings) > 0 {
		heading(&b, "warnings", "", st)
	}
	for _, x := range c.Warnings {
		warning(&b, runOf(x, c), st)
	}
	return st.emit(w, b.String())
}

const noVerdicts = "no verdicts: they need at least 2 blocks with a number in each run, and 5 to decide"

func (c Between) title() string {
	return c.Workload + ": old " + runs(c.B) + ", new " + runs(c.A)
}

// runs names the runs of a side.
func runs(names string) string {
	if list := strings.Split(names, ","); len(list) > 1 {
		return "runs " + strings.Join(list, ", ")
	}
	return "run " + names
}

// how says how the sides are compared.
func (c Between) how() string {
	for _, v := range c.Contrast.Verdicts() {
		if v.RunsA > 0 {
			return nested
		}
	}
	return unpaired
}

// runOf is a warning's text with the run that it is of: of several on its side, with its directory.
func runOf(w compare.Warning, c Between) string {
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

func (c Between) factColumns() []column {
	columns := []column{{head: "setting", left: true}, {head: "old", left: true}, {head: "new", left: true}}
	for _, f := range c.Facts {
		columns[0].add(f.Name, plain)
		columns[1].add(short(f.B), plain)
		columns[2].add(short(f.A), plain)
	}
	return columns
}

// short cuts hashes, of which the beginning tells enough.
func short(s string) string {
	hex := func(r rune) bool { return r >= '0' && r <= '9' || r >= 'a' && r <= 'f' }
	if len(s) >= 40 && strings.TrimFunc(s, hex) == "" {
		return s[:12]
	}
	return s
}

// betweenTable is a table of matches: streams and jobs have their own.
type betweenTable struct {
	shared  []string
	columns []column
}

func (c Between) tables() []betweenTable {
	var rows []compare.Row
	for _, m := range c.Contrast.Matches {
		rows = append(rows, m.A)
	}
	var tables []betweenTable
	for _, f := range frames(rows) {
		f.shared = slices.DeleteFunc(f.shared, func(s string) bool { return strings.HasSuffix(s, " each") })
		tables = append(tables, betweenTable{f.shared, c.columns(&f)})
	}
	return tables
}

func (c Between) columns(f *frame) []column {
	metric, heading := f.measure()
	columns := f.labels()
	before, after := column{group: heading, head: "old"}, column{group: heading, head: "new"}
	// the sentences have it
	ratios, intervals := column{group: "new / old", head: "ratio"},
		column{group: "new / old", head: "95% interval", drop: 1}
	blocks, verdicts := column{head: "blocks", drop: 2}, column{head: "verdict", left: true}
	notes, some := column{head: "note", left: true}, false
	var judged []*compare.Verdict
	for _, m := range c.Contrast.Matches {
		if m.A.Job != f.job {
			continue
		}
		f.label(columns, m.A)
		before.add(valueOf(m.B, metric, digits), plain)
		after.add(valueOf(m.A, metric, digits), plain)
		blocks.add(fmt.Sprintf("%d, %d", m.B.N, m.A.N), plain)
		r, interval, verdict := "", "", "none"
		if v := m.Verdict; v != nil {
			r, interval, verdict = ratio(v.Ratio)+"x", inBrackets(v.Low, v.High), v.Verdict
		}
		judged = append(judged, m.Verdict)
		ratios.add(r, plain)
		intervals.add(interval, plain)
		verdicts.add(verdict, plain)
		text := betweenNote(m)
		some = some || text != ""
		notes.add(text, dim)
	}
	columns = append(columns, before, after, ratios, intervals)
	columns = append(columns, rankColumns("new / old", judged)...)
	columns = append(columns, blocks, verdicts)
	if some {
		columns = append(columns, notes)
	}
	return columns
}

// betweenNote is what either run's row has to say.
func betweenNote(m compare.Match) string {
	a, b := note(m.A), note(m.B)
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

// leftOver names what only one of the runs has.
func (c Between) leftOver() []string {
	var texts []string
	for _, side := range []struct {
		name string
		rows []compare.Row
	}{{"old", c.Contrast.OnlyB}, {"new", c.Contrast.OnlyA}} {
		if len(side.rows) > 0 {
			texts = append(texts, fmt.Sprintf("only in the %s run: %s", side.name, compare.CaseNames(side.rows)))
		}
	}
	return texts
}

// Markdown writes the same as GitHub tables and lists.
func (c Between) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(markdownLine(c.title()) + "\n\n" + c.how() + ".\n\n")
	if len(c.Facts) > 0 {
		markdownTable(&b, c.factColumns())
	} else {
		b.WriteString(noFact + ".\n")
	}
	for _, t := range c.tables() {
		b.WriteString("\n" + markdownLine(strings.Join(t.shared, " · ")) + "\n\n")
		markdownTable(&b, t.columns)
		markdownFootnotes(&b, vagueNote(t.columns))
	}
	if len(c.Contrast.Verdicts()) == 0 {
		b.WriteString("\n" + noVerdicts + "\n")
	}
	markdownVerdicts(&b, c.Contrast.Verdicts())
	for _, text := range c.leftOver() {
		b.WriteString("\n" + markdownLine(text) + "\n")
	}
	for i, x := range c.Warnings {
		markdownWarning(&b, i, runOf(x, c))
	}
	return Style{}.emit(w, b.String())
}

// comparison is what programs should know of two runs, or files of benchmarks, before their verdicts.
type comparison struct {
	Kind          string `json:"kind"` // "comparison"
	SchemaVersion int    `json:"schema_version"`
	Workload      string `json:"workload"` // "" of benchmarks of several packages
	ARun          string `json:"a_run"`
	BRun          string `json:"b_run"`
	// of benchmarks: how many runs or files a side has, where one has several
	RunsA       int                  `json:"runs_a,omitempty"`
	RunsB       int                  `json:"runs_b,omitempty"`
	Paired      bool                 `json:"paired"`
	Differences []compare.Difference `json:"differences"`
	OnlyA       []spot               `json:"only_a"` // what one of the runs alone has
	OnlyB       []spot               `json:"only_b"`
	Notes       []string             `json:"notes,omitempty"`
}

// spot is where a row belongs.
type spot struct {
	Workload string     `json:"workload,omitempty"` // where it is not the comparison's
	Design   string     `json:"design"`
	World    string     `json:"world"`
	Point    plan.Point `json:"point"`
}

// spotsOf are those of rows of a comparison of a workload.
func spotsOf(rows []compare.Row, workload string) []spot {
	list := []spot{}
	for _, r := range rows {
		p := spot{Design: r.Design, World: r.World, Point: r.Point}
		if r.Workload != workload {
			p.Workload = r.Workload
		}
		list = append(list, p)
	}
	return list
}

// JSON writes a line for the comparison, one for each warning, the summaries of what the verdicts judge
// by, of both runs, and the verdicts.
func (c Between) JSON(w io.Writer) error {
	lines := []any{comparison{"comparison", result.SchemaVersion, c.Workload, c.A, c.B, 0, 0, false,
		append([]compare.Difference{}, c.Facts...),
		spotsOf(c.Contrast.OnlyA, c.Workload), spotsOf(c.Contrast.OnlyB, c.Workload), nil}}
	for _, x := range c.Warnings {
		lines = append(lines, x)
	}
	type summary struct {
		result.Summary
		Run string `json:"run"`
	}
	for _, m := range c.Contrast.Matches {
		metric, _ := (&frame{job: m.A.Job, open: m.A.Open}).measure()
		for _, side := range []struct {
			row compare.Row
			run string
		}{{m.A, c.A}, {m.B, c.B}} {
			if s, ok := side.row.Metrics[metric]; ok {
				lines = append(lines, summary{s, side.run})
			}
		}
	}
	for _, v := range c.Contrast.Verdicts() {
		lines = append(lines, v)
	}
	for _, line := range lines {
		if err := JSON(w, line); err != nil {
			return err
		}
	}
	return nil
}

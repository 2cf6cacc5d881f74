package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// Gate is a page with the decisions of a gate.
type Gate struct {
	Title         string
	List          []compare.GateDecision
	NotJudged     []result.NotJudged
	Decision      string
	MaxRegression float64
	Layouts       int
	Option        func(string) string // prints the name of an option, such as "count"; nil leaves it
	BlockTime     time.Duration       // 0 if it is unknown
	Loaded        bool                // other processes loaded the machine, so that times decide nothing
	Notes         []string
	Warnings      []compare.Warning
}

// Table writes the page for people.
func (g Gate) Table(w io.Writer, st Style) error {
	var b strings.Builder
	wrap(&b, st.split(g.Title), " ", 2, st.width())
	blankLine(&b)
	if len(g.List) > 0 {
		writeTable(&b, g.columns(), g.footnotes, st)
	}

	for _, text := range g.reasons(st.shows("undecided")) {
		wrap(&b, st.split(text), " ", 2, st.width())
	}
	writeParagraphs(&b, g.Notes, st)
	if len(g.Warnings) > 0 {
		writeHeading(&b, "warnings", "", st)
		for _, x := range g.Warnings {
			writeWarning(&b, x.Text, st)
		}
	}

	blankLine(&b)
	t := plain
	if g.Decision == compare.Fail || g.Decision == compare.Error {
		t = alarm
	}
	for _, text := range g.answer() {
		b.WriteString(st.paint(t, strings.Join(lines(st.split(text), 2, st.width()), "\n")) + "\n")
		t = plain
	}
	return st.emit(w, b.String())
}

// answer is the last part: the decision with its benchmarks, and what to do next.
func (g Gate) answer() []string {
	return compare.GateSummary{Decision: g.Decision, List: g.List, NotJudged: len(g.NotJudged),
		MaxRegression: g.MaxRegression, Layouts: g.Layouts, BlockTime: g.BlockTime, Loaded: g.Loaded,
		Name: metricHead, Option: g.Option}.Answer()
}

// reasons says which benchmarks are not judged or are excused, and with undecided also what the undecided ones lack.
func (g Gate) reasons(undecided bool) []string {
	var list []string
	for _, n := range g.NotJudged {
		list = append(list, n.String())
	}
	for _, v := range g.List {
		name := v.Design + " " + metricHead(v.Metric)
		switch {
		case v.Allowed != "":
			list = append(list, fmt.Sprintf("%s: allowed until %s: %s", name, v.AllowedUntil, v.Allowed))
		case v.NoRatio != "" && undecided:
			list = append(list, fmt.Sprintf("%s: no ratio: %s; the medians differ by %s", name, v.NoRatio,
				signedValue(v.Difference, v.Metric)))
		case v.Decision != compare.Undecided || !undecided:
		case v.N > 0 && v.N < compare.MinGateBlocks:
			list = append(list, fmt.Sprintf("%s: undecided: noisy metrics need at least %d blocks, and there %s", name,
				compare.MinGateBlocks, map[bool]string{true: "is 1", false: "are " + fmt.Sprint(v.N)}[v.N == 1]))
		case g.Loaded && v.Cost.Known():
			list = append(list, fmt.Sprintf("%s: undecided after %s, because other processes loaded the machine", name,
				result.Count(v.N, "block")))
		case v.MoreBlocks != nil:
			list = append(list, fmt.Sprintf("%s: undecided after %d blocks; about %d more would decide if the cost "+
				"stays %sx", name, v.N, *v.MoreBlocks, ratio(v.Cost)))
		case v.MoreLayouts != nil:
			list = append(list, fmt.Sprintf("%s: undecided after %d layouts; about %d more would decide if the cost "+
				"stays %sx", name, g.Layouts, *v.MoreLayouts, ratio(v.Cost)))
		case v.Cost.Known():
			list = append(list, fmt.Sprintf("%s: undecided after %d blocks; more would hardly decide, because the "+
				"cost is too near the limit or the machine is too noisy", name, v.N))
		default:
			list = append(list, name+": it has no usable results")
		}
	}
	return list
}

// columns returns the table of decisions.
func (g Gate) columns() []column {
	var rows []compare.Row
	g.List = slices.Clone(g.List)
	slices.SortStableFunc(g.List, func(a, b compare.GateDecision) int {
		return cmp.Compare(b.Order(), a.Order()) // what costs most comes first
	})
	for _, v := range g.List {
		rows = append(rows, compare.Row{Design: v.Design, World: result.Live, Point: v.Point})
	}
	columns := frames(rows)[0].benchmarkColumns()
	metric, base, head := column{head: "metric", left: true}, column{head: "base"}, column{head: "head"}
	change, cost := column{head: "change", drop: 1}, column{head: "cost"}
	bounds, n := column{head: "bounds"}, column{head: "n"}
	decision := column{head: "decision", left: true}
	for _, v := range g.List {
		metric.add(metricHead(v.Metric), plain)
		base.add(formatValue(v.Base, v.Metric), plain)
		head.add(formatValue(v.Head, v.Metric), plain)
		if v.Decision == compare.Fail {
			change.add(compare.ProvenChange(v.Change()), plain)
		} else {
			change.add(compare.PercentChange(v.Change()), plain)
		}
		cost.add(ratioCell(v.Cost, v.NoRatio), plain)
		text := bracketed(v.Low, v.High)
		if v.NoRatio != "" {
			text = signedValue(v.Difference, v.Metric)
		} else if v.Exact {
			text = "exact"
		}
		bounds.add(text, plain)
		n.add(fmt.Sprint(v.N), plain)
		word, t := v.Decision, verdictTones[v.Decision]
		if v.Decision == compare.Fail {
			t = alarm
		}
		if v.Allowed != "" {
			word, t = "allowed", caution
		}
		decision.add(word, t)
	}
	return append(columns, metric, base, head, change, cost, bounds, n, decision)
}

// JSON writes a line for each decision, the warnings, and a line for the gate.
func (g Gate) JSON(w io.Writer) error {
	var lines []any
	for _, v := range g.List {
		lines = append(lines, v)
	}
	for _, x := range g.Warnings {
		lines = append(lines, x)
	}
	lines = append(lines, compare.NewGateRecord(g.Decision, g.MaxRegression, g.NotJudged, g.Notes),
		compare.AnswerOf(g.answer()))
	for _, line := range lines {
		if err := JSON(w, line); err != nil {
			return err
		}
	}
	return nil
}

// Markdown writes the page for a pull request.
func (g Gate) Markdown(w io.Writer) error {
	var b strings.Builder
	for i, text := range g.answer() {
		if i == 0 {
			text = "**" + markdownLine(text) + "**"
		} else {
			text = markdownLine(text)
		}
		b.WriteString(text + "\n\n")
	}
	b.WriteString(markdownLine(g.Title) + "\n")
	if len(g.List) > 0 {
		b.WriteString("\n")
		columns := g.columns()
		markdownTable(&b, columns)
		markdownFootnotes(&b, g.footnotes(columns))
	}
	for i, text := range slices.Concat(g.reasons(true), g.Notes) {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("- " + markdownLine(text) + "\n")
	}
	for i, x := range g.Warnings {
		markdownWarning(&b, i, x.Text)
	}
	return Style{}.emit(w, b.String())
}

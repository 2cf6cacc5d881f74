package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// Gate is a page with the decisions of a gate.
type Gate struct {
	Title     string
	List      []compare.GateDecision
	NotJudged []result.NotJudged
	Decision  string
	Max       float64
	Layouts   int
	Notes     []string
	Warnings  []compare.Warning
}

// Table writes the page for people.
func (g Gate) Table(w io.Writer, st Style) error {
	var b strings.Builder
	wrap(&b, st.split(g.Title), " ", 2, st.width())
	blankLine(&b)
	if len(g.List) > 0 {
		writeTable(&b, g.columns(), vagueNote, st)
	}

	for _, text := range g.reasons() {
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
	b.WriteString(st.paint(t, st.text(g.conclusion())) + "\n")
	return st.emit(w, b.String())
}

// conclusion is the last line: the decision and how many benchmarks are within the limit.
func (g Gate) conclusion() string {
	count := map[string]int{}
	allowed := 0
	for _, v := range g.List {
		count[v.Decision]++
		if v.Allowed != "" {
			count[v.Decision]--
			allowed++
		}
	}
	text := fmt.Sprintf("gate: %s: of %d, %d within %s", g.Decision, len(g.List), count[compare.Pass], limitText(g.Max))
	if count[compare.Fail] > 0 {
		text += fmt.Sprintf(", %d over it", count[compare.Fail])
	}
	if count[compare.Undecided] > 0 {
		text += fmt.Sprintf(", %d undecided", count[compare.Undecided])
	}
	if allowed > 0 {
		text += fmt.Sprintf(", %d allowed to be over it", allowed)
	}
	if n := len(g.NotJudged); n > 0 {
		text += fmt.Sprintf("; %d not judged", n)
	}
	return text
}

// limitText prints a limit in percent.
func limitText(x float64) string { return fmt.Sprintf("%.3g%%", 100*x) }

// reasons says what undecided benchmarks lack, and which benchmarks are not judged.
func (g Gate) reasons() []string {
	var list []string
	for _, n := range g.NotJudged {
		list = append(list, n.String())
	}
	for _, v := range g.List {
		name := v.Design + " " + MetricHead(v.Metric)
		switch {
		case v.Allowed != "":
			list = append(list, fmt.Sprintf("%s: allowed until %s: %s", name, v.AllowedUntil, v.Allowed))
		case v.NoRatio != "":
			list = append(list, fmt.Sprintf("%s: no ratio: %s; the medians differ by %s", name, v.NoRatio,
				signedValue(v.Difference, v.Metric)))
		case v.Decision != compare.Undecided:
		case v.N > 0 && v.N < compare.MinGateBlocks:
			list = append(list, fmt.Sprintf("%s: undecided: noisy metrics need at least %d blocks, "+
				"and there are %d", name, compare.MinGateBlocks, v.N))
		case v.MoreBlocks != nil:
			list = append(list, fmt.Sprintf("%s: undecided by %d blocks; about %d more would decide if "+
				"the cost stays %sx", name, v.N, *v.MoreBlocks, ratio(v.Cost)))
		case v.MoreLayouts != nil:
			list = append(list, fmt.Sprintf("%s: undecided by %d layouts; about %d more would decide if "+
				"the cost stays %sx", name, g.Layouts, *v.MoreLayouts, ratio(v.Cost)))
		case v.Cost.Known():
			list = append(list, fmt.Sprintf("%s: undecided by %d blocks, and no number of them worth naming would "+
				"decide: the cost lies too near to the limit, or the machine is not quiet", name, v.N))
		default:
			list = append(list, name+": it has no numbers")
		}
	}
	return list
}

// columns returns the table of decisions.
func (g Gate) columns() []column {
	var rows []compare.Row
	for _, v := range g.List {
		rows = append(rows, compare.Row{Design: v.Design, World: result.Live, Point: v.Point})
	}
	columns := frames(rows)[0].benchmarkColumns()
	metric, base, head := column{head: "metric", left: true}, column{head: "base"}, column{head: "head"}
	cost, bounds, n := column{head: "cost"}, column{head: "bounds"}, column{head: "n"}
	decision := column{head: "decision", left: true}
	for _, v := range g.List {
		metric.add(MetricHead(v.Metric), plain)
		base.add(formatValue(v.Base, v.Metric), plain)
		head.add(formatValue(v.Head, v.Metric), plain)
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
	return append(columns, metric, base, head, cost, bounds, n, decision)
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
	lines = append(lines, struct {
		Kind          string             `json:"kind"` // "gate-decision"
		SchemaVersion int                `json:"schema_version"`
		Decision      string             `json:"decision"` // pass, fail, undecided, or error: see compare.Error
		Limit         float64            `json:"limit"`
		NotJudged     []result.NotJudged `json:"not_judged"`
		Notes         []string           `json:"notes"`
	}{"gate-decision", result.SchemaVersion, g.Decision, g.Max, append([]result.NotJudged{}, g.NotJudged...),
		append([]string{}, g.Notes...)})
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
	b.WriteString("**" + markdownLine(g.conclusion()) + "**\n\n" + markdownLine(g.Title) + "\n")
	if len(g.List) > 0 {
		b.WriteString("\n")
		columns := g.columns()
		markdownTable(&b, columns)
		markdownFootnotes(&b, vagueNote(columns))
	}
	for i, text := range slices.Concat(g.reasons(), g.Notes) {
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

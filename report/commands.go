package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/result"
)

// Commands is a page that compares commands.
type Commands struct{ *compare.CommandAnalysis }

// commandHeads are the headings of the metrics of commands.
var commandHeads = map[string]string{result.WallSeconds: "wall time", result.CPUSeconds: "CPU time",
	result.MaxRSS: "memory"}

// Table writes the page for people. The answer comes last.
func (c Commands) Table(w io.Writer, st Style) error {
	var b strings.Builder
	all := st.Full || !c.memoryUnknown()
	if len(c.Rows) > 0 {
		wrap(&b, st.split(c.title()), " ", 2, st.width())
		blankLine(&b)
		writeTable(&b, c.columns(all), c.footnotes, st)
	}
	if len(c.Verdicts) > 0 {
		remark := familyErrorText(c.of(result.WallSeconds))
		if remark != "" && len(c.of(result.WallSeconds)) < len(c.Verdicts) { // the verdicts on each metric are a family
			remark = eachErrorText(c.Verdicts[0].Alpha())
		}
		writeHeading(&b, "verdicts", remark, st)
		for _, v := range c.Verdicts {
			if all || v.Metric != result.MaxRSS {
				writeIndented(&b, c.verdictLine(v), 4, st)
			}
		}
		writeNotesBelow(&b, c.mediansNote(all), st)
	}
	warnings := slices.DeleteFunc(slices.Clone(c.Warnings), func(w compare.Warning) bool {
		return !all && w.Warning == compare.WarnMemory
	})
	writeMessages(&b, "warnings", caution, warnings, c.Rows, func(r compare.Row) []string { return r.Warnings }, st)
	writeAnswer(&b, c.Conclusion(), st)
	return st.emit(w, b.String())
}

// memoryUnknown reports whether the memory of every command is below what the system can report.
func (c Commands) memoryUnknown() bool {
	return !slices.ContainsFunc(c.Rows, func(r compare.Row) bool { return !c.AtFloor(r.Design) })
}

// title names the number of blocks, and the command lines if the names of the commands are shorter.
func (c Commands) title() string {
	n := 0
	var lines []string
	for _, r := range c.Rows {
		n = max(n, r.N)
		if line := c.Lines[r.Design]; line != c.Names[r.Design] {
			lines = append(lines, line)
		}
	}
	text := fmt.Sprintf("%s in %s; each block runs every command once, in random order",
		result.Count(len(c.Rows), "command"), result.Count(n, "block"))
	if len(lines) > 0 {
		text += ": " + strings.Join(lines, " ::: ")
	}
	return text
}

// columns returns the table of the commands, without their memory unless all is set.
func (c Commands) columns(all bool) []column {
	names := column{head: "command", left: true, liftable: true}
	for _, r := range c.Rows {
		names.add(c.Names[r.Design], plain)
	}
	columns := []column{names}
	for i, metric := range compare.CommandMetrics() {
		if metric == result.MaxRSS && !all {
			continue
		}
		medians := column{group: commandHeads[metric], head: "median"}
		intervals := column{group: commandHeads[metric], head: "95% interval", drop: 2 * i}
		found := false
		for _, r := range c.Rows {
			s := r.Metric(metric)
			text, ok := interval(s, fewDigits)
			found = found || ok
			switch value := number(s.Median, result.UnitOf(metric), fewDigits); {
			case r.N == 0:
				medians.add("", plain)
				text = ""
			case metric == result.MaxRSS && c.AtFloor(r.Design):
				medians.add("< "+value, plain)
				text = ""
			default:
				medians.add(value, plain)
				if !ok {
					text = noInterval
				}
			}
			intervals.add(text, plain)
		}
		columns = append(columns, medians)
		if found {
			columns = append(columns, intervals)
		}
	}
	return columns
}

// footnotes explains the signs that the columns show.
func (c Commands) footnotes(columns []column) []string {
	if showsSign(columns, noInterval) {
		return []string{noInterval + " : an interval needs at least 6 trials"}
	}
	return nil
}

// of returns the verdicts on a metric.
func (c Commands) of(metric string) (list []compare.Verdict) {
	for _, v := range c.Verdicts {
		if v.Metric == metric {
			list = append(list, v)
		}
	}
	return list
}

// verdictLine is a verdict in one line.
func (c Commands) verdictLine(v compare.Verdict) string {
	a, b, head := c.Names[v.A], c.Names[v.B], commandHeads[v.Metric]
	if v.NoRatio != "" {
		text := fmt.Sprintf("%s: %s and %s have no ratio: %s", head, a, b, v.NoRatio)
		if d := v.Difference; d != nil && !math.IsNaN(float64(*d)) {
			text += "; the medians differ by " + signedValue(d, v.Metric)
		}
		return text
	}
	text := fmt.Sprintf("%s: %s %sx %s", head, a, ratio(v.Ratio), b)
	if change := compare.PercentChange(v.Ratio); change != "" {
		text += " (" + change + ")"
	}
	if v.Exact {
		text += " exact"
	} else {
		text += " " + bracketed(v.Low, v.High)
	}
	text += " " + v.Verdict
	switch v.Verdict {
	case compare.Equivalent:
		text += " within " + decimal.Percent(v.Margin, 3)
	case compare.Undecided:
		text += "; " + detectableText(v)
	}
	return text
}

// Markdown writes the page as a GitHub table and lists.
func (c Commands) Markdown(w io.Writer) error {
	var b strings.Builder
	if len(c.Rows) > 0 {
		columns := c.columns(true)
		b.WriteString(markdownLine(c.title()) + "\n\n")
		markdownTable(&b, columns)
		markdownFootnotes(&b, c.footnotes(columns))
	}
	for i, v := range c.Verdicts {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("- " + markdownLine(c.verdictLine(v)) + "\n")
	}
	markdownFootnotes(&b, c.mediansNote(true))
	n := 0
	for _, x := range c.Warnings {
		markdownWarning(&b, n, x.Text)
		n++
	}
	for _, r := range c.Rows {
		for _, text := range r.Warnings {
			markdownWarning(&b, n, c.Names[r.Design]+": "+text)
			n++
		}
	}
	b.WriteString("\n")
	for _, text := range c.Conclusion() {
		b.WriteString(markdownLine(text) + "  \n")
	}
	return Style{}.emit(w, b.String())
}

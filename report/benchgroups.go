package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/result"
)

// verdictsOf returns the verdicts of all groups of a metric.
func verdictsOf(m compare.MetricVerdicts) []compare.Verdict {
	var list []compare.Verdict
	for _, g := range m.Groups {
		list = append(list, g.Verdicts...)
	}
	return list
}

// eachErrorText says how likely a false difference is in each of several metrics.
func eachErrorText(alpha float64) string {
	return "chance of a false difference per metric: at most " + decimal.Percent(alpha, 2)
}

// familyErrorText states the family-wise error of verdicts that are judged together. It is "" if none is judged.
func familyErrorText(verdicts []compare.Verdict) string {
	alpha := 0.0
	for i := range verdicts {
		alpha = max(alpha, verdicts[i].Alpha())
	}
	switch n := judgedCount(verdicts); n {
	case 0:
		return ""
	case 1:
		return "the chance of a false difference is at most " + decimal.Percent(alpha, 2)
	default:
		return fmt.Sprintf("the chance of any false difference among these %d is at most %s", n,
			decimal.Percent(alpha, 2))
	}
}

// equalText is one line for verdicts that are all exactly equal. It is "" if any is not.
func equalText(verdicts []compare.Verdict) string {
	if slices.ContainsFunc(verdicts, func(v compare.Verdict) bool { return !equal(v) }) {
		return ""
	}
	if len(verdicts) == 1 {
		return "equal"
	}
	return fmt.Sprintf("equal in all %d", len(verdicts))
}

// equivalentText is one line for verdicts that are all equivalent. It is "" if any is not.
func equivalentText(verdicts []compare.Verdict) string {
	for _, v := range verdicts {
		if v.Verdict != compare.Equivalent {
			return ""
		}
	}
	if len(verdicts) == 1 {
		return "equivalent"
	}
	return fmt.Sprintf("equivalent in all %d", len(verdicts))
}

// writeComparisons writes the tables of a metric, one for each group, and what would decide the undecided verdicts.
func (p Benchmarks) writeComparisons(b *strings.Builder, m compare.MetricVerdicts, st Style) {
	for i, g := range m.Groups {
		if i > 0 {
			b.WriteString("\n")
		}
		if text := equalText(g.Verdicts); text != "" {
			b.WriteString(st.text(p.sidesText(g)+": "+text) + "\n")
			continue
		}
		columns := p.comparisonColumns(m.Metric, g)
		left := 0
		if m.Metric != result.TimePerOp && !st.shows("equivalent") {
			left = omitEqual(columns, g)
		}
		writeTable(b, columns, comparisonNotes(m.Metric, g), st)
		if left > 0 {
			fmt.Fprintf(b, "%d of %d are equal and not shown\n", left, len(g.Verdicts))
		}
		if !st.shows("undecided") {
			continue
		}
		for _, text := range p.undecidedTexts(m, g) {
			wrap(b, st.split(text), " ", 2, st.width())
		}
	}
}

// markdownComparisons writes the same as GitHub tables and lists.
func (p Benchmarks) markdownComparisons(b *strings.Builder, m compare.MetricVerdicts) {
	if text := equalText(verdictsOf(m)); text != "" {
		b.WriteString("\n" + markdownLine(metricHead(m.Metric)+": "+text) + "\n")
		return
	}
	for _, g := range m.Groups {
		b.WriteString("\n")
		if text := equalText(g.Verdicts); text != "" {
			b.WriteString(markdownLine(metricHead(m.Metric)+", "+p.sidesText(g)+": "+text) + "\n")
			continue
		}
		columns := p.comparisonColumns(m.Metric, g)
		markdownTable(b, columns)
		markdownFootnotes(b, comparisonNotes(m.Metric, g)(columns))
		for i, text := range p.undecidedTexts(m, g) {
			if i == 0 {
				b.WriteString("\n")
			}
			b.WriteString("- " + markdownLine(text) + "\n")
		}
	}
}

// sideNames returns the headings of the two sides of a group. Within a run they are its levels, or the names that the
// page has. Between two runs they are the page's names, with the level of a factor that only one run has.
func (p Benchmarks) sideNames(g compare.MetricGroup) (a, b string) {
	v := g.Verdicts[0]
	a, b = v.OnlyA.String(), v.OnlyB.String()
	switch {
	case p.A == "":
		return a, b
	case p.ARun == "":
		return p.A, p.B
	}
	return strings.TrimSpace(p.A + " " + a), strings.TrimSpace(p.B + " " + b)
}

// sidesText names both sides of a group in a sentence.
func (p Benchmarks) sidesText(g compare.MetricGroup) string {
	a, b := p.sideNames(g)
	return a + " compared with " + b
}

// comparisonColumns returns the columns of a table that compares two sides.
func (p Benchmarks) comparisonColumns(metric string, g compare.MetricGroup) []column {
	g.Verdicts = byChange(g.Verdicts)
	columns := nameColumns(g.Verdicts)
	a, b := p.sideNames(g)
	before, after := column{group: metricHead(metric), head: b}, column{group: metricHead(metric), head: a}
	group := a + " / " + b
	ratios, intervals := column{group: group, head: "ratio"}, column{group: group, head: "95% interval"}
	changes := column{group: group, head: "change"}
	blocks, verdicts := column{head: "n", drop: 1}, column{head: "verdict", left: true}

	for _, v := range g.Verdicts {
		changes.add(changeCell(v), plain)
		a, b := medians(g, v, metric)
		before.add(formatValue(b, metric), plain)
		after.add(formatValue(a, metric), plain)
		ratios.add(ratioCell(v.Ratio, v.NoRatio), plain)
		switch {
		case v.NoRatio != "":
			intervals.add(signedValue(v.Difference, metric), plain)
		case v.Exact:
			intervals.add("exact", dim)
		default:
			intervals.add(bracketed(v.Low, v.High), plain)
		}
		n := fmt.Sprint(v.N)
		if !v.Paired {
			n = fmt.Sprintf("%d, %d", v.NB, v.NA)
		}
		blocks.add(n, plain)
		verdicts.add(v.Verdict, verdictTones[v.Verdict])
	}

	var judged []*compare.Verdict
	for i := range g.Verdicts {
		judged = append(judged, &g.Verdicts[i])
	}
	columns = append(columns, before, after, changes, ratios, intervals)
	columns = append(columns, rankColumns(group, judged)...)
	columns = append(columns, blocks, verdicts)
	if g.N > 1 && g.N == len(g.Verdicts) {
		addGeomean(columns, g)
	}
	return columns
}

// changeCell prints the change in percent, as benchstat does: ~ where no difference was found.
func changeCell(v compare.Verdict) string {
	if v.Verdict == compare.Undecided || v.Verdict == compare.Equivalent {
		return "~"
	}
	return compare.ProvenChange(v.Ratio)
}

// verdictTones are the tones of verdicts.
var verdictTones = map[string]tone{compare.Slower: alarm, compare.Worse: alarm, compare.Undecided: caution}

// medians returns the medians of the two sides of a verdict.
func medians(g compare.MetricGroup, v compare.Verdict, metric string) (a, b result.Value) {
	for _, s := range g.Pairs {
		if s.A.Design != v.A || s.A.Workload != v.Workload {
			continue
		}
		if both, _, _ := compare.SplitPoints(s.A.Point, s.B.Point); both.Equal(v.Point) {
			return s.A.Metric(metric).Median, s.B.Metric(metric).Median
		}
	}
	return result.Unavailable, result.Unavailable
}

// undecidedTexts returns what would decide the undecided verdicts of a group, why a verdict has no ratio, and the
// notes on all verdicts. Sides are named only if the group has levels of its own.
func (p Benchmarks) undecidedTexts(m compare.MetricVerdicts, g compare.MetricGroup) []string {
	var list []string
	several, together := severalPackages(g.Verdicts), judgedCount(verdictsOf(m))
	for _, v := range g.Verdicts {
		if v.Verdict != compare.Undecided && v.NoRatio == "" && len(verdictNotes(v)) == 0 {
			continue
		}

		where := v.A
		if several {
			where = v.Workload + " " + where
		}
		if at := pointText(v.Point, nil); at != "" {
			where += " (" + at + ")"
		}
		if a, b := p.sideNames(g); a != p.A || b != p.B {
			where += ", " + p.sidesText(g)
		}

		if v.NoRatio != "" {
			list = append(list, where+": no ratio: "+v.NoRatio+"; the medians differ by "+
				signedValue(v.Difference, m.Metric))
			continue
		}

		text := detectableText(v)
		if v.Layouts > 0 {
			text = fmt.Sprintf("measured with %d layouts; more layouts help more than more blocks", v.Layouts)
		}
		if v.Verdict == compare.Undecided {
			list = append(list, where+": undecided; "+undecidedReason(v, together)+text)
		}
		for _, note := range verdictNotes(v) {
			list = append(list, where+": "+note)
		}
	}
	return list
}

// undecidedReason says why a verdict, one of n, is undecided although its own interval excludes 1. It is "" if that
// is not the case.
func undecidedReason(v compare.Verdict, n int) string {
	if vague(v.Low, v.High) {
		return "" // the caller reports too few blocks
	}
	switch v.Obstacle() {
	case compare.ObstacleFamily:
		return fmt.Sprintf("its interval excludes 1, but over all %d comparisons the chance of a false difference "+
			"would exceed %s; ", n, decimal.Percent(v.Alpha(), 2))
	case compare.ObstaclePermutation:
		return "its interval excludes 1, but a permutation test does not confirm the difference; "
	}
	return ""
}

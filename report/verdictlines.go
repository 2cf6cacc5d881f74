package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/result"
)

// maxUndecided is the largest number of undecided verdicts that have a line each.
const maxUndecided = 4

// maxPrefix is the largest width of a point in front of its verdicts. A longer one has a line of its own.
const maxPrefix = 24

// writeVerdicts writes a line for each verdict, or all that is known of it if the page shows that part.
func writeVerdicts(b *strings.Builder, verdicts []compare.Verdict, st Style) {
	if len(verdicts) == 0 {
		return
	}
	if st.shows("verdicts") {
		writeVerdictSentences(b, verdicts, st)
		return
	}
	groups, rest := verdictLines(verdicts)
	if len(groups)+len(rest) == 0 {
		return
	}
	writeHeading(b, verdicts[0].Workload+": verdicts", familyErrorText(verdicts), st)
	prefix := 0
	for _, g := range groups {
		prefix = max(prefix, quote.Width(g.at))
	}
	own := prefix > maxPrefix // the points have lines of their own
	if own {
		prefix = 0
	}
	for _, g := range groups {
		if own && g.at != "" {
			b.WriteString(st.paint(bold, st.text(g.at)) + "\n")
		}
		for i, line := range g.lines {
			head := "  "
			if prefix > 0 {
				head += strings.Repeat(" ", prefix+2)
			}
			if i == 0 && prefix > 0 {
				head = "  " + st.text(g.at) + strings.Repeat(" ", prefix-quote.Width(g.at)+2)
			}
			words, sep := st.cells(line), "  "
			if quote.Width(head+words[0]) > st.width() {
				words, sep = strings.Split(strings.Join(words, " "), " "), " "
			}
			words[0] = head + words[0]
			wrap(b, words, sep, quote.Width(head)+2, st.width())
		}
	}
	for _, line := range rest {
		writeIndented(b, line, 4, st)
	}
}

// cells returns the parts of a verdict's line, which two spaces separate, and quotes them.
func (st Style) cells(line []string) []string {
	out := make([]string, len(line))
	for i, s := range line {
		out[i] = strings.Join(st.split(s), " ")
	}
	return out
}

// pointLines is the lines of the verdicts at one point. A line has parts: the outcome and what it costs.
type pointLines struct {
	at    string
	lines [][]string
}

// verdictLines returns the lines of verdicts by point, and what is said of several undecided ones together.
func verdictLines(verdicts []compare.Verdict) (groups []pointLines, rest []string) {
	shared := sharedFactors(verdicts)
	var few, undecided []compare.Verdict
	for _, v := range verdicts {
		switch {
		case v.Verdict != compare.Undecided:
		case v.TooFew():
			few = append(few, v)
		default:
			undecided = append(undecided, v)
		}
	}
	grouped := len(undecided) > maxUndecided

	for _, at := range pointTexts(verdicts, shared) {
		g := pointLines{at: at}
		var here []compare.Verdict
		for _, v := range verdicts {
			left := v.Verdict == compare.Undecided && (v.TooFew() || grouped)
			if pointText(v.Point, shared) == at && !left {
				here = append(here, v)
			}
		}
		equal, others := splitEqual(here, shared)
		for _, v := range others {
			g.lines = append(g.lines, verdictLine(v, shared))
			if v.RankComparison != nil && v.Note != "" {
				g.lines = append(g.lines, []string{v.Note})
			}
		}
		for _, names := range equal {
			g.lines = append(g.lines, []string{compare.JoinNames(names) + " equal (exact)"})
		}
		if len(g.lines) > 0 {
			groups = append(groups, g)
		}
	}
	if grouped {
		rest = append(rest, fmt.Sprintf("%d of %d undecided%s", len(undecided), len(verdicts), mostNeeded(undecided)))
	}
	if n := len(few); n > 0 && n < len(verdicts) { // otherwise the warnings and the answer say so
		rest = append(rest, fmt.Sprintf("no verdict on %d of %s: %s too few to decide", n,
			result.Count(len(verdicts), "comparison"), fewText(few)))
	}
	return groups, rest
}

// fewText is the number of blocks that is too small.
func fewText(few []compare.Verdict) string {
	most := few[0]
	for _, v := range few {
		if v.N > most.N {
			most = v
		}
	}
	return result.Count(most.N, replicate(most.World)) + map[bool]string{true: " is", false: " are"}[most.N == 1]
}

// replicate is the word for what a run in a world repeats.
func replicate(world string) string {
	if world == result.Virtual {
		return "replication"
	}
	return "block"
}

// mostNeeded says how many more blocks would decide all of the verdicts, if that is known.
func mostNeeded(verdicts []compare.Verdict) string {
	if n := compare.BlocksToDecide(verdicts); n.Known() {
		return fmt.Sprintf("; %s would decide all of them", n.Text(replicate(verdicts[0].World)))
	}
	return ""
}

// splitEqual separates the groups of sides that are exactly equal at a point from the other verdicts.
func splitEqual(verdicts []compare.Verdict, shared []string) (groups [][]string, others []compare.Verdict) {
	for _, v := range verdicts {
		if !v.Paired || !v.Exact || v.Ratio != 1 || v.NoRatio != "" {
			others = append(others, v)
			continue
		}
		// Both sides join one group, with the groups in which they already are.
		pair := []string{designAt(v.B, v.OnlyB, shared), designAt(v.A, v.OnlyA, shared)}
		var apart [][]string
		var group []string
		for _, g := range groups {
			if slices.Contains(g, pair[0]) || slices.Contains(g, pair[1]) {
				group = append(group, g...)
			} else {
				apart = append(apart, g)
			}
		}
		for _, side := range pair {
			if !slices.Contains(group, side) {
				group = append(group, side)
			}
		}
		groups = append(apart, group)
	}
	return groups, others
}

// verdictLine is one verdict in one line, in parts. It does not mention the factors of shared.
func verdictLine(v compare.Verdict, shared []string) []string {
	a, b, both := verdictSides(v, shared)
	interval := bracketed(v.Low, v.High)
	switch {
	case v.NoRatio != "" || v.Verdict == compare.Unstable:
		return []string{verdictText(v, 1, shared)}
	case v.Exact:
		interval = "(exact)"
	case len(v.States) > 0:
		interval += " in " + result.Count(len(v.States), "steady state")
	}
	if v.Verdict == compare.Equivalent && v.Exact && v.Ratio == 1 {
		return []string{both + " equal (exact)"}
	}
	times := ratio(v.Ratio) + "x"
	if !result.LargerIsBetter(v.Metric) {
		times += " the time of"
	}
	text := fmt.Sprintf("%s %s %s %s", a, times, b, interval)
	switch v.Verdict {
	case compare.Equivalent:
		return []string{text, "equivalent within " + decimal.Percent(v.Margin, 3)}
	case compare.Undecided:
		return []string{text, "undecided" + neededText(v)}
	}
	if v.Ratio < 2 {
		text += " (" + decimal.Change(float64(v.Ratio)-1) + ")"
	}
	line := []string{text}
	if v.MoreLines != nil && *v.MoreLines != 0 {
		line = append(line, lineChange(*v.MoreLines))
	}
	return line
}

// lineChange is the difference of two designs in lines of code.
func lineChange(more int) string {
	if more > 0 {
		return result.Count(more, "more line")
	}
	return result.Count(-more, "fewer line")
}

// neededText is about how much more would decide an undecided verdict, if that is known.
func neededText(v compare.Verdict) string {
	switch {
	case v.MoreRuns != nil:
		return fmt.Sprintf(", +%s a side", result.Count(*v.MoreRuns, "run"))
	case v.EnoughBlocks > 0:
		return fmt.Sprintf(", needs %d %ss", v.EnoughBlocks, replicate(v.World))
	case v.MoreBlocks == nil:
		return ""
	case !v.Paired:
		return fmt.Sprintf(", runs of %d %ss", v.N+*v.MoreBlocks, replicate(v.World))
	}
	return ", +" + result.Count(*v.MoreBlocks, replicate(v.World))
}

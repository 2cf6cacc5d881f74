package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/result"
)

// writeVerdictSentences writes a sentence for each verdict, grouped by point, with what its blocks can detect.
func writeVerdictSentences(b *strings.Builder, verdicts []compare.Verdict, st Style) {
	if len(verdicts) == 0 {
		return
	}
	writeHeading(b, verdicts[0].Workload+": verdicts", familyErrorText(verdicts), st)
	shared := sharedFactors(verdicts)
	for _, at := range pointTexts(verdicts, shared) {
		if at != "" {
			b.WriteString(st.paint(bold, st.text(at)) + "\n")
		}
		for _, v := range verdicts {
			if pointText(v.Point, shared) == at {
				writeIndented(b, verdictText(v, judgedCount(verdicts), shared), 4, st)
				for _, text := range verdictNotes(v) {
					b.WriteString("    ")
					wrap(b, st.split(text), " ", 4, st.width()-4)
				}
			}
		}
	}
}

// judgedCount is the number of verdicts that share the family-wise error.
func judgedCount(verdicts []compare.Verdict) int {
	n := 0
	for _, v := range verdicts {
		if v.Verdict != compare.Unstable && !v.Exact && (v.P.Known() || len(v.States) == 0) {
			n++
		}
	}
	return n
}

// verdictText is one verdict, of n that were judged together, in words. It does not mention the factors of shared.
func verdictText(v compare.Verdict, n int, shared []string) string {
	a, b, both := verdictSides(v, shared)
	if v.NoRatio != "" {
		return fmt.Sprintf("%s: no ratio: %s; the medians differ by %s", both, v.NoRatio,
			signedValue(v.Difference, v.Metric))
	}

	interval := intervalText("95% interval ", v.Low, v.High)
	switch {
	case v.Exact:
		interval = "exact"
	case len(v.States) > 0:
		interval = fmt.Sprintf("%s in %s", intervalText("", v.Low, v.High),
			result.Count(len(v.States), "steady state"))
	}

	switch v.Verdict {
	case compare.Unstable:
		return v.A + " is unstable: " + overloadText(v.Ratio)
	case compare.Equivalent:
		if v.Exact && v.Ratio == 1 {
			return both + ": equal (exact)"
		}
		return fmt.Sprintf("%s: equivalent within %s (%sx, %s)", both, decimal.Percent(v.Margin, 3), ratio(v.Ratio),
			interval)
	case compare.Undecided:
		if len(v.States) > 0 {
			return fmt.Sprintf("%s: undecided (%sx, %s)", both, ratio(v.Ratio), interval)
		}
		return fmt.Sprintf("%s: undecided (%sx, %s); %s%s", both, ratio(v.Ratio), interval, undecidedReason(v, n),
			detectableText(v))
	}

	text := fmt.Sprintf("%s is %sx %s (%s)", a, ratio(v.Ratio), b, interval)
	if v.Metric == result.ResponseP50 {
		text = fmt.Sprintf("%s responds in %sx the time of %s (%s)", a, ratio(v.Ratio), b, interval)
	} else if !result.LargerIsBetter(v.Metric) {
		text = fmt.Sprintf("%s takes %sx the time of %s (%s)", a, ratio(v.Ratio), b, interval)
	}

	if v.MoreLines != nil && (v.Paired || *v.MoreLines != 0) {
		text += linesText(*v.MoreLines)
	}
	return text
}

// verdictNotes returns what else the blocks of a verdict show: that their order matters, and that ranks disagree.
func verdictNotes(v compare.Verdict) (texts []string) {
	if v.Widened > 1 {
		texts = append(texts, fmt.Sprintf("order: neighbouring blocks are correlated (correlation %.2f), so the "+
			"interval is %.2g times as wide as for independent blocks",
			float64(v.Correlation), v.Widened))
	}
	if v.RankComparison != nil && v.Note != "" {
		texts = append(texts, v.Note)
	}
	return texts
}

// rankColumns returns the second opinion by ranks. It returns nil if no verdict is contradicted.
func rankColumns(group string, verdicts []*compare.Verdict) []column {
	ratios, intervals := column{group: group, head: "by rank"}, column{group: group, head: "rank interval", drop: 1}
	found := false
	for _, v := range verdicts {
		if v == nil || v.RankComparison == nil {
			ratios.add("", plain)
			intervals.add("", plain)
			continue
		}
		found = found || v.Note != ""
		ratios.add(ratio(v.RankRatio)+"x", plain)
		text := noInterval
		if v.RankLow.Known() {
			text = bracketed(v.RankLow, v.RankHigh)
		}
		intervals.add(text, plain)
	}
	if !found {
		return nil
	}
	return []column{ratios, intervals}
}

// overloadText says why a design is unstable, by the rate of the requests as a fraction of its capacity.
func overloadText(offered result.Value) string {
	const nearly = 1.05 // the capacity is the median of a few trials and may itself be off by a few percent
	switch {
	case !offered.Known():
		return "requests arrive faster than it can serve them"
	case offered <= 1:
		return fmt.Sprintf("its queue kept growing, although requests arrived at only %s times its closed-loop "+
			"capacity", ratio(offered))
	case offered < nearly:
		return fmt.Sprintf("requests arrive slightly faster than it can serve them, at %s times its closed-loop "+
			"capacity", ratio(offered))
	}
	return fmt.Sprintf("requests arrive at %s times the rate that it can serve", ratio(offered))
}

// verdictSides names what is compared: each side, and both together.
func verdictSides(v compare.Verdict, shared []string) (a, b, both string) {
	switch {
	case !v.Paired: // one design in two runs
		a, b = designAt("new", v.OnlyA, shared), designAt("old", v.OnlyB, shared)
		return v.A + ": " + a, b, v.A + ", " + a + " and " + b
	case v.A == v.B: // two levels of one design
		a, b = v.A+" "+pointText(v.OnlyA, nil), pointText(v.OnlyB, nil)
	default:
		a, b = designAt(v.A, v.OnlyA, shared), designAt(v.B, v.OnlyB, shared)
	}
	return a, b, a + " and " + b
}

// detectableText states what the blocks of an undecided verdict can detect, and how many would decide it.
func detectableText(v compare.Verdict) string {
	have := fmt.Sprint(v.N)
	if !v.Paired {
		have = fmt.Sprintf("%d old and %d new", v.NB, v.NA)
	}
	blocks := replicate(v.World) + "s"
	detect := have + " " + blocks + detects(v.Detectable)

	needed := "over 1000 " + blocks // or no number of blocks
	if v.MoreBlocks != nil {
		needed = fmt.Sprintf("about %d more", *v.MoreBlocks)
	}
	switch {
	case v.EnoughBlocks > 0:
		needed = fmt.Sprintf("about %d %s, beyond the maximum of %d in this run,", v.EnoughBlocks, blocks,
			v.MostBlocks)
	case v.MostBlocks > 0:
		needed = fmt.Sprintf("more than the maximum of %d %s in this run", v.MostBlocks, blocks)
	}

	// With several runs on a side, runs are the replicates.
	if v.RunsA > 0 {
		detect = fmt.Sprintf("%d old and %d new runs", v.RunsB, v.RunsA) + detects(v.Detectable)
		needed = "over 1000 more on each side"
		if v.MoreRuns != nil {
			needed = fmt.Sprintf("about %d more on each side", *v.MoreRuns)
		}
	} else if !v.Paired { // a run that has ended cannot get more blocks
		needed = "runs of over 1000 " + blocks
		if v.MoreBlocks != nil {
			needed = fmt.Sprintf("runs of about %d %s", v.N+*v.MoreBlocks, blocks)
		}
	}

	switch {
	case v.Ended:
		return detect + "; " + compare.LostResponses
	case v.Vetoed:
		return detect + "; a permutation test does not confirm the difference, so it is unknown how many " + blocks +
			" would decide"
	}

	hope := "would detect " + cmp.Or(compare.ProvenChange(v.Ratio), ratio(v.Ratio)+"x")
	if v.Nearly == compare.Equivalent {
		hope = "would show that they differ by less than " + decimal.Percent(v.Margin, 3)
	}
	return detect + "; " + needed + " " + hope
}

// detects says which changes can be detected, as a predicate. Decreases are detected from the same ratio on. A number
// above 100% helps nobody.
func detects(detectable result.Value) string {
	switch {
	case !detectable.Known():
		return " are too few to decide"
	case detectable > 2:
		return " are too few for this noise"
	}
	return " can detect a change of " + decimal.Percent(float64(detectable)-1, 2) + " or more"
}

// linesText states the cost of a design in lines of code.
func linesText(more int) string {
	switch {
	case more == 1 || more == -1:
		return map[bool]string{true: ", for 1 more line", false: ", with 1 fewer line"}[more > 0]
	case more > 0:
		return fmt.Sprintf(", for %d more lines", more)
	case more < 0:
		return fmt.Sprintf(", with %d fewer lines", -more)
	}
	return ", in as many lines"
}

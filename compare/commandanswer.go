package compare

import (
	"fmt"
	"strings"

	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// answer sets the answer: a sentence for each comparison of wall times.
func (c *CommandAnalysis) answer() {
	for i := range c.Verdicts {
		if v := &c.Verdicts[i]; v.Metric == result.WallSeconds {
			c.Answer = append(c.Answer, timeAnswer(v, c.Names[v.A], c.Names[v.B])+".")
		}
	}
	if len(c.Answer) == 0 {
		c.Answer = []string{fmt.Sprintf("No answer yet: at least 2 complete blocks are needed, and %d to decide.",
			stat.MinBlocks(1-ratioConfidence))}
	}
}

// timeAnswer says which of two commands takes less time, in a sentence without its full stop.
func timeAnswer(v *Verdict, a, b string) string {
	low, high := float64(v.Low), float64(v.High)
	switch {
	case v.Verdict == Equivalent:
		return fmt.Sprintf("%s and %s take the same time within %s (%s to %s)", a, b, decimal.Percent(v.Margin, 3),
			PercentChange(v.Low), PercentChange(v.High))
	case v.Verdict == Faster:
		return fmt.Sprintf("%s takes %s less time than %s (%s to %s)", a, percentOf(1-float64(v.Ratio)), b,
			percentOf(1-high), percentOf(1-low))
	case v.Verdict == Slower && v.Ratio >= 2:
		return fmt.Sprintf("%s takes %.3g times as long as %s (%.3g to %.3g)", a, float64(v.Ratio), b, low, high)
	case v.Verdict == Slower:
		return fmt.Sprintf("%s takes %s more time than %s (%s to %s)", a, percentOf(float64(v.Ratio)-1), b,
			percentOf(low-1), percentOf(high-1))
	}
	if v.TooFew() && (low > 1 || high < 1) {
		return roughTimeAnswer(v, a, b)
	}
	text := fmt.Sprintf("Undecided: the time of %s differs from that of %s by %s to %s", a, b, PercentChange(v.Low),
		PercentChange(v.High))
	if !(high < 10) {
		text = fmt.Sprintf("Undecided: %s do not show whether %s or %s takes less time", result.Count(v.N, "block"), a,
			b)
	}
	return text + moreBlocksText(v)
}

// roughTimeAnswer ranks two commands by blocks that are too few to decide, but agree.
func roughTimeAnswer(v *Verdict, a, b string) string {
	x := float64(v.Ratio)
	change := decimal.Percent(x-1, 2) + " more time than"
	switch {
	case x < 1:
		change = decimal.Percent(1-x, 2) + " less time than"
	case x >= 2:
		change = decimal.Digits(x, 2) + " times as long as"
	}
	return fmt.Sprintf("%s takes about %s %s, rough: %s%s", a, change, b, result.Count(v.N, "block"), moreBlocksText(v))
}

// moreBlocksText says how many blocks would decide, if that is known, and by which options.
func moreBlocksText(v *Verdict) string {
	switch {
	case v.EnoughBlocks > 0:
		return fmt.Sprintf("; about %d blocks would decide (option count %[1]d and no budget)", v.EnoughBlocks)
	case v.MoreBlocks == nil:
		return ""
	}
	text := fmt.Sprintf("; about %s would decide ", result.Count(*v.MoreBlocks, "more block"))
	if v.Interims != nil {
		return text + fmt.Sprintf("(option count %d and no budget)", tens(v.N+*v.MoreBlocks))
	}
	return text + fmt.Sprintf("(option count %d)", tens(v.N+*v.MoreBlocks))
}

// percentOf formats a fraction with three significant digits, as in 12.3%.
func percentOf(x float64) string { return strings.TrimPrefix(decimal.Change(x), "+") }

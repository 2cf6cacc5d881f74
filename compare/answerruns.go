package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// Answer states what changed from the old run, side B, to the new one: first problems of the new run, then how many
// cases got faster or slower, and which most.
func (c RunComparison) Answer() Answer {
	var rows []Row // each row of the new run once
	for i, m := range c.Matches {
		if i == 0 || rowKey(&m.A) != rowKey(&c.Matches[i-1].A) {
			rows = append(rows, m.A)
		}
	}
	rows = append(rows, c.OnlyA...)
	var text []string
	for _, g := range answerGroups(rows) {
		for _, problem := range g.problems() {
			text = append(text, "New run: "+problem)
		}
	}
	verdicts := c.Verdicts()
	if len(verdicts) == 0 {
		return AnswerOf(append(text, "No verdict is possible: "+c.noVerdict()+"."))
	}
	return AnswerOf(append(text, changesText(verdicts)))
}

// noVerdict says why no case has a verdict.
func (c RunComparison) noVerdict() string {
	bounds, enough := true, false
	for _, m := range c.Matches {
		if !m.A.Bound && !m.B.Bound {
			bounds = false
			enough = enough || min(m.A.N, m.B.N) >= 2
		}
	}
	switch {
	case len(c.Matches) == 0:
		return "the runs have no case in common"
	case bounds:
		return "the runs have only bounds in common, and bounds are not compared"
	case enough:
		return "in each case a run answered too few requests, or lost more than half of them"
	}
	return fmt.Sprintf("each run needs at least 2 blocks with a result, and %d to decide",
		stat.MinGroupBlocks(1-ratioConfidence))
}

// changesText counts the verdicts of each kind and names the largest change of each direction.
func changesText(verdicts []Verdict) string {
	text := ""
	part := func(format string, args ...any) {
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf(format, args...)
	}
	of := func(n int) string {
		if len(verdicts) == 1 {
			return ""
		}
		return fmt.Sprintf(" in %d of %s", n, result.Count(len(verdicts), "case"))
	}
	for _, kind := range []string{Slower, Faster} {
		if n, v := mostChanged(verdicts, kind); n > 0 {
			what := "the time"
			if result.LargerIsBetter(v.Metric) {
				what = "the throughput"
			}
			most := "most "
			if n == 1 {
				most = ""
			}
			ratio := float64(v.Ratio)
			part("the new run is %s%s: %s%s %s %s (%s)", kind, of(n), most, changedCase(v, verdicts), times(ratio),
				what, decimal.Change(ratio-1))
		}
	}
	if n, v := mostChanged(verdicts, Equivalent); n > 0 {
		part("%s within %s%s", map[bool]string{true: "both runs are equally fast",
			false: "equally fast"}[text == ""], decimal.Percent(v.Margin, 3), of(n))
	}
	if n, _ := mostChanged(verdicts, Undecided); n > 0 {
		part("undecided%s%s", of(n), decidingText(verdicts))
	}
	return upperFirst(text) + "."
}

// upperFirst begins a sentence.
func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// mostChanged counts the verdicts of a kind and returns the one with the largest change.
func mostChanged(verdicts []Verdict, kind string) (n int, most *Verdict) {
	size := func(v *Verdict) float64 { return math.Abs(math.Log(float64(v.Ratio))) }
	for i := range verdicts {
		if v := &verdicts[i]; v.Verdict == kind {
			if n++; most == nil || size(v) > size(most) {
				most = v
			}
		}
	}
	return n, most
}

// decidingText says how much more would decide all undecided verdicts, if known.
func decidingText(verdicts []Verdict) string {
	blocks, runs := 0, 0
	for i := range verdicts {
		v := &verdicts[i]
		switch {
		case v.Verdict != Undecided:
		case v.MoreRuns != nil:
			runs = max(runs, *v.MoreRuns)
		case v.MoreBlocks != nil:
			blocks = max(blocks, v.N+*v.MoreBlocks)
		default:
			return ""
		}
	}
	switch {
	case runs > 0:
		return fmt.Sprintf(" (about %s on each side would decide)", result.Count(runs, "more run"))
	case blocks > 0:
		return fmt.Sprintf(" (runs of about %d blocks would decide)", blocks)
	}
	return ""
}

// changedCase names the case of a verdict on two runs, by the factors in which the verdicts differ.
func changedCase(v *Verdict, all []Verdict) string {
	g := answerGroup{}
	for i := range all {
		g.contests = append(g.contests, &contest{at: all[i].Point})
	}
	g.vary()
	var words []string
	for _, s := range v.Point.Settings() {
		if slices.Contains(g.varying, s.Factor) {
			words = append(words, s.Factor+" "+s.Level.String())
		}
	}
	if len(words) == 0 {
		return v.A
	}
	return v.A + " (" + strings.Join(words, ", ") + ")"
}

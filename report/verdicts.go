package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// writeVerdicts writes a sentence for each verdict, grouped by point.
func writeVerdicts(b *strings.Builder, verdicts []compare.Verdict, st Style) {
	if len(verdicts) == 0 {
		return
	}
	heading(b, verdicts[0].Workload+": verdicts", chance(verdicts), st)
	quiet := saidOnce(verdicts)
	for _, at := range pointsOf(verdicts, quiet) {
		if at != "" {
			b.WriteString(st.paint(bold, st.text(at)) + "\n")
		}
		for _, v := range verdicts {
			if points(v.Point, quiet) == at {
				indented(b, sentence(v, judged(verdicts), quiet), 4, st)
				for _, text := range doubts(v) {
					b.WriteString("    ")
					wrap(b, st.words(text), " ", 4, st.width()-4)
				}
			}
		}
	}
}

// judged is the number of verdicts that share the chance of a false one.
func judged(verdicts []compare.Verdict) int {
	n := 0
	for _, v := range verdicts {
		if v.Verdict != compare.Unstable && !v.Exact && (v.P.Known() || len(v.States) == 0) {
			n++
		}
	}
	return n
}

// sentence says one verdict, of n that were judged together, in words. The factors of quiet need no mention.
func sentence(v compare.Verdict, n int, quiet []string) string {
	a, b, both := sides(v, quiet)
	if v.NoRatio != "" {
		return fmt.Sprintf("%s: no ratio: %s; the medians differ by %s", both, v.NoRatio,
			signedValue(v.Difference, v.Metric))
	}
	interval := fromTo("95% interval ", v.Low, v.High)
	switch {
	case v.Exact:
		interval = "exact"
	case len(v.States) > 0:
		interval = fmt.Sprintf("%sin %s", fromTo("", v.Low, v.High)+" ", result.Count(len(v.States), "steady state"))
	}
	switch v.Verdict {
	case compare.Unstable:
		return v.A + " is unstable: " + overload(v.Ratio)
	case compare.Equivalent:
		if v.Exact && v.Ratio == 1 {
			return both + ": equal (exact)"
		}
		return fmt.Sprintf("%s: equivalent within %.3g%% (%sx, %s)", both, 100*v.Margin, ratio(v.Ratio), interval)
	case compare.Undecided:
		if len(v.States) > 0 {
			return fmt.Sprintf("%s: undecided (%sx, %s)", both, ratio(v.Ratio), interval)
		}
		return fmt.Sprintf("%s: undecided (%sx, %s); %s%s", both, ratio(v.Ratio), interval, contrary(v, n), prospect(v))
	}
	text := fmt.Sprintf("%s is %sx %s (%s)", a, ratio(v.Ratio), b, interval)
	if v.Metric == result.ResponseP50 {
		text = fmt.Sprintf("%s responds in %sx the time of %s (%s)", a, ratio(v.Ratio), b, interval)
	} else if !result.LargerIsBetter(v.Metric) {
		text = fmt.Sprintf("%s takes %sx the time of %s (%s)", a, ratio(v.Ratio), b, interval)
	}
	if v.MoreLines != nil && (v.Paired || *v.MoreLines != 0) {
		text += price(*v.MoreLines)
	}
	return text
}

// doubts are sentences on what else the blocks of a verdict show: that their order matters, and that ranks disagree.
func doubts(v compare.Verdict) (texts []string) {
	if v.Widened > 1 {
		texts = append(texts, fmt.Sprintf("order: neighbouring blocks resemble each other (correlation %.2f), so the "+
			"interval is %.2g times as wide as of independent blocks",
			float64(v.Correlation), v.Widened))
	}
	if v.Ranked != nil && v.Note != "" {
		texts = append(texts, v.Note)
	}
	return texts
}

// rankColumns show the second opinion by ranks where it contradicts a verdict; otherwise there are none.
func rankColumns(group string, verdicts []*compare.Verdict) []column {
	ratios, intervals := column{group: group, head: "by rank"}, column{group: group, head: "rank interval", drop: 1}
	some := false
	for _, v := range verdicts {
		if v == nil || v.Ranked == nil {
			ratios.add("", plain)
			intervals.add("", plain)
			continue
		}
		some = some || v.Note != ""
		ratios.add(ratio(v.RankRatio)+"x", plain)
		text := noInterval
		if v.RankLow.Known() {
			text = inBrackets(v.RankLow, v.RankHigh)
		}
		intervals.add(text, plain)
	}
	if !some {
		return nil
	}
	return []column{ratios, intervals}
}

// overload says why a design is unstable by the rate of the customers as a fraction of its capacity.
func overload(offered result.Value) string {
	const nearly = 1.05 // the capacity is the median of a few trials and may be wrong by some per cent itself
	switch {
	case !offered.Known():
		return "more customers come than it can serve"
	case offered <= 1:
		return fmt.Sprintf("its queue grew as long as customers came, though at %s times the capacity "+
			"found in a closed loop", ratio(offered))
	case offered < nearly:
		return fmt.Sprintf("a few more customers come than it can serve, at %s times the capacity "+
			"found in a closed loop", ratio(offered))
	}
	return fmt.Sprintf("%s times as many customers come as it can serve", ratio(offered))
}

// sides names what is compared, one by one and both together.
func sides(v compare.Verdict, quiet []string) (a, b, both string) {
	switch {
	case !v.Paired: // one design in two runs
		a, b = with("new", v.OnlyA, quiet), with("old", v.OnlyB, quiet)
		return v.A + ": " + a, b, v.A + ", " + a + " and " + b
	case v.A == v.B: // two levels of one design
		a, b = v.A+" "+points(v.OnlyA, nil), points(v.OnlyB, nil)
	default:
		a, b = with(v.A, v.OnlyA, quiet), with(v.B, v.OnlyB, quiet)
	}
	return a, b, a + " and " + b
}

// prospect is what the blocks of an undecided verdict can find, and what more of them would.
func prospect(v compare.Verdict) string {
	have := fmt.Sprint(v.N)
	if !v.Paired {
		have = fmt.Sprintf("%d old and %d new", v.NB, v.NA)
	}
	detect := fmt.Sprintf("these %s blocks detect %sx", have, ratio(v.Detectable))
	if !v.Detectable.Known() {
		detect = have + " blocks are too few to decide anything"
	}
	needed := "over 1000 blocks" // or never
	if v.MoreBlocks != nil {
		needed = fmt.Sprintf("%d more", *v.MoreBlocks)
	}
	if v.Interims != nil && v.MoreBlocks == nil {
		needed = "more than a budget takes"
	}
	if v.RunsA > 0 {
		have := fmt.Sprintf("%d old and %d new runs", v.RunsB, v.RunsA)
		detect, needed = "these "+have+" detect "+ratio(v.Detectable)+"x", "over 1000 more on each side"
		if !v.Detectable.Known() {
			detect = have + " are too few to decide anything"
		}
		if v.MoreRuns != nil {
			needed = fmt.Sprintf("%d more on each side", *v.MoreRuns)
		}
	} else if !v.Paired { // a run that has ended gets no more blocks
		needed = "runs of over 1000 blocks"
		if v.MoreBlocks != nil {
			needed = fmt.Sprintf("runs of %d blocks", v.N+*v.MoreBlocks)
		}
	}
	if v.Vetoed {
		return detect + ", and yet a permutation test, which assumes less, does not confirm the difference: how many " +
			"more would decide is not known"
	}
	hope := "would detect " + ratio(v.Ratio) + "x"
	if v.Nearly == compare.Equivalent {
		hope = fmt.Sprintf("would show them equivalent within %.3g%%", 100*v.Margin)
	}
	return detect + ", " + needed + " " + hope
}

// price is the price of a design in code.
func price(more int) string {
	switch {
	case more == 1 || more == -1:
		return map[bool]string{true: ", for 1 more line", false: ", with 1 line less"}[more > 0]
	case more > 0:
		return fmt.Sprintf(", for %d more lines", more)
	case more < 0:
		return fmt.Sprintf(", with %d lines less", -more)
	}
	return ", in as many lines"
}

// vague reports whether the interval of a ratio says nothing, as that of 2 blocks that differ by a fifth does.
func vague(low, high result.Value) bool { return high > 10*low }

// fromTo is the interval of a ratio in a sentence.
func fromTo(name string, low, high result.Value) string {
	if vague(low, high) {
		return "interval wider than 10x"
	}
	return name + ratio(low) + " to " + ratio(high)
}

// inBrackets is the same in a table.
func inBrackets(low, high result.Value) string {
	if vague(low, high) {
		return noInterval
	}
	return "[" + ratio(low) + ", " + ratio(high) + "]"
}

// vagueNote explains the sign for a ratio's interval that says nothing, where columns show it.
func vagueNote(columns []column) []string {
	if !shows(columns, noInterval) {
		return nil
	}
	return []string{noInterval + " : the interval is wider than 10x"}
}

// ratioOf prints a ratio in a table, or what stands for it where there is none, of which why is the reason.
func ratioOf(v result.Value, why string) string {
	switch why {
	case "":
		return ratio(v) + "x"
	case compare.FromZero:
		return "from 0"
	case compare.ToZero:
		return "to 0"
	}
	return "none"
}

// signedValue prints a difference of a metric's values with its sign.
func signedValue(v *result.Value, metric string) string {
	if v == nil || !v.Known() {
		return unavailable
	}
	if *v < 0 {
		return "-" + value(-*v, metric)
	}
	return "+" + value(*v, metric)
}

// ratio prints a ratio near 1 with enough digits to tell it from 1.
func ratio(v result.Value) string {
	x := float64(v)
	switch d := math.Abs(x - 1); {
	case !v.Known():
		return "?"
	case math.IsInf(x, 0):
		return "∞"
	case d < 0.0995:
		return fmt.Sprintf("%.3f", x)
	case x < 0.0995:
		return fmt.Sprintf("%.3g", x)
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	case x >= 1e6:
		return fmt.Sprintf("%.3g", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func with(design string, p plan.Point, quiet []string) string {
	if text := points(p, quiet); text != "" {
		return design + " (" + text + ")"
	}
	return design
}

// points is a point as "cpus 2, buffer 10", without the factors named.
func points(p plan.Point, without []string) string {
	var parts []string
	for _, s := range p.Settings() {
		if !slices.Contains(without, s.Factor) {
			parts = append(parts, s.Factor+" "+s.Level.String())
		}
	}
	return strings.Join(parts, ", ")
}

// pointsOf are the texts of the verdicts' points, each once, in order of appearance.
func pointsOf(verdicts []compare.Verdict, quiet []string) []string {
	var texts []string
	for _, v := range verdicts {
		if at := points(v.Point, quiet); !slices.Contains(texts, at) {
			texts = append(texts, at)
		}
	}
	return texts
}

// saidOnce are the factors that need no mention in each verdict: those with one level in all of them,
// and workers where they are as many as the CPUs. The head of the page says them.
func saidOnce(verdicts []compare.Verdict) []string {
	levels := map[string][]string{}
	follows := true
	for _, v := range verdicts {
		for _, p := range []plan.Point{v.Point, v.OnlyA, v.OnlyB} {
			for _, s := range p.Settings() {
				if l := s.Level.String(); !slices.Contains(levels[s.Factor], l) {
					levels[s.Factor] = append(levels[s.Factor], l)
				}
			}
		}
		cpus, _ := v.Point.Get("cpus")
		if workers, ok := v.Point.Get("workers"); ok && workers != cpus {
			follows = false
		}
	}
	var quiet []string
	for factor, l := range levels {
		if len(l) == 1 || factor == "workers" && follows {
			quiet = append(quiet, factor)
		}
	}
	return quiet
}

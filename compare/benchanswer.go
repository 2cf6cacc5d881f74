package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/result"
)

// PercentChange prints a ratio as benchstat does: "-12.3%" for 0.877. It is "" if the ratio is unknown or infinite.
func PercentChange(ratio result.Value) string {
	p := 100 * (float64(ratio) - 1)
	switch {
	case math.IsNaN(p) || math.IsInf(p, 0):
		return ""
	case math.Abs(p) < 0.05:
		return "+0.0%" // never -0.0%
	case math.Abs(p) >= 99.95:
		return fmt.Sprintf("%+.0f%%", p)
	}
	return fmt.Sprintf("%+.1f%%", p)
}

// ProvenChange is [PercentChange] of a ratio that is proven not to be 1. It has as many digits as show that.
func ProvenChange(ratio result.Value) string {
	text, p := PercentChange(ratio), 100*(float64(ratio)-1)
	if text != "+0.0%" || p == 0 {
		return text
	}
	decimals := math.Ceil(-math.Log10(math.Abs(p)) - 1e-6) // 0.00999999 is 0.01
	if decimals > 9 {
		return fmt.Sprintf("%+.0e%%", p)
	}
	return fmt.Sprintf("%+.*f%%", int(decimals), p)
}

// ChangeOf is how far a verdict is from no change, for an order by size: the absolute logarithm of its ratio. It is
// infinite without a ratio, as from 0 allocations to some, and negative if nothing is known.
func ChangeOf(v Verdict) float64 {
	x := math.Abs(math.Log(float64(v.Ratio)))
	switch {
	case v.NoRatio != "":
		return math.Inf(1)
	case math.IsNaN(x):
		return -1
	}
	return x
}

// BenchAnswer is the answer of a run of benchmarks, or of a comparison, in one or two sentences for each metric that
// changed. metrics are the comparisons. Without any, the answer names the fastest and the slowest of rows, and which
// benchmarks scale. metricName prints a metric, such as "allocs/op".
func BenchAnswer(metrics []MetricVerdicts, rows []Row, scalings []Scaling, metricName func(string) string) []string {
	var answer []string
	open := false // a comparison is undecided
	for _, m := range metrics {
		var list []Verdict
		for _, g := range m.Groups {
			list = append(list, g.Verdicts...)
		}
		open = open || slices.ContainsFunc(list, func(v Verdict) bool { return v.Verdict != Equivalent })
		text := comparisonAnswer(list)
		if m.Metric != result.TimePerOp {
			if text == "" || !slices.ContainsFunc(list, func(v Verdict) bool { return differing(v.Verdict) }) {
				continue // the table says that all are equal
			}
			text = metricName(m.Metric) + ": " + text
		}
		if text != "" {
			answer = append(answer, text)
		}
	}
	switch {
	case len(metrics) > 0 && len(answer) == 0:
		return []string{"No metric " + map[bool]string{true: "is shown to differ", false: "differs"}[open] + "."}
	case len(metrics) > 0:
		return answer
	}
	for _, text := range []string{rangeAnswer(rows, len(scalings) > 0), scalingAnswer(scalings)} {
		if text != "" {
			answer = append(answer, text)
		}
	}
	if len(answer) == 0 {
		return []string{"No benchmark has a result."}
	}
	return answer
}

// differing reports whether a verdict is that two sides differ.
func differing(verdict string) bool {
	return verdict != Equivalent && verdict != Undecided && verdict != ""
}

// verdictOrder is the order of verdicts in an answer: what is good comes first.
func verdictOrder() []string {
	return []string{Faster, Better, Lower, Higher, Slower, Worse, Equivalent, Undecided}
}

// comparisonAnswer sums up verdicts: "3 of 12 faster, largest Encode -12.3%; 1 slower: Decode +4.1%; 8 equivalent."
func comparisonAnswer(list []Verdict) string {
	if len(list) == 0 {
		return ""
	}
	label := labels(list)
	if len(list) == 1 {
		v := list[0]
		text := label(v)
		if differing(v.Verdict) || v.NoRatio != "" {
			text = strings.TrimSpace(text + " " + changeText(v))
		}
		return cmp.Or(v.Verdict, Undecided) + ": " + text + moreText(list) + "."
	}
	var parts []string
	for _, verdict := range verdictOrder() {
		of := slices.DeleteFunc(slices.Clone(list), func(v Verdict) bool {
			return cmp.Or(v.Verdict, Undecided) != verdict
		})
		if len(of) == 0 {
			continue
		}
		slices.SortStableFunc(of, func(a, b Verdict) int { return cmp.Compare(ChangeOf(b), ChangeOf(a)) })
		part := fmt.Sprint(len(of))
		if len(parts) == 0 {
			part += fmt.Sprintf(" of %d", len(list))
		}
		part += " " + verdict
		switch {
		case verdict == Undecided:
			part += moreText(of)
		case !differing(verdict):
		case len(of) == 1:
			part += ": " + strings.TrimSpace(label(of[0])+" "+changeText(of[0]))
		default:
			part += ", largest " + strings.TrimSpace(label(of[0])+" "+changeText(of[0]))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ") + "."
}

// changeText is the change of a verdict in percent, or what it is without a ratio.
func changeText(v Verdict) string {
	if v.NoRatio == "" {
		return ProvenChange(v.Ratio)
	}
	return withoutRatioText(v.AbsoluteDifference, v.Metric)
}

// withoutRatioText says how two sides that have no ratio differ: from or to zero, or by the difference of their
// medians. It is "" for sides whose difference says nothing.
func withoutRatioText(d AbsoluteDifference, metric string) string {
	switch {
	case d.NoRatio == ZeroDivisor:
		return "(from 0)"
	case d.NoRatio == ZeroValue:
		return "(to 0)"
	case d.NoRatio != SomeZeros || d.Difference == nil:
		return ""
	case *d.Difference < 0:
		return "(-" + figure(-*d.Difference, metric) + ")"
	}
	return "(+" + figure(*d.Difference, metric) + ")"
}

// moreText says how many more blocks, or runs of each side, would decide all verdicts that are undecided, if that is
// known.
func moreText(list []Verdict) string {
	list = slices.DeleteFunc(slices.Clone(list), func(v Verdict) bool {
		return cmp.Or(v.Verdict, Undecided) != Undecided
	})
	if n := BlocksToDecide(list); n.Known() {
		return fmt.Sprintf(" (%s would decide)", n.Text("block"))
	}
	most, what, where := 0, "", ""
	for _, v := range list {
		switch {
		case v.RunsA > 0 && v.MoreRuns != nil:
			most, what, where = max(most, *v.MoreRuns), "more run", "of"
		case v.RunsA == 0 && v.MoreBlocks != nil && !v.Paired: // files and runs that have ended get no more blocks
			most, what, where = max(most, v.N+*v.MoreBlocks), "result", "on"
		default:
			return ""
		}
	}
	if most == 0 {
		return ""
	}
	return fmt.Sprintf(" (about %s %s each side would decide)", result.Count(most, what), where)
}

// labels returns the function that names the benchmark of a verdict as briefly as the list allows: with its package,
// CPUs and levels only if these differ in the list.
func labels(list []Verdict) func(Verdict) string {
	packages, points, sides := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, v := range list {
		packages[v.Workload], points[v.Point.String()], sides[v.OnlyA.String()] = true, true, true
	}
	return func(v Verdict) string {
		text := v.A
		if len(packages) > 1 {
			text = v.Workload + " " + text
		}
		if len(points) > 1 {
			text += atPoint(v.Point.Settings())
		}
		if len(sides) > 1 {
			text += atPoint(v.OnlyA.Settings())
		}
		return text
	}
}

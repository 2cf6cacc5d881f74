package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/result"
)

// FurtherVerdicts returns the verdicts on the criteria's FurtherMetrics, for the pairs that Verdicts compares: a family
// for each metric. In an open loop, the response time replaces the latency. The metric by which rows are compared
// anyway is left out. A pair has no verdict on a metric that some trials of a side lack: a quantile is missing, or
// infinite, where most requests failed or few were made, so the other trials would be biased.
func (c Criteria) FurtherVerdicts(rows []Row, trials []result.Trial) []Verdict {
	if len(c.FurtherMetrics) == 0 {
		return nil
	}
	var closed, open []Pair
	for _, p := range c.PairLevels(rows, trials) {
		switch {
		case p.A.Overloaded() || p.B.Overloaded(): // its times depend on the length of the load
		case p.A.Open:
			open = append(open, p)
		default:
			closed = append(closed, p)
		}
	}
	var list []Verdict
	for _, metric := range c.FurtherMetrics {
		response := strings.Replace(metric, "latency_", "response_", 1)
		for _, x := range []struct {
			metric string
			pairs  []Pair
		}{{metric, closed}, {response, open}} {
			if len(x.pairs) == 0 || x.metric == measureOf(x.pairs[0].A) {
				continue
			}
			known := slices.DeleteFunc(slices.Clone(x.pairs), func(p Pair) bool {
				return !p.A.Metric(x.metric).Median.Known() || !p.B.Metric(x.metric).Median.Known()
			})
			direction := Direction(x.metric, map[string]string{result.ErrorShare: "lower"})
			list = append(list, c.MetricVerdicts(known, x.metric, direction)...)
		}
	}
	return list
}

// MetricName is the name of a metric in a sentence: p99 for a quantile of the latency or response time.
func MetricName(metric string) string {
	switch metric {
	case result.ErrorShare:
		return "share of failed requests"
	case result.Throughput:
		return "throughput"
	}
	for _, of := range []string{"latency_", "response_"} {
		if name, ok := strings.CutPrefix(metric, of); ok {
			return strings.TrimSuffix(name, "_ns")
		}
	}
	return metric
}

// maxFurther bounds how many pairs the answer describes by further metrics.
const maxFurther = 3

// furtherText returns a sentence for each pair of designs, with the verdicts on all further metrics except those that
// are exactly equal. Of two levels of one design it states differences only, and so it does if there are too many
// pairs. If even these are too many, it returns none.
func furtherText(verdicts []Verdict) []string {
	text := furtherSentences(verdicts, func(v *Verdict) bool { return v.differs() || v.A != v.B })
	if len(text) > maxFurther {
		text = furtherSentences(verdicts, (*Verdict).differs)
	}
	if len(text) > maxFurther {
		return nil
	}
	return text
}

// differs reports whether the verdict is that one side is better.
func (v *Verdict) differs() bool { return v.Verdict == Better || v.Verdict == Worse }

// furtherSentences returns a sentence for each pair with those of its verdicts that are stated.
func furtherSentences(verdicts []Verdict, stated func(*Verdict) bool) (text []string) {
	pairs := map[string]int{} // index of the sentence
	for i := range verdicts {
		v := &verdicts[i]
		if !stated(v) || v.Exact && v.Ratio == 1 {
			continue
		}
		pair := sideText(v.A, v.ARun, v.OnlyA) + " compared with " + sideText(v.B, v.BRun, v.OnlyB)
		at := v.Point.String()
		several := slices.ContainsFunc(verdicts, func(x Verdict) bool { return x.Point.String() != at })
		if at != "" && (v.A == v.B || several) {
			pair += " at " + at
		}
		if k, ok := pairs[pair]; ok {
			text[k] += ", " + v.furtherText()
			continue
		}
		pairs[pair] = len(text)
		text = append(text, pair+": "+v.furtherText())
	}
	for i := range text {
		text[i] += "."
	}
	return text
}

// furtherText states the verdict on a metric: "p99 +12.5% (worse)", or "p99 undecided".
func (v *Verdict) furtherText() string {
	if !v.differs() {
		return MetricName(v.Metric) + " " + v.Verdict
	}
	change := PercentChange(v.Ratio)
	if v.NoRatio != "" || change == "" {
		change = "higher"
		if v.Difference != nil && *v.Difference < 0 {
			change = "lower"
		}
	}
	return fmt.Sprintf("%s %s (%s)", MetricName(v.Metric), change, v.Verdict)
}

package report

import (
	"fmt"
	"strings"

	"github.com/brewput/brewput/compare"
)

// writeFurther writes a line for each verdict on a further metric, grouped by point. It leaves out metrics that are
// exactly equal, such as errors if there are none.
func writeFurther(b *strings.Builder, verdicts []compare.Verdict, st Style) {
	if len(verdicts) == 0 {
		return
	}
	shared := sharedFactors(verdicts)
	heading := false
	for _, at := range pointTexts(verdicts, shared) {
		headed := at == ""
		for _, v := range verdicts {
			if pointText(v.Point, shared) != at || v.Exact && v.Ratio == 1 {
				continue
			}
			if !heading {
				writeHeading(b, verdicts[0].Workload+": further metrics", eachErrorText(v.Alpha()), st)
				heading = true
			}
			if !headed {
				b.WriteString(st.paint(bold, st.text(at)) + "\n")
				headed = true
			}
			writeIndented(b, furtherLine(v, shared), 4, st)
		}
	}
}

// markdownFurther writes the same as a list in Markdown.
func markdownFurther(b *strings.Builder, verdicts []compare.Verdict) {
	shared := sharedFactors(verdicts)
	first := true
	for _, v := range verdicts {
		if v.Exact && v.Ratio == 1 {
			continue
		}
		if first {
			b.WriteString("\n")
			first = false
		}
		line := furtherLine(v, shared)
		if at := pointText(v.Point, shared); at != "" {
			line = at + ": " + line
		}
		b.WriteString("- " + markdownLine(line) + "\n")
	}
}

// furtherLine is a verdict on a further metric in words. It does not mention the factors of shared.
func furtherLine(v compare.Verdict, shared []string) string {
	a, b, both := verdictSides(v, shared)
	name := compare.MetricName(v.Metric)
	if v.NoRatio != "" {
		return fmt.Sprintf("%s of %s: %s; no ratio: %s; the medians differ by %s", name, both, v.Verdict, v.NoRatio,
			signedValue(v.Difference, v.Metric))
	}
	interval := intervalText("95% interval ", v.Low, v.High)
	if v.Exact {
		interval = "exact"
	}
	return fmt.Sprintf("%s of %s is %sx that of %s (%s): %s", name, a, ratio(v.Ratio), b, interval, v.Verdict)
}

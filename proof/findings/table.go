package findings

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/brewput/brewput/explain"
)

// Row is the score of an explainer on a set of families.
type Row struct {
	Answers string `json:"answers"` // "level B", "level A", or a rival
	Set     string `json:"set"`     // "all", "tuned on" or "held out"
	Score   Score  `json:"score"`
}

// Summary returns a table of rows.
func Summary(rows []Row) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "answers\tfamilies\tprograms\tfirst right\tprecision\trecall\tmacro-F1\tright fix\tfalse "+
		"alarms\tgain error\t")
	for _, r := range rows {
		s := r.Score
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%.2f (%d)\t%s\t%s\t%s\t\n", r.Answers, r.Set, s.First.Total, s.First,
			s.Precision, s.Recall, s.MacroF1, len(s.Counted), s.RightFix, s.FalseAlarms, s.GainErrors)
	}
	w.Flush()
	return b.String()
}

// String returns the value with its interval.
func (s Share) String() string {
	if s.Total == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f [%.2f, %.2f]", s.Value, s.Low, s.High)
}

func (e Errors) String() string {
	if e.Count == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f, p90 %.2f", e.Median, e.P90)
}

// ByClass returns a table of the classes of a score.
func ByClass(s Score) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "class\tprograms\tpredicted\tprecision\trecall\tF1")
	for _, c := range s.Classes {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%.2f\n", c.Name, c.Support, c.Predicted, c.Precision, c.Recall, c.F1)
	}
	w.Flush()
	return b.String()
}

// Misses lists the programs whose first finding is wrong, and healthy ones with an estimated gain.
func Misses(verdicts []Verdict) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "program\texpected\tgain of the fix\tfindings")
	for _, v := range verdicts {
		if v.Predicted() == v.Actual && !v.FalseAlarm() {
			continue
		}
		gain := "-"
		if v.Gain != nil {
			gain = fmt.Sprintf("%.0f%%", 100*v.Gain.Gain)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", v.Case, v.Actual, gain, named(v.Findings))
	}
	w.Flush()
	return b.String()
}

func named(findings []explain.Finding) string {
	var names []string
	for _, f := range findings[:min(len(findings), 4)] {
		name := string(f.Name)
		if f.Gain != nil {
			name += fmt.Sprintf(" %.0f%%", 100*f.Gain.Estimate)
		}
		names = append(names, name+" "+strings.Join(slices.Clone(f.Where[:min(len(f.Where), 1)]), ""))
	}
	return strings.Join(names, "; ")
}

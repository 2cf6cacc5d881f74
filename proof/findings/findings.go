// Package findings scores findings about programs whose problem is known. It only computes. Package campaign explains
// the programs and prints the scores, for make verdicts; package gains uses it for make gains.
package findings

import (
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/proof/findings/corpus"
)

// Verdict is what is known about a program, with the findings of an explainer.
type Verdict struct {
	Case   string `json:"case"`
	Fold   int    `json:"fold"`
	Actual string `json:"actual"` // class, or corpus.Healthy
	// Also lists other right findings, and Sites the functions of main.go that need a change.
	Also  []string      `json:"also,omitempty"`
	Sites []corpus.Site `json:"sites,omitempty"`
	// Gain is the measured gain of the fix; nil if it was not measured.
	Gain     *corpus.Intervention `json:"gain,omitempty"`
	Findings []explain.Finding    `json:"findings"` // by rank
}

// Alarm is the fraction of wall time above which an estimated gain is an alarm.
const Alarm = 0.05

// silent are findings that suggest no change.
var silent = map[explain.Name]bool{
	explain.None: true, explain.TooLittleEvidence: true, explain.CPUSaturated: true, explain.TooFewSamples: true,
	explain.ProfilerNoise: true,
	"buffer-irrelevant":   true,
}

// Predicted returns the class that the first finding predicts. Another right finding counts as the class itself. A
// finding that suggests no change predicts health, and so does a finding without a gain about a healthy program.
func (v Verdict) Predicted() string {
	if len(v.Findings) == 0 {
		return corpus.Healthy
	}
	first := v.Findings[0]
	switch {
	case v.right(first.Name):
		return v.Actual
	case silent[first.Name], v.Actual == corpus.Healthy && !promises(first):
		return corpus.Healthy
	}
	return string(first.Name)
}

func (v Verdict) right(n explain.Name) bool {
	return string(n) == v.Actual || slices.Contains(v.Also, string(n))
}

// promises reports whether a finding estimates a gain above Alarm.
func promises(f explain.Finding) bool { return f.Gain != nil && f.Gain.Estimate > Alarm }

// Placed reports whether the first finding is right and points into a function that needs the change.
func (v Verdict) Placed() bool {
	if len(v.Findings) == 0 || !v.right(v.Findings[0].Name) {
		return false
	}
	if len(v.Sites) == 0 {
		return true
	}
	return slices.ContainsFunc(v.Findings[0].Where, func(where string) bool {
		line := 0
		_, text, ok := strings.Cut(where, "main.go:")
		for _, c := range text {
			if c < '0' || c > '9' {
				break
			}
			line = line*10 + int(c-'0')
		}
		return ok && slices.ContainsFunc(v.Sites, func(s corpus.Site) bool { return s.First <= line && line <= s.Last })
	})
}

// FalseAlarm reports whether any finding estimates a gain above Alarm for a healthy program.
func (v Verdict) FalseAlarm() bool {
	return v.Actual == corpus.Healthy && slices.ContainsFunc(v.Findings, func(f explain.Finding) bool {
		return promises(f) && !slices.Contains(v.Also, string(f.Name))
	})
}

// Share is a fraction of cases, with its 95% Wilson interval.
type Share struct {
	Hits  int     `json:"hits"`
	Total int     `json:"of"`
	Value float64 `json:"value"` // -1 if Total is 0
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

func share(hits, of int) Share {
	s := Share{Hits: hits, Total: of, Value: -1}
	if of > 0 {
		s.Value = float64(hits) / float64(of)
	}
	s.Low, s.High = stat.WilsonInterval(hits, of)
	return s
}

// Class has the scores of one class.
type Class struct {
	Name      string  `json:"class"`
	Support   int     `json:"support"`   // cases of the class
	Predicted int     `json:"predicted"` // cases predicted to be of it
	Precision Share   `json:"precision"`
	Recall    Share   `json:"recall"`
	F1        float64 `json:"f1"`
}

// Score has the scores of a set of verdicts.
type Score struct {
	Classes []Class `json:"classes"` // of actual cases, by name
	// Confusion counts cases: actual class to predicted.
	Confusion map[string]map[string]int `json:"confusion"`
	// Precision is a share of the first findings that suggest a change, Recall of the sick programs, First of all
	// programs.
	Precision Share `json:"precision"`
	Recall    Share `json:"recall"`
	First     Share `json:"first_right"`
	// MacroF1 is the mean over Counted, the classes with at least LeastSupport cases.
	MacroF1     float64  `json:"macro_f1"`
	Counted     []string `json:"macro_f1_over"`
	RightFix    Share    `json:"right_fix"`    // of sick programs: right first finding, at the right place
	FalseAlarms Share    `json:"false_alarms"` // of healthy programs
	GainErrors  Errors   `json:"gain_errors"`
}

// Errors are the differences between estimated and measured gains of right first findings, as fractions of wall time.
type Errors struct {
	Count   int     `json:"count"`
	Median  float64 `json:"median_absolute"`
	P90     float64 `json:"p90_absolute"`
	Bias    float64 `json:"mean"`     // estimated minus measured
	Covered Share   `json:"interval"` // measured gains within the estimated interval
}

// LeastSupport is the number of cases that a class needs to count in the macro-F1.
const LeastSupport = 5

// NewScore scores verdicts.
func NewScore(verdicts []Verdict) Score {
	s := Score{Confusion: map[string]map[string]int{}}
	var claims, right, sick, found, healthy, alarms, first, placed int
	for _, v := range verdicts {
		p := v.Predicted()
		if s.Confusion[v.Actual] == nil {
			s.Confusion[v.Actual] = map[string]int{}
		}
		s.Confusion[v.Actual][p]++
		hit := p == v.Actual
		first += count(hit)
		if p != corpus.Healthy {
			claims++
			right += count(hit)
		}
		if v.Actual == corpus.Healthy {
			healthy++
			alarms += count(v.FalseAlarm())
			continue
		}
		sick++
		found += count(hit)
		placed += count(v.Placed())
	}
	s.Precision, s.Recall, s.First = share(right, claims), share(found, sick), share(first, len(verdicts))
	s.RightFix, s.FalseAlarms = share(placed, sick), share(alarms, healthy)
	s.classes()
	s.GainErrors = errors(verdicts)
	return s
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *Score) classes() {
	predicted := map[string]int{}
	for _, row := range s.Confusion {
		for p, n := range row {
			predicted[p] += n
		}
	}
	for name, row := range s.Confusion {
		c := Class{Name: name, Predicted: predicted[name]}
		for _, n := range row {
			c.Support += n
		}
		hits := row[name]
		c.Precision, c.Recall = share(hits, c.Predicted), share(hits, c.Support)
		c.F1 = 2 * float64(hits) / float64(c.Predicted+c.Support)
		s.Classes = append(s.Classes, c)
	}
	slices.SortFunc(s.Classes, func(a, b Class) int { return strings.Compare(a.Name, b.Name) })
	for _, c := range s.Classes {
		if c.Support >= LeastSupport {
			s.MacroF1 += c.F1
			s.Counted = append(s.Counted, c.Name)
		}
	}
	if n := len(s.Counted); n > 0 {
		s.MacroF1 /= float64(n)
	}
}

func errors(verdicts []Verdict) Errors {
	var e Errors
	var all []float64
	covered := 0
	for _, p := range Promises(verdicts) {
		all = append(all, math.Abs(p.Gain.Estimate-p.Real))
		e.Bias += p.Gain.Estimate - p.Real
		covered += count(p.Gain.Low <= p.Real && p.Real <= p.Gain.High)
	}
	e.Count, e.Covered = len(all), share(covered, len(all))
	if len(all) > 0 {
		slices.Sort(all)
		e.Median, e.P90 = stat.Quantile(all, 0.5), stat.Quantile(all, 0.9)
		e.Bias /= float64(len(all))
	}
	return e
}

package compare

import (
	"fmt"
	"math"
	"strings"

	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// SLODecision is the decision on one objective of one row. Its JSON is a contract.
type SLODecision struct {
	Kind          string       `json:"kind"` // "slo"
	SchemaVersion int          `json:"schema_version"`
	Workload      string       `json:"workload"`
	World         string       `json:"world"`
	Design        string       `json:"design"`
	Point         plan.Point   `json:"point"`
	Objective     string       `json:"objective"` // such as p99<20ms
	Metric        string       `json:"metric"`
	Limit         float64      `json:"limit"`    // in the unit of the metric
	Median        result.Value `json:"median"`   // of the trials; null if unknown or infinite
	Low           result.Value `json:"low"`      // 95% confidence interval of the median
	High          result.Value `json:"high"`     //
	N             int          `json:"n"`        // trials
	Decision      string       `json:"decision"` // pass, fail or undecided
	Reason        string       `json:"reason"`   // of undecided; "" otherwise
}

// SLOAnalysis holds the decisions on an SLO.
type SLOAnalysis struct {
	Decisions []SLODecision // row by row, in the order of the objectives
	Overall   string        // pass, fail or undecided
}

// Decide decides each objective for each measured row that is no bound, from the plain trials of the row.
//
// An objective is about the median over trials, which are fresh processes, and is decided by its exact interval: pass
// if the whole interval keeps the limit, fail if none of it does. A failed trial, and one whose load exceeded the
// capacity, keeps no limit of a time. Pass uses 95% intervals, and the SLO passes only if all objectives of all rows
// do, so that it passes wrongly with probability at most 2.5% (intersection-union test: Berger, Multiparameter
// Hypothesis Testing and Acceptance Sampling, Technometrics 24, 1982). Fail uses Bonferroni's correction for the number
// of objectives and rows, with the same bound.
func (s SLO) Decide(rows []Row, trials []result.Trial) SLOAnalysis {
	var a SLOAnalysis
	family := 0
	for i := range rows {
		if hasObjectives(&rows[i], trials) {
			family += len(s)
		}
	}
	for i := range rows {
		if !hasObjectives(&rows[i], trials) {
			continue
		}
		for _, o := range s {
			a.Decisions = append(a.Decisions, o.decide(&rows[i], trials, family))
		}
	}

	a.Overall = Pass
	for _, d := range a.Decisions {
		if d.Decision == Fail || d.Decision == Undecided && a.Overall == Pass {
			a.Overall = d.Decision
		}
	}
	if len(a.Decisions) == 0 {
		a.Overall = Undecided
	}
	return a
}

// hasObjectives reports whether objectives apply to a row: it has trials and is no bound.
func hasObjectives(r *Row, trials []result.Trial) bool {
	if r.Bound {
		return false
	}
	for i := range trials {
		if trialKey(&trials[i]) == rowKey(r) {
			return true
		}
	}
	return false
}

// decide decides the objective for a row, as one of a family of decisions.
func (o Objective) decide(r *Row, trials []result.Trial, family int) SLODecision {
	d := SLODecision{Kind: "slo", SchemaVersion: result.SchemaVersion, Workload: r.Workload, World: r.World,
		Design: r.Design, Point: r.Point, Objective: o.Text, Metric: o.metric(r.Open), Limit: o.Limit,
		Median: result.Unavailable, Low: result.Unavailable, High: result.Unavailable, Decision: Undecided}
	var values []float64
	var unknown *result.Trial // the first
	for i := range trials {
		t := &trials[i]
		if t.Kind != result.KindTrial || t.Invalid || trialKey(t) != rowKey(r) {
			continue
		}
		x := o.value(t, d.Metric)
		if math.IsNaN(x) && unknown == nil {
			unknown = t
		}
		values = append(values, x)
	}

	d.N = len(values)
	if unknown != nil {
		d.Reason = o.whyUnknown(unknown, d.Metric)
		return d
	}
	median, low, high, ok := stat.MedianInterval(values, confidence)
	alpha := (1 - confidence) / float64(family)
	_, failLow, failHigh, strict := stat.MedianInterval(values, 1-alpha)
	d.Median, d.Low, d.High = result.Value(median), result.Value(low), result.Value(high)
	switch {
	case !ok:
		d.Reason = tooFew(d.N, "", stat.MinBlocks(1-confidence))
	case o.keeps(low) && o.keeps(high):
		d.Decision = Pass
	case strict && !o.keeps(failLow) && !o.keeps(failHigh):
		d.Decision = Fail
	case !strict && !o.keeps(low) && !o.keeps(high):
		d.Reason = tooFew(d.N, fmt.Sprintf(" to fail one of %d decisions", family), stat.MinBlocks(alpha))
	default:
		d.Reason = "more blocks (option count) would make this interval narrower"
	}
	return d
}

// tooFew says that n blocks are too few for a purpose, which needs a number of them.
func tooFew(n int, purpose string, needed int) string {
	are := map[bool]string{true: "is", false: "are"}[n == 1]
	return fmt.Sprintf("%s %s too few%s: at least %d are needed (option count %d)", result.Count(n, "block"), are,
		purpose, needed, needed)
}

// keeps reports whether a value keeps the limit.
func (o Objective) keeps(x float64) bool {
	if o.AtMax {
		return x < o.Limit || x == o.Limit && strings.Contains(o.Text, "=")
	}
	return x > o.Limit || x == o.Limit && strings.Contains(o.Text, "=")
}

// Sentence returns the decision with its reasons: "slo: pass: ...". It lists the objectives that decide, row by row.
func (a *SLOAnalysis) Sentence() string {
	var rows []string
	last := ""
	for i := range a.Decisions {
		d := &a.Decisions[i]
		if d.Decision != a.Overall {
			continue
		}
		if name := a.nameOf(d); name != last || len(rows) == 0 {
			rows = append(rows, strings.TrimPrefix(name+": ", ": ")+d.text())
			last = name
		} else {
			rows[len(rows)-1] += ", " + d.text()
		}
	}
	switch {
	case len(rows) == 0:
		return "slo: undecided: nothing was measured."
	case len(rows) > maxSLORows:
		rows = append(rows[:maxSLORows], fmt.Sprintf("%d more", len(rows)-maxSLORows))
	}
	return "slo: " + a.Overall + ": " + strings.Join(rows, "; ") + "."
}

// maxSLORows bounds how many rows a sentence lists.
const maxSLORows = 6

// nameOf names the row of a decision as far as needed: by its design if there are several, and by the settings in which
// rows of the design differ.
func (a *SLOAnalysis) nameOf(d *SLODecision) string {
	design, point := "", ""
	for i := range a.Decisions {
		x := &a.Decisions[i]
		if x.Design != d.Design {
			design = d.Design
			continue
		}
		for _, s := range d.Point.Settings() {
			l, _ := x.Point.Get(s.Factor)
			text := s.Factor + " " + s.Level.String()
			if l.String() != s.Level.String() && !strings.Contains(" "+point+" ", " "+text+" ") {
				point = strings.TrimSpace(point + " " + text)
			}
		}
	}
	return strings.TrimSpace(design + " " + point)
}

// text is the objective with what was measured.
func (d *SLODecision) text() string {
	text := d.Objective
	if d.Low.Known() && d.High.Known() {
		low, high := d.number(d.Low), d.number(d.High)
		if low != high {
			low += " to " + high
		}
		text += " (measured " + low + ")"
	}
	if d.Reason != "" {
		text += ": " + d.Reason
	}
	return text
}

// number formats a value of the decision's metric.
func (d *SLODecision) number(v result.Value) string {
	x := float64(v)
	switch unit := result.UnitOf(d.Metric); {
	case math.IsInf(x, 0):
		return "unbounded"
	case unit == result.Nanoseconds:
		return durationText(x)
	case unit == result.Seconds:
		return durationText(1e9 * x)
	case d.Metric == result.ErrorShare:
		return decimal.Percent(x, 3)
	}
	return decimal.Digits(x, 3)
}

// durationText formats nanoseconds with three digits.
func durationText(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= u.size {
			return decimal.Digits(ns/u.size, 3) + u.name
		}
	}
	return decimal.Digits(ns, 3) + "ns"
}

// Records returns the decisions as records of the JSON contract.
func (a *SLOAnalysis) Records() []any {
	var all []any
	for _, d := range a.Decisions {
		all = append(all, d)
	}
	return all
}

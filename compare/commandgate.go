package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Gate decides for each command whether it takes at most limit more wall time than the first one; a limit of 0.05
// allows 5% more. It adds the decisions to the records and to the answer, and returns the overall decision: Pass, Fail
// or Undecided.
//
// A decision follows from the 95% confidence interval of the ratio of wall times, which is valid over all interim
// analyses: Pass if the interval ends at or below the limit, Fail if it begins above. Each is false with probability at
// most 2.5%. While other processes load the machine, nothing is decided.
func (c *CommandAnalysis) Gate(limit float64) string {
	loaded := slices.ContainsFunc(c.Warnings, func(w Warning) bool { return w.Warning == WarnOtherProcesses })
	c.decisions = []GateDecision{}
	for i := range c.Verdicts {
		if v := &c.Verdicts[i]; v.Metric == result.WallSeconds {
			d := v.gate(limit, loaded)
			d.Base, d.Head = c.wall(v.B), c.wall(v.A)
			c.decisions = append(c.decisions, d)
			c.Answer = append(c.Answer, fmt.Sprintf("gate: %s: %s.", d.Decision,
				gateSentence(&d, v, c.Names[v.A], c.Names[v.B], loaded)))
		}
	}
	if len(c.decisions) == 0 {
		c.Answer = append(c.Answer, "gate: undecided: fewer than 2 blocks are complete.")
	}
	c.limit, c.decision = limit, OverallDecision(c.decisions)
	return c.decision
}

// Conclusion returns the sentences of the answer for people: those of Gate alone if it decided, because they repeat the
// intervals of the others.
func (c *CommandAnalysis) Conclusion() []string {
	if c.decisions == nil {
		return c.Answer
	}
	return slices.DeleteFunc(slices.Clone(c.Answer), func(s string) bool { return !strings.HasPrefix(s, "gate: ") })
}

// wall returns the median wall time of a command, in seconds.
func (c *CommandAnalysis) wall(design string) result.Value {
	for i := range c.Rows {
		if c.Rows[i].Design == design {
			return c.Rows[i].Metric(result.WallSeconds).Median
		}
	}
	return result.Unavailable
}

// gate decides whether A takes at most limit more time than B.
func (v *Verdict) gate(limit float64, loaded bool) GateDecision {
	d := GateDecision{Kind: "gate", SchemaVersion: result.SchemaVersion, Design: v.A, Point: plan.Point{},
		Metric: v.Metric, Cost: v.Ratio, Low: v.Low, High: v.High, MaxRegression: limit, N: v.N, Decision: Undecided}
	switch {
	case loaded || v.TooFew():
	case float64(v.High) <= 1+limit:
		d.Decision = Pass
	case float64(v.Low) > 1+limit:
		d.Decision = Fail
	}
	return d
}

// gateSentence gives the reason for a decision on two commands, without its full stop.
func gateSentence(d *GateDecision, v *Verdict, a, b string, loaded bool) string {
	low, high := PercentChange(d.Low), PercentChange(d.High)
	switch {
	case v.TooFew():
		return fmt.Sprintf("%s of %s and %s are too few: at least %d are needed", result.Count(d.N, "block"), a, b,
			stat.MinBlocks(1-ratioConfidence))
	case loaded:
		return "other processes loaded the machine: stop them, or compare on an idle one"
	case low == "" || high == "":
		return fmt.Sprintf("%s of %s and %s give no interval", result.Count(d.N, "block"), a, b)
	}
	text := fmt.Sprintf("the time of %s differs from that of %s by %s to %s, and %s more is allowed", a, b, low, high,
		decimal.Percent(d.MaxRegression, 3))
	if d.Decision == Undecided {
		options := "option count"
		if v.Interims != nil {
			options += " and no budget"
		}
		text += "; more blocks (" + options + ") would make this interval narrower"
	}
	return text
}

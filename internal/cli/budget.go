package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// Values of --compare.
const (
	neighbours = "neighbours"
	allPairs   = "all"
)

var pairings = []string{neighbours, allPairs}

// settleBudget decides between a count of blocks, a budget and a precision. Two of them on the command line are an
// error. Values from the environment yield to the command line, and a count yields to a budget or a precision.
func (o *runOptions) settleBudget(count, budget, precision bool) error {
	switch {
	case count && precision:
		return usage("--count and --precision both set the number of replications; give one of them")
	case count && budget:
		return usage("--count and --budget both set the number of blocks; give one of them")
	case count:
		o.budget, o.precision = 0, ""
	case budget && o.budget == 0:
		return errNoBudget()
	}
	return nil
}

func errNoBudget() error {
	return usage("--budget 0s leaves no time for a trial; give a time such as 10m")
}

// settleEnd decides between operations and a duration. A duration on the command line wins over operations from the
// environment. Zero operations are refused, because they would not mean what they say.
func (o *runOptions) settleEnd(flags *pflag.FlagSet, duration bool) error {
	if o.warmup < 0 {
		return usage("--warmup %v is negative; give 0s for none", o.warmup)
	}
	switch {
	case duration:
		o.operations = 0
	case flags.Changed("operations") && o.operations == 0:
		return usage("--operations 0 measures nothing: give 1 or more, or leave it out for a --duration")
	}
	return nil
}

// conclude prints why a run with a budget or a precision ended.
func (a *app) conclude(r *lab.Run) {
	if r.Header.Precision != nil {
		a.concludePrecision(r)
	}
	of := ""
	if r.Header.Commands != nil {
		of = " of wall time"
	}
	a.concludeBudget(r.Conclusion, of)
}

// concludeBudget prints why a run with a budget ended. of names the metric of its comparisons, if there are others.
// c is nil for other runs.
func (a *app) concludeBudget(c *sweep.Conclusion, of string) {
	if c != nil {
		fmt.Fprintf(a.notes, "%s, %s of %v: %s\n", result.Count(c.Blocks, "block"), result.Rounded(c.Spent), c.Budget,
			conclusionText(c, of))
	}
}

// conclusionText says what is undecided, and what ended the run: the number of blocks, or the budget.
func conclusionText(c *sweep.Conclusion, of string) string {
	if c.Undecided == 0 {
		return strings.Replace(c.Reason, compare.AllDecided, "all comparisons"+of+" are decided", 1)
	}
	reason := c.Reason
	switch {
	case reason == compare.NoBlocks && c.Blocks < c.Most: // stored by an earlier version
		reason = compare.LostResponses
	case reason == compare.NoBlocks:
		reason = fmt.Sprintf("the maximum of this run is %d blocks; --count without --budget may be more", c.Most)
	case reason == compare.NoTime && c.Blocks > 0:
		// Later blocks may have fewer cases than the first ones, and the time of a block varies.
		const reserve = 1.1
		block := max(c.Block, c.Spent/time.Duration(c.Blocks))
		if whole := time.Duration(reserve * float64(block) * float64(c.Most)); whole > c.Budget {
			reason += fmt.Sprintf("; a --budget of about %s is for all %d blocks, which may not be enough",
				decimal.RoundedUp(whole), c.Most)
		}
	}
	return fmt.Sprintf("%d of %d comparisons%s undecided: %s", c.Undecided, c.Verdicts, of, reason)
}

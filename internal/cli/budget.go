package cli

import (
	"fmt"

	"github.com/spf13/pflag"

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
	a.concludeBudget(r.Conclusion)
}

// concludeBudget prints why a run with a budget ended. c is nil for other runs.
func (a *app) concludeBudget(c *sweep.Conclusion) {
	switch {
	case c == nil:
		return
	case c.Undecided == 0:
		fmt.Fprintf(a.notes, "%d blocks, %s of %v: %s\n", c.Blocks, result.Rounded(c.Spent), c.Budget, c.Reason)
	default:
		fmt.Fprintf(a.notes, "%d blocks, %s of %v: %d of %d verdicts undecided: %s\n", c.Blocks,
			result.Rounded(c.Spent), c.Budget, c.Undecided, c.Verdicts, c.Reason)
	}
}

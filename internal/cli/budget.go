package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// The values of --compare.
const (
	neighbours = "neighbours"
	allPairs   = "all"
)

var pairings = []string{neighbours, allPairs}

// settleBudget decides between a count of blocks and a budget or a precision, which say how many there are: both on the
// command line contradict each other; what comes from the environment gives way to the command line, and a
// count to a budget or a precision.
func (o *runOptions) settleBudget(count, budget, precision bool) error {
	switch {
	case count && precision:
		return usage("--count and --precision both say how many replications there are; give one of them")
	case count && budget:
		return usage("--count and --budget both say how many blocks there are; give one of them")
	case count:
		o.budget, o.precision = 0, ""
	case budget && o.budget == 0:
		return usage("--budget 0s leaves no time for a trial; give a time such as 10m")
	}
	return nil
}

// settleEnd decides between operations and a duration that is on the command line, which wins over the environment. It
// refuses none of what ends a trial: that would mean something else than it says.
func (o *runOptions) settleEnd(flags *pflag.FlagSet, duration bool) error {
	switch {
	case duration:
		o.operations = 0
	case flags.Changed("operations") && o.operations == 0:
		return usage("--operations 0 measures nothing: give 1 or more, or leave it out for a --duration")
	}
	if flags.Changed("time-limit") && o.timeLimit == 0 {
		return usage("--time-limit 0s sets none: give a positive time, or leave it out")
	}
	return nil
}

// prepareVerdicts sees that a new sweep can have the verdicts that it is to give.
func (a *app) prepareVerdicts(s *sweep.Sweep, o runOptions) error {
	s.Judgement = compare.Usual(s.Header.Baseline, s.Workload.InputFactors())
	s.Judgement.All = s.Header.All
	if err := enoughForAll(s); err != nil {
		if !slices.Contains(o.tastes, "compare") {
			return err
		}
		s.Header.All, s.Judgement.All = false, false // a taste that does not apply here
	}
	if s.Header.Rule == nil {
		return nil
	}
	if s.Judgement.Size(s.CaseRows()) == 0 {
		if slices.Contains(o.tastes, "budget") {
			s.Header.Rule, s.Header.Blocks, s.Plan.Blocks = nil, o.count, o.count
			return nil
		}
		return usage("--budget goes on until designs are told apart, and here is nothing to compare: give two " +
			"designs that are no bounds, or --count instead")
	}
	return underRule(s)
}

// underRule sees that a new sweep can follow its rule.
func underRule(s *sweep.Sweep) error {
	if budget, one := time.Duration(s.Header.Rule.Budget), s.BlockTime(); one > budget {
		return usage("--budget %v: not one block fits: its %d trials take about %v; give more time, fewer designs "+
			"and points, or a shorter --duration", budget, len(s.Plan.Block(0)), roundDuration(one))
	}
	s.UseRule()
	return nil
}

// resumeVerdicts does the same for a run that is continued or shown again: what it was asked when it began is
// what it gives, unless the command line says otherwise.
func (a *app) resumeVerdicts(cmd *cobra.Command, s *sweep.Sweep, j *store.Journal, o runOptions) error {
	s.Judgement = compare.Usual(s.Header.Baseline, s.Workload.InputFactors())
	s.Judgement.All = s.Header.All
	if cmd.Flags().Changed("baseline") {
		s.Judgement.Baseline = o.baseline
	}
	if cmd.Flags().Changed("compare") {
		s.Judgement.All = o.pairs == allPairs
	}
	r := s.Header.Rule
	if r == nil {
		if s.Complete && !cmd.Flags().Changed("compare") {
			return nil // it shows what it was asked for
		}
		return enoughForAll(s)
	}
	if cmd.Flags().Changed("baseline") && o.baseline != r.Baseline || cmd.Flags().Changed("compare") &&
		s.Judgement.All != r.All {
		return usage("%s has a budget: its blocks went to the comparisons it began with, so that --baseline and "+
			"--compare cannot change; leave them out", o.resume)
	}
	if err := s.ResumeRule(o.resume, j.Looks, j.Spent); err != nil {
		return asUsage(err)
	}
	return nil
}

// enoughForAll refuses to compare all pairs by fewer blocks than that takes. A run that goes on will have those
// of its plan.
func enoughForAll(s *sweep.Sweep) error {
	if !s.Judgement.All {
		return nil
	}
	blocks := s.Plan.Blocks
	if s.Complete {
		blocks = len(s.Sealed)
	}
	few, many, needed := s.Judgement.BlocksForAll(s.CaseRows())
	if blocks >= needed {
		return nil
	}
	return usage("--compare all makes %d verdicts where neighbours make %d, and takes %d blocks to find what %d find "+
		"then; there are %d: use --count %d, fewer designs, or --compare neighbours", many, few, needed,
		compare.LookBlocks()[0], blocks, needed)
}

// budgetIntent is what is still to be measured by a run with a budget.
func budgetIntent(h *sweep.Header, o sweep.Outlook) string {
	budget, first := time.Duration(h.Rule.Budget), h.Rule.Looks[0]
	text := fmt.Sprintf(": looks at %s blocks", listed(h.Rule.Looks))
	if h.Observed {
		text = ", each also observed" + text
	}
	if o.Done > 0 {
		return text + fmt.Sprintf(", %d trials done, %v of %v left", o.Done, roundDuration(o.Left), budget)
	}
	text += fmt.Sprintf(", in %v at most", budget)
	switch fit := budget / max(o.Block, 1); {
	case o.Block == 0:
		return text + "; how long a block takes is known once one is done"
	case o.Jobs:
		text += fmt.Sprintf("; the first comes after about %s and the time of the jobs",
			roundDuration(time.Duration(first)*o.Block))
	case fit < time.Duration(first):
		text += fmt.Sprintf("; about %d %s, too few for the first look, so that nothing can be decided: "+
			"that takes about %s", fit, fits(int(fit)), roundDuration(time.Duration(first)*o.Block))
	default:
		text += fmt.Sprintf("; the first comes after about %s", roundDuration(time.Duration(first)*o.Block))
	}
	return text
}

func fits(blocks int) string {
	if blocks == 1 {
		return "block fits"
	}
	return "blocks fit"
}

// listed is "10, 15 and 20".
func listed(ns []int) string {
	var words []string
	for _, n := range ns {
		words = append(words, fmt.Sprint(n))
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// progressOf is how far an interrupted sweep came, of so many trials.
func progressOf(h *sweep.Header, trials, total int) string {
	if h.Rule != nil || h.Precision != nil {
		return result.Count(trials, "trial")
	}
	return fmt.Sprintf("%d of %s", trials, result.Count(total, "trial"))
}

// conclude says why a run with a budget or a precision ended.
func (a *app) conclude(s *sweep.Sweep, trials []result.Trial) {
	if s.Header.Precision != nil {
		a.concludePrecision(s, trials)
	}
	a.concludeBudget(s.Conclusion())
}

// concludeBudget says why a run with a budget ended; nil is of another run.
func (a *app) concludeBudget(c *sweep.Conclusion) {
	switch {
	case c == nil:
		return
	case c.Undecided == 0:
		fmt.Fprintf(a.stderr, "%d blocks, %s of %v: %s\n", c.Blocks, roundDuration(c.Spent), c.Budget, c.Why)
	default:
		fmt.Fprintf(a.stderr, "%d blocks, %s of %v: %d of %d verdicts undecided: %s\n", c.Blocks,
			roundDuration(c.Spent), c.Budget, c.Undecided, c.Verdicts, c.Why)
	}
}

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
	"github.com/brewput/brewput/workload"
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

// mostBlocks is the number of blocks at the last look of a budget.
func mostBlocks() int { return slices.Max(compare.LookBlocks()) }

// rule is how a run with a budget goes.
func rule(budget time.Duration, j compare.Judgement) *sweep.Rule {
	return &sweep.Rule{
		Budget: sweep.Duration(budget), Looks: compare.LookBlocks(), Equivalent: compare.EquivalentFrom,
		Different: compare.DifferentFrom, Spending: sweep.Spending, Alpha: j.Alpha, Margin: j.Margin,
		Baseline: j.Baseline, All: j.All,
	}
}

// prepareVerdicts sees that a new sweep can have the verdicts that it is to give.
func (a *app) prepareVerdicts(s *sweep.Sweep, o runOptions) error {
	s.Judgement = compare.Usual(s.Header.Baseline, inputs(s.Workload))
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
	if s.Judgement.Size(caseRows(s)) == 0 {
		if slices.Contains(o.tastes, "budget") {
			s.Header.Rule, s.Header.Blocks, s.Plan.Blocks = nil, o.count, o.count
			return nil
		}
		return usage("--budget goes on until designs are told apart, and here is nothing to compare: give two designs that are no bounds, or --count instead")
	}
	return underRule(s)
}

// underRule sees that a new sweep can follow its rule.
func underRule(s *sweep.Sweep) error {
	r := s.Header.Rule
	if one := s.BlockTime(); one > time.Duration(r.Budget) {
		return usage("--budget %v: not one block fits: its %d trials take about %v; give more time, fewer %s, or a shorter --duration", time.Duration(r.Budget), len(s.Plan.Block(0)), roundDuration(one), measuredOf(s))
	}
	s.Judgement.Looks = compare.NewLooks(r.Looks, r.Equivalent)
	s.Judgement.Looks.Different = r.Different
	return nil
}

// measuredOf is what there may be fewer of.
func measuredOf(s *sweep.Sweep) string {
	if s.Header.Bench != nil {
		return "benchmarks or CPUs"
	}
	return "designs and points"
}

// resumeVerdicts does the same for a run that is continued or shown again: what it was asked when it began is
// what it gives, unless the command line says otherwise.
func (a *app) resumeVerdicts(cmd *cobra.Command, s *sweep.Sweep, j *store.Journal, o runOptions) error {
	s.Judgement = compare.Usual(s.Header.Baseline, inputs(s.Workload))
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
	if cmd.Flags().Changed("baseline") && o.baseline != r.Baseline || cmd.Flags().Changed("compare") && s.Judgement.All != r.All {
		return usage("%s has a budget: its blocks went to the comparisons it began with, so that --baseline and --compare cannot change; leave them out", o.resume)
	}
	return resumeRule(s, j, o.resume)
}

// resumeRule lets a sweep that goes on, or is shown again, follow the rule that it has, if any.
func resumeRule(s *sweep.Sweep, j *store.Journal, dir string) error {
	r := s.Header.Rule
	if r == nil {
		return nil
	}
	if !slices.IsSorted(r.Looks) || len(r.Looks) == 0 || r.Looks[0] < 2 || r.Alpha <= 0 || r.Alpha >= 1 || r.Margin <= 0 {
		return usage("%s is not a run of brewput: the rule of its budget makes no sense", dir)
	}
	s.Judgement.Baseline, s.Judgement.All, s.Judgement.Alpha, s.Judgement.Margin = r.Baseline, r.All, r.Alpha, r.Margin
	s.Judgement.Looks = compare.NewLooks(r.Looks, r.Equivalent)
	s.Judgement.Looks.Different = r.Different
	var err error
	if s.Looks, err = sweep.ReadLooks(j.Looks); err != nil {
		return usage("%s cannot be continued: %w", dir, err)
	}
	s.Spent = j.Spent
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
	few, many, needed := s.Judgement.BlocksForAll(caseRows(s))
	if blocks >= needed {
		return nil
	}
	return usage("--compare all makes %d verdicts where neighbours make %d, and takes %d blocks to find what %d find then; there are %d: use --count %d, fewer designs, or --compare neighbours", many, few, needed, compare.LookBlocks()[0], blocks, needed)
}

// caseRows are rows of the cases before any is measured.
func caseRows(s *sweep.Sweep) []compare.Row {
	var rows []compare.Row
	for _, c := range s.Plan.Cases {
		d, _ := s.Workload.Find(c.Design)
		rows = append(rows, compare.Row{
			Workload: s.Workload.Name, Design: c.Design, World: s.Header.World, Point: c.Point,
			Bound: d.Expect == workload.Bound, Peer: d.Peer, Job: d.Job != nil, Open: workload.OpenLoop(c.Point),
		})
	}
	return rows
}

// budgetIntent is what is still to be measured by a run with a budget.
func budgetIntent(s *sweep.Sweep) string {
	r := s.Header.Rule
	budget, first := time.Duration(r.Budget), r.Looks[0]
	text := fmt.Sprintf(": looks at %s blocks", listed(r.Looks))
	if s.Header.Observed {
		text = ", each also observed" + text
	}
	if len(s.Done) > 0 {
		return text + fmt.Sprintf(", %d trials done, %v of %v left", len(s.Done), roundDuration(max(0, budget-s.Before())), budget)
	}
	text += fmt.Sprintf(", in %v at most", budget)
	block := s.BlockTime()
	switch fit := budget / max(block, 1); {
	case block == 0:
		return text + "; how long a block takes is known once one is done"
	case s.HasJobs():
		text += fmt.Sprintf("; the first comes after about %s and the time of the jobs", roundDuration(time.Duration(first)*block))
	case fit < time.Duration(first):
		text += fmt.Sprintf("; about %d %s, too few for the first look, so that nothing can be decided: that takes about %s", fit, fits(int(fit)), roundDuration(time.Duration(first)*block))
	default:
		text += fmt.Sprintf("; the first comes after about %s", roundDuration(time.Duration(first)*block))
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

// progressOf is how far an interrupted sweep came.
func progressOf(s *sweep.Sweep, trials int) string {
	if s.Header.Rule != nil || s.Header.Precision != nil {
		return result.Count(trials, "trial")
	}
	return fmt.Sprintf("%d of %s", trials, result.Count(s.Total(), "trial"))
}

// conclude says why a run with a budget or a precision ended.
func (a *app) conclude(s *sweep.Sweep, trials []result.Trial) {
	if s.Header.Precision != nil {
		a.concludePrecision(s, trials)
	}
	if s.Header.Rule == nil || len(s.Looks) == 0 {
		return
	}
	last, undecided, all := s.Looks[len(s.Looks)-1], 0, s.Judgement.Size(caseRows(s))
	for i := len(s.Looks) - 1; i >= 0; i-- {
		if l := s.Looks[i]; len(l.Standings) > 0 {
			undecided, all = l.Undecided(), len(l.Standings)
			break
		}
		undecided = all
	}
	text := fmt.Sprintf("%d blocks, %s of %v: ", last.After, roundDuration(time.Duration(last.Spent)), time.Duration(s.Header.Rule.Budget))
	if undecided == 0 {
		fmt.Fprintln(a.stderr, text+last.Why)
		return
	}
	fmt.Fprintf(a.stderr, "%s%d of %d verdicts undecided: %s\n", text, undecided, all, last.Why)
}

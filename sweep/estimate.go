package sweep

import (
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// Estimate is the work that a sweep still has to do. Its times leave out trials of unknown length, such as jobs.
type Estimate struct {
	Done       int           // trials stored by earlier executions
	Total      int           // trials of the plan, including Done; with a budget, up to the maximum number of blocks
	Block      time.Duration // expected time of a block of all cases
	Remaining  time.Duration // expected time of the rest of the plan
	BudgetLeft time.Duration // remaining budget; 0 without one
	Jobs       bool          // some designs are jobs, so the times are too short
}

// Estimate estimates the remaining work. Call it before Execute.
func (s *Sweep) Estimate() Estimate {
	o := Estimate{Done: len(s.Done), Total: s.TotalTrials(), Block: s.blockTime(), Remaining: s.Remaining(),
		Jobs: s.hasJobs()}
	if s.Header.Rule != nil {
		o.BudgetLeft = max(0, time.Duration(s.Header.Rule.Budget)-s.spentBefore())
	}
	return o
}

// FitBudget plans the blocks of a budget. If there is something to compare, interim analyses decide how many blocks
// follow and which comparisons continue. Otherwise the number of blocks is what the budget allows, from 1 to 100. It
// refuses, by a [*plan.Refusal], a budget that is too small for a block.
func (s *Sweep) FitBudget(budget time.Duration) error {
	one := s.blockTime()
	if s.Criteria.FamilySize(s.caseRows()) == 0 {
		s.Header.Blocks = min(max(int(budget/max(one, time.Millisecond)), 1), 100)
		s.Plan.Blocks = s.Header.Blocks
		return nil
	}
	if one > budget {
		return plan.Refuse("budget", budget, "not even one block fits: its %d trials take about %v",
			len(s.Plan.Block(0)), result.Rounded(one)).
			Suggest("give more time, fewer benchmarks or CPUs, or a shorter {duration}")
	}
	s.Header.Rule = NewBudgetRule(budget, s.Criteria)
	s.Header.Blocks = s.Header.Rule.MaxBlocks()
	s.Plan.Blocks = s.Header.Blocks
	s.planInterims()
	return nil
}

// Conclusion says why a sweep with a budget ended.
type Conclusion struct {
	Blocks        int
	Spent, Budget time.Duration
	Undecided     int // undecided verdicts at the last interim analysis that had any
	Verdicts      int
	Reason        string // why the sweep ended; see compare.Allocation
}

// Conclusion returns why the sweep ended. Call it after Execute. It is nil without a budget or before the first
// interim analysis.
func (s *Sweep) Conclusion() *Conclusion {
	if s.Header.Rule == nil || len(s.Interims) == 0 {
		return nil
	}
	last, all := s.Interims[len(s.Interims)-1], s.Criteria.FamilySize(s.caseRows())
	c := &Conclusion{Blocks: last.After, Spent: time.Duration(last.Spent), Budget: time.Duration(s.Header.Rule.Budget),
		Undecided: all, Verdicts: all, Reason: last.Reason}
	for i := len(s.Interims) - 1; i >= 0; i-- {
		if l := s.Interims[i]; len(l.Comparisons) > 0 {
			c.Undecided, c.Verdicts = l.Undecided(), len(l.Comparisons)
			break
		}
	}
	return c
}

// caseRows returns the rows of the cases before any trial has run.
func (s *Sweep) caseRows() []compare.Row {
	var rows []compare.Row
	for _, c := range s.Plan.Cases {
		d, _ := s.Workload.Find(c.Design)
		rows = append(rows, compare.Row{
			Workload: s.Workload.Name, Design: c.Design, World: s.Header.World, Point: c.Point,
			Bound: d.Expect == workload.Bound, Reference: d.Reference, Job: d.Job != nil,
			Open: workload.OpenLoop(c.Point),
		})
	}
	return rows
}

package sweep

import (
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// PlanBudget prepares the interim analyses of a new run with a budget. It refuses, by a [*plan.Refusal], a run that has
// nothing to compare, and a budget in which not one block fits.
func (s *Sweep) PlanBudget() error {
	if s.Header.Rule == nil {
		return nil
	}
	if s.Criteria.FamilySize(s.caseRows()) == 0 {
		return plan.Refuse("budget", nil, "continues until comparisons are decided, but there is nothing to "+
			"compare: give two designs that are not bounds, or use {count}")
	}
	if err := s.fitsBlock(time.Duration(s.Header.Rule.Budget), "designs and points"); err != nil {
		return err
	}
	s.planInterims()
	return nil
}

// FitBudget plans the blocks of a budget. If there is something to compare, interim analyses decide how many blocks
// follow and which comparisons continue. Otherwise the number of blocks is what the budget allows, from 1 to 100. It
// refuses, by a [*plan.Refusal], a budget that is too small for a block.
func (s *Sweep) FitBudget(budget time.Duration) error {
	if s.Criteria.FamilySize(s.caseRows()) == 0 {
		s.Header.Blocks = min(max(int(budget/max(s.blockTime(), time.Millisecond)), 1), 100)
		s.Plan.Blocks = s.Header.Blocks
		return nil
	}
	if err := s.fitsBlock(budget, "benchmarks or CPUs"); err != nil {
		return err
	}
	s.Header.Rule = NewBudgetRule(budget, s.Criteria)
	s.Header.Blocks = s.Header.Rule.MaxBlocks()
	s.Plan.Blocks = s.Header.Blocks
	s.planInterims()
	return nil
}

// fitsBlock refuses a budget in which not one block fits. fewer is what the plan could have less of.
func (s *Sweep) fitsBlock(budget time.Duration, fewer string) error {
	one := s.blockTime()
	if one <= budget {
		return nil
	}
	return plan.Refuse("budget", budget, "not even one block fits: its %d trials take about %v",
		len(s.Plan.Block(0)), result.Rounded(one)).
		Suggest("give more time, fewer %s, or a shorter {duration}", fewer)
}

// caseRows returns the rows of the cases before any trial has run.
func (s *Sweep) caseRows() []compare.Row {
	var rows []compare.Row
	for _, c := range s.Plan.Cases {
		d, _ := s.Workload.Find(c.Design)
		rows = append(rows, compare.Row{
			Workload: s.Workload.Name, Design: c.Design, World: s.Header.World, Point: c.Point,
			Bound: d.Expect == workload.Bound, Reference: d.Reference, Job: d.Job != nil, Guarantee: d.Guarantee,
			Open: workload.OpenLoop(c.Point),
		})
	}
	return rows
}

package sweep

import (
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
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
	if budget, one := time.Duration(s.Header.Rule.Budget), s.blockTime(); one > budget {
		return plan.Refuse("budget", budget, "not even one block fits: its %d trials take about %v",
			len(s.Plan.Block(0)), result.Rounded(one)).
			Suggest("give more time, fewer designs and points, or a shorter {duration}")
	}
	s.planInterims()
	return nil
}

package sweep

import (
	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
)

// EnoughForAll refuses, by a [*plan.Refusal], to compare all pairs with too few blocks. In a run that is continued,
// the planned blocks count.
func (s *Sweep) EnoughForAll() error {
	if !s.Criteria.All {
		return nil
	}
	blocks := s.Plan.Blocks
	if s.Complete {
		blocks = len(s.CompleteBlocks)
	}
	few, many, needed := s.Criteria.BlocksForAllPairs(s.caseRows())
	if blocks >= needed {
		return nil
	}
	return plan.Refuse("compare", "all", "makes %d verdicts instead of the %d of neighbours, and needs %d blocks to "+
		"detect what %d detect with neighbours; there are %d: use {count} %d, fewer designs, or {compare} "+
		"neighbours", many, few, needed,
		compare.InterimBlocks()[0], blocks, needed)
}

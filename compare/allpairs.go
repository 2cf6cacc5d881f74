package compare

import "github.com/brewput/brewput/internal/stat"

// FamilySize returns the number of comparisons of rows that have no trials yet, assuming that all of them get
// values.
func (c Criteria) FamilySize(rows []Row) int { return len(c.pairs(rows, (*Row).neverCompared)) }

// BlocksForAllPairs returns the cost of comparing all pairs instead of neighbours: the number of comparisons of
// both, and the blocks needed. With these blocks, all pairs have the power that neighbours have at the first
// interim analysis.
func (c Criteria) BlocksForAllPairs(rows []Row) (few, many, blocks int) {
	c.All = false
	few = c.FamilySize(rows)
	c.All = true
	many = c.FamilySize(rows)
	return few, many, stat.BlocksForFamily(InterimBlocks()[0], few, many, c.Alpha)
}

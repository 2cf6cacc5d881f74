package compare

import "github.com/brewput/brewput/internal/stat"

// FamilySize returns the number of comparisons of rows that have no trials yet, assuming that all of them get
// values.
func (j Criteria) FamilySize(rows []Row) int { return len(j.pairs(rows, (*Row).neverCompared)) }

// BlocksForAllPairs returns the cost of comparing all pairs instead of neighbours: the number of comparisons of
// both, and the blocks needed. With these blocks, all pairs have the power that neighbours have at the first
// interim analysis.
func (j Criteria) BlocksForAllPairs(rows []Row) (few, many, blocks int) {
	j.All = false
	few = j.FamilySize(rows)
	j.All = true
	many = j.FamilySize(rows)
	return few, many, stat.BlocksForFamily(InterimBlocks()[0], few, many, j.Alpha)
}

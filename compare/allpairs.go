package compare

import "github.com/brewput/brewput/internal/stat"

// Size is the number of comparisons of rows that have no trial yet, if all of them come to a number.
func (j Criteria) FamilySize(rows []Row) int { return len(j.pairs(rows, (*Row).neverCompared)) }

// BlocksForAllPairs is what it takes to compare all pairs of these rows: how many comparisons there are among
// neighbours and among all, and the blocks that find among all what the least number of blocks for a verdict
// by looks, 10, finds among neighbours.
func (j Criteria) BlocksForAllPairs(rows []Row) (few, many, blocks int) {
	j.All = false
	few = j.FamilySize(rows)
	j.All = true
	many = j.FamilySize(rows)
	return few, many, stat.BlocksForFamily(InterimBlocks()[0], few, many, j.Alpha)
}

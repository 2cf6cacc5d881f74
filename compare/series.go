package compare

import (
	"math"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// blockSeries holds the blocks in which both cases of a comparison were tried, in order.
type blockSeries struct {
	blocks    []int
	logs      []float64 // logarithms of the ratios; NaN if a trial has no value
	truncated bool      // further blocks add nothing

	layouts int // if above 1, number of layouts, each one replicate; see Pair.compare
}

// newSeries pairs the trials of two rows by block.
func newSeries(a, b *Row, values map[key]map[int]float64, tried map[key]map[int]bool) blockSeries {
	var s blockSeries
	ka, kb := rowKey(a), rowKey(b)
	for _, block := range sortedBlocks(tried[ka]) {
		if !tried[kb][block] {
			continue
		}
		x, okA := values[ka][block]
		y, okB := values[kb][block]
		log := math.NaN()
		if okA && okB {
			log = math.Log(x / y)
		}
		s.blocks, s.logs = append(s.blocks, block), append(s.logs, log)
	}
	return s
}

// truncate ends a series at the first block, not before block from, in which either side lost its response because
// it was overloaded. Using only the later good blocks would be biased. Earlier results stay.
func (s *blockSeries) truncate(from int, lost ...map[int]bool) {
	for i, block := range s.blocks {
		if block >= from && (lost[0][block] || lost[1][block]) {
			s.blocks, s.logs, s.truncated = s.blocks[:i], s.logs[:i], true
			return
		}
	}
}

// lostResponses returns the blocks in which a good trial of an open loop has no response time, because it was
// unstable or lost more than half of its requests.
func lostResponses(trials []result.Trial) map[key]map[int]bool {
	lost := map[key]map[int]bool{}
	for i := range trials {
		t := &trials[i]
		if t.Kind != result.KindTrial || !t.Open || !t.Good() || !t.Unstable &&
			!(t.Metrics.Get(result.LostShare) > 0.5) {
			continue
		}
		if lost[trialKey(t)] == nil {
			lost[trialKey(t)] = map[int]bool{}
		}
		lost[trialKey(t)][t.Block] = true
	}
	return lost
}

// comparison compares the first n blocks, of which good have values of both. ok is false with fewer than two
// replicates.
func (s *blockSeries) comparison(n int) (c stat.Comparison, good int, ok bool) {
	var logs []float64
	var blocks []int
	for i, x := range s.logs[:n] {
		if !math.IsNaN(x) {
			logs, blocks = append(logs, x), append(blocks, s.blocks[i])
		}
	}
	if s.layouts > 1 {
		c, ok = stat.ComparePairedUnordered(replicates(logs, blocks, s.layouts), ratioConfidence)
		return c, len(logs), ok
	}
	c, ok = stat.PairedEstimate(logs)
	return c, len(logs), ok
}

// enoughBlocks reports whether a comparison has the blocks that any verdict needs. With layouts there are too few
// replicates for permutations, so that only Student's t of their means decides.
func (c Criteria) enoughBlocks(ratio stat.Comparison, layouts int) bool {
	if layouts > 1 {
		return ratio.N >= minLayouts
	}
	return ratio.Enough(c.Alpha)
}

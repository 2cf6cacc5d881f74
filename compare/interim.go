package compare

import (
	"slices"

	"github.com/brewput/brewput/internal/stat"
)

// differs is the verdict "faster or slower" before its direction is known.
const differs = "differs"

// InterimBlocks returns the numbers of blocks at the interim analyses of a run with a budget.
func InterimBlocks() []int { return []int{10, 15, 20, 30, 40} }

// InterimPlan is the plan of the interim analyses of a run with a budget.
//
// Alpha is spent with the square of the blocks: 1/16 of it at 10 of 40 blocks. O'Brien and Fleming's boundaries
// leave almost nothing for 10 blocks, where Student's t has heavy tails: among 7 comparisons, finding a difference
// there would need 20 standard errors instead of 5.4. Pocock's boundaries need 4.1, but take alpha from the last
// analysis, which most comparisons need.
type InterimPlan struct {
	Blocks     []int // ascending
	Equivalent int   // least blocks for the verdict "equivalent"
	Different  int   // least blocks for a difference smaller than clearRatio
	planned    *stat.InterimAnalyses
}

// EquivalentFrom is the default of [InterimPlan.Equivalent]. Few blocks may miss rare slow trials: if 15 in 100
// trials are slow, 10 blocks contain none in 1 of 5 runs, and 20 blocks in 1 of 26.
const EquivalentFrom = 20

// DifferentFrom is the default of [InterimPlan.Different]. A disturbance that slows one design for several blocks
// shows in the order of the blocks only when another phase follows. With phases of 3 blocks, 10 blocks all lie in
// such phases of one design in 1 of 8 runs. Therefore small differences wait for 20 blocks; see the manual's table
// of lasting noise.
const DifferentFrom = 20

// clearRatio is the ratio from which on a difference does not wait, because it exceeds the usual effect of slow
// phases.
const clearRatio = 1.10

// NewInterimPlan plans interim analyses at the given numbers of blocks. equivalent is the least number of blocks
// for the verdict "equivalent". It takes a few tenths of a second.
func NewInterimPlan(blocks []int, equivalent int) *InterimPlan {
	return &InterimPlan{blocks, equivalent, DifferentFrom, stat.NewInterimAnalyses(stat.SquareSpending, blocks)}
}

// tooSmall reports whether there are too few blocks for a difference of this size, however significant it is.
func (p *InterimPlan) tooSmall(ratio float64, blocks int) bool {
	return blocks < p.Different && max(ratio, 1/ratio) < clearRatio
}

// most returns the number of blocks at the last analysis.
func (p *InterimPlan) most() int { return p.Blocks[len(p.Blocks)-1] }

// analysesAt returns the analyses at the given numbers of blocks. Failed trials reduce these; the analysis then
// spends what its blocks allow. Analyses of layouts always share alpha by Bonferroni, because further blocks add no
// replicates.
func (p *InterimPlan) analysesAt(blocks []int, layouts int) *stat.InterimAnalyses {
	if layouts < 2 && slices.Equal(blocks, p.Blocks[:len(blocks)]) {
		return p.planned
	}
	return stat.NewSeparateAnalyses(stat.SquareSpending, blocks, p.most())
}

// analysis is the result of one interim analysis of a comparison.
type analysis struct {
	ratio   stat.Comparison
	blocks  int  // number of blocks analysed
	layouts int  // see blockSeries
	enough  bool // enough blocks for a verdict
	early   bool // too few blocks for "equivalent"
	small   bool // too few blocks for so small a difference
	// p-values of this analysis, valid over all analyses: of a ratio of 1, and of a ratio outside the margin.
	different, outside float64
	// level returns the nominal level of this analysis if all analyses together may spend alpha.
	level func(alpha float64) float64
}

// permutationAgrees reports whether a permutation test confirms a difference. It assumes less than Student's t and
// serves only as a veto. n blocks have no p-value below 2/2^n. If that exceeds the level, the smallest possible
// p-value is enough.
func (g *analysis) permutationAgrees(alpha float64) bool {
	return g.ratio.Permutation() <= max(g.level(alpha), g.ratio.MinPermutationP())
}

// sequentialState is the state of one comparison after its analyses.
type sequentialState struct {
	ok         bool // there are blocks to analyse
	analysis        // the deciding one, else the last; before the first, of all blocks so far
	analyses   []analysis
	goodBlocks []int   // number of good blocks at each analysis
	ended      bool    // further blocks add nothing
	tried      int     // blocks at the last analysis, good or not; before the first, all
	spent      float64 // part of alpha spent
	vetoed     bool    // undecided only because the permutation test disagrees
	verdict    string  // Undecided, Equivalent or differs; final once decided

	adjusted float64 // differenceP after Holm's adjustment
}

func newStates(n int) []sequentialState {
	states := make([]sequentialState, n)
	for i := range states {
		states[i] = sequentialState{verdict: Undecided, adjusted: 1, analysis: analysis{level: singleLevel}}
	}
	return states
}

// differenceP returns the p-value of a ratio of 1 over all analyses: the minimum of theirs.
func (s *sequentialState) differenceP() float64 {
	p := 1.0
	for i := range s.analyses {
		p = min(p, s.analyses[i].different)
	}
	return p
}

// decideBy decides by the first analysis that shows the verdict, and takes its values. A later analysis may have
// other blocks and even point the other way.
func (s *sequentialState) decideBy(verdict string, shows func(*analysis) bool) bool {
	for i := range s.analyses {
		if g := &s.analyses[i]; g.enough && shows(g) {
			s.verdict, s.analysis = verdict, *g
			return true
		}
	}
	return false
}

// singleLevel is the level of a test with a single analysis.
func singleLevel(alpha float64) float64 { return alpha }

// judge decides all comparisons of a family. Without interim analyses each is analysed once, with all its blocks.
//
// Otherwise a comparison is analysed when the number of blocks that hold both cases, good or not, reaches that of
// the next analysis, until it is decided. The p-values of its analyses become one that is valid over all of them
// (see [stat.InterimAnalyses]). Holm's method then adjusts these for the family. This is the closed test that tests
// every intersection by Bonferroni and alpha spending (Maurer and Bretz: Multiple testing in group sequential
// trials using graphical approaches, Statistics in Biopharmaceutical Research 5(4), 2013). The probability of any
// false verdict at any analysis is at most alpha, whatever earlier analyses decide to measure.
func (c Criteria) judge(all []blockSeries) []sequentialState {
	states := newStates(len(all))
	if c.Interims == nil {
		for i := range all {
			if ratio, _, ok := all[i].comparison(len(all[i].logs)); ok {
				c.judgeOnce(&states[i], ratio, all[i].layouts)
			}
		}
		c.decide(states)
		return states
	}

	for i := range all {
		c.Interims.preview(&states[i], &all[i])
	}

	for _, block := range analysisBlocks(c.Interims.Blocks, all) {
		for i := range all {
			if n := slices.Index(all[i].blocks, block) + 1; states[i].verdict == Undecided &&
				slices.Contains(c.Interims.Blocks, n) {
				c.interim(&states[i], &all[i], n)
			}
		}
		c.decide(states)
	}
	return states
}

// analysisBlocks returns the blocks after which some comparison has an analysis, ascending.
func analysisBlocks(interims []int, all []blockSeries) []int {
	var blocks []int
	for i := range all {
		for _, n := range interims {
			if n <= len(all[i].blocks) {
				blocks = append(blocks, all[i].blocks[n-1])
			}
		}
	}
	slices.Sort(blocks)
	return slices.Compact(blocks)
}

// judgeOnce analyses a comparison with all its blocks.
func (c Criteria) judgeOnce(s *sequentialState, ratio stat.Comparison, layouts int) {
	s.ok, s.tried = true, ratio.N
	s.analysis = analysis{ratio, ratio.N, layouts, c.enoughBlocks(ratio, layouts), false, false, ratio.P(),
		ratio.EquivalenceP(c.Margin), singleLevel}
	s.analyses = []analysis{s.analysis}
}

// interim analyses a comparison with its first n blocks.
func (c Criteria) interim(s *sequentialState, of *blockSeries, n int) {
	ratio, good, ok := of.comparison(n)
	s.tried = n
	if !ok || len(s.analyses) > 0 && good == s.blocks { // no new values
		return
	}
	s.goodBlocks = append(s.goodBlocks, good)
	interims, k := c.Interims.analysesAt(s.goodBlocks, of.layouts), len(s.analyses)
	s.ok, s.spent = true, interims.Spent(c.Alpha, k)
	s.analysis = analysis{ratio, good, of.layouts, c.enoughBlocks(ratio, of.layouts), good < c.Interims.Equivalent,
		c.Interims.tooSmall(ratio.Ratio, good),
		interims.P(ratio.P(), k), interims.P(ratio.EquivalenceP(c.Margin), k),
		func(alpha float64) float64 { return interims.Level(alpha, k) }}
	s.analyses = append(s.analyses, s.analysis)
}

// decide sets the verdicts that are not final yet. Equivalence needs the interval, at the confidence of the family,
// within the margin. A difference needs an adjusted p-value of at most alpha, at an analysis at which the
// permutation test agrees. A difference within the margin is equivalent.
func (c Criteria) decide(states []sequentialState) {
	ps := make([]float64, len(states))
	for i := range states {
		ps[i] = states[i].differenceP()
	}

	for i, adjusted := range stat.HolmWithEquivalence(ps) {
		s := &states[i]
		s.adjusted, s.vetoed = adjusted, false
		within := func(g *analysis) bool { return g.outside <= c.Alpha/float64(len(ps)) }
		if s.verdict != Undecided || s.decideBy(Equivalent, func(g *analysis) bool { return within(g) && !g.early }) ||
			adjusted > c.Alpha {
			continue
		}
		share := 0.0 // Holm's level for this comparison
		if adjusted > 0 {
			share = c.Alpha * ps[i] / adjusted
		}
		differing := func(g *analysis) bool { return g.enough && !within(g) && !g.small && g.different <= share }
		if !s.decideBy(differs, func(g *analysis) bool { return differing(g) && g.permutationAgrees(c.Alpha) }) &&
			len(s.analyses) > 0 {
			s.vetoed = differing(&s.analyses[len(s.analyses)-1])
		}
	}
}

// preview sets the state before the first analysis, so that a ratio can be shown. Its interval is that of an
// analysis with the present blocks.
func (p *InterimPlan) preview(s *sequentialState, of *blockSeries) {
	s.tried, s.ended, s.layouts = len(of.blocks), of.truncated, of.layouts
	if s.ratio, s.blocks, s.ok = of.comparison(len(of.logs)); s.ok {
		first := stat.NewSeparateAnalyses(stat.SquareSpending, []int{min(s.blocks, p.most())}, p.most())
		s.level = func(alpha float64) float64 { return first.Level(alpha, 0) }
	}
}

// blocksNeeded returns the number of blocks to the first analysis that would decide the comparison if its ratio
// stays as estimated; nil if none would. alpha is what its analyses may spend.
func (p *InterimPlan) blocksNeeded(s *sequentialState, margin, alpha float64) *int {
	if s.ended || s.layouts > 1 { // further blocks add no layouts
		return nil
	}
	far := max(s.ratio.Ratio, 1/s.ratio.Ratio)
	for k, n := range p.Blocks {
		more, level := n-s.tried, p.planned.Level(alpha, k)
		then := s.ratio.N + more
		if more > 0 && (far <= 1+margin && then >= p.Equivalent && s.ratio.Within(then, margin, 1-level) ||
			far > 1+margin && !p.tooSmall(far, then) && s.ratio.DetectableBy(then, 1, level) <= far) {
			return &more
		}
	}
	return nil
}

// blocksNeeded estimates the outcome of an undecided comparison, one of m, and the number of further blocks that
// would decide it if the ratio stays as estimated. more is nil above blocksLimit or beyond the last interim
// analysis. It is also nil if only the permutation test disagrees, because its p-value cannot be predicted.
func (c Criteria) blocksNeeded(s *sequentialState, m int) (nearly string, more *int) {
	if max(s.ratio.Ratio, 1/s.ratio.Ratio) <= 1+c.Margin {
		nearly = Equivalent
	}
	switch {
	case s.vetoed:
		return nearly, nil
	case c.Interims != nil:
		return nearly, c.Interims.blocksNeeded(s, c.Margin, c.Alpha/float64(m))
	}
	n := c.blocksAtOnce(s, m)
	if n == 0 {
		return nearly, nil
	}
	n = max(n-s.ratio.N, 1)
	return nearly, &n
}

// blocksAtOnce estimates the number of blocks, analysed once, that would decide an undecided comparison, one of m, if
// the ratio stays as estimated. It is 0 from blocksLimit on, and if more blocks add no replicates.
func (c Criteria) blocksAtOnce(s *sequentialState, m int) int {
	far, level := max(s.ratio.Ratio, 1/s.ratio.Ratio), c.Alpha/float64(m)
	n := s.ratio.BlocksWithin(c.Margin, 1-level, blocksLimit)
	if far > 1+c.Margin {
		n = s.ratio.Blocks(far, 1, level, blocksLimit)
	}
	if n >= blocksLimit || s.layouts > 1 {
		return 0
	}
	return max(n, s.ratio.MinBlocks(c.Alpha))
}

package compare

import (
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// differs is the verdict of a standing before it is known which direction is the better one.
const differs = "differs"

// InterimBlocks are the numbers of blocks at which a run with a budget is judged.
func InterimBlocks() []int { return []int{10, 15, 20, 30, 40} }

// Looks are the looks of a run with a budget. Alpha is spent with the square of the blocks: at 10 of 40
// blocks 1/16 of it. O'Brien and Fleming's way leaves next to nothing for 10 blocks, whose t has heavy
// tails: among 7 comparisons a difference would need 20 standard errors to be found there, where it now
// needs 5.4. Pocock's way needs 4.1, and takes from the last look what most comparisons need.
type InterimPlan struct {
	Blocks     []int // ascending
	Equivalent int   // blocks from which on designs may be called equivalent
	Different  int   // blocks from which on a ratio nearer to 1 than clearRatio may be called a difference
	planned    *stat.InterimAnalyses
}

// EquivalentFrom is the usual [Looks.Equivalent]. What no block has shown, blocks cannot exclude: of trials of
// which 15 in 100 are slow, 10 blocks hold none in one of 5 runs, and 20 in one of 26.
const EquivalentFrom = 20

// DifferentFrom is the usual [Looks.Different]. A phase that lasts for several blocks and slows one design shows in
// their order only when another phase follows: of phases of 3 blocks, 10 blocks hold nothing but such of one design in
// one of 8 runs. So a small ratio waits for 20 blocks; see the manual's table of noise that lasts.
const DifferentFrom = 20

// clearRatio is the ratio from which on a difference, of whatever size slow phases usually are, needs no such wait.
const clearRatio = 1.10

// NewInterimAnalyses prepares looks, with equivalence from so many blocks on, and differences as usual; it takes some
// tenths of a second.
func NewInterimPlan(blocks []int, equivalent int) *InterimPlan {
	return &InterimPlan{blocks, equivalent, DifferentFrom, stat.NewInterimAnalyses(stat.Square, blocks)}
}

// tooSmall reports whether so many blocks are too few to call a ratio a difference, however sure it is.
func (l *InterimPlan) tooSmall(ratio float64, blocks int) bool {
	return blocks < l.Different && max(ratio, 1/ratio) < clearRatio
}

// most is the number of blocks at the last look.
func (l *InterimPlan) most() int { return l.Blocks[len(l.Blocks)-1] }

// taken are the looks at so many blocks. Where trials failed a look has fewer blocks than planned, and what
// is spent there is that of the blocks there are. Looks at layouts share what these do, however many blocks there are.
func (l *InterimPlan) taken(blocks []int, layouts int) *stat.InterimAnalyses {
	if layouts < 2 && slices.Equal(blocks, l.Blocks[:len(blocks)]) {
		return l.planned
	}
	return stat.NewSeparateAnalyses(stat.Square, blocks, l.most())
}

// series are the blocks that both cases of a comparison were tried in, in their order.
type series struct {
	blocks []int
	logs   []float64 // logarithm of the ratio; NaN where a trial has no number
	ended  bool      // cut: more blocks say no more

	layouts int // of several, whose blocks are one replicate each: see Sides.Contrast
}

// newSeries pairs two rows by block.
func newSeries(a, b *Row, values map[key]map[int]float64, tried map[key]map[int]bool) series {
	var s series
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

// cut ends a series at the first block, from one on, in which the response of either side is lost because it was
// beyond all bounds: blocks without such ones would be those that went well. What stood before stays.
func (s *series) cut(from int, lost ...map[int]bool) {
	for i, block := range s.blocks {
		if block >= from && (lost[0][block] || lost[1][block]) {
			s.blocks, s.logs, s.ended = s.blocks[:i], s.logs[:i], true
			return
		}
	}
}

// lostResponses are the blocks in which a trial of an open loop went right and still has no response: it was
// unstable, or lost more than half of its customers.
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

// pair compares the first n blocks, of which good have a number of both; ok is false where fewer than two replicates
// do.
func (s *series) pair(n int) (c stat.Comparison, good int, ok bool) {
	var logs []float64
	var blocks []int
	for i, x := range s.logs[:n] {
		if !math.IsNaN(x) {
			logs, blocks = append(logs, x), append(blocks, s.blocks[i])
		}
	}
	if s.layouts > 1 {
		c, ok = stat.PairUnordered(replicates(logs, blocks, s.layouts), ratioConfidence)
		return c, len(logs), ok
	}
	c, ok = stat.PairOnly(logs)
	return c, len(logs), ok
}

// enough reports whether a comparison has what any verdict needs. Of layouts permutations decide nothing, being so few:
// Student's t of their means is all there is.
func (j Criteria) enough(c stat.Comparison, layouts int) bool {
	if layouts > 1 {
		return c.N >= leastLayouts
	}
	return c.Enough(j.Alpha)
}

// glimpse is what one look at a comparison shows.
type glimpse struct {
	ratio   stat.Comparison
	blocks  int  // behind it
	layouts int  // see series
	enough  bool // for any verdict
	early   bool // too few to be called equivalent
	small   bool // too few to call so small a ratio a difference
	// The least alpha of all looks together at which this one rejects that the ratio is 1, and that it is
	// outside the margin.
	different, outside float64
	// level is the nominal level of this look where all looks may spend alpha.
	level func(alpha float64) float64
}

// agrees reports whether a permutation test, which assumes less than Student's t, has no objection to a
// difference. It is a veto and no claim of its own: n blocks have no p-value below 2/2^n, and where that is
// above the level of the look the least there is will do.
func (g *glimpse) agrees(alpha float64) bool {
	return g.ratio.Permutation() <= max(g.level(alpha), g.ratio.LeastP())
}

// standing is how one comparison stands: what its looks have shown so far.
type standing struct {
	ok      bool // there are blocks to judge by
	glimpse      // of the look that decided; until then of the last one; before the first, of all blocks so far
	looks   []glimpse
	taken   []int   // good blocks of the looks
	ended   bool    // no more blocks help
	tried   int     // blocks until the last look, good or not; before the first, all so far
	spent   float64 // of alpha
	vetoed  bool    // undecided, as the permutation test does not agree to the difference that the last look shows
	verdict string  // Undecided, Equivalent or differs; once decided it stands

	adjusted float64 // pDifferent for the whole family
}

func newStandings(n int) []standing {
	standings := make([]standing, n)
	for i := range standings {
		standings[i] = standing{verdict: Undecided, adjusted: 1, glimpse: glimpse{level: itself}}
	}
	return standings
}

// pDifferent is the p-value of a ratio of 1 over all looks: what an early one has shown stays.
func (s *standing) pDifferent() float64 {
	p := 1.0
	for i := range s.looks {
		p = min(p, s.looks[i].different)
	}
	return p
}

// settle decides by the first look that shows it, with its numbers: a later one may have other blocks behind
// it, and even point the other way.
func (s *standing) settle(verdict string, shows func(*glimpse) bool) bool {
	for i := range s.looks {
		if g := &s.looks[i]; g.enough && shows(g) {
			s.verdict, s.glimpse = verdict, *g
			return true
		}
	}
	return false
}

// itself is the level of a test at its only look.
func itself(alpha float64) float64 { return alpha }

// judge judges all comparisons of a family. Without looks each is judged once, by all its blocks.
//
// With looks each is judged when the blocks that hold both cases, good or not, reach the number of the
// next look, and no more once its verdict stands. The p-values of a comparison's looks become one that
// holds over all of them (see [stat.Looks]); those go through Holm's method for the family. Rejecting this
// way is the closed test whose every intersection is tested by Bonferroni and spending (Maurer and Bretz:
// Multiple testing in group sequential trials using graphical approaches, Statistics in Biopharmaceutical
// Research 5(4), 2013): the chance of any false verdict at any look is at most alpha, whatever the past
// looks let be measured next.
func (j Criteria) judge(all []series) []standing {
	standings := newStandings(len(all))
	if j.Interims == nil {
		for i := range all {
			if ratio, _, ok := all[i].pair(len(all[i].logs)); ok {
				j.judgeOnce(&standings[i], ratio, all[i].layouts)
			}
		}
		j.decide(standings)
		return standings
	}
	for i := range all {
		j.Interims.glance(&standings[i], &all[i])
	}
	for _, block := range lookBlocks(j.Interims.Blocks, all) {
		for i := range all {
			if n := slices.Index(all[i].blocks, block) + 1; standings[i].verdict == Undecided &&
				slices.Contains(j.Interims.Blocks, n) {
				j.interim(&standings[i], &all[i], n)
			}
		}
		j.decide(standings)
	}
	return standings
}

// lookBlocks are the blocks, ascending, after which some comparison comes to a look.
func lookBlocks(looks []int, all []series) []int {
	var blocks []int
	for i := range all {
		for _, n := range looks {
			if n <= len(all[i].blocks) {
				blocks = append(blocks, all[i].blocks[n-1])
			}
		}
	}
	slices.Sort(blocks)
	return slices.Compact(blocks)
}

// judgeOnce judges a comparison by all there is.
func (j Criteria) judgeOnce(s *standing, ratio stat.Comparison, layouts int) {
	s.ok, s.tried = true, ratio.N
	s.glimpse = glimpse{ratio, ratio.N, layouts, j.enough(ratio, layouts), false, false, ratio.P(),
		ratio.Outside(j.Margin), itself}
	s.looks = []glimpse{s.glimpse}
}

// look judges a comparison by its first n blocks.
func (j Criteria) interim(s *standing, of *series, n int) {
	c, good, ok := of.pair(n)
	s.tried, s.ended = n, of.ended
	if !ok || len(s.looks) > 0 && good == s.blocks { // nothing new
		return
	}
	s.taken = append(s.taken, good)
	looks, k := j.Interims.taken(s.taken, of.layouts), len(s.looks)
	s.ok, s.spent = true, looks.Spent(j.Alpha, k)
	s.glimpse = glimpse{c, good, of.layouts, j.enough(c, of.layouts), good < j.Interims.Equivalent,
		j.Interims.tooSmall(c.Ratio, good),
		looks.P(c.P(), k), looks.P(c.Outside(j.Margin), k),
		func(alpha float64) float64 { return looks.Level(alpha, k) }}
	s.looks = append(s.looks, s.glimpse)
}

// decide gives the verdicts that do not stand yet. Equivalence needs the interval within the margin at the
// confidence that all comparisons together ask for. A difference needs an adjusted p-value of at most alpha,
// at a look to which the permutation test agrees. A difference within the margin is called equivalent.
func (j Criteria) decide(standings []standing) {
	ps := make([]float64, len(standings))
	for i := range standings {
		ps[i] = standings[i].pDifferent()
	}
	for i, adjusted := range stat.HolmWithEquivalence(ps) {
		s := &standings[i]
		s.adjusted, s.vetoed = adjusted, false
		within := func(g *glimpse) bool { return g.outside <= j.Alpha/float64(len(ps)) }
		if s.verdict != Undecided || s.settle(Equivalent, func(g *glimpse) bool { return within(g) && !g.early }) ||
			adjusted > j.Alpha {
			continue
		}
		share := 0.0 // what Holm's method leaves of alpha for this comparison
		if adjusted > 0 {
			share = j.Alpha * ps[i] / adjusted
		}
		differing := func(g *glimpse) bool { return g.enough && !within(g) && !g.small && g.different <= share }
		if !s.settle(differs, func(g *glimpse) bool { return differing(g) && g.agrees(j.Alpha) }) && len(s.looks) > 0 {
			s.vetoed = differing(&s.looks[len(s.looks)-1])
		}
	}
}

// glance fills a standing in before its first look, so that its ratio can be shown: the interval is what
// a look at so many blocks would give.
func (l *InterimPlan) glance(s *standing, of *series) {
	s.tried, s.ended, s.layouts = len(of.blocks), of.ended, of.layouts
	if s.ratio, s.blocks, s.ok = of.pair(len(of.logs)); s.ok {
		first := stat.NewSeparateAnalyses(stat.Square, []int{min(s.blocks, l.most())}, l.most())
		s.level = func(alpha float64) float64 { return first.Level(alpha, 0) }
	}
}

// wants is the number of blocks to the first look to come that would decide a comparison if its ratio stays
// the one seen, by what that look asks for; nil where none would. alpha is what its looks may spend.
func (l *InterimPlan) wants(s *standing, margin, alpha float64) *int {
	if s.ended || s.layouts > 1 { // more blocks are no more layouts
		return nil
	}
	far := max(s.ratio.Ratio, 1/s.ratio.Ratio)
	for k, n := range l.Blocks {
		more, level := n-s.tried, l.planned.Level(alpha, k)
		then := s.ratio.N + more
		if more > 0 && (far <= 1+margin && then >= l.Equivalent && s.ratio.Within(then, margin, 1-level) ||
			far > 1+margin && !l.tooSmall(far, then) && s.ratio.DetectableBy(then, 1, level) <= far) {
			return &more
		}
	}
	return nil
}

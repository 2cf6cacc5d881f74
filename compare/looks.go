package compare

import (
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
)

// differs is the verdict of a standing before it is known which direction is the better one.
const differs = "differs"

// LookBlocks are the numbers of blocks at which a run with a budget is judged.
func LookBlocks() []int { return []int{10, 15, 20, 30, 40} }

// Looks are the looks of a run with a budget. Alpha is spent with the square of the blocks: at 10 of 40
// blocks 1/16 of it. O'Brien and Fleming's way leaves next to nothing for 10 blocks, whose t has heavy
// tails: among 7 comparisons a difference would need 20 standard errors to be found there, where it now
// needs 5.4. Pocock's way needs 4.1, and takes from the last look what most comparisons need.
type Looks struct {
	Blocks  []int // ascending
	planned *stat.Looks
}

// NewLooks prepares looks; it takes some tenths of a second.
func NewLooks(blocks []int) *Looks { return &Looks{blocks, stat.NewLooks(stat.Square, blocks)} }

// most is the number of blocks at the last look.
func (l *Looks) most() int { return l.Blocks[len(l.Blocks)-1] }

// taken are the looks at so many blocks. Where trials failed a look has fewer blocks than planned, and what
// is spent there is that of the blocks there are.
func (l *Looks) taken(blocks []int) *stat.Looks {
	if slices.Equal(blocks, l.Blocks[:len(blocks)]) {
		return l.planned
	}
	return stat.LooksApart(stat.Square, blocks, l.most())
}

// series are the blocks that both cases of a comparison were tried in, in their order.
type series struct {
	blocks      []int
	logs        []float64 // logarithm of the ratio; NaN where a trial has no number
	resolutions []float64 // variance that counting gives the logarithm
}

// newSeries pairs two rows by block.
func newSeries(a, b *Row, values map[key]map[int]measure, tried map[key]map[int]bool) series {
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
			log = math.Log(x.value / y.value)
		}
		s.blocks, s.logs, s.resolutions = append(s.blocks, block), append(s.logs, log), append(s.resolutions, x.resolution+y.resolution)
	}
	return s
}

// pair compares the first n blocks; ok is false where fewer than two of them have a number of both.
func (s *series) pair(n int) (c stat.Comparison, ok bool) {
	var pairs stat.Sample
	resolution := 0.0
	for i, x := range s.logs[:n] {
		if !math.IsNaN(x) {
			pairs.Logs = append(pairs.Logs, x)
			resolution += s.resolutions[i]
		}
	}
	pairs.Floor = math.Sqrt(resolution / float64(max(len(pairs.Logs), 1)))
	return stat.PairOnly(pairs)
}

// standing is how one comparison stands: what its looks have shown so far.
type standing struct {
	ok      bool            // there are blocks to judge by
	ratio   stat.Comparison // at the last look; before the first, of all blocks so far
	enough  bool            // blocks for any verdict
	taken   []int           // blocks of the looks taken
	spent   float64         // of alpha
	verdict string          // Undecided, Equivalent or differs; once decided it stands

	ratios             []stat.Comparison // of the looks
	different, outside []float64         // p-values of the looks: of a ratio of 1, of one outside the margin
	permutations       []float64         // of the first of them: of a ratio of 1
	pDifferent         float64           // the same over all looks
	pOutside           float64
	adjusted           float64 // pDifferent for the whole family

	// permutation is the permutation p-value over the looks; asked for only where it matters, since it takes
	// longer than all the rest.
	permutation func() float64

	// level is the nominal level of the last look where all looks may spend alpha.
	level func(alpha float64) float64
}

func newStandings(n int) []standing {
	standings := make([]standing, n)
	for i := range standings {
		standings[i] = standing{verdict: Undecided, pDifferent: 1, pOutside: 1, adjusted: 1, level: itself, permutation: unknown}
	}
	return standings
}

// looks is the number of looks taken.
func (s *standing) looks() int { return len(s.taken) }

// itself is the level of a test at its only look.
func itself(alpha float64) float64 { return alpha }

// unknown is the p-value where there is nothing to judge by.
func unknown() float64 { return 1 }

// judge judges all comparisons of a family. Without looks each is judged once, by all its blocks.
//
// With looks each is judged when the blocks that hold both cases, good or not, reach the number of the
// next look, and no more once its verdict stands. The p-values of a comparison's looks become one that
// holds over all of them (see [stat.Looks]); those go through Holm's method for the family. Rejecting this
// way is the closed test whose every intersection is tested by Bonferroni and spending (Maurer and Bretz:
// Multiple testing in group sequential trials using graphical approaches, Statistics in Biopharmaceutical
// Research 5(4), 2013): the chance of any false verdict at any look is at most alpha, whatever the past
// looks let be measured next.
func (j Judgement) judge(all []series) []standing {
	standings := newStandings(len(all))
	if j.Looks == nil {
		for i := range all {
			if ratio, ok := all[i].pair(len(all[i].logs)); ok {
				j.judgeOnce(&standings[i], ratio)
			}
		}
		j.decide(standings)
		return standings
	}
	for i := range all {
		j.Looks.glance(&standings[i], &all[i])
	}
	for _, block := range lookBlocks(j.Looks.Blocks, all) {
		for i := range all {
			if n := slices.Index(all[i].blocks, block) + 1; standings[i].verdict == Undecided && slices.Contains(j.Looks.Blocks, n) {
				j.look(&standings[i], &all[i], n)
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
func (j Judgement) judgeOnce(s *standing, ratio stat.Comparison) {
	s.ok, s.ratio, s.enough = true, ratio, ratio.Enough(j.Alpha)
	s.pDifferent, s.pOutside, s.permutation = ratio.P(), ratio.Outside(j.Margin), ratio.Permutation
}

// look judges a comparison by its first n blocks.
func (j Judgement) look(s *standing, of *series, n int) {
	p, ok := of.pair(n)
	if !ok || s.looks() > 0 && p.N == s.ratio.N { // nothing new
		return
	}
	s.ok, s.ratio, s.enough = true, p, p.Enough(j.Alpha)
	s.taken, s.different, s.outside = append(s.taken, p.N), append(s.different, p.P()), append(s.outside, p.Outside(j.Margin))
	looks, k := j.Looks.taken(s.taken), s.looks()-1
	// What an earlier look has shown stays, also where this one counts for less because trials failed.
	s.pDifferent, s.pOutside = min(s.pDifferent, looks.P(s.different)), min(s.pOutside, looks.P(s.outside))
	s.spent = looks.Spent(j.Alpha, k)
	s.level = func(alpha float64) float64 { return looks.Level(alpha, k) }
	s.ratios = append(s.ratios, p)
	s.permutation = func() float64 {
		for _, p := range s.ratios[len(s.permutations):] {
			s.permutations = append(s.permutations, p.Permutation())
		}
		return looks.P(s.permutations)
	}
}

// decide gives the verdicts that do not stand yet. A difference needs an adjusted p-value of at most
// alpha, and a permutation p-value, which assumes less, that agrees: alone it could not decide many
// comparisons of few blocks, for n blocks have no p-value below 2/2^n. Equivalence needs the interval
// within the margin at the confidence that all comparisons together ask for. A difference within the
// margin is called equivalent.
func (j Judgement) decide(standings []standing) {
	ps := make([]float64, len(standings))
	for i := range standings {
		ps[i] = standings[i].pDifferent
	}
	for i, adjusted := range stat.HolmBeside(ps) {
		s := &standings[i]
		s.adjusted = adjusted
		switch {
		case s.verdict != Undecided || !s.enough:
		case s.pOutside <= j.Alpha/float64(len(standings)):
			s.verdict = Equivalent
		case adjusted <= j.Alpha && s.permutation() <= j.Alpha:
			s.verdict = differs
		}
	}
}

// last is the nominal level of the last look.
func (l *Looks) last(alpha float64) float64 { return l.planned.Level(alpha, len(l.Blocks)-1) }

// glance fills a standing in before its first look, so that its ratio can be shown: the interval is what
// a look at so many blocks would give.
func (l *Looks) glance(s *standing, of *series) {
	if s.ratio, s.ok = of.pair(len(of.logs)); s.ok {
		first := stat.LooksApart(stat.Square, []int{min(s.ratio.N, l.most())}, l.most())
		s.level = func(alpha float64) float64 { return first.Level(alpha, 0) }
	}
}

package compare

import (
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// The verdicts on metrics other than time. Higher and Lower are for metrics without a known better direction.
const (
	Better = "better"
	Worse  = "worse"
	Higher = "higher"
	Lower  = "lower"
)

// metricComparison compares one metric of a pair: a ratio with its uncertainty, or an exact ratio.
type metricComparison struct {
	Ratio  stat.Comparison
	NA, NB int // number of values
	RunsA  int // of several runs per side: those with values, which are the replicates
	RunsB  int
	// each side has the same value in all trials, as counts may; not for times, where that is chance or a coarse
	// clock
	Exact   bool
	Exactly float64 // the ratio if Exact: 1 for 0/0, infinite for x/0

	Difference float64 // of the medians, A - B
	// why there is no ratio; "" if there is one. With zeros, Ratio then serves only to test for a difference.
	NoRatio string
	counts  bool // all values are integers, and some are 0
	logs    []float64
	blocks  []int // of logs, if paired
}

// compare compares a metric of both sides. With several layouts of the code, block b has layout b modulo layouts,
// and the blocks of a layout are one replicate, because the placement of functions in a build is random. ok is
// false if a side has fewer than 2 values.
//
// Values may be 0, such as allocations, or negative. NoRatio then says why there is no ratio.
func (p *Pair) compare(metric string, layouts int) (c metricComparison, ok bool) {
	xs, ys, blocks := p.samples(metric)
	if len(xs) < 2 || len(ys) < 2 {
		return c, false
	}

	c.NA, c.NB, c.blocks = len(xs), len(ys), blocks
	c.Difference, c.NoRatio = difference(xs, ys), noRatio(xs, ys)
	if slices.Min(xs) == slices.Max(xs) && slices.Min(ys) == slices.Max(ys) &&
		(!clocked(metric) || xs[0] == 0 && ys[0] == 0) {
		c.Exact, c.Exactly = true, xs[0]/ys[0]
		switch {
		case xs[0] == ys[0]:
			c.Exactly, c.NoRatio = 1, "" // 0/0 is equal
		case c.NoRatio == ZeroValue:
			c.NoRatio = "" // the ratio is exactly 0
		}
		return c, true
	}

	// With zeros, logarithms need an offset, and the ratio serves only to test for a difference.
	add := 0.0
	switch {
	case hasZero(c.NoRatio):
		add, c.counts = zeroOffset(xs, ys), whole(xs) && whole(ys)
	case c.NoRatio != "":
		return c, true
	}

	if !p.Paired {
		a, b := logsByRun(p.startsA, values(p.trialsA, metric), add), logsByRun(p.startsB, values(p.trialsB, metric),
			add)
		if len(a)+len(b) > 2 {
			c.RunsA, c.RunsB = len(a), len(b)
		}
		c.Ratio, ok = compareUnpaired(a, b)
		return c, ok
	}

	for i, x := range xs {
		c.logs = append(c.logs, math.Log(x+add)-math.Log(ys[i]+add))
	}

	c.Ratio, ok = comparePaired(c.logs, blocks, layouts)
	return c, ok
}

// comparePaired compares by blocks that hold both sides, or by their layouts, which have no order.
func comparePaired(logs []float64, blocks []int, layouts int) (stat.Comparison, bool) {
	if layouts > 1 {
		return stat.ComparePairedUnordered(replicates(logs, blocks, layouts), ratioConfidence)
	}
	return stat.ComparePaired(logs, ratioConfidence)
}

func whole(xs []float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return x != math.Trunc(x) })
}

// replicates returns the means of the blocks of each layout.
func replicates(logs []float64, blocks []int, layouts int) []float64 {
	sums, counts := make([]float64, layouts), make([]float64, layouts)
	for i, x := range logs {
		sums[blocks[i]%layouts] += x
		counts[blocks[i]%layouts]++
	}
	var means []float64
	for i, n := range counts {
		if n > 0 {
			means = append(means, sums[i]/n)
		}
	}
	return means
}

// minLayouts is the least number of layouts for a verdict.
const minLayouts = 3

// MetricVerdicts returns the verdicts on one metric of all pairs. They are one family, except for exact ones.
func (c Criteria) MetricVerdicts(pairs []Pair, metric string, direction int) []Verdict {
	var list []Verdict
	var family []*Pair
	var ratios []metricComparison
	var at []int // indices in list of the family's verdicts
	for i := range pairs {
		s := &pairs[i]
		m, ok := s.compare(metric, c.Layouts)
		switch {
		case !ok:
			continue
		case m.NoRatio != "" && !m.Exact && !hasZero(m.NoRatio):
			v := s.verdict(metric, stat.Comparison{}, m)
			v.Margin, v.P, v.Permutation = c.Margin, result.Unavailable, result.Unavailable
			v.withoutRatio(m)
			list = append(list, v)
			continue
		case m.Exact:
			list = append(list, c.exactMetric(s.verdict(metric, m.Ratio, m), m, direction))
			continue
		}
		family, ratios, at = append(family, s), append(ratios, m), append(at, len(list))
		list = append(list, Verdict{})
	}

	// The varying metrics are one family; their verdicts go to the places reserved in list.
	for i, state := range c.judgePairs(family, ratios) {
		v := family[i].verdict(metric, state.ratio, ratios[i])
		if c.Interims != nil {
			v.N = state.blocks
		}
		if c.Layouts > 1 && v.Paired {
			v.Layouts = c.Layouts
		}
		c.fill(&v, &state, len(family))
		v.Verdict = metricVerdict(state.verdict, state.ratio.Ratio, metric, direction)
		if ratios[i].NoRatio != "" {
			v.withoutRatio(ratios[i])
		}
		list[at[i]] = v
	}
	return list
}

// judgePairs decides a family of pairs, at each interim analysis if there are any.
func (c Criteria) judgePairs(pairs []*Pair, ratios []metricComparison) []sequentialState {
	if c.Interims != nil {
		var all []blockSeries
		for i, s := range pairs {
			all = append(all, s.series(ratios[i], c.Layouts))
		}
		return c.judge(all)
	}

	states := newStates(len(ratios))
	for i := range ratios {
		layouts := c.Layouts
		if !pairs[i].Paired {
			layouts = 1
		}
		c.judgeOnce(&states[i], ratios[i].Ratio, layouts)
	}

	c.decide(states)
	return states
}

// series returns the blocks of a paired pair.
func (p *Pair) series(c metricComparison, layouts int) blockSeries {
	logs := map[int]float64{}
	for i, b := range c.blocks {
		logs[b] = c.logs[i]
	}
	r := blockSeries{layouts: layouts}
	for _, b := range p.triedBlocks {
		x, ok := logs[b]
		if !ok {
			x = math.NaN()
		}
		r.blocks, r.logs = append(r.blocks, b), append(r.logs, x)
	}
	return r
}

// verdict returns the verdict on a pair before it is decided.
func (p *Pair) verdict(metric string, ratio stat.Comparison, c metricComparison) Verdict {
	v := newVerdict(p.A, p.B, ratio)
	v.Metric, v.Paired, v.ARun, v.BRun, v.MoreLines, v.N = metric, p.Paired, p.NameA, p.NameB, nil, min(c.NA, c.NB)
	if !p.Paired {
		v.NA, v.NB, v.RunsA, v.RunsB = c.NA, c.NB, c.RunsA, c.RunsB
	}
	return v
}

// exactMetric returns the verdict on counts that do not vary.
func (c Criteria) exactMetric(v Verdict, m metricComparison, direction int) Verdict {
	v.Exact, v.Margin, v.P, v.Permutation, v.Detectable = true, c.Margin, result.Unavailable, result.Unavailable,
		result.Unavailable
	x := m.Exactly
	verdict := differs
	if x == 1 {
		verdict = Equivalent
	}
	v.Ratio, v.Low, v.High = result.Value(x), result.Value(x), result.Value(x)
	if m.NoRatio != "" {
		x = 1 + math.Copysign(1, m.Difference) // only the direction matters
		v.withoutRatio(m)
	}
	v.Verdict = metricVerdict(verdict, x, v.Metric, direction)
	return v
}

// metricVerdict returns the verdict on a difference in the words of its metric.
func metricVerdict(verdict string, ratio float64, metric string, direction int) string {
	if verdict != differs {
		return verdict
	}
	more := ratio > 1
	switch {
	case direction == 0:
		return map[bool]string{true: Higher, false: Lower}[more]
	case metric == result.TimePerOp:
		return map[bool]string{true: Slower, false: Faster}[more]
	}
	return map[bool]string{true: Better, false: Worse}[more == (direction > 0)]
}

// Geomean returns the geometric mean of the ratios of a metric over n pairs. The 95% interval exists only if all
// pairs are paired in the same blocks and there were no interim analyses.
func (c Criteria) Geomean(pairs []Pair, metric string) (ratio, low, high result.Value, n int) {
	sum, byBlock, count, paired := 0.0, map[int]float64{}, map[int]int{}, true
	for i := range pairs {
		m, ok := pairs[i].compare(metric, c.Layouts)
		switch {
		case !ok || m.NoRatio != "" || m.Exact && !(m.Exactly > 0):
			continue // x/0 has no ratio
		case m.Exact:
			sum += math.Log(m.Exactly)
			for _, b := range m.blocks {
				byBlock[b] += math.Log(m.Exactly)
				count[b]++
			}
		default:
			sum += math.Log(m.Ratio.Ratio)
			for k, x := range m.logs {
				byBlock[m.blocks[k]] += x
				count[m.blocks[k]]++
			}
		}
		paired = paired && pairs[i].Paired
		n++
	}

	// The interval is that of the blocks' means, over the blocks that hold all pairs.
	ratio, low, high = result.Unavailable, result.Unavailable, result.Unavailable
	if n == 0 {
		return ratio, low, high, n
	}

	ratio = result.Value(math.Exp(sum / float64(n)))
	var logs []float64
	var blocks []int
	for _, b := range sortedBlocks(byBlock) {
		if count[b] == n {
			logs, blocks = append(logs, byBlock[b]/float64(n)), append(blocks, b)
		}
	}

	if mean, ok := comparePaired(logs, blocks, c.Layouts); ok && paired && c.Interims == nil {
		low, high = result.Value(mean.Low), result.Value(mean.High)
	}
	return ratio, low, high, n
}

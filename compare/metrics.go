package compare

import (
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// The verdicts on metrics that are no time. Higher and Lower are of metrics of which nobody said which direction is
// better.
const (
	Better = "better"
	Worse  = "worse"
	Higher = "higher"
	Lower  = "lower"
)

// Sides are two rows whose metrics are compared, with their trials. They are paired where their trials share
// blocks: each block then holds a trial of both.
type Pair struct {
	A, B             *Row
	trialsA, trialsB []*result.Trial
	startsA, startsB []int // of several runs a side: the first blocks of each
	triedBlocks      []int // blocks that both were tried in, however it ended; of paired ones in a run
	Paired           bool
	NameA, NameB     string // of runs or files; "" within one run
}

// Levels are the pairs of rows of one run that verdicts compare: levels of factors that are a choice.
func (j Criteria) PairLevels(rows []Row, trials []result.Trial) []Pair {
	of, tried := byRow(trials), triedBlocks(trials)
	var list []Pair
	for _, p := range j.pairs(rows, j.excludedBy(trials)) {
		a, b := rowKey(p[0]), rowKey(p[1])
		s := Pair{A: p[0], B: p[1], trialsA: of[a], trialsB: of[b], Paired: true}
		for _, block := range sortedBlocks(tried[a]) {
			if tried[b][block] {
				s.triedBlocks = append(s.triedBlocks, block)
			}
		}
		list = append(list, s)
	}
	return list
}

// Apart names what sets two sides apart. Sides with the same name are a group, and so are the verdicts on them.
func (s *Pair) Contrast() string {
	_, onlyA, onlyB := SplitPoints(s.A.Point, s.B.Point)
	return contrastOf(onlyA, onlyB)
}

// Apart names what sets the sides of a verdict apart.
func (v *Verdict) Contrast() string { return contrastOf(v.OnlyA, v.OnlyB) }

func contrastOf(onlyA, onlyB plan.Point) string { return onlyA.String() + " / " + onlyB.String() }

// GroupByContrast groups pairs by what sets their sides apart, such as GOGC=50 and GOGC=100, in order of appearance. A mean of
// ratios is of one group: one of several would be of nothing.
func GroupByContrast(sides []Pair) [][]Pair {
	var groups [][]Pair
	at := map[string]int{}
	for _, s := range sides {
		id := s.Contrast()
		if _, ok := at[id]; !ok {
			at[id] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[id]] = append(groups[at[id]], s)
	}
	return groups
}

// Across are the pairs of rows of two runs, or files, a and b. paired says that their trials were measured in common
// blocks.
func (j Criteria) PairRuns(a, b Run, paired bool) (list []Pair, onlyA, onlyB []Row) {
	matches, onlyA, onlyB := j.matchDesigns(a.Rows, b.Rows)
	ofA, ofB := byRow(a.Trials), byRow(b.Trials)
	for i := range matches {
		m := &matches[i]
		list = append(list, Pair{A: &m.A, B: &m.B, trialsA: ofA[rowKey(&m.A)], trialsB: ofB[rowKey(&m.B)],
			startsA: a.starts, startsB: b.starts, Paired: paired, NameA: a.Name, NameB: b.Name})
	}
	return list, onlyA, onlyB
}

// byRow are the good trials of each row.
func byRow(trials []result.Trial) map[key][]*result.Trial {
	m := map[key][]*result.Trial{}
	for i := range trials {
		if t := &trials[i]; t.Kind == result.KindTrial && t.Good() {
			m[trialKey(t)] = append(m[trialKey(t)], t)
		}
	}
	return m
}

// values are a metric's by block.
func values(trials []*result.Trial, metric string) map[int]float64 {
	m := map[int]float64{}
	for _, t := range trials {
		if v := t.Metrics.Get(metric); measured(v) {
			m[t.Block] = float64(v)
		}
	}
	return m
}

// samples are what two sides measured of a metric: of paired ones in the same order of blocks.
func (s *Pair) samples(metric string) (xs, ys []float64, blocks []int) {
	a, b := values(s.trialsA, metric), values(s.trialsB, metric)
	for _, block := range sortedBlocks(a) {
		y, both := b[block]
		if s.Paired && !both {
			continue
		}
		xs, blocks = append(xs, a[block]), append(blocks, block)
		if s.Paired {
			ys = append(ys, y)
		}
	}
	if !s.Paired {
		for _, block := range sortedBlocks(b) {
			ys = append(ys, b[block])
		}
	}
	return xs, ys, blocks
}

// Contrasted is a metric of two sides: a ratio with its doubt, or exact.
type MetricComparison struct {
	Ratio  stat.Comparison
	NA, NB int // values of each side
	RunsA  int // of several runs a side, those that have values: they are the replicates
	RunsB  int
	// each side has one value in all its trials, as counts have; for a time that is chance, or a coarse clock
	Exact   bool
	Exactly float64 // then the ratio; 1 of nothing and nothing, infinite where something came of nothing

	Difference float64 // of the medians, A - B
	// why there is no ratio; "" if there is. Ratio then serves only to test for a difference, and only of zeros
	NoRatio string
	counts  bool // all values are whole numbers, and some are 0
	logs    []float64
	blocks  []int // of logs, where paired
}

// Contrast compares a metric. Where blocks have one of several layouts of the code, block b that of b modulo layouts,
// a layout's blocks are one replicate: what the placement of functions does to one build is chance. ok is false where
// a side has fewer than 2 values.
//
// Values may be 0, as of allocations, or below 0: then NoRatio says why there is no ratio.
func (s *Pair) Compare(metric string, layouts int) (c MetricComparison, ok bool) {
	xs, ys, blocks := s.samples(metric)
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
			c.Exactly, c.NoRatio = 1, "" // nothing of nothing is equal
		case c.NoRatio == ZeroValue:
			c.NoRatio = "" // 0, without a doubt
		}
		return c, true
	}
	add := 0.0
	switch {
	case hasZero(c.NoRatio):
		add, c.counts = zeroOffset(xs, ys), whole(xs) && whole(ys)
	case c.NoRatio != "":
		return c, true
	}
	if !s.Paired {
		a, b := logsByRun(s.startsA, values(s.trialsA, metric), add), logsByRun(s.startsB, values(s.trialsB, metric), add)
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

// pairedBy compares by blocks that hold both sides, or by their layouts, whose order means nothing.
func comparePaired(logs []float64, blocks []int, layouts int) (stat.Comparison, bool) {
	if layouts > 1 {
		return stat.ComparePairedUnordered(replicates(logs, blocks, layouts), ratioConfidence)
	}
	return stat.ComparePaired(logs, ratioConfidence)
}

func whole(xs []float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return x != math.Trunc(x) })
}

// replicates are the means of the blocks of each layout.
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

// leastLayouts is the fewest layouts by which placement is judged.
const minLayouts = 3

// MetricVerdicts are the verdicts on one metric of all pairs, a family; those that are exact are in none.
func (j Criteria) MetricVerdicts(sides []Pair, metric string, direction int) []Verdict {
	var list []Verdict
	var family []*Pair
	var ratios []MetricComparison
	var at []int // where in list the family's verdicts go
	for i := range sides {
		s := &sides[i]
		c, ok := s.Compare(metric, j.Layouts)
		switch {
		case !ok:
			continue
		case c.NoRatio != "" && !c.Exact && !hasZero(c.NoRatio):
			v := s.verdict(metric, stat.Comparison{}, c)
			v.Margin, v.P, v.Permutation = j.Margin, result.Unavailable, result.Unavailable
			v.withoutRatio(c)
			list = append(list, v)
			continue
		case c.Exact:
			list = append(list, j.exactMetric(s.verdict(metric, c.Ratio, c), c, direction))
			continue
		}
		family, ratios, at = append(family, s), append(ratios, c), append(at, len(list))
		list = append(list, Verdict{})
	}
	for i, standing := range j.judgePairs(family, ratios) {
		v := family[i].verdict(metric, standing.ratio, ratios[i])
		if j.Interims != nil {
			v.N = standing.blocks
		}
		if j.Layouts > 1 && v.Paired {
			v.Layouts = j.Layouts
		}
		j.fill(&v, &standing, len(family))
		v.Verdict = metricVerdict(standing.verdict, standing.ratio.Ratio, metric, direction)
		if ratios[i].NoRatio != "" {
			v.withoutRatio(ratios[i])
		}
		list[at[i]] = v
	}
	return list
}

// contrasted is how the comparisons of a family stand. Those of a run with looks are judged at each of them.
func (j Criteria) judgePairs(sides []*Pair, ratios []MetricComparison) []sequentialState {
	if j.Interims != nil {
		var all []blockSeries
		for i, s := range sides {
			all = append(all, s.series(ratios[i], j.Layouts))
		}
		return j.judge(all)
	}
	standings := newStates(len(ratios))
	for i := range ratios {
		layouts := j.Layouts
		if !sides[i].Paired {
			layouts = 1
		}
		j.judgeOnce(&standings[i], ratios[i].Ratio, layouts)
	}
	j.decide(standings)
	return standings
}

// series are the blocks of paired sides.
func (s *Pair) series(c MetricComparison, layouts int) blockSeries {
	logs := map[int]float64{}
	for i, b := range c.blocks {
		logs[b] = c.logs[i]
	}
	r := blockSeries{layouts: layouts}
	for _, b := range s.triedBlocks {
		x, ok := logs[b]
		if !ok {
			x = math.NaN()
		}
		r.blocks, r.logs = append(r.blocks, b), append(r.logs, x)
	}
	return r
}

// verdict is what is known of two sides before it is decided.
func (s *Pair) verdict(metric string, ratio stat.Comparison, c MetricComparison) Verdict {
	v := newVerdict(s.A, s.B, ratio)
	v.Metric, v.Paired, v.ARun, v.BRun, v.MoreLines, v.N = metric, s.Paired, s.NameA, s.NameB, nil, min(c.NA, c.NB)
	if !s.Paired {
		v.NA, v.NB, v.RunsA, v.RunsB = c.NA, c.NB, c.RunsA, c.RunsB
	}
	return v
}

// exactMetric is the verdict on counts that never vary.
func (j Criteria) exactMetric(v Verdict, c MetricComparison, direction int) Verdict {
	v.Exact, v.Margin, v.P, v.Permutation, v.Detectable = true, j.Margin, result.Unavailable, result.Unavailable,
		result.Unavailable
	x := c.Exactly
	verdict := differs
	if x == 1 {
		verdict = Equivalent
	}
	v.Ratio, v.Low, v.High = result.Value(x), result.Value(x), result.Value(x)
	if c.NoRatio != "" {
		x = 1 + math.Copysign(1, c.Difference) // only the direction counts, however small the difference is
		v.withoutRatio(c)
	}
	v.Verdict = metricVerdict(verdict, x, v.Metric, direction)
	return v
}

// worded says of a difference which side of it is the better one.
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

// Geomean is the geometric mean of the ratios of a metric over all pairs, with its 95 % interval where every pair is
// paired and shares its blocks with the others, and none was looked at before the end; n is the number of pairs.
func (j Criteria) Geomean(sides []Pair, metric string) (ratio, low, high result.Value, n int) {
	sum, byBlock, count, paired := 0.0, map[int]float64{}, map[int]int{}, true
	for i := range sides {
		c, ok := sides[i].Compare(metric, j.Layouts)
		switch {
		case !ok || c.NoRatio != "" || c.Exact && !(c.Exactly > 0):
			continue // something of nothing has no ratio
		case c.Exact:
			sum += math.Log(c.Exactly)
			for _, b := range c.blocks {
				byBlock[b] += math.Log(c.Exactly)
				count[b]++
			}
		default:
			sum += math.Log(c.Ratio.Ratio)
			for k, x := range c.logs {
				byBlock[c.blocks[k]] += x
				count[c.blocks[k]]++
			}
		}
		paired = paired && sides[i].Paired
		n++
	}
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
	if c, ok := comparePaired(logs, blocks, j.Layouts); ok && paired && j.Interims == nil {
		low, high = result.Value(c.Low), result.Value(c.High)
	}
	return ratio, low, high, n
}

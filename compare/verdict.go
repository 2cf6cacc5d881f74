package compare

import (
	"maps"
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// The verdicts.
const (
	Faster     = "faster"
	Slower     = "slower"
	Equivalent = "equivalent" // the interval of the ratio lies within the margin
	Undecided  = "undecided"
	Unstable   = "unstable" // of one design in an open loop: more is offered than it can serve
)

// Verdict says how design A does beside design B, by the blocks that hold both.
type Verdict struct {
	Kind          string       `json:"kind"` // "verdict"
	SchemaVersion int          `json:"schema_version"`
	Workload      string       `json:"workload"`
	World         string       `json:"world"`
	Metric        string       `json:"metric"`
	A             string       `json:"a"`
	B             string       `json:"b"`
	Point         plan.Point   `json:"point"`  // the factors that both have, at the same levels
	OnlyA         plan.Point   `json:"only_a"` // what is A's alone: its other factors or levels
	OnlyB         plan.Point   `json:"only_b"` // what is B's alone
	Ratio         result.Value `json:"ratio"`  // A / B: geometric mean of the blocks' ratios
	// 95 % interval of the ratio; with looks it holds at all of them together
	Low    result.Value `json:"low"`
	High   result.Value `json:"high"`             //
	N      int          `json:"n"`                // blocks; of two runs, those of the one that has fewer
	Paired bool         `json:"paired"`           // by block; not so between two runs
	ARun   string       `json:"a_run,omitempty"`  // between two runs: their directories,
	BRun   string       `json:"b_run,omitempty"`  //
	NA     int          `json:"n_a,omitempty"`    // and the blocks of each
	NB     int          `json:"n_b,omitempty"`    //
	RunsA  int          `json:"runs_a,omitempty"` // of several runs a side, which are then the replicates
	RunsB  int          `json:"runs_b,omitempty"` //
	// undecided, of several runs: how many more of each side would decide
	MoreRuns *int `json:"more_runs,omitempty"`
	// Student's t, unpaired Welch's, over all looks; adjusted by Holm's method for all verdicts of the sweep
	P result.Value `json:"p"`
	// within blocks, unpaired of all blocks; of the N blocks, not adjusted
	Permutation result.Value `json:"p_permutation"`
	Verdict     string       `json:"verdict"`    // of A beside B
	Margin      float64      `json:"margin"`     // of equivalence: 0.02 is 2 %
	Detectable  result.Value `json:"detectable"` // the ratio that so many blocks find with power 0.8
	// undecided: how many more, in each of two runs, would decide, if the ratio stays the one seen, with a budget until
	// a look; null where decided, or where 1000 blocks or the last look would not do
	MoreBlocks *int `json:"more_blocks"`
	// undecided: "equivalent" where the ratio seen lies within the margin
	Nearly string `json:"nearly,omitempty"`
	// undecided for the permutation test alone: how many more would decide is not known
	Vetoed bool `json:"vetoed,omitempty"`
	// both repeat themselves, in virtual time or as counts of a benchmark do, so that the ratio has no doubt
	Exact bool `json:"exact,omitempty"`
	// virtual: the ratios of all steady states of both, where one has several; low and high span them
	States []result.State `json:"states,omitempty"`
	// of benchmarks: builds with functions in other places, whose means are the replicates
	Layouts int `json:"layouts,omitempty"`
	// lines of code of A beyond those of B; null where unknown
	MoreLines *int `json:"more_lines"`
	// with a budget: how often the blocks were looked at, until this verdict stood
	Interims *int `json:"looks,omitempty"`
	// with a budget: how much of Alpha those looks may use up
	AlphaSpent *float64 `json:"alpha_spent,omitempty"`
	// of neighbouring blocks, where it widens the interval: lag 1, corrected for its bias
	Correlation result.Value `json:"correlation,omitempty"`
	Widened     float64      `json:"widened,omitempty"` // the factor by which it does; see stat.TestOrder
	// skewness that makes the interval reach farther up (above 0) or down; see stat.TailSkewness
	Tail float64 `json:"tail,omitempty"`
	// correlation of neighbouring blocks as it is, whatever it does to the interval
	Lag1            result.Value `json:"-"`
	*RankComparison              // nil where no ranks are compared
	AbsoluteDifference
}

// Criteria is how verdicts are made. Its zero value is not useful; see [Usual].
type Criteria struct {
	Baseline     string       // design that all others are compared with; "" for none
	Inputs       []string     // factors whose levels are different jobs, not choices: see plan.Factor
	Margin       float64      // of equivalence
	Alpha        float64      // chance of any false difference or equivalence among all verdicts
	All          bool         // every pair of designs, and of levels of one factor, is compared, not neighbours only
	LevelsOnly   bool         // designs do different jobs, as benchmarks do: only levels of a factor are compared
	AgainstFirst bool         // levels of a factor are compared with its first one, not with the nearest before
	Layouts      int          // of benchmarks: builds whose means are the replicates; see Sides.Contrast
	Interims     *InterimPlan // of a run with a budget; nil: it is judged once, at its end
}

// Usual is an equivalence margin of 2 % and a familywise error of 5 %.
func DefaultCriteria(baseline string, inputs []string) Criteria {
	return Criteria{Baseline: baseline, Inputs: inputs, Margin: 0.02, Alpha: 0.05}
}

// confidence is that of every interval of a ratio.
const ratioConfidence = 0.95

// blocksLimit is the largest number of further blocks that is worth naming.
const blocksLimit = 1000

// Verdicts compares each design with the baseline and with its neighbour in the order of the cases, at
// the points where they agree in the factors that both have; and the levels of a design's own factors
// with their neighbours. Bounds are in no verdict. All verdicts are one family.
func (j Criteria) Verdicts(rows []Row, trials []result.Trial) []Verdict {
	pairs, all := j.comparisons(rows, trials)
	standings := j.judge(all)
	var list []Verdict
	for i := range all {
		if standings[i].ok {
			v := newPairedVerdict(pairs[i][0], pairs[i][1], standings[i].ratio)
			j.fill(&v, &standings[i], len(all))
			v.widenToStates(pairs[i][0], pairs[i][1])
			list = append(list, v)
		}
	}
	list = append(list, j.exactVerdicts(rows)...)
	return append(list, unstableVerdicts(rows)...)
}

// AddBaselineVerdicts sets beside each row its verdict against the baseline, where it has one and no more.
func (j Criteria) AddBaselineVerdicts(rows []Row, verdicts []Verdict) {
	for i := range rows {
		r := &rows[i]
		r.BaselineVerdict = nil
		found := 0
		for k := range verdicts {
			if v := &verdicts[k]; v.Paired && v.B == j.Baseline && v.A == r.Design && v.World == r.World &&
				v.B != v.A && sameLevels(r.Point, v.Point, v.OnlyA) {
				r.BaselineVerdict = v
				found++
			}
		}
		if found > 1 {
			r.BaselineVerdict = nil
		}
	}
}

// sameLevels reports whether a point is made of two others.
func sameLevels(p, a, b plan.Point) bool {
	return len(p.Settings()) == len(a.Settings())+len(b.Settings()) && agree(p, a) && agree(p, b)
}

// comparisons are the pairs of rows to compare, with the blocks of each. Without looks, pairs that share
// fewer than two blocks are none.
func (j Criteria) comparisons(rows []Row, trials []result.Trial) (pairs [][2]*Row, all []blockSeries) {
	values, tried, lost := blockValues(trials), triedBlocks(trials), lostResponses(trials)
	for _, p := range j.pairs(rows, j.excludedBy(trials)) {
		if repeatingPair(p) {
			continue
		}
		s := newSeries(p[0], p[1], values, tried)
		if j.Interims != nil {
			s.truncate(j.Interims.Blocks[0], lost[rowKey(p[0])], lost[rowKey(p[1])])
		}
		s.layouts = j.Layouts
		if _, _, ok := s.comparison(len(s.logs)); ok || j.Interims != nil {
			pairs, all = append(pairs, p), append(all, s)
		}
	}
	return pairs, all
}

// decideAll gives the verdicts of a family, each from the ratio of the same index.
func (j Criteria) decideAll(list []Verdict, ratios []stat.Comparison) {
	standings := newStates(len(ratios))
	for i := range ratios {
		j.judgeOnce(&standings[i], ratios[i], 1)
	}
	j.decide(standings)
	for i := range list {
		j.fill(&list[i], &standings[i], len(list))
	}
}

// overloads are the verdicts on designs that cannot serve what is offered. Their Ratio is that of the
// rate to the capacity.
func unstableVerdicts(rows []Row) []Verdict {
	var list []Verdict
	for i := range rows {
		if r := &rows[i]; r.Overloaded() && !r.Bound && r.N > 0 {
			list = append(list, Verdict{Kind: "verdict", SchemaVersion: result.SchemaVersion, Workload: r.Workload,
				World:  r.World,
				Metric: measureOf(r), A: r.Design, Point: r.Point, Ratio: r.Metric(result.OfferedLoad).Median,
				Low: result.Unavailable, High: result.Unavailable, N: r.Unstable, P: result.Unavailable,
				Permutation: result.Unavailable, Detectable: result.Unavailable, Verdict: Unstable, Paired: true})
		}
	}
	return list
}

// key finds the trials of a row.
type key struct{ workload, world, design, point string }

func rowKey(r *Row) key { return key{r.Workload, r.World, r.Design, r.Point.String()} }

func trialKey(t *result.Trial) key { return key{t.Workload, t.World, t.Design, t.Point.String()} }

// blockValues are the measures of the good throughput trials, by row and block.
func blockValues(trials []result.Trial) map[key]map[int]float64 {
	values := map[key]map[int]float64{}
	for i := range trials {
		t := &trials[i]
		if t.Kind != result.KindTrial || !t.Good() || t.Unstable {
			continue
		}
		k := trialKey(t)
		if values[k] == nil {
			values[k] = map[int]float64{}
		}
		if v := valueOf(t); v > 0 && !math.IsInf(v, 0) {
			values[k][t.Block] = v
		}
	}
	return values
}

// triedBlocks are the blocks in which each row had a throughput trial, however it ended.
func triedBlocks(trials []result.Trial) map[key]map[int]bool {
	tried := map[key]map[int]bool{}
	for i := range trials {
		if t := &trials[i]; t.Kind == result.KindTrial {
			k := trialKey(t)
			if tried[k] == nil {
				tried[k] = map[int]bool{}
			}
			tried[k][t.Block] = true
		}
	}
	return tried
}

// valueOf is what a trial is judged by. A closed loop's throughput is that of whole operations, as people count;
// it is judged by those that lie across the ends of its window too, so that rounding is no part of a verdict.
// Trials of older journals have no such number.
func valueOf(t *result.Trial) float64 {
	metric := measureOfTrial(t)
	if metric == result.Throughput && t.Progress > 0 && t.WallSeconds > 0 {
		return t.Progress / t.WallSeconds
	}
	return float64(t.Metrics.Get(metric))
}

// measureOf is what a row is judged by.
func measureOf(r *Row) string {
	switch {
	case r.Job:
		return result.WallSeconds
	case r.Open:
		return result.ResponseP50
	}
	return result.Throughput
}

func measureOfTrial(t *result.Trial) string {
	return measureOf(&Row{Job: t.Type == result.Job, Open: t.Open})
}

// newPairedVerdict is what is known of two rows of one run before it is decided.
func newPairedVerdict(a, b *Row, ratio stat.Comparison) Verdict {
	v := newVerdict(a, b, ratio)
	v.Paired = true
	if a.Design == b.Design {
		v.MoreLines = nil
	}
	return v
}

// newVerdict is what is known of two rows before it is decided.
func newVerdict(a, b *Row, ratio stat.Comparison) Verdict {
	v := Verdict{
		Kind: "verdict", SchemaVersion: result.SchemaVersion,
		Workload: a.Workload, World: a.World, Metric: measureOf(a), A: a.Design, B: b.Design,
		Ratio: result.Value(ratio.Ratio), N: ratio.N,
	}
	v.Point, v.OnlyA, v.OnlyB = SplitPoints(a.Point, b.Point)
	if a.Lines != nil && b.Lines != nil {
		more := *a.Lines - *b.Lines
		v.MoreLines = &more
	}
	return v
}

func sortedBlocks[T any](m map[int]T) []int { return slices.Sorted(maps.Keys(m)) }

// fill completes a verdict with how the comparison stands, one of m.
func (j Criteria) fill(v *Verdict, s *sequentialState, m int) {
	v.Margin, v.Verdict = j.Margin, directedVerdict(s.verdict, s.ratio.Ratio, v.Metric)
	low, high := s.ratio.Interval(1 - s.level(1-ratioConfidence))
	v.Low, v.High = result.Value(low), result.Value(high)
	order := s.ratio.Order()
	if v.Lag1 = result.Value(order.Lag1); order.Dependent {
		v.Correlation, v.Widened = result.Value(order.Correlation), s.ratio.Widened(1-s.level(1-ratioConfidence))
	}
	v.Tail, v.RankComparison = s.ratio.Tail(), j.ranked(s, m)
	v.P, v.Permutation = result.Value(s.adjusted), result.Value(s.ratio.Permutation())
	v.Detectable = result.Unavailable
	if s.enough {
		v.Detectable = result.Value(s.ratio.Detectable(1, s.level(j.Alpha/float64(m))))
	}
	if j.Interims != nil {
		looks, spent := len(s.analyses), s.spent
		v.Interims, v.AlphaSpent = &looks, &spent
	}
	if v.Verdict == Undecided {
		v.Vetoed = s.vetoed
		v.Nearly, v.MoreBlocks = j.blocksNeeded(s, m)
		if v.RunsA > 0 {
			v.MoreRuns, v.MoreBlocks = v.MoreBlocks, nil
		}
	}
}

// directed is a verdict on a ratio: of a difference, which of the two is better.
func directedVerdict(verdict string, ratio float64, metric string) string {
	switch {
	case verdict != differs:
		return verdict
	case (ratio > 1) == result.LargerIsBetter(metric):
		return Faster
	}
	return Slower
}

// wants says what an undecided comparison, one of m, may turn out to be, and how many more blocks would
// decide it if the ratio stays the one seen; nil where blocksLimit would not do, or no look of a budget, and where
// Student's t has decided already and the permutation test has not: the spread says nothing of when that will agree.
func (j Criteria) blocksNeeded(s *sequentialState, m int) (nearly string, more *int) {
	c, level := s.ratio, j.Alpha/float64(m)
	far := max(c.Ratio, 1/c.Ratio)
	if far <= 1+j.Margin {
		nearly = Equivalent
	}
	if s.vetoed {
		return nearly, nil
	}
	if j.Interims != nil {
		return nearly, j.Interims.blocksNeeded(s, j.Margin, level)
	}
	n := c.BlocksWithin(j.Margin, 1-level, blocksLimit)
	if nearly == "" {
		n = c.Blocks(far, 1, level, blocksLimit)
	}
	if n >= blocksLimit || s.layouts > 1 {
		return nearly, nil
	}
	n = max(n, c.MinBlocks(j.Alpha))
	n = max(n-c.N, 1)
	return nearly, &n
}

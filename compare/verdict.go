package compare

import (
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
	Unstable   = "unstable" // of one design in an open loop: the load exceeds its capacity
)

// Verdict compares design A with design B over the blocks that hold both.
type Verdict struct {
	Kind          string       `json:"kind"` // "verdict"
	SchemaVersion int          `json:"schema_version"`
	Workload      string       `json:"workload"`
	World         string       `json:"world"`
	Metric        string       `json:"metric"`
	A             string       `json:"a"`
	B             string       `json:"b"`
	Point         plan.Point   `json:"point"`  // settings that both have in common
	OnlyA         plan.Point   `json:"only_a"` // settings of A only
	OnlyB         plan.Point   `json:"only_b"` // settings of B only
	Ratio         result.Value `json:"ratio"`  // A / B: geometric mean of the blocks' ratios
	// 95% confidence interval of the ratio, valid over all interim analyses
	Low    result.Value `json:"low"`
	High   result.Value `json:"high"`
	N      int          `json:"n"`               // number of blocks; of two runs, the smaller number
	Paired bool         `json:"paired"`          // by block; false between two runs
	ARun   string       `json:"a_run,omitempty"` // of two runs: their directories
	BRun   string       `json:"b_run,omitempty"`
	NA     int          `json:"n_a,omitempty"` // of two runs: their blocks
	NB     int          `json:"n_b,omitempty"`
	RunsA  int          `json:"runs_a,omitempty"` // runs of each side, if these are the replicates
	RunsB  int          `json:"runs_b,omitempty"`
	// if undecided, with several runs: further runs of each side that would decide
	MoreRuns *int `json:"more_runs,omitempty"`
	// p-value of Student's t (Welch's if unpaired) over all analyses, with Holm's adjustment for the family
	P result.Value `json:"p"`
	// permutation p-value, not adjusted: within blocks, or over all blocks if unpaired
	Permutation result.Value `json:"p_permutation"`
	Verdict     string       `json:"verdict"`    // on A compared with B
	Margin      float64      `json:"margin"`     // equivalence margin; 0.02 is 2%
	Detectable  result.Value `json:"detectable"` // the ratio detected with power 0.8
	// if undecided, the number of further blocks (in each of two runs) that would decide if the ratio stays as
	// estimated; with a budget, until an interim analysis; null if decided, above 1000, or beyond the last analysis
	MoreBlocks *int `json:"more_blocks"`
	// if undecided with a budget and beyond its last analysis: the blocks at that analysis, and those of a run without
	// a budget that would decide, 0 if they are unknown
	MostBlocks, EnoughBlocks int `json:"-"`
	// if undecided: earlier blocks lost responses, so that further blocks add nothing
	Ended bool `json:"-"`
	// if undecided: "equivalent" if the estimate is within the margin
	Nearly string `json:"nearly,omitempty"`
	// undecided only because the permutation test disagrees, so that no number of blocks is predicted
	Vetoed bool `json:"vetoed,omitempty"`
	// neither side varies, in virtual time or as a count, so that the ratio is exact
	Exact bool `json:"exact,omitempty"`
	// virtual: the ratios of all pairs of steady states, if a side has several; Low and High span them
	States []result.State `json:"states,omitempty"`
	// benchmarks: builds with different code layouts, whose means are the replicates
	Layouts int `json:"layouts,omitempty"`
	// lines of code of A minus those of B; null if unknown
	MoreLines *int `json:"more_lines"`
	// with a budget: interim analyses until the verdict
	Interims *int `json:"looks,omitempty"`
	// with a budget: the part of Alpha that these analyses may spend
	AlphaSpent *float64 `json:"alpha_spent,omitempty"`
	// lag-1 correlation of neighbouring blocks, corrected for bias, if it widens the interval
	Correlation result.Value `json:"correlation,omitempty"`
	Widened     float64      `json:"widened,omitempty"` // factor by which it widens the interval; see stat.TestOrder
	// skewness that extends the interval upwards (positive) or downwards (negative); see stat.TailSkewness
	Tail float64 `json:"tail,omitempty"`
	// uncorrected lag-1 correlation of neighbouring blocks
	Lag1            result.Value `json:"-"`
	alpha           float64      // Criteria.Alpha of its family; 0 if it was not judged by samples
	*RankComparison              // nil without a comparison by ranks
	AbsoluteDifference
}

// Criteria holds the rules by which verdicts are made. Its zero value is not useful; see [DefaultCriteria].
type Criteria struct {
	Baseline       string       // design with which all others are compared; "" for none
	Inputs         []string     // factors whose levels are different jobs; see plan.Factor
	Margin         float64      // equivalence margin
	Alpha          float64      // family-wise error over all differences and equivalences
	BaselineOnly   bool         // compare only with Baseline, not with neighbours
	All            bool         // compare all pairs of designs and of levels, not only neighbours
	FurtherMetrics []string     // metrics by which pairs are compared too; see FurtherVerdicts
	LevelsOnly     bool         // compare only levels of factors, because designs do different jobs
	AgainstFirst   bool         // compare levels with the first one, not with the nearest before
	Layouts        int          // benchmarks: builds whose means are the replicates; see Gate.Layouts
	Interims       *InterimPlan // with a budget; nil: one analysis at the end
}

// DefaultCriteria returns criteria with an equivalence margin of 2% and a family-wise error of 5%.
func DefaultCriteria(baseline string, inputs []string) Criteria {
	return Criteria{Baseline: baseline, Inputs: inputs, Margin: 0.02, Alpha: FamilyError}
}

// TooFew reports whether the blocks of an undecided verdict are too few to decide anything, whatever they show.
func (v *Verdict) TooFew() bool {
	least := stat.MinBlocks(1 - ratioConfidence)
	if !v.Paired {
		least = stat.MinGroupBlocks(1 - ratioConfidence)
	}
	return !v.Exact && v.States == nil && v.RunsA == 0 && v.N < least
}

// ratioConfidence is the confidence of every interval of a ratio.
const ratioConfidence = 0.95

// blocksLimit is the largest number of further blocks that is reported.
const blocksLimit = 1000

// Verdicts compares designs at the points where they agree in the factors that both have: each with the baseline,
// and with its neighbour in the order of the cases. It also compares neighbouring levels of a design's own factors.
// Bounds are left out. All verdicts are one family.
func (c Criteria) Verdicts(rows []Row, trials []result.Trial) []Verdict {
	pairs, all := c.comparisons(rows, trials)
	states := c.judge(all)
	var list []Verdict
	for i := range all {
		if states[i].ok {
			v := newPairedVerdict(pairs[i][0], pairs[i][1], states[i].ratio)
			c.fill(&v, &states[i], len(all))
			v.widenToStates(pairs[i][0], pairs[i][1])
			list = append(list, v)
		}
	}
	list = append(list, c.exactVerdicts(rows)...)
	return append(list, unstableVerdicts(rows)...)
}

// AddBaselineVerdicts adds to each row its verdict against the baseline, if it has exactly one.
func (c Criteria) AddBaselineVerdicts(rows []Row, verdicts []Verdict) {
	for i := range rows {
		r := &rows[i]
		r.BaselineVerdict = nil
		found := 0
		for k := range verdicts {
			if v := &verdicts[k]; v.Paired && v.B == c.Baseline && v.A == r.Design && v.World == r.World &&
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

// sameLevels reports whether p is the union of the points a and b.
func sameLevels(p, a, b plan.Point) bool {
	return len(p.Settings()) == len(a.Settings())+len(b.Settings()) && agree(p, a) && agree(p, b)
}

// comparisons returns the pairs of rows to compare, with the blocks of each. Without interim analyses it leaves out
// pairs that share fewer than two blocks.
func (c Criteria) comparisons(rows []Row, trials []result.Trial) (pairs [][2]*Row, all []blockSeries) {
	values, tried, lost := blockValues(trials), triedBlocks(trials), lostResponses(trials)
	for _, p := range c.pairs(rows, c.excludedBy(trials)) {
		if repeatingPair(p) {
			continue
		}
		s := newSeries(p[0], p[1], values, tried)
		if c.Interims != nil {
			s.truncate(c.Interims.Blocks[0], lost[rowKey(p[0])], lost[rowKey(p[1])])
		}
		s.layouts = c.Layouts
		if _, _, ok := s.comparison(len(s.logs)); ok || c.Interims != nil {
			pairs, all = append(pairs, p), append(all, s)
		}
	}
	return pairs, all
}

// decideAll sets the verdicts of a family from the ratios with the same indices.
func (c Criteria) decideAll(list []Verdict, ratios []stat.Comparison) {
	states := newStates(len(ratios))
	for i := range ratios {
		c.judgeOnce(&states[i], ratios[i], 1)
	}
	c.decide(states)
	for i := range list {
		c.fill(&list[i], &states[i], len(list))
	}
}

// unstableVerdicts returns the verdicts on overloaded designs. Their Ratio is offered load by capacity.
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

// newPairedVerdict returns a verdict on two rows of one run, before it is decided.
func newPairedVerdict(a, b *Row, ratio stat.Comparison) Verdict {
	v := newVerdict(a, b, ratio)
	v.Paired = true
	if a.Design == b.Design {
		v.MoreLines = nil
	}
	return v
}

// newVerdict returns a verdict on two rows, before it is decided.
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

// fill completes a verdict from the state of its comparison, one of m.
func (c Criteria) fill(v *Verdict, s *sequentialState, m int) {
	v.Margin, v.alpha, v.Verdict = c.Margin, c.Alpha, directedVerdict(s.verdict, s.ratio.Ratio, v.Metric)
	low, high := s.ratio.Interval(1 - s.level(1-ratioConfidence))
	v.Low, v.High = result.Value(low), result.Value(high)
	order := s.ratio.Order()
	if v.Lag1 = result.Value(order.Lag1); order.Dependent {
		v.Correlation, v.Widened = result.Value(order.Correlation), s.ratio.Widened(1-s.level(1-ratioConfidence))
	}

	v.Tail, v.RankComparison = s.ratio.Tail(), c.ranked(s, m)
	v.P, v.Permutation = result.Value(s.adjusted), result.Value(s.ratio.Permutation())
	v.Detectable = result.Unavailable
	if s.enough {
		v.Detectable = result.Value(s.ratio.Detectable(1, s.level(c.Alpha/float64(m))))
	}

	if c.Interims != nil {
		interims, spent := len(s.analyses), s.spent
		v.Interims, v.AlphaSpent = &interims, &spent
	}

	if v.Verdict == Undecided {
		v.Vetoed, v.Ended = s.vetoed, s.ended
		v.Nearly, v.MoreBlocks = c.blocksNeeded(s, m)
		if c.Interims != nil && v.MoreBlocks == nil && !s.ended && !s.vetoed {
			v.MostBlocks, v.EnoughBlocks = c.Interims.most(), c.enoughWithoutBudget(s, m)
		}
		if v.RunsA > 0 {
			v.MoreRuns, v.MoreBlocks = v.MoreBlocks, nil
		}
	}
}

// directedVerdict returns which of two designs is better, if they differ.
func directedVerdict(verdict string, ratio float64, metric string) string {
	switch {
	case verdict != differs:
		return verdict
	case (ratio > 1) == result.LargerIsBetter(metric):
		return Faster
	}
	return Slower
}

// enoughWithoutBudget is blocksAtOnce for a comparison that its interim analyses leave undecided: more than they have,
// in tens.
func (c Criteria) enoughWithoutBudget(s *sequentialState, m int) int {
	if !s.ok {
		return 0
	}
	n := c.blocksAtOnce(s, m)
	if n == 0 {
		return 0
	}
	return tens(max(n, c.Interims.most()+1))
}

// tens rounds a number of blocks up to tens.
func tens(n int) int { return (n + 9) / 10 * 10 }

package compare

import (
	"cmp"
	"slices"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// pairs returns the pairs of rows to compare, each once; they are one family. At every point it pairs each design
// with the baseline and with the nearest design before it that has its guarantee, and pairs the levels of a design's
// own factors. With j.All it returns all of these pairs. A reference design is compared only with the baseline,
// unless j.All. excluded filters rows.
func (c Criteria) pairs(all []Row, out func(*Row) bool) [][2]*Row {
	var rows []*Row
	var designs []string
	for i := range all {
		if r := &all[i]; !out(r) {
			rows = append(rows, r)
			if !slices.Contains(designs, r.Design) {
				designs = append(designs, r.Design)
			}
		}
	}

	var pairs [][2]*Row
	add := func(a, b *Row) {
		if !slices.Contains(pairs, [2]*Row{a, b}) && !slices.Contains(pairs, [2]*Row{b, a}) {
			pairs = append(pairs, [2]*Row{a, b})
		}
	}

	// add drops duplicates: two designs may be neighbours, and one of them the baseline.
	for i, a := range rows {
		others := c.neighbours(rows, a, designs)
		for k, b := range rows {
			switch {
			case !sameMeasure(a, b):
			case slices.Contains(others, b.Design) && agree(a.Point, b.Point):
				add(a, b)
			case a.Design == b.Design && i > k && (c.All || !a.Reference) && c.adjacentLevel(all, rows, k, i):
				add(a, b)
			}
		}
	}
	return pairs
}

// neighbours returns the designs with which row a is compared at its point.
func (c Criteria) neighbours(rows []*Row, a *Row, designs []string) []string {
	var list []string
	if c.LevelsOnly {
		return nil
	}
	if a.Design != c.Baseline && slices.Contains(designs, c.Baseline) {
		list = append(list, c.Baseline)
	}

	if (a.Design == c.Baseline || a.Reference || c.BaselineOnly) && !c.All {
		return list
	}

	for n := slices.Index(designs, a.Design) - 1; n >= 0; n-- {
		if !slices.ContainsFunc(rows, func(b *Row) bool {
			return b.Design == designs[n] && (c.All || !b.Reference && a.Guarantee == b.Guarantee) &&
				sameMeasure(a, b) && agree(a.Point, b.Point)
		}) {
			continue // failed here, is a reference or has another guarantee; the one before it is the neighbour
		}
		if list = append(list, designs[n]); !c.All {
			break
		}
	}
	return list
}

// neverCompared reports whether a row is in no comparison whatever its trials show: it is a bound.
func (r *Row) neverCompared() bool { return r.Bound }

// excluded reports whether a row is in no comparison, given its trials. That includes rows without a value,
// overloaded rows, and rows that lost more than half of the requests in some trial. Comparing the remaining trials
// would be biased.
func (r *Row) excluded() bool {
	return r.neverCompared() || r.N == 0 || r.Overloaded() || r.Open && !r.Metric(result.ResponseP50).Median.Known()
}

// excludedBy returns the function excluded for the given trials. With interim analyses it uses the trials up to the
// first one, so that the family never changes: decided verdicts stay, and no row gets new neighbours.
func (c Criteria) excludedBy(trials []result.Trial) func(*Row) bool {
	if c.Interims == nil {
		return (*Row).excluded
	}

	early := map[key][]*result.Trial{}
	for i := range trials {
		if t := &trials[i]; t.Block < c.Interims.Blocks[0] {
			early[trialKey(t)] = append(early[trialKey(t)], t)
		}
	}

	return func(r *Row) bool {
		of := early[rowKey(r)]
		if r.neverCompared() || len(of) == 0 {
			return true
		}
		then := newRow(plan.Case{Design: r.Design, Point: r.Point}, of)
		return then.excluded()
	}
}

// sameMeasure reports whether two rows measure the same quantity of the same workload. Response times must be at
// equal rates, because any design is fast at a low rate.
func sameMeasure(a, b *Row) bool {
	return a.Workload == b.Workload && a.World == b.World && measureOf(a) == measureOf(b) && a.Rate == b.Rate
}

// agree reports whether two points have the same levels of the factors that both have.
func agree(a, b plan.Point) bool {
	for _, s := range a.Settings() {
		if l, ok := b.Get(s.Factor); ok && l.String() != s.Level.String() {
			return false
		}
	}
	return true
}

// adjacentLevel reports whether rows k and i, of one design, differ in exactly one factor, which is not an input,
// and are to be compared. Unless all pairs are compared, k must be the nearest such row before i or, with
// j.AgainstFirst, the first. If that first row is excluded there is no comparison, because the reference level must
// not differ between designs.
func (c Criteria) adjacentLevel(all []Row, rows []*Row, k, i int) bool {
	factor := onlyDifference(rows[k].Point, rows[i].Point)
	if factor == "" || slices.Contains(c.Inputs, factor) {
		return false
	}
	differs := func(r *Row) bool {
		return r.Design == rows[i].Design && sameMeasure(r, rows[i]) && onlyDifference(r.Point, rows[i].Point) == factor
	}
	switch {
	case c.All:
		return true
	case c.AgainstFirst:
		return rows[k] == &all[slices.IndexFunc(all, func(r Row) bool { return differs(&r) })]
	}
	return !slices.ContainsFunc(rows[k+1:i], differs)
}

// onlyDifference returns the only factor in which two points of a design differ, or "".
func onlyDifference(a, b plan.Point) string {
	factor := ""
	for _, s := range a.Settings() {
		if l, ok := b.Get(s.Factor); !ok || l.String() != s.Level.String() {
			if factor != "" {
				return ""
			}
			factor = s.Factor
		}
	}
	return factor
}

// SplitPoints splits two points into the settings that they share and those that only one has.
func SplitPoints(a, b plan.Point) (both, onlyA, onlyB plan.Point) {
	for _, s := range a.Settings() {
		if l, ok := b.Get(s.Factor); ok && l.String() == s.Level.String() {
			both = both.With(s.Factor, s.Level)
		} else {
			onlyA = onlyA.With(s.Factor, s.Level)
		}
	}
	for _, s := range b.Settings() {
		if !both.Has(s.Factor) {
			onlyB = onlyB.With(s.Factor, s.Level)
		}
	}
	return both, onlyA, onlyB
}

// FamilyError is the usual limit of the probability of any false verdict of a family: Criteria.Alpha unless a caller
// sets it.
const FamilyError = 0.05

// What keeps a verdict undecided although its own interval excludes 1; see [Verdict.Obstacle].
const (
	// over all comparisons, the probability of a false difference would exceed Verdict.Alpha
	ObstacleFamily = "family"
	// a permutation test does not confirm the difference
	ObstaclePermutation = "permutation"
)

// Alpha returns the limit of the probability of any false verdict of its family: Criteria.Alpha, or [FamilyError] if
// the verdict was read from JSON.
func (v *Verdict) Alpha() float64 { return cmp.Or(v.alpha, FamilyError) }

// Obstacle returns what keeps an undecided verdict from being a difference although its own interval excludes 1. It is
// "" if the interval includes 1, if there are too few blocks for any verdict, or if the verdict is Vetoed.
func (v *Verdict) Obstacle() string {
	switch {
	case !(v.Low > 1 || v.High < 1) || !v.Detectable.Known():
		return ""
	case float64(v.P) > v.Alpha():
		return ObstacleFamily
	case float64(v.Permutation) > v.Alpha() && !v.Vetoed:
		return ObstaclePermutation
	}
	return ""
}

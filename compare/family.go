package compare

import (
	"slices"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// pairs lists the pairs of rows to compare, each once, of those that are not out: at every point each design
// with the baseline and with the nearest design before it, and the levels of a design's own factors; or all
// pairs of both. A peer is compared with the baseline only, unless it is all pairs. They are one family.
func (j Criteria) pairs(all []Row, out func(*Row) bool) [][2]*Row {
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
	for i, a := range rows {
		beside := j.neighbours(rows, a, designs)
		for k, b := range rows {
			switch {
			case !sameMeasure(a, b):
			case slices.Contains(beside, b.Design) && agree(a.Point, b.Point):
				add(a, b)
			case a.Design == b.Design && i > k && (j.All || !a.Reference) && j.adjacentLevel(all, rows, k, i):
				add(a, b)
			}
		}
	}
	return pairs
}

// beside are the designs with which row a is compared at its point.
func (j Criteria) neighbours(rows []*Row, a *Row, designs []string) []string {
	var list []string
	if j.LevelsOnly {
		return nil
	}
	if a.Design != j.Baseline && slices.Contains(designs, j.Baseline) {
		list = append(list, j.Baseline)
	}
	if (a.Design == j.Baseline || a.Reference) && !j.All {
		return list
	}
	for n := slices.Index(designs, a.Design) - 1; n >= 0; n-- {
		if !slices.ContainsFunc(rows, func(b *Row) bool {
			return b.Design == designs[n] && (j.All || !b.Reference) && sameMeasure(a, b) && agree(a.Point, b.Point)
		}) {
			continue // it failed here, or is a peer; the one before it is the neighbour
		}
		if list = append(list, designs[n]); !j.All {
			break
		}
	}
	return list
}

// never reports whether a row can be in no comparison whatever its trials say: a bound.
func (r *Row) neverCompared() bool { return r.Bound }

// out reports whether a row is in no comparison, now that there are trials: also one without a number, one
// that could not serve its load, one that lost more than half of the customers in some trial: what is left
// are the trials that went well.
func (r *Row) excluded() bool {
	return r.neverCompared() || r.N == 0 || r.Overloaded() || r.Open && !r.Metric(result.ResponseP50).Median.Known()
}

// outBy is out, by these trials. With looks it is what it was at the first of them, so that the family is one
// from then on: verdicts that stand do not go, and no row has new neighbours.
func (j Criteria) excludedBy(trials []result.Trial) func(*Row) bool {
	if j.Interims == nil {
		return (*Row).excluded
	}
	early := map[key][]*result.Trial{}
	for i := range trials {
		if t := &trials[i]; t.Block < j.Interims.Blocks[0] {
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

// comparable reports whether two rows have the same measure of the same thing. Response times are
// compared at equal rates only: any design is fast when hardly anybody comes.
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

// otherLevel reports whether row k, of row i's design, differs from it in one factor only, and one that
// is no input; and whether it is the nearest earlier row that does, or the first there is, unless all pairs are
// compared. Who is compared with the first level is not compared with another where that one is out: the
// baseline does not change from design to design.
func (j Criteria) adjacentLevel(all []Row, rows []*Row, k, i int) bool {
	factor := onlyDifference(rows[k].Point, rows[i].Point)
	if factor == "" || slices.Contains(j.Inputs, factor) {
		return false
	}
	differs := func(r *Row) bool {
		return r.Design == rows[i].Design && sameMeasure(r, rows[i]) && onlyDifference(r.Point, rows[i].Point) == factor
	}
	switch {
	case j.All:
		return true
	case j.AgainstFirst:
		return rows[k] == &all[slices.IndexFunc(all, func(r Row) bool { return differs(&r) })]
	}
	return !slices.ContainsFunc(rows[k+1:i], differs)
}

// onlyDifference is the one factor in which two points of a design differ, or "".
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

// Split parts two points into what they share and what is of each alone.
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

package compare

import (
	"cmp"
	"slices"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// KneeMargin is the largest relative increase of a job's time at which two levels of a factor count as equally
// fast.
const KneeMargin = 0.10

// Knee describes the flat part of a job's time along a factor. The ends of this part are the knees of the curve.
// Times are medians, or means in virtual time. It belongs to the row of the best level.
type Knee struct {
	Kind          string       `json:"kind"` // "knee"
	SchemaVersion int          `json:"schema_version"`
	Workload      string       `json:"workload"`
	Design        string       `json:"design"`
	World         string       `json:"world"`
	Point         plan.Point   `json:"point"` // of the best level
	Factor        string       `json:"factor"`
	Best          result.Value `json:"best_seconds"`
	First         plan.Level   `json:"first"` // the contiguous levels around the best at which the time is at most
	Last          plan.Level   `json:"last"`  // (1 + KneeMargin) Best
	Below         *plan.Level  `json:"below"` // the next lower level, which is slower; null if there is none
	BelowRatio    result.Value `json:"below_ratio"`
	Above         *plan.Level  `json:"above"`
	AboveRatio    result.Value `json:"above_ratio"`
	// the flat part of the closed form's prediction; null if the form has
	FormulaFirst *plan.Level `json:"formula_first"`
	FormulaLast  *plan.Level `json:"formula_last"` // no value at some level
}

// AddKnees adds to rows of jobs the knees along each factor with at least three levels and all else equal. It skips
// inputs, whose levels are different jobs, and CPUs; see AddSerialFractions.
func AddKnees(rows []Row, inputs []string) {
	seen := map[string]bool{}
	for i := range rows {
		r := &rows[i]
		for _, s := range r.Point.Settings() {
			_, number := s.Level.Number()
			name := r.Workload + " " + r.World + " " + r.Design + " " + s.Factor + " " +
				r.Point.With(s.Factor, plan.TextLevel("")).String()
			if !r.Job || !number || s.Factor == "cpus" || slices.Contains(inputs, s.Factor) || seen[name] {
				continue
			}
			seen[name] = true
			if along := alongFactor(rows, r, s.Factor); len(along) >= 3 {
				best, k := newKnee(along, s.Factor)
				best.Knees = append(best.Knees, k)
			}
		}
	}
}

// alongFactor returns the rows with values that differ from r only in a factor, sorted by its level.
func alongFactor(rows []Row, r *Row, factor string) (along []*Row) {
	others := r.Point.With(factor, plan.TextLevel("")).String()
	for i := range rows {
		o := &rows[i]
		if o.Job && o.Workload == r.Workload && o.World == r.World && o.Design == r.Design && o.Point.Has(factor) &&
			o.Point.With(factor, plan.TextLevel("")).String() == others && wallTime(o) > 0 {
			along = append(along, o)
		}
	}
	slices.SortFunc(along, func(a, b *Row) int { return cmp.Compare(numberOf(a, factor), numberOf(b, factor)) })
	return along
}

func numberOf(r *Row, factor string) float64 {
	l, _ := r.Point.Get(factor)
	x, _ := l.Number()
	return x
}

// wallTime returns the wall time of a row in seconds, or NaN.
func wallTime(r *Row) float64 {
	s := r.Metric(result.WallSeconds)
	if s.Mean != nil {
		return float64(s.Mean.Mean)
	}
	return float64(s.Median)
}

func predictedWall(r *Row) float64 {
	if r.Formula == nil {
		return 0
	}
	return float64(r.Formula.PredictedSeconds)
}

// newKnee returns the knee of rows along a factor, and the best row.
func newKnee(along []*Row, factor string) (*Row, Knee) {
	level := func(i int) plan.Level { l, _ := along[i].Point.Get(factor); return l }
	best, first, last := plateau(along, wallTime)
	r := along[best]
	k := Knee{Kind: "knee", SchemaVersion: result.SchemaVersion, Workload: r.Workload, Design: r.Design, World: r.World,
		Point: r.Point, Factor: factor,
		Best: result.Value(wallTime(r)), First: level(first), Last: level(last), BelowRatio: result.Unavailable,
		AboveRatio: result.Unavailable}
	if first > 0 {
		l := level(first - 1)
		k.Below, k.BelowRatio = &l, result.Value(wallTime(along[first-1])/wallTime(r))
	}

	if last < len(along)-1 {
		l := level(last + 1)
		k.Above, k.AboveRatio = &l, result.Value(wallTime(along[last+1])/wallTime(r))
	}

	if !slices.ContainsFunc(along, func(r *Row) bool { return !(predictedWall(r) > 0) }) {
		_, first, last := plateau(along, predictedWall)
		from, to := level(first), level(last)
		k.FormulaFirst, k.FormulaLast = &from, &to
	}
	return r, k
}

// plateau returns the index of the fastest row, and of the ends of the contiguous rows around it that are about as
// fast.
func plateau(along []*Row, time func(*Row) float64) (best, first, last int) {
	for i, r := range along {
		if time(r) < time(along[best]) {
			best = i
		}
	}
	most := (1 + KneeMargin) * time(along[best])
	for first = best; first > 0 && time(along[first-1]) <= most; {
		first--
	}
	for last = best; last < len(along)-1 && time(along[last+1]) <= most; {
		last++
	}
	return best, first, last
}

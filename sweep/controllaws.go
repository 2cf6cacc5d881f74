package sweep

import (
	"slices"

	"github.com/brewput/brewput/result"
)

// segment is a run of consecutive blocks that hold the same cases.
type segment struct {
	cases []int
	until int // the block after the last one
	// ahead is the block before which trials may be announced to Sweep.Ahead; 0 announces none.
	ahead int
}

// controlLaw decides which cases the next blocks hold, and when a sweep ends. Every sweep has exactly one; see
// [execution.newControlLaw].
//
// Control laws decide by the stored trials, so that a resumed sweep decides the same. Those of a budget and a gate also
// read a clock, and store their decisions.
type controlLaw interface {
	// next returns the segment that holds block b. current is the segment of the block before, and trials are those of
	// all blocks before b. A segment that has no cases, or ends at b or before, ends the sweep.
	next(current segment, b int, trials []result.Trial) (segment, error)
}

// newControlLaw returns the control law of a sweep.
func (e *execution) newControlLaw() controlLaw {
	switch {
	case e.Next != nil:
		return callbackLaw{e.Sweep}
	case e.Header.Precision != nil:
		return precisionLaw{e.Header.Precision, e.Sweep}
	case e.Header.Predicts:
		return predictionLaw{e}
	case e.budget != nil:
		return e.budget
	}
	return fixedLaw{e.Sweep}
}

// fixedLaw runs all cases in every block of the plan.
type fixedLaw struct{ sweep *Sweep }

func (r fixedLaw) next(segment, int, []result.Trial) (segment, error) {
	return segment{r.sweep.allCases(), r.sweep.Plan.Blocks, r.sweep.Plan.Blocks}, nil
}

// callbackLaw asks Sweep.Next at the end of each segment.
type callbackLaw struct{ sweep *Sweep }

func (r callbackLaw) next(current segment, b int, trials []result.Trial) (segment, error) {
	if b < current.until {
		return current, nil
	}
	n, err := r.sweep.Next(b, trials)
	return segment{cases: r.sweep.allCases(), until: b + n}, err
}

// predictionLaw runs all cases in the first block of a prediction, and then those whose first replication has a
// value. The others would fail again.
type predictionLaw struct{ *execution }

func (r predictionLaw) next(_ segment, b int, trials []result.Trial) (segment, error) {
	if b == 0 {
		return segment{r.allCases(), r.Plan.Blocks, 1}, nil
	}

	s := segment{until: r.Plan.Blocks, ahead: r.Plan.Blocks}
	for i, c := range r.Plan.Cases {
		if slices.ContainsFunc(trials, func(t result.Trial) bool {
			return t.Block == 0 && t.Good() && t.Design == c.Design && t.Point.Equal(c.Point)
		}) {
			s.cases = append(s.cases, i)
		}
	}

	if r.interleaved { // trials that began ahead would run during the measurements
		s.ahead = b + 1
	}
	return s, nil
}

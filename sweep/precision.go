package sweep

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// Precision is the rule by which replications go on until every mean is known well enough. A case whose means are
// is replicated no further. Looks are few, as each one more makes an interval that happens to be short more
// likely to be the one that ends the run.
type Precision struct {
	Relative        float64 `json:"relative"`   // half of the 95 % interval of a mean, by the mean
	MinReplications int     `json:"first"`      // replications before the first look
	MaxReplications int     `json:"most"`       // replications
	Confidence      float64 `json:"confidence"` // of the intervals
}

// NewPrecision is the rule for a relative precision.
func NewPrecision(relative float64) *Precision {
	return &Precision{Relative: relative, MinReplications: 10, MaxReplications: 1000, Confidence: 0.95}
}

// Validate refuses a rule that a damaged header may hold.
func (p *Precision) Validate() error {
	if !(p.Relative > 0) || p.MinReplications < 2 || p.MaxReplications < p.MinReplications {
		return fmt.Errorf("the run's rule of precision makes no sense: %+v", *p)
	}
	return nil
}

// after is the look after the one at n replications: half as many again.
func (p *Precision) after(n int) int { return min(p.MaxReplications, n+(n+1)/2) }

// precisionRule replicates cases until their means are precise.
type precisionRule struct {
	*Precision
	sweep *Sweep
}

func (r precisionRule) next(current segment, b int, trials []result.Trial) (segment, error) {
	switch {
	case b == 0:
		return segment{r.sweep.allCases(), r.MinReplications, r.MinReplications}, nil
	case b < current.until || b >= r.MaxReplications:
		return current, nil
	}
	until := r.after(b)
	return segment{r.imprecise(r.sweep, trials), until, until}, nil
}

// imprecise are the cases whose means are not known well enough. Of one that has no mean after so many trials more of
// them would not help.
func (p *Precision) imprecise(s *Sweep, trials []result.Trial) []int {
	var cases []int
	for i := range s.Plan.Cases {
		if _, half := s.LeastPreciseMean(trials, i); half > p.Relative {
			cases = append(cases, i)
		}
	}
	return cases
}

// Widest is the least precise mean of a case, with half of its 95 % interval by itself: infinite where there is no
// interval yet, and NaN where trials went wrong or are unstable and there is no mean.
func (s *Sweep) LeastPreciseMean(trials []result.Trial, i int) (metric string, half float64) {
	rows := compare.Rows(trials, s.Plan.Cases[i:i+1])
	if len(rows) == 0 {
		return "", math.Inf(1)
	}
	return rows[0].LeastPreciseMean()
}

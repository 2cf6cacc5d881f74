package sweep

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// Precision is a sequential stopping rule for replications: a case is replicated until the confidence intervals of
// its means are narrow enough. Interim analyses are few. Each one adds a chance to stop at an interval that is
// narrow by chance.
type Precision struct {
	Relative        float64 `json:"relative"`   // largest relative half-width of the 95% interval of a mean
	MinReplications int     `json:"first"`      // replications before the first analysis
	MaxReplications int     `json:"most"`       // replications at most
	Confidence      float64 `json:"confidence"` // of the intervals
}

// NewPrecision returns the rule for a relative precision, such as 0.01 for 1%.
func NewPrecision(relative float64) *Precision {
	return &Precision{Relative: relative, MinReplications: 10, MaxReplications: 1000, Confidence: 0.95}
}

// Validate returns an error for a rule that cannot work, as in a damaged header.
func (p *Precision) Validate() error {
	if !(p.Relative > 0) || p.MinReplications < 2 || p.MaxReplications < p.MinReplications {
		return fmt.Errorf("the run's rule of precision is invalid: %+v", *p)
	}
	return nil
}

// after returns the number of replications at the analysis that follows the one at n: 1.5 n.
func (p *Precision) after(n int) int { return min(p.MaxReplications, n+(n+1)/2) }

// precisionLaw replicates cases until their means are precise.
type precisionLaw struct {
	*Precision
	sweep *Sweep
}

func (r precisionLaw) next(current segment, b int, trials []result.Trial) (segment, error) {
	switch {
	case b == 0:
		return segment{r.sweep.allCases(), r.MinReplications, r.MinReplications}, nil
	case b < current.until || b >= r.MaxReplications:
		return current, nil
	}
	until := r.after(b)
	return segment{r.imprecise(r.sweep, trials), until, until}, nil
}

// imprecise returns the cases whose means are not yet precise. A case without a mean is left out, because more
// trials would not help.
func (p *Precision) imprecise(s *Sweep, trials []result.Trial) []int {
	var cases []int
	for i := range s.Plan.Cases {
		if _, half := s.LeastPreciseMean(trials, i); half > p.Relative {
			cases = append(cases, i)
		}
	}
	return cases
}

// LeastPreciseMean returns the least precise mean of case i, with its relative 95% half-width. half is infinite if
// there is no interval yet, and NaN if trials failed or are unstable.
func (s *Sweep) LeastPreciseMean(trials []result.Trial, i int) (metric string, half float64) {
	rows := compare.Rows(trials, s.Plan.Cases[i:i+1])
	if len(rows) == 0 {
		return "", math.Inf(1)
	}
	return rows[0].LeastPreciseMean()
}

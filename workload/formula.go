package workload

import (
	"errors"
	"math"

	"github.com/brewput/brewput/plan"
)

// Formula is a closed form for the wall time of a Job, from what the same sweep measured of other designs. It is
// evaluated in each block by the trials of that block, and compared with the trial of its own design there.
type Formula struct {
	Text   string // "bytes x cost of a system call", in the words of the designs and metrics that it uses
	Source string // where it comes from: a book, a law, or what it counts
	// Seconds is the prediction at a point of the design; NaN where there is none.
	Seconds func(p plan.Point, m Measured) float64
}

// Measured finds a metric of a design of the same sweep: that of its trial at the levels of p, which may hold more
// factors than the design has, or fewer as long as one trial fits. ok is false where no trial or more than one does,
// or where it has no such number.
type Measured func(design, metric string, p plan.Point) (x float64, ok bool)

// Of is the metric of a design at a point.
func (m Measured) Metric(design, metric string, p plan.Point) (float64, bool) {
	return m(design, metric, p)
}

// Wall is the wall time of a design at a point, in seconds; NaN where it was not measured, which makes a formula NaN.
func (m Measured) Wall(design string, p plan.Point) float64 {
	x, ok := m(design, "wall_seconds", p)
	if !ok {
		return math.NaN()
	}
	return x
}

// validate reports what is wrong with the formula of d, which may be nil.
func (f *Formula) validate(d Design) error {
	switch {
	case f == nil:
		return nil
	case d.Job == nil:
		return errors.New("a formula predicts the wall time of a job, and this is a stream")
	case f.Text == "" || f.Source == "" || f.Seconds == nil:
		return errors.New("a formula needs its text, its source and Seconds")
	}
	return nil
}

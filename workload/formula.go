package workload

import (
	"errors"
	"math"

	"github.com/brewput/brewput/plan"
)

// Formula is a closed form for the wall time of a [Job], or for a metric of it. Its inputs are the point, and
// measurements of other designs in the same sweep. It is evaluated in each block with the trials of that block, and
// compared with the trial of its own design. Exactly one of Seconds and Value is set.
type Formula struct {
	// Text is the formula in terms of designs and metrics, such as "bytes x cost of a system call".
	Text   string
	Source string // where the formula comes from: a publication, a law, or what it counts

	// Seconds returns the predicted wall time in seconds at a point of the design, or NaN if there is no prediction.
	Seconds func(p plan.Point, m Measured) float64

	// Value returns the predicted Metric at a point of the design, or NaN if there is no prediction. Metric is one that
	// [Job.Metrics] returns.
	Value  func(p plan.Point, m Measured) float64
	Metric string
}

// Measured returns a metric of a design in the current block: that of its trial at the levels of p. The point may have
// more factors than the design, or fewer if they still determine the trial. The bool is false if no trial or more than
// one matches, or if the trial lacks the metric.
type Measured func(design, metric string, p plan.Point) (x float64, ok bool)

// Metric returns m(design, metric, p).
func (m Measured) Metric(design, metric string, p plan.Point) (float64, bool) {
	return m(design, metric, p)
}

// Wall returns the wall time of a design at a point, in seconds. It is NaN if the time was not measured, which makes a
// formula NaN too.
func (m Measured) Wall(design string, p plan.Point) float64 {
	x, ok := m(design, "wall_seconds", p)
	if !ok {
		return math.NaN()
	}
	return x
}

// validate returns an error if the formula of d is invalid. The formula may be nil.
func (f *Formula) validate(d Design) error {
	switch {
	case f == nil:
		return nil
	case d.Job == nil:
		return errors.New("a formula predicts the wall time or a metric of a job, and this is a stream")
	case f.Text == "" || f.Source == "" || f.Seconds == nil && f.Value == nil:
		return errors.New("a formula needs its text, its source, and Seconds or Value")
	case f.Seconds != nil && f.Value != nil:
		return errors.New("a formula has Seconds or Value, not both")
	case (f.Value != nil) != (f.Metric != ""):
		return errors.New("the Value of a formula needs the name of its Metric, and a Metric its Value")
	}
	return nil
}

// Package aatest compares designs with themselves (A/A tests) in runs of lab.Measure. Every difference that such a run
// reports is an error of Brewput or of the machine.
package aatest

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/workload"
)

// Double returns a copy of a workload that has every design twice, under the names of [Arms]. Trials find their
// workload by its name, so the program passes the copy to lab.Main instead of the original.
func Double(w *workload.Workload) *workload.Workload {
	double := *w
	double.Designs = nil
	for _, d := range w.Designs {
		for _, name := range Arms(d.Name) {
			arm := d
			arm.Name = name
			double.Designs = append(double.Designs, arm)
		}
	}
	return &double
}

// Arms are the two names of a design. They have the same length, so that trials differ in nothing but the name.
func Arms(design string) []string { return []string{design + "-a", design + "-b"} }

// Verdict returns the verdict of a run that measured the two arms of one design at one point. It is an error if a trial
// has no number, or if the design has no verdict because it is a bound.
func Verdict(run *lab.Run) (compare.Verdict, error) {
	for i := range run.Trials {
		if t := &run.Trials[i]; !t.Good() {
			return compare.Verdict{}, fmt.Errorf("a trial of %s/%s (%s) has no number: %s: %s", t.Workload, t.Design,
				t.Point, t.Status, t.Error)
		}
	}
	verdicts := run.Analyze().Verdicts
	if len(verdicts) != 1 {
		return compare.Verdict{}, fmt.Errorf("a run of %s gives %d verdicts, and one is needed", run.Header.Workload,
			len(verdicts))
	}
	return verdicts[0], nil
}

// HalfWidth is half the width of the interval of a ratio: 0.01 means that the ratio is known to within 1%.
func HalfWidth(low, high float64) float64 { return math.Sqrt(high/low) - 1 }

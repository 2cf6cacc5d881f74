// Package compare turns trials into summaries, verdicts and warnings. Its API is not stable; programs should use
// package lab. It computes and does not render.
package compare

import (
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Row is one design at one point over all blocks: a row of the table.
type Row struct {
	Workload, Design, World string
	Point                   plan.Point
	Lines                   *int
	Bound                   bool
	Reference               bool    // a reference solution: compared only with the baseline, or the baseline itself
	Guarantee               string  // of the design; rows with different ones are in different contests
	Job                     bool    // a job, measured by wall time; otherwise a stream
	Open                    bool    // a stream with an open loop, measured by median response time
	Rate                    float64 // open loop: requested rate, requests per second
	Late                    int     // open loop: trials without a value because arrivals were noticed late
	Unstable                int     // open loop: trials with more load than could be served
	N                       int     // trials with a value
	// virtual: checksum of the scheduler's decisions in all trials; 0 if unknown
	Decisions  uint64
	Statuses   map[result.Status]int
	Errors     []string // distinct, of trials without a value
	Unexpected int      // trials with a status that the design does not declare
	Declared   int      // trials with a failure that the design declares
	Warnings   []string // distinct

	// Metrics holds the summaries of all metrics of the trials: medians with intervals.
	Metrics map[string]result.Summary

	// Answer is the common answer of all trials of a job; nil if they differ, and for streams.
	Answer map[string]any

	// Predictions compares predictions with measurements, by metric; see AddPredictions.
	Predictions []Prediction
	// FailedCondition is why the row's prediction is invalid; nil if it is valid or missing.
	FailedCondition *FailedCondition
	// Formula compares the closed form of the design; nil if it has none; see AddFormulas.
	Formula *Formula
	// SerialFraction is nil if the design was not measured on one CPU; see AddSerialFractions.
	SerialFraction *SerialFraction
	// Knees describe the factors along which this is the best level; see AddKnees.
	Knees []Knee
	// BaselineVerdict compares the row with the baseline; nil if there is no verdict; see AddBaselineVerdicts.
	BaselineVerdict *Verdict
	// Sensitivity says how much predictions depend on the scheduler's costs, if requested; see Sensitivities.
	Sensitivity []Sensitivity

	// Resources are medians over the instrumented trials, in the order in which the design made them.
	Resources []result.Resource
	// CPUTime is the CPU-time breakdown of the instrumented trials: fractions, 0 to 1, named useful, runtime, gc
	// and idle. They are means, so that they add up. Unavailable parts are absent.
	CPUTime map[string]result.Value
	// SlowDown is plain speed divided by instrumented speed, the median over blocks. Speed is throughput (streams)
	// or the inverse of wall time (jobs). 1 means that instrumentation costs nothing.
	SlowDown result.Value
}

// Metric returns the summary of a metric. Its values are unavailable if there is none.
func (r *Row) Metric(name string) result.Summary {
	if s, ok := r.Metrics[name]; ok {
		return s
	}
	return result.Summary{Metric: name, Median: result.Unavailable, Low: result.Unavailable, High: result.Unavailable}
}

// Overloaded reports whether the load exceeded the design's capacity in most trials.
func (r *Row) Overloaded() bool { return 2*r.Unstable > r.N }

// failures is the number of trials of both kinds that failed or were wrong.
func (r *Row) failures() int { return r.Unexpected + r.Declared }

// Measure returns the summary of the metric by which the row is compared.
func (r *Row) Measure() result.Summary { return r.Metric(measureOf(r)) }

// Package compare turns trials into summaries. Its API is not stable yet, unlike that of package lab. It computes
// and does not render.
package compare

import (
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Row is one design at one point over all blocks: a line of the table.
type Row struct {
	Workload, Design, World string
	Point                   plan.Point
	Lines                   *int
	Bound                   bool
	Reference               bool    // somebody else's solution: compared with the baseline, or the baseline itself
	Job                     bool    // a job, whose measure is its wall time; otherwise a stream
	Open                    bool    // a stream under an open loop, whose measure is the median response
	Rate                    float64 // open loop: customers a second that were asked for
	Late                    int     // open loop: trials whose customers were noticed late, which have no number
	Unstable                int     // open loop: trials in which more was offered than could be served
	N                       int     // trials with a number
	// virtual: checksum of what the scheduler decided in all trials; 0 where nothing is known
	Decisions  uint64
	Statuses   map[result.Status]int
	Errors     []string // distinct, of trials without a number
	Unexpected int      // trials whose status the design does not declare
	Warnings   []string // distinct

	// Metrics are the summaries of every metric that the trials have: medians with intervals.
	Metrics map[string]result.Summary

	// Answer is what all trials with a number answered, if they answered alike; nil otherwise, and for streams.
	Answer map[string]any

	// Twins are what was predicted beside what was measured, by metric; see AddPredictions.
	Predictions []Prediction
	// Refusal is why what was predicted of the row does not hold; nil where it does, or where nothing was predicted.
	FailedCondition *FailedCondition
	// Formula is what the closed form of the design predicts; nil where it has none; see AddFormulas.
	Formula *Formula
	// Serial is what part of the time more CPUs do not shorten; nil where the design was not on one CPU; see
	// AddSerialFractions.
	SerialFraction *SerialFraction
	// Knees are where the time along a factor becomes flat, if this is its best level; see AddKnees.
	Knees []Knee
	// Beside is the verdict on the row beside the baseline; nil where there is none; see AddBaselineVerdicts.
	BaselineVerdict *Verdict
	// Sensitivity says by how much predictions depend on the scheduler's costs, where that was asked for: see
	// Sensitivities.
	Sensitivity []Sensitivity

	// Resources are medians over the observed trials, in the order the design made them.
	Resources []result.Resource
	// Ledger is where the observed trials' core-seconds went, as shares in 0..1: useful,
	// runtime, gc, idle. They are means, so that they add up; unavailable parts are absent.
	CPUTime map[string]result.Value
	// SlowDown is the median over blocks of throughput (streams) or the inverse of wall time (jobs)
	// without observation over that with it; 1 means that observing cost nothing.
	SlowDown result.Value
}

// Metric returns the summary of a metric, with unavailable numbers where there is none.
func (r *Row) Metric(name string) result.Summary {
	if s, ok := r.Metrics[name]; ok {
		return s
	}
	return result.Summary{Metric: name, Median: result.Unavailable, Low: result.Unavailable, High: result.Unavailable}
}

// Overloaded reports whether the design could not serve what was offered, in most of the trials.
func (r *Row) Overloaded() bool { return 2*r.Unstable > r.N }

// Measure is the summary of the metric that the row is judged by.
func (r *Row) Measure() result.Summary { return r.Metric(measureOf(r)) }

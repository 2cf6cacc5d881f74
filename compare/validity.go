package compare

import (
	"fmt"
	"math"
	"strconv"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// Conditions under which a prediction is valid. If one fails, the prediction is not shown.
const (
	ConditionGC       = "gc"           // virtual time has no garbage collector
	ConditionTiming   = "short-pieces" // timing sections of real code costs a relevant part of their time
	ConditionShortJob = "short-job"    // the job ends before its process has warmed up
	// work takes longer on several CPUs than on one: contended words, false sharing, memory bandwidth
	ConditionInflation  = "inflation"
	ConditionUndeclared = "undeclared" // the design computes outside its sections of real code
	ConditionScatter    = "scatter"    // real code varies so much that the error is unknown
)

// FailedCondition is why a prediction is invalid: the failed condition, its value and its limit.
//
// Only causes decide, which trials count or time: the CPU time of the garbage collector, the length and number of
// sections of real code, the CPU time outside of them, the CPU time of the work on one CPU and on several, and the
// variation between blocks. The size of the error does not count, so that a condition cannot hide it.
type FailedCondition struct {
	Condition    string
	Value, Limit float64 // seconds for ConditionShortJob, otherwise fractions of the CPU time
	Blocks       int     // ConditionScatter: blocks that would be enough at this variation; else 0
}

// String returns a clause without the design, such as "garbage collection takes 12% of the CPU time".
func (r FailedCondition) String() string {
	percent := func(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) }
	text, figure, remedy := "", percent(r.Value), ""
	if r.Value < 0.095 {
		figure = fmt.Sprintf("%.1f%%", 100*r.Value)
	}

	switch r.Condition {
	case ConditionGC:
		text = "garbage collection takes %s of the CPU time, and the simulation has no garbage collector"
		remedy = "; allocate less, or raise GOGC (1000, for example)"
	case ConditionTiming:
		text = "its sections of real code are short: timing them costs %s of the CPU time"
	case ConditionInflation:
		text = "its work takes %s more CPU time on several CPUs than on one, for reasons such as shared cache lines, " +
			"memory bandwidth, cores or other processes"
		remedy = "; measure it on 1 CPU too"
	case ConditionUndeclared:
		text = "the process computes outside its sections of real code for %s of the time"
	case ConditionScatter:
		text = "the time of its real code varies between trials, so these blocks determine the error only to within %s"
		remedy = fmt.Sprintf("; %d blocks would be enough at this variation", r.Blocks)
	case ConditionShortJob:
		return fmt.Sprintf("the job takes only %.3gms, so thread start-up and first memory accesses matter; the "+
			"limit is %.3gms", 1e3*r.Value, 1e3*r.Limit)
	}
	return fmt.Sprintf(text, figure) + "; the limit is " + percent(r.Limit) + remedy
}

// Worse reports whether r exceeds its limit by more than o, which has the same condition.
func (r FailedCondition) Worse(o FailedCondition) bool {
	if r.Condition == ConditionShortJob {
		return r.Value < o.Value
	}
	return r.Value > o.Value
}

// failedCondition returns why the prediction of a measured row is invalid, or nil. rows are all rows of its run.
func (s evidenceIndex) failedCondition(r *Row, rows []Row) *FailedCondition {
	e, alone := s.evidenceOf(r, r.Point), &evidence{}
	for i := range rows {
		if o := &rows[i]; o.World == result.Live && levelOf(o.Point, "cpus") == 1 && sameWork(r, o) {
			alone = s.evidenceOf(o, o.Point)
		}
	}

	for _, x := range e.conditions(alone) {
		if x.Value > x.Limit {
			return &x
		}
	}

	if wall := geoMeanOf(e.plain, result.WallSeconds); r.Job && wall < minJobSeconds {
		return &FailedCondition{Condition: ConditionShortJob, Value: wall, Limit: minJobSeconds}
	}
	if x, blocks := e.scatter(r.PredictedMetric()); x > maxScatter {
		return &FailedCondition{ConditionScatter, x, maxScatter, blocksForPrecision(x, blocks)}
	}
	return nil
}

// conditions returns the conditions that depend on fractions of the CPU time, with their values; NaN if unknown.
func (e *evidence) conditions(alone *evidence) []FailedCondition {
	return []FailedCondition{
		{ConditionGC, e.collected(), maxGC, 0},
		{ConditionTiming, e.timing(), maxTiming, 0},
		{ConditionInflation, e.inflated(alone), maxInflation, 0},
		{ConditionUndeclared, e.undeclared(), maxUndeclared, 0},
	}
}

// failedBeyond returns why the prediction of a row on CPUs that the machine lacks is invalid, or nil. It uses the
// row's own predicted trials, and the validity of the same work on the most CPUs measured.
func (s evidenceIndex) failedBeyond(r *Row, rows []Row) *FailedCondition {
	for _, x := range s.evidenceOf(r, r.Point).conditions(&evidence{}) {
		if x.Value > x.Limit {
			return &x
		}
	}

	var most *Row
	for i := range rows {
		if o := &rows[i]; o.World == result.Live && o.N > 0 && sameWork(r, o) &&
			(most == nil || levelOf(o.Point, "cpus") > levelOf(most.Point, "cpus")) {
			most = o
		}
	}

	if most == nil {
		return nil
	}
	return s.failedCondition(most, rows)
}

// sameWork reports whether two rows do the same work on different numbers of CPUs. Other factors have the same
// levels, or follow the number of CPUs.
func sameWork(a, b *Row) bool {
	if a.Workload != b.Workload || a.Design != b.Design {
		return false
	}

	m, n := levelOf(a.Point, "cpus"), levelOf(b.Point, "cpus")
	for _, x := range a.Point.Settings() {
		if x.Factor == "cpus" {
			continue
		}
		l, ok := b.Point.Get(x.Factor)
		follows := x.Level.String() == strconv.Itoa(m) && l.String() == strconv.Itoa(n)
		if !ok || l.String() != x.Level.String() && !follows {
			return false
		}
	}
	return true
}

// scatter returns the relative half-width of the error's 95% interval, and the number of blocks that it is based
// on. half is NaN without real code, and with fewer than minBlocksOff blocks. It does not depend on the error
// itself.
func (e *evidence) scatter(metric string) (half float64, blocks int) {
	var logs []float64
	for _, b := range sortedBlocks(e.plain) {
		v := e.virtual[b]
		if v == nil || v.RealCode == "" {
			continue
		}
		if x := math.Log(predictionValue(v, metric) / predictionValue(e.plain[b], metric)); !math.IsNaN(x) &&
			!math.IsInf(x, 0) {
			logs = append(logs, x)
		}
	}

	c, ok := stat.ComparePaired(logs, ratioConfidence)
	if !ok || len(logs) < minBlocksOff {
		return math.NaN(), len(logs)
	}
	return math.Sqrt(c.High/c.Low) - 1, len(logs)
}

// blocksForPrecision returns the number of blocks that would reduce the half-width to maxScatter. The width of an
// interval falls with the square root of their number. For few blocks the result is too high, because Student's t
// has heavy tails there.
func blocksForPrecision(half float64, blocks int) int {
	x := math.Log1p(half) / math.Log1p(maxScatter)
	return int(math.Ceil(float64(blocks) * x * x))
}

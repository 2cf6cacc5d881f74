package compare

import (
	"fmt"
	"math"
	"strconv"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
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

// Limits of the conditions, as fractions of the CPU time unless noted otherwise.
const (
	maxGC         = 0.03
	maxTiming     = 0.01
	maxInflation  = 0.05
	maxUndeclared = 0.08 // of the time in which the design could have run
	maxScatter    = 0.15 // half-width of the error's 95% interval
	minJobSeconds = 1e-3 // seconds; starting threads and first touches of memory take some 50 us

	// minParallelism is the least mean number of busy CPUs at which CPUs can slow each other.
	minParallelism = 1.05
	// defaultTiming is the cost of timing a section of real code, in seconds, if trials do not report it. Reading a
	// thread's clock twice takes as long as a system call on a slow machine.
	defaultTiming = 500e-9
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
		text = "garbage collection takes %s of the CPU time, and virtual time has none"
		remedy = "; allocate less, or raise GOGC (1000, for example)"
	case ConditionTiming:
		text = "its pieces of real code are short: timing them costs %s of the CPU time"
	case ConditionInflation:
		text = "its work takes %s more CPU time on several CPUs than on one, for reasons such as shared cache lines, " +
			"memory bandwidth, cores or other processes"
		remedy = "; measure it on 1 CPU too"
	case ConditionUndeclared:
		text = "the process computes outside of its pieces of real code for %s of the time"
	case ConditionScatter:
		text = "its real code takes a different time in each trial, so that these blocks know the error within %s only"
		remedy = fmt.Sprintf("; %d blocks would be enough if they differed as much", r.Blocks)
	case ConditionShortJob:
		return fmt.Sprintf("the job takes %.3gms, of which starting threads and touching memory for the first time "+
			"is a part; the limit is %.3gms", 1e3*r.Value, 1e3*r.Limit)
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

// evidence holds the trials that decide whether the prediction of a case is valid, by block: plain and instrumented
// live trials with a value, and predicted ones.
type evidence struct {
	cpus                         int
	plain, instrumented, virtual map[int]*result.Trial
}

// evidenceIndex holds the evidence on all cases.
type evidenceIndex struct{ plain, instrumented, virtual map[key]map[int]*result.Trial }

func newEvidenceIndex(measured, predicted []result.Trial) evidenceIndex {
	return evidenceIndex{goodTrials(measured), trialsOf(measured, result.KindInstrumented), goodTrials(predicted)}
}

// evidenceOf returns the evidence on a design at a point.
func (s evidenceIndex) evidenceOf(r *Row, p plan.Point) *evidence {
	k := key{r.Workload, result.Live, r.Design, p.String()}
	e := &evidence{cpus: levelOf(p, "cpus"), plain: s.plain[k], instrumented: s.instrumented[k]}
	k.world = result.Virtual
	e.virtual = s.virtual[k]
	return e
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

// collected returns the fraction of CPU time spent in garbage collection; NaN if unknown. Instrumented trials are
// best, because they collect before and after their window. In a plain trial the runtime updates its account only
// at the end of a collection, and then includes work before the window.
func (e *evidence) collected() float64 {
	var gc, cpu float64
	for _, b := range sortedBlocks(e.instrumented) {
		m := e.instrumented[b].Metrics
		own := float64(m.Get(result.CPUSeconds))
		if x := float64(m.Get("ledger_gc")) * float64(e.cpus) / float64(m.Get(result.Parallelism)) *
			own; !math.IsNaN(x) {
			gc, cpu = gc+x, cpu+own
		}
	}
	if cpu > 0 {
		return gc / cpu
	}
	for _, b := range sortedBlocks(e.plain) {
		m := e.plain[b].Metrics
		own := float64(m.Get(result.CPUSeconds))
		if x := float64(m.Get("gc_cpu_seconds")); !math.IsNaN(x + own) {
			gc, cpu = gc+min(x, own), cpu+own
		}
	}
	return gc / cpu
}

// timing returns the cost of timing sections of real code, as a fraction of the predicted CPU time; NaN without
// sections.
func (e *evidence) timing() float64 {
	var cost, cpu float64
	for _, b := range sortedBlocks(e.virtual) {
		m := e.virtual[b].Metrics
		each := float64(m.Get(result.TimingSeconds))
		if math.IsNaN(each) {
			each = defaultTiming
		}
		if n := float64(m.Get("real_sections")); n > 0 {
			cost, cpu = cost+n*each, cpu+float64(m.Get(result.CPUSeconds))
		}
	}
	return cost / cpu
}

// parallel reports whether the design is predicted to keep several CPUs busy.
func (e *evidence) parallel() bool {
	return e.cpus > 1 && geoMeanOf(e.virtual, result.Parallelism) > minParallelism
}

// inflated returns the additional CPU time per operation of real code compared with one CPU, as a fraction of the
// CPU time on one. It is NaN if at most one CPU is busy or there is no real code. The CPU time on one CPU is that
// of live trials there. Without these it is that of the sections as timed for the prediction, one at a time.
//
// Garbage collection is excluded, and so is what virtual time charges for the scheduler and for declared work.
// Spinning threads add CPU time, and preempted sections seem longer. Each inflates only one of the two estimates,
// so the smaller one is used if both are known.
func (e *evidence) inflated(one *evidence) float64 {
	if !e.parallel() || !(geoMeanOf(e.virtual, "real_sections") > 0) {
		return math.NaN()
	}
	here, real := e.work(), perOperation(e.virtual, "real_code_seconds")
	alone := one.work()
	if math.IsNaN(alone) {
		alone = real
	}
	cpu := alone + max(0, perOperation(e.virtual, result.CPUSeconds)-real)
	byCPU := (here - alone) / cpu
	if sections := (e.useful() - one.useful()) / cpu; sections < byCPU {
		return sections
	}
	return byCPU
}

// work returns the CPU time of an operation's real code, in seconds: the total without garbage collection and
// without what virtual time charges for the rest.
func (e *evidence) work() float64 {
	rest := perOperation(e.virtual, result.CPUSeconds) - perOperation(e.virtual, "real_code_seconds")
	gc := e.collected()
	if math.IsNaN(gc) {
		gc = 0
	}
	if math.IsNaN(rest) {
		rest = 0
	}
	return perOperation(e.plain, result.CPUSeconds)*(1-gc) - rest
}

// undeclared returns the CPU time outside sections of real code, burns, garbage collection and the predicted
// scheduler, as a fraction of the window on the CPUs predicted to be busy. It is the median over instrumented
// trials, of which at least half must have it; otherwise NaN.
func (e *evidence) undeclared() float64 {
	var shares []float64
	for _, b := range sortedBlocks(e.instrumented) {
		if x := float64(e.instrumented[b].Metrics.Get("ledger_runtime")); !math.IsNaN(x) {
			shares = append(shares, x*float64(e.cpus))
		}
	}
	if len(e.virtual) == 0 || 2*len(shares) <= len(e.instrumented) {
		return math.NaN()
	}
	busy := geoMeanOf(e.virtual, result.Parallelism)
	scheduler := busy * (1 - geoMeanOf(e.virtual, "real_code_seconds")/geoMeanOf(e.virtual, result.CPUSeconds))
	return (stat.Median(shares) - scheduler) / max(1, busy)
}

// useful returns the time in sections of real code per operation, in seconds, of instrumented trials.
func (e *evidence) useful() float64 {
	var logs []float64
	for _, b := range sortedBlocks(e.instrumented) {
		t := e.instrumented[b]
		if x := float64(t.Metrics.Get("ledger_useful")) * float64(e.cpus) * windowOf(t) / operations(t); x > 0 {
			logs = append(logs, math.Log(x))
		}
	}
	if 2*len(logs) <= len(e.instrumented) { // the few trials without preemption would be biased
		return math.NaN()
	}
	return math.Exp(stat.Mean(logs))
}

// windowOf returns the time span of a trial's counters, in seconds.
func windowOf(t *result.Trial) float64 {
	return float64(t.Metrics.Get(result.CPUSeconds)) / float64(t.Metrics.Get(result.Parallelism))
}

// operations returns the number of operations within the span of a trial's counters; for a stream, throughput times
// the span.
func operations(t *result.Trial) float64 {
	if t.Type == result.Job {
		return 1
	}
	return float64(t.Metrics.Get(result.Throughput)) * windowOf(t)
}

// perOperation returns the geometric mean of a cumulative metric per operation.
func perOperation(trials map[int]*result.Trial, metric string) float64 {
	return geoMeanBy(trials, func(t *result.Trial) float64 { return float64(t.Metrics.Get(metric)) / operations(t) })
}

// geoMeanOf returns the geometric mean of a metric over the trials that have it; NaN without any.
func geoMeanOf(trials map[int]*result.Trial, metric string) float64 {
	return geoMeanBy(trials, func(t *result.Trial) float64 { return float64(t.Metrics.Get(metric)) })
}

func geoMeanBy(trials map[int]*result.Trial, value func(t *result.Trial) float64) float64 {
	var logs []float64
	for _, b := range sortedBlocks(trials) {
		if x := value(trials[b]); x > 0 && !math.IsInf(x, 0) {
			logs = append(logs, math.Log(x))
		}
	}
	if len(logs) == 0 {
		return math.NaN()
	}
	return math.Exp(stat.Mean(logs))
}

package compare

import (
	"fmt"
	"math"
	"strconv"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// The conditions under which a prediction holds. Where one fails, the prediction is not shown.
const (
	ConditionGC       = "gc"           // virtual time has no garbage collector
	ConditionTiming   = "short-pieces" // timing the pieces of real code costs a good part of what they take
	ConditionShortJob = "short-job"    // the job is over before its process has warmed up
	// work takes longer on several CPUs than on one: contended words, false sharing, bandwidth
	ConditionInflation  = "inflation"
	ConditionUndeclared = "undeclared" // the design computes outside its pieces of real code
	ConditionScatter    = "scatter"    // real code takes so different times that the error is not known
)

// The limits of the conditions, as shares of the CPU time unless they say otherwise.
const (
	maxGC         = 0.03
	maxTiming     = 0.01
	maxInflation  = 0.05
	maxUndeclared = 0.08 // of the time in which the design could have run
	maxScatter    = 0.15 // half of the width of the error's 95% interval
	minJobSeconds = 1e-3 // seconds: starting threads and touching memory for the first time take some 50 us

	// severalBusy is how many CPUs a design must keep busy on average for one to slow another.
	minParallelism = 1.05
	// usualTiming is what timing a piece of real code costs where the trials do not tell, in seconds. It is what a
	// system call takes on a slow machine: two reads of a thread's clock.
	defaultTiming = 500e-9
)

// Refusal is why a prediction does not hold: a condition that fails, by how much, and from where on it fails.
//
// It is decided by the causes alone, which trials count or time: the collector's CPU time, the length and number of the
// pieces of real code, the CPU time outside of them, the CPU time of the work on one CPU and on several, and by how
// much blocks differ. How large the error is decides nothing, so that a refusal is no way to hide one.
type FailedCondition struct {
	Condition    string
	Value, Limit float64 // seconds of a job that is too short; else shares of the CPU time
	Blocks       int     // of [ConditionScatter]: how many would be enough if they differed as those here do; else 0
}

// String is a clause without the design, such as "garbage collection takes 12% of the CPU time".
func (r FailedCondition) String() string {
	percent := func(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) }
	text, figure, remedy := "", percent(r.Value), ""
	if r.Value < 0.095 {
		figure = fmt.Sprintf("%.1f%%", 100*r.Value)
	}
	switch r.Condition {
	case ConditionGC:
		text = "garbage collection takes %s of the CPU time, and virtual time has none"
		remedy = "; allocate less, or raise GOGC (--gogc 1000)"
	case ConditionTiming:
		text = "its pieces of real code are short: timing them costs %s of the CPU time"
	case ConditionInflation:
		text = "its work takes %s more CPU time on several CPUs than on one, for reasons such as shared cache lines, " +
			"memory bandwidth, cores or other processes"
		remedy = "; with 1 added to --cpus both are measured"
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

// Worse reports whether r fails its condition by more than o, which is of the same condition.
func (r FailedCondition) Worse(o FailedCondition) bool {
	if r.Condition == ConditionShortJob {
		return r.Value < o.Value
	}
	return r.Value > o.Value
}

// evidence is what decides whether the prediction of a case holds: trials with a number by block, live ones plain and
// observed, and those of the prediction.
type evidence struct {
	cpus                         int
	plain, instrumented, virtual map[int]*result.Trial
}

// evidences are those of all cases, without the predicted result of any.
type evidenceIndex struct{ plain, instrumented, virtual map[key]map[int]*result.Trial }

func newEvidenceIndex(measured, predicted []result.Trial) evidenceIndex {
	return evidenceIndex{goodTrials(measured), trialsOf(measured, result.KindInstrumented), goodTrials(predicted)}
}

// of is the evidence of a design at a point.
func (s evidenceIndex) evidenceOf(r *Row, p plan.Point) *evidence {
	k := key{r.Workload, result.Live, r.Design, p.String()}
	e := &evidence{cpus: levelOf(p, "cpus"), plain: s.plain[k], instrumented: s.instrumented[k]}
	k.world = result.Virtual
	e.virtual = s.virtual[k]
	return e
}

// refusal is why the prediction of a row that was measured does not hold; nil if nothing is known against it. The rows
// are all of its run.
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

// conditions are those that a share of the CPU time decides, with what it is: NaN where that is not known.
func (e *evidence) conditions(alone *evidence) []FailedCondition {
	return []FailedCondition{
		{ConditionGC, e.collected(), maxGC, 0},
		{ConditionTiming, e.timing(), maxTiming, 0},
		{ConditionInflation, e.inflated(alone), maxInflation, 0},
		{ConditionUndeclared, e.undeclared(), maxUndeclared, 0},
	}
}

// beyond is why the prediction of a row on CPUs that are not here does not hold: because of what its own trials in
// virtual time tell, or because that of the same work does not hold on the most CPUs on which it was measured.
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

// sameWork reports whether two rows do the same work on different numbers of CPUs: the levels of their other factors
// are the same, or are the number of CPUs in both.
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

// scatter is half of the width of the error's 95% interval, as a share, where there is real code; NaN else, and where
// fewer blocks than flag an error know both. It is the same wherever the interval lies. Blocks are those that know
// both.
func (e *evidence) scatter(metric string) (half float64, blocks int) {
	var logs []float64
	for _, b := range sortedBlocks(e.plain) {
		v := e.virtual[b]
		if v == nil || v.RealCode == "" {
			continue
		}
		if x := math.Log(predictionValue(v, metric) / predictionValue(e.plain[b], metric)); !math.IsNaN(x) && !math.IsInf(x, 0) {
			logs = append(logs, x)
		}
	}
	c, ok := stat.ComparePaired(logs, ratioConfidence)
	if !ok || len(logs) < minBlocksOff {
		return math.NaN(), len(logs)
	}
	return math.Sqrt(c.High/c.Low) - 1, len(logs)
}

// enough is how many blocks would know an error within mostScatter, where so many know it within half: the interval of
// a mean is narrower by the root of their number. Of few blocks it says too many: Student's t has heavy tails there.
func blocksForPrecision(half float64, blocks int) int {
	x := math.Log1p(half) / math.Log1p(maxScatter)
	return int(math.Ceil(float64(blocks) * x * x))
}

// collected is the share of the CPU time that the garbage collector takes; NaN where that is not known. Observed trials
// know it best: they collect before and after their window, whereas the runtime brings the account of a plain
// trial up to date only when a collection ends, and then books what was before the window too.
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

// timing is what timing the pieces of real code costs, as a share of the predicted CPU time; NaN where there are none.
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

// inflated is by how much more CPU time the real code of an operation takes here than on one CPU, as a share of its CPU
// time on one; NaN where at most one CPU is busy or there is no real code. Its CPU time on one CPU is that of live
// trials there, and without such trials that of the pieces as they were timed for the prediction, one at a time.
//
// CPU time that the collector takes, and what virtual time charges for the scheduler and for declared work, are no part
// of it. Threads that spin for work count as CPU time, and pieces that lose their CPU count as long: each inflates one
// of two figures, so that the smaller of the two is taken where both are known.
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

// work is the CPU time of an operation's real code, in seconds: what is left without the collector, and without what
// virtual time charges for the rest.
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

// undeclared is the CPU time that neither pieces of real code and burns take, nor the collector, nor in virtual time
// the scheduler, as a share of the window on the CPUs that the design is predicted to keep busy; NaN where nothing is
// known of it. It is the median of the observed trials that know it, of which half must.
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

// useful is how long the pieces of real code of an operation of an observed trial took, in seconds.
func (e *evidence) useful() float64 {
	var logs []float64
	for _, b := range sortedBlocks(e.instrumented) {
		t := e.instrumented[b]
		if x := float64(t.Metrics.Get("ledger_useful")) * float64(e.cpus) * windowOf(t) / operations(t); x > 0 {
			logs = append(logs, math.Log(x))
		}
	}
	if 2*len(logs) <= len(e.instrumented) { // a few that were not preempted are no sample
		return math.NaN()
	}
	return math.Exp(stat.Mean(logs))
}

// windowOf is how long the counters of a trial ran, in seconds.
func windowOf(t *result.Trial) float64 {
	return float64(t.Metrics.Get(result.CPUSeconds)) / float64(t.Metrics.Get(result.Parallelism))
}

// operations are those that the counters of a trial are of: of a stream as many as its rate gives while they ran.
func operations(t *result.Trial) float64 {
	if t.Type == result.Job {
		return 1
	}
	return float64(t.Metrics.Get(result.Throughput)) * windowOf(t)
}

// perOperation is geoMeanOf a metric that adds up over a trial, for each of its operations.
func perOperation(trials map[int]*result.Trial, metric string) float64 {
	return geoMeanBy(trials, func(t *result.Trial) float64 { return float64(t.Metrics.Get(metric)) / operations(t) })
}

// geoMeanOf is the geometric mean of a metric over the trials that have it, as predictions are compared by; NaN without
// any.
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

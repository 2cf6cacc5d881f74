package compare

import (
	"math"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
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

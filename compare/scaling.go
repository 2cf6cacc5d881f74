package compare

import (
	"math"
	"slices"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// What limits the scaling of a benchmark with CPUs.
const (
	LimitNone           = "scales"         // nothing: efficiency of at least 85%
	LimitOneCPU         = "one-cpu"        // it uses hardly more than one CPU
	LimitLock           = "lock"           // goroutines wait for mutexes
	LimitWake           = "wake-latency"   // CPUs are idle while goroutines are runnable (wake-up latency)
	LimitWaiting        = "waiting"        // CPUs are idle, but not because of mutexes
	LimitInflation      = "work-inflation" // an operation takes more CPU time
	LimitGC             = "gc"             // the same, mostly garbage collection
	LimitOtherProcesses = "load-by-others" // other processes or the hypervisor used the CPUs
	LimitUnknown        = "unknown"        // the runtime's counters are missing
	LimitNoise          = "undecided"      // the interval of the speed-up is too wide
)

// Thresholds of these limits.
const (
	scalesEfficiency = 0.85 // efficiency
	// tolerance of the CPUs used around 1, for the runtime's own work
	singleCPUTolerance = 0.25
	lockWaiters        = 0.2  // goroutines that wait for a mutex, on average
	readyGoroutines    = 0.2  // mean runnable goroutines, while as much CPU is idle
	otherCPUsLimit     = 0.25 // mean CPUs used by other processes and the hypervisor
	gcShare            = 0.25 // fraction of the CPU time
	speedupNoise       = 0.25 // half-width of the interval of the speed-up's logarithm
	// from here on, what does not limit a benchmark is worth mentioning
	notableInflation = 1.25
	notableGC        = 0.1
)

// SpeedupMetric is the metric of the rows of a curve: the time per operation at the fewest CPUs, divided by that of the
// row.
const SpeedupMetric = "speedup"

// Scaling says how a benchmark scales from few CPUs to more, and what limits it. Its JSON is a contract.
//
// The speed-up is the growth of the CPUs used, divided by the growth of the CPU time per operation. This is an
// identity: time per operation is CPU time per operation divided by CPUs used. Therefore the missing speed-up
// splits exactly into idle CPUs and additional work.
type Scaling struct {
	Kind          string       `json:"kind"` // "scaling"
	SchemaVersion int          `json:"schema_version"`
	Design        string       `json:"design"`
	Point         plan.Point   `json:"point"` // without cpus
	From          int          `json:"from_cpus"`
	To            int          `json:"to_cpus"`
	Speedup       result.Value `json:"speedup"` // time per operation at From / at To
	Low           result.Value `json:"low"`     // 95% interval, paired by block
	High          result.Value `json:"high"`
	Efficiency    result.Value `json:"efficiency"`         // speed-up / (To / From)
	CPUFrom       result.Value `json:"cpu_per_op_from_ns"` // CPU time per operation
	CPUTo         result.Value `json:"cpu_per_op_to_ns"`
	Inflation     result.Value `json:"work_inflation"` // CPUTo / CPUFrom
	UsedFrom      result.Value `json:"cpus_used_from"`
	UsedTo        result.Value `json:"cpus_used_to"`
	Mutex         result.Value `json:"mutex_waiters"` // at To: mean number of goroutines waiting for a mutex
	Ready         result.Value `json:"ready"`         // at To: mean number of runnable goroutines without a CPU
	GC            result.Value `json:"gc_share"`      // at To: fraction of the CPU time
	// at To: mean number of CPUs used by other processes and the hypervisor
	OtherCPUs result.Value `json:"others_cpus"`
	Limit     string       `json:"limit"`
	// Curve is the speed-up at each number of CPUs, in ascending order, with its 95% interval, paired by block. The
	// rows have no other metric than SpeedupMetric.
	Curve []Row `json:"-"`
}

// Inflates reports whether the growth of the CPU time per operation is worth mentioning.
func (s Scaling) Inflates() bool { return s.Inflation >= notableInflation }

// Collects reports whether the garbage collector's share of the CPU time is worth mentioning.
func (s Scaling) Collects() bool { return s.GC >= notableGC }

// Scalings returns how the benchmarks of a run scale from the smallest to the largest number of CPUs.
func Scalings(rows []Row, trials []result.Trial) []Scaling {
	of := byRow(trials)
	list := []Scaling{}
	seen := map[string]bool{}
	for i := range rows {
		first := &rows[i]
		rest := first.Point.Without("cpus")
		id := first.Design + " " + rest.String()
		if seen[id] || first.N == 0 {
			continue
		}
		seen[id] = true
		var same []*Row // the rows of this benchmark
		for k := range rows {
			r := &rows[k]
			if r.N > 0 && r.Design == first.Design && r.Point.Without("cpus").Equal(rest) {
				same = append(same, r)
			}
		}
		slices.SortStableFunc(same, func(a, b *Row) int { return a.Point.Int("cpus") - b.Point.Int("cpus") })
		least, most := same[0], same[len(same)-1]
		if least.Point.Int("cpus") == most.Point.Int("cpus") {
			continue
		}

		pair := func(r *Row) Pair {
			return Pair{A: least, B: r, trialsA: of[rowKey(least)], trialsB: of[rowKey(r)], Paired: true}
		}
		s := scaling(pair(most), rest)
		for _, r := range same {
			sum := result.Summary{Metric: SpeedupMetric, Median: 1, Low: 1, High: 1, N: r.N}
			if r != least {
				sum.Median, sum.Low, sum.High = speedup(pair(r))
			}
			at := *r
			at.Metrics = map[string]result.Summary{SpeedupMetric: sum}
			s.Curve = append(s.Curve, at)
		}
		list = append(list, s)
	}
	return list
}

// speedup returns how much faster an operation is on side B, with its interval paired by block, if there is one.
func speedup(s Pair) (v, low, high result.Value) {
	if c, ok := s.compare(result.TimePerOp, 1); ok && !c.Exact && c.NoRatio == "" {
		return result.Value(c.Ratio.Ratio), result.Value(c.Ratio.Low), result.Value(c.Ratio.High)
	}
	return s.A.Metric(result.TimePerOp).Median / s.B.Metric(result.TimePerOp).Median, result.Unavailable,
		result.Unavailable
}

// scaling compares few CPUs, side A, with many, side B.
func scaling(s Pair, rest plan.Point) Scaling {
	few, many := s.A, s.B
	v := Scaling{Kind: "scaling", SchemaVersion: result.SchemaVersion, Design: few.Design, Point: rest,
		From: few.Point.Int("cpus"), To: many.Point.Int("cpus")}
	v.Speedup, v.Low, v.High = speedup(s)

	more := result.Value(v.To) / result.Value(v.From)
	v.Efficiency = v.Speedup / more
	of := func(r *Row, metric string) result.Value { return r.Metric(metric).Median }
	v.CPUFrom, v.CPUTo = of(few, result.CPUPerOp), of(many, result.CPUPerOp)
	v.Inflation = v.CPUTo / v.CPUFrom
	v.UsedFrom, v.UsedTo = v.CPUFrom/of(few, result.TimePerOp), v.CPUTo/of(many, result.TimePerOp)
	v.Mutex, v.Ready = of(many, result.MutexPerOp)/of(many, result.TimePerOp),
		of(many, result.SchedPerOp)/of(many, result.TimePerOp)
	v.GC = of(many, result.GCPerOp) / v.CPUTo
	v.OtherCPUs = otherCPUs(s.trialsB)
	v.Limit = v.limit(float64(more))
	return v
}

// limit returns the main reason for the missing speed-up.
func (s Scaling) limit(more float64) string {
	speedup, inflation := float64(s.Speedup), float64(s.Inflation)
	half := math.Log(float64(s.High)/float64(s.Low)) / 2
	switch {
	case math.IsNaN(speedup):
		return LimitUnknown
	case half > speedupNoise:
		return LimitNoise
	case float64(s.Efficiency) >= scalesEfficiency:
		return LimitNone
	case float64(s.OtherCPUs) > otherCPUsLimit:
		return LimitOtherProcesses
	case math.IsNaN(inflation) || inflation <= 0 || float64(s.CPUTo) <= 0:
		return LimitUnknown
	}

	used, gc := float64(s.UsedTo/s.UsedFrom), float64(s.GC)
	idle, extra := math.Log(more/used), math.Log(inflation)
	// The garbage collector's goroutines also wait for CPUs, and keep CPUs busy although the program has one
	// goroutine.
	ready := min(float64(s.Ready)-2*gc, float64(s.To)-float64(s.UsedTo))
	switch {
	case float64(s.Mutex) >= lockWaiters:
		return LimitLock
	case idle >= extra && ready >= readyGoroutines:
		return LimitWake
	case math.Abs(float64(s.UsedTo)*(1-gc)-1) <= singleCPUTolerance:
		return LimitOneCPU
	case idle >= extra:
		return LimitWaiting
	case gc >= gcShare:
		return LimitGC
	}
	return LimitInflation
}

// otherCPUs returns the mean number of CPUs that other processes used during the trials; unavailable if the system
// does not report it.
func otherCPUs(trials []*result.Trial) result.Value {
	sum, span := 0.0, 0.0
	for _, t := range trials {
		own := float64(t.Metrics.Get(result.CPUSeconds))
		sum += float64(t.Metrics.Get("machine_cpu_seconds")) - own
		if steal := float64(t.Metrics.Get("steal_seconds")); steal > 0 {
			sum += steal
		}
		span += own / float64(t.Metrics.Get(result.Parallelism))
	}
	return result.Value(sum / span)
}

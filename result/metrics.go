package result

import (
	"slices"
	"strings"
)

// Metrics are the numbers of a trial, by name. The ending of a name is its unit: see [UnitOf].
type Metrics map[string]Value

// Get returns the metric with that name, or [Unavailable] if there is none.
func (m Metrics) Get(name string) Value {
	if v, ok := m[name]; ok {
		return v
	}
	return Unavailable
}

// The metrics of the contract that code refers to by name.
const (
	Throughput  = "throughput_per_s"           // completed operations inside the window / window
	Rate        = "rate_per_s"                 // open loop: requested arrivals a second
	Goodput     = "goodput_per_s"              // open loop: completions a second within the customer's patience
	Dropped     = "dropped"                    // open loop: arrivals in the window that found the queue full
	Abandoned   = "abandoned"                  // open loop: arrivals in the window that lost patience
	LostShare   = "lost_share"                 // open loop: fraction of the arrivals in the window that were not served
	WaitedShare = "waited_share"               // open loop of a remote design: fraction that found all workers busy
	OfferedLoad = "offered_load"               // open loop: arrival rate / capacity in a closed loop
	ModelMG1    = "model_mg1_response_mean_ns" // mean response time by the M/G/1 formula
	ModelMD1    = "model_md1_response_mean_ns" // mean response time by the M/D/1 formula
	ModelWindow = "model_window_ns"            // window that these formulas need, if this one is too short
	ModelAlone  = "model_alone_ns"             // service time of a single worker, if requests slow each other down

	FailedRequests = "failed"      // streams whose requests can fail: failed ones in the window
	ErrorShare     = "error_share" // fraction of the served requests in the window that failed

	ResponseP50  = "response_p50_ns"
	ResponseMean = "response_mean_ns"
	LatencyMean  = "latency_mean_ns"
	LatencyP50   = "latency_p50_ns"
	ItemsRate    = "items_per_s"
	BytesRate    = "bytes_per_s"
	WallSeconds  = "wall_seconds"         // jobs: wall time of the whole job
	CPUSeconds   = "cpu_seconds"          // CPU time of the process, user and system
	Parallelism  = "parallelism"          // CPU seconds / second of the window
	TimePerOp    = "time_per_op_ns"       // benchmarks: wall time, as go test prints it
	AllocedPerOp = "alloc_bytes_per_op"   // bytes allocated
	AllocsPerOp  = "allocs_per_op"        // number of allocations
	CPUPerOp     = "cpu_per_op_ns"        // CPU time of the process while operations were timed
	MutexPerOp   = "mutex_wait_per_op_ns" // benchmarks: time that all goroutines waited for mutexes
	GCPerOp      = "gc_cpu_per_op_ns"     // benchmarks: CPU time of completed garbage collections
	SchedPerOp   = "sched_wait_per_op_ns" // benchmarks: time that all goroutines were runnable but not running
	Transient    = "transient_seconds"    // virtual: time from the start until the load had settled, by MSER-5

	// ServerCPUSeconds is the CPU time of a server that the trial started, and of its children, with the warm-up.
	ServerCPUSeconds = "server_cpu_seconds"

	MaxRSS      = "max_rss_bytes"      // peak resident memory of the process
	MemoryFloor = "memory_floor_bytes" // commands: the system reports no MaxRSS below this

	TimingSeconds = "real_timing_seconds" // virtual: time that measuring one section of real code takes
)

// Unit is the unit of a metric.
type Unit string

// The units.
const (
	Nanoseconds Unit = "ns"
	PerSecond   Unit = "/s"
	Seconds     Unit = "s"
	Bytes       Unit = "B"
	BytesPerSec Unit = "B/s"
	PerOp       Unit = "/op"
	BytesPerOp  Unit = "B/op"
	Ratio       Unit = ""
)

// UnitOf returns the unit of a metric, which is the ending of its name.
func UnitOf(metric string) Unit {
	switch {
	case metric == BytesRate:
		return BytesPerSec
	case strings.HasSuffix(metric, "_bytes_per_op"):
		return BytesPerOp
	case strings.HasSuffix(metric, "_per_op"):
		return PerOp
	case strings.HasSuffix(metric, "_per_s"):
		return PerSecond
	case strings.HasSuffix(metric, "_ns"):
		return Nanoseconds
	case strings.HasSuffix(metric, "_seconds"):
		return Seconds
	case strings.HasSuffix(metric, "_bytes"):
		return Bytes
	default:
		return Ratio
	}
}

// LargerIsBetter reports whether a larger value of the metric is better: that of a rate is, that of a time is not.
func LargerIsBetter(metric string) bool {
	u := UnitOf(metric)
	return u == PerSecond || u == BytesPerSec || metric == Parallelism
}

// Quantiles are the quantiles of the contract for latencies, in ascending order. It must not be changed.
var Quantiles = []struct {
	Name string
	Q    float64 // 0 to 1; 0 is the minimum and 1 the maximum
}{
	{"min", 0}, {"p5", 0.05}, {"p25", 0.25}, {"p50", 0.50}, {"p75", 0.75}, {"p90", 0.90},
	{"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1},
}

// metrics are the names of the contract for the metrics of trials, except distributions of times: see
// [KnownMetric].
var metrics = []string{
	Throughput, Rate, Goodput, Dropped, Abandoned, LostShare, WaitedShare, OfferedLoad, ModelMG1, ModelMD1, ModelWindow,
	ModelAlone, FailedRequests, ErrorShare, ItemsRate, BytesRate,
	WallSeconds, CPUSeconds, Parallelism, TimePerOp, AllocedPerOp, AllocsPerOp, CPUPerOp, MutexPerOp, GCPerOp,
	SchedPerOp, Transient, TimingSeconds,
	"arrived", "unfinished", "offered_per_s", "concurrency", "violations", "operations_simulated", "real_sections",
	"real_code_seconds",
	"burn_pace", "burn_probe_before", "burn_probe_after", "profile_samples",
	"ledger_useful", "ledger_runtime", "ledger_gc", "ledger_idle", "ledger_channel", "ledger_scheduler",
	"cpu_user_seconds", "cpu_system_seconds", "voluntary_switches", "involuntary_switches", "steal_seconds",
	"machine_cpu_seconds",
	"throttled_periods", "read_calls", "write_calls", "mutex_wait_seconds", "gc_cycles", "gc_cpu_seconds",
	"gc_pause_seconds", "allocs",
	"alloc_bytes", MaxRSS, MemoryFloor, "load1", "sched_latency_mean_ns", "sched_latency_p99_ns",
	"lag_p50_ns", "lag_p90_ns", "lag_p95_ns", "lag_p99_ns",
	"connections", "resent", "sent_bytes", "received_bytes", ServerCPUSeconds,
}

// counted are the prefixes of counts of requests to servers: failures by kind, and replies by status of HTTP and gRPC.
var counted = []string{"errors_", "status_", "code_"}

// timed are the prefixes of distributions of times. Each has a mean, a standard deviation and the [Quantiles].
var timed = []string{"latency", "service", "response"}

// KnownMetric reports whether the contract defines a metric with this name. Designs and benchmarks may have others.
func KnownMetric(metric string) bool {
	counts := func(prefix string) bool { return strings.HasPrefix(metric, prefix) }
	if slices.Contains(metrics, metric) || slices.ContainsFunc(counted, counts) {
		return true
	}
	for _, prefix := range timed {
		if metric == prefix+"_mean_ns" || metric == prefix+"_sd_ns" {
			return true
		}
		for _, q := range Quantiles {
			if metric == prefix+"_"+q.Name+"_ns" {
				return true
			}
		}
	}
	return false
}

// ours are the metrics that every trial of a benchmark has.
var ours = []string{Throughput, BytesRate, TimePerOp, AllocedPerOp, AllocsPerOp, CPUPerOp, MutexPerOp, GCPerOp,
	SchedPerOp, CPUSeconds,
	Parallelism, "steal_seconds", "machine_cpu_seconds", "throttled_periods", "load1"}

// CustomMetrics returns those of the metrics that benchmarks reported themselves, sorted and without duplicates.
func CustomMetrics(metrics []string) []string {
	own := slices.DeleteFunc(slices.Clone(metrics), func(m string) bool { return slices.Contains(ours, m) })
	slices.Sort(own)
	return slices.Compact(own)
}

package result

import "slices"

// metrics are the names of the contract that streams and the system give their numbers, besides those of times: see
// [Known].
var metrics = []string{
	Throughput, Rate, Goodput, Dropped, Abandoned, LostShare, OfferedLoad, ModelMG1, ModelMD1, ModelWindow, ModelAlone,
	ItemsRate, BytesRate,
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
	"alloc_bytes", "max_rss_bytes", "load1", "sched_latency_mean_ns", "sched_latency_p99_ns",
	"lag_p50_ns", "lag_p90_ns", "lag_p95_ns", "lag_p99_ns",
}

// timed are the distributions of times: each has a mean, a standard deviation and the [Quantiles].
var timed = []string{"latency", "service", "response"}

// Known reports whether the contract has a metric of this name. Jobs and benchmarks may have others, of their own.
func KnownMetric(metric string) bool {
	if slices.Contains(metrics, metric) {
		return true
	}
	for _, of := range timed {
		if metric == of+"_mean_ns" || metric == of+"_sd_ns" {
			return true
		}
		for _, q := range Quantiles {
			if metric == of+"_"+q.Name+"_ns" {
				return true
			}
		}
	}
	return false
}

// ours are the metrics of a trial that a benchmark does not name itself.
var ours = []string{Throughput, BytesRate, TimePerOp, AllocedPerOp, AllocsPerOp, CPUPerOp, MutexPerOp, GCPerOp,
	SchedPerOp, CPUSeconds,
	Parallelism, "steal_seconds", "machine_cpu_seconds", "throttled_periods", "load1"}

// Own are the metrics among them that benchmarks have named, each once and in order.
func CustomMetrics(metrics []string) []string {
	own := slices.DeleteFunc(slices.Clone(metrics), func(m string) bool { return slices.Contains(ours, m) })
	slices.Sort(own)
	return slices.Compact(own)
}

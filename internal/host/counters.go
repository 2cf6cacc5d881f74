package host

import (
	"runtime/debug"
	"runtime/metrics"

	"github.com/brewput/brewput/result"
)

// Counters is a snapshot of the resources used by the process and of the activity of the system. The zero
// Counters is ready to Read. Another Read reuses its memory. A copy shares that memory.
type Counters struct {
	total  [totals]result.Value // since the start of the process; for the system, since boot
	maxRSS result.Value         // in bytes
	load1  result.Value

	samples []metrics.Sample // of runtimeNames, in this order
	gc      debug.GCStats

	own files
}

// Totals that only grow. The share of a trial is a difference of two readings.
const (
	cpuUser = iota
	cpuSystem
	voluntary
	involuntary
	steal
	machineCPU
	throttled
	readCalls
	writeCalls
	mutexWait
	gcCycles
	gcCPU
	gcPause
	allocs
	allocBytes
	totals // number of totals
)

// totalNames are the metric names of the totals, in their order.
var totalNames = [totals]string{
	"cpu_user_seconds", "cpu_system_seconds", "voluntary_switches", "involuntary_switches",
	"steal_seconds", "machine_cpu_seconds", "throttled_periods", "read_calls", "write_calls", "mutex_wait_seconds",
	"gc_cycles", "gc_cpu_seconds", "gc_pause_seconds", "allocs", "alloc_bytes",
}

// Samples of runtime/metrics, in the order of runtimeNames.
const (
	sampleLatencies = iota
	sampleMutexWait
	sampleCycles
	sampleGCCPU
	sampleObjects
	sampleTiny
	sampleBytes
)

var runtimeNames = [...]string{
	"/sched/latencies:seconds", "/sync/mutex/wait/total:seconds", "/gc/cycles/total:gc-cycles",
	"/cpu/classes/gc/total:cpu-seconds", "/gc/heap/allocs:objects", "/gc/heap/tiny/allocs:objects",
	"/gc/heap/allocs:bytes",
}

// Read takes a snapshot. It takes some tens of microseconds. It neither collects garbage nor stops other
// goroutines.
func (c *Counters) Read() {
	for i := range c.total {
		c.total[i] = result.Unavailable
	}
	c.maxRSS, c.load1 = result.Unavailable, result.Unavailable
	c.readSystem()
	c.readRuntime()
}

func (c *Counters) readRuntime() {
	if c.samples == nil {
		c.samples = sampleSet(runtimeNames[:])
	}
	metrics.Read(c.samples)
	debug.ReadGCStats(&c.gc)
	c.total[mutexWait] = number(c.samples[sampleMutexWait])
	c.total[gcCycles] = number(c.samples[sampleCycles])
	c.total[gcCPU] = number(c.samples[sampleGCCPU])
	c.total[gcPause] = result.Value(c.gc.PauseTotal.Seconds())
	// Objects of a few bytes share a block; they are counted one by one, as benchmarks do.
	c.total[allocs] = number(c.samples[sampleObjects]) + number(c.samples[sampleTiny])
	c.total[allocBytes] = number(c.samples[sampleBytes])
}

// Since returns what happened between an earlier snapshot of the same process and this one.
//
// max_rss_bytes is the peak so far and load1 the load at the later snapshot; all others are differences. The
// runtime updates gc_cpu_seconds only at the end of each collection.
//
// allocs and alloc_bytes may lack allocations that the runtime has not yet counted: at most one span for each P
// and object size. They include some dozens of allocations of the snapshots themselves.
//
// The scheduling latency comes from the runtime's sample of goroutines (1 in 8), in buckets 25% wide; its p99
// needs 1000 of them. steal_seconds covers all CPUs. machine_cpu_seconds covers all processes and the kernel,
// in ticks of 10 ms for each CPU.
func (c Counters) Since(earlier Counters) result.Metrics {
	m := result.Metrics{"max_rss_bytes": c.maxRSS, "load1": c.load1}
	for i, name := range totalNames {
		m[name] = c.total[i] - earlier.total[i]
	}
	m[result.CPUSeconds] = m["cpu_user_seconds"] + m["cpu_system_seconds"]
	m["read_calls"] -= result.Value(earlier.own.after + c.own.before)
	m["sched_latency_mean_ns"], m["sched_latency_p99_ns"] = result.Unavailable, result.Unavailable
	if d, ok := difference(c.latencies(), earlier.latencies()); ok {
		m["sched_latency_mean_ns"], m["sched_latency_p99_ns"] = d.mean()*1e9, d.quantile(0.99)*1e9
	}
	return m
}

// latencies returns the histogram of scheduling latencies; nil if this Go version has none.
func (c Counters) latencies() *metrics.Float64Histogram {
	if c.samples == nil || c.samples[sampleLatencies].Value.Kind() != metrics.KindFloat64Histogram {
		return nil
	}
	return c.samples[sampleLatencies].Value.Float64Histogram()
}

// sampleSet returns samples with the given names.
func sampleSet(names []string) []metrics.Sample {
	s := make([]metrics.Sample, len(names))
	for i, name := range names {
		s[i].Name = name
	}
	return s
}

// number returns the value of a sample; unavailable if this Go version has no such metric.
func number(s metrics.Sample) result.Value {
	switch s.Value.Kind() {
	case metrics.KindUint64:
		return result.Value(s.Value.Uint64())
	case metrics.KindFloat64:
		return result.Value(s.Value.Float64())
	default:
		return result.Unavailable
	}
}

// GCSeconds returns the CPU time of garbage collection since the process started, in seconds, including idle
// CPUs that helped. It is the runtime's estimate as of the end of the last collection. Call runtime.GC before
// to update it.
func GCSeconds() result.Value {
	s := sampleSet([]string{runtimeNames[sampleGCCPU]})
	metrics.Read(s)
	return number(s[0])
}

package host

import (
	"runtime/debug"
	"runtime/metrics"

	"github.com/brewput/brewput/result"
)

// Counters is a snapshot of what the process has used and the system has done. The zero Counters is
// ready to Read; read again, it uses its memory again. A copy shares that memory.
type Counters struct {
	total  [totals]result.Value // since the process, for the system since the machine, started
	maxRSS result.Value         // bytes
	load1  result.Value

	samples []metrics.Sample // as runtimeNames
	gc      debug.GCStats

	own files
}

// The totals that only grow; a trial's share is their difference.
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
	totals // how many
)

// totalNames are the metrics' names of the totals, in their order.
var totalNames = [totals]string{
	"cpu_user_seconds", "cpu_system_seconds", "voluntary_switches", "involuntary_switches",
	"steal_seconds", "machine_cpu_seconds", "throttled_periods", "read_calls", "write_calls", "mutex_wait_seconds",
	"gc_cycles", "gc_cpu_seconds", "gc_pause_seconds", "allocs", "alloc_bytes",
}

// The samples of runtime/metrics, in the order of runtimeNames.
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

// Read takes a snapshot. It takes some tens of microseconds and stops nothing: no collection, no other
// goroutine.
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
	// Objects of a few bytes share a block; benchmarks count them one by one, and so do we.
	c.total[allocs] = number(c.samples[sampleObjects]) + number(c.samples[sampleTiny])
	c.total[allocBytes] = number(c.samples[sampleBytes])
}

// Since is what happened between an earlier snapshot of the same process and this one.
//
// max_rss_bytes is the peak so far and load1 the load at the later snapshot; the rest are differences.
// gc_cpu_seconds is brought up to date by the runtime at the end of each collection only. allocs and
// alloc_bytes can lack what the runtime has not yet booked, at most one span for each P and size of
// object, and hold some dozens of the snapshots' own. The scheduling latency is of the runtime's sample
// of goroutines (1 in 8) in buckets 25 % wide; its p99 needs 1000 of them. steal_seconds is of all CPUs,
// machine_cpu_seconds of all processes and of the kernel, in ticks of 10 ms for each CPU.
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

// latencies is nil where there is no such histogram.
func (c Counters) latencies() *metrics.Float64Histogram {
	if c.samples == nil || c.samples[sampleLatencies].Value.Kind() != metrics.KindFloat64Histogram {
		return nil
	}
	return c.samples[sampleLatencies].Value.Float64Histogram()
}

func sampleSet(names []string) []metrics.Sample {
	s := make([]metrics.Sample, len(names))
	for i, name := range names {
		s[i].Name = name
	}
	return s
}

// number is a sample's value; unavailable where this Go version has no such metric.
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

// GCSeconds is the CPU time that garbage collection has taken since the process started, idle CPUs that
// helped included, by the runtime's estimate as of the end of the last collection: only then is it
// brought up to date. Who needs it as of now calls runtime.GC before.
func GCSeconds() result.Value {
	s := sampleSet([]string{runtimeNames[sampleGCCPU]})
	metrics.Read(s)
	return number(s[0])
}

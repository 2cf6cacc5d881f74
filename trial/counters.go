package trial

import (
	"runtime"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/result"
)

// snapshot is the state of all counters at one instant.
type snapshot struct {
	at       time.Duration
	counters host.Counters
	useful   time.Duration
	busy     time.Duration // virtual: busy time of the CPUs
	code     charged       // virtual: cost of real code
	readings map[*env.Meter]env.Reading
	sharing  map[*env.Meter]int // number of resources of each meter
}

// snap reads all counters.
func (m *measurement) snap() snapshot {
	s := snapshot{at: m.world.Now(), useful: m.world.Useful()}
	if v, ok := m.world.(*virtual.World); ok {
		s.busy, s.code = v.Busy(), m.real.charged
	} else {
		s.counters.Read()
	}
	s.readings, s.sharing = map[*env.Meter]env.Reading{}, map[*env.Meter]int{}
	for _, meter := range m.world.Meters() {
		s.readings[meter], s.sharing[meter] = meter.Read(), meter.Count()
	}
	return s
}

// collectGarbage updates the runtime's account of garbage collection, which changes only at the end of a
// collection; see gcSeconds. It runs before the load: on one busy CPU a collection takes much of a short
// window.
func (m *measurement) collectGarbage() {
	if m.spec.Instrumented && !m.virtual {
		runtime.GC()
	}
}

// addCounters adds what the operating system and the runtime counted between the snapshots.
func (m *measurement) addCounters() {
	span := (m.ended.at - m.began.at).Seconds()
	delta := m.ended.counters.Since(m.began.counters)
	for name, v := range delta {
		m.set(name, v)

	}
	cpu := delta.Get(result.CPUSeconds)
	if cpu.Known() && span > 0 {
		m.set(result.Parallelism, cpu/result.Value(span))

	}
	if m.operations > 0 && m.trial.WallSeconds > 0 {
		operations := m.operationsIn(span)
		m.set("allocs_per_op", delta.Get("allocs")/operations)
		m.set("alloc_bytes_per_op", delta.Get("alloc_bytes")/operations)
		m.set("cpu_per_op_ns", cpu*1e9/operations)

	}
	switch {
	case m.spec.Profiled:
		m.setProfiledShares(span, cpu)
	case m.spec.Instrumented:
		m.setCPUShares(span, cpu, m.gcSeconds(delta.Get("gc_cycles")))
	}
}

// markUnavailable marks every metric of the counters as unavailable.
func (m *measurement) markUnavailable() {
	names := []string{result.CPUSeconds, result.Parallelism}
	if m.spec.Instrumented {
		names = append(names, "ledger_useful", "ledger_runtime", "ledger_gc", "ledger_idle")
	}
	for _, name := range names {
		m.set(name, result.Unavailable)
	}
}

// operationsIn returns the number of operations between the snapshots, which may lie slightly off the window.
// It scales the operations of the window by the throughput.
func (m *measurement) operationsIn(span float64) result.Value {
	operations := result.Value(m.operations)
	if m.design.Stream != nil && m.spec.Operations == 0 {
		operations *= result.Value(span / m.trial.WallSeconds)
	}
	return operations
}

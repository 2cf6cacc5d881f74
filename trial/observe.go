package trial

import (
	"math"
	"runtime"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/result"
)

// gcSeconds returns the CPU time of the garbage collections that ended inside the window, in seconds.
//
// If there was one, a forced collection updates the runtime's account. A second forced collection measures the
// cost of the first. Collections that ended after the window are also in the account: each collection counts
// the same.
func (m *measurement) gcSeconds(cycles result.Value) result.Value {
	if cycles == 0 {
		return 0
	}
	runtime.GC()
	after := host.GCSeconds()
	var now host.Counters
	now.Read()
	all := max(cycles, now.Since(m.began.counters).Get("gc_cycles")-1)
	runtime.GC()
	forced := host.GCSeconds() - after
	return max(0, after-m.gcBefore-forced) * cycles / all
}

// setCPUShares computes where the core-seconds of the window went, as shares of CPUs x window. They are useful work
// (burns and sections of real code), garbage collection, idle time, and the rest. The rest is the runtime and
// code of the design that it did not declare. If no work was declared, only gc and idle are known.
func (m *measurement) setCPUShares(span float64, cpu, gcSeconds result.Value) {
	total := result.Value(span * float64(m.spec.Point.Int("cpus")))
	if !(total > 0) {
		return

	}
	gc, idle := gcSeconds/total, max(0, 1-cpu/total)
	m.set("ledger_gc", gc)
	m.set("ledger_idle", idle)
	m.set("ledger_useful", result.Unavailable)
	m.set("ledger_runtime", result.Unavailable)
	useful := result.Value((m.ended.useful - m.began.useful).Seconds()) / total
	switch {
	case useful <= 0:
	case useful > 1.1*cpu/total:
		m.warn("declared work took longer than the available CPU time: its sections were preempted or parked, so " +
			"its share is unknown")
	default:
		m.set("ledger_useful", useful)
		m.set("ledger_runtime", max(0, 1-useful-gc-idle))
	}
}

// resources converts the readings of the meters over the window to resources.
func (m *measurement) resources() []result.Resource {
	list := []result.Resource{}
	waits := map[string]*float64{} // mean waits of locks and channels by name; a station has the wait of its lock
	for _, meter := range m.world.Meters() {
		first, ok := m.began.readings[meter]
		if !ok { // created inside the window
			first.At = m.began.at
		}
		r := resource(meter, first, m.ended.readings[meter])
		r.Count = m.ended.sharing[meter]
		if r.Utilization != nil {
			if r.Count == m.began.sharing[meter] {
				*r.Utilization /= float64(r.Count)
			} else { // created for each request: their number at any time is unknown
				r.Utilization = nil
			}
		}
		if r.Kind != string(env.KindStation) && waits[r.Name] == nil {
			waits[r.Name] = r.WaitMeanNs
		}
		if r.Kind == string(env.KindStation) {
			m.checkUses(r, meter.Read().Uses)
		}
		list = append(list, r)
	}

	for i := range list {
		if list[i].Kind == string(env.KindStation) {
			list[i].WaitMeanNs = waits[list[i].Name]
		}
	}
	return list
}

// checkUses warns if a station was used more or less often inside the window than its operations explain. Each
// operation is assumed to use the station as often as the operations of the whole run did on average. For each
// worker, two requests may be in progress at each end of the window.
func (m *measurement) checkUses(r result.Resource, inAll int64) {
	if m.total == 0 || m.trial.WallSeconds <= 0 {
		return
	}
	perOperation := float64(inAll) / float64(m.total)
	want := perOperation * float64(m.operationsIn((m.ended.at - m.began.at).Seconds()))
	underWay := 4 * float64(m.spec.Point.Int("workers")) * max(1, perOperation)
	if math.Abs(float64(r.Uses)-want) > maxDeviation*want+underWay {
		m.warn("station %s was used %d times in the window, but its operations account for %.0f: its utilization "+
			"does not describe the whole load",
			r.Name, r.Uses, want)
	}
}

// maxDeviation is the share by which the uses of a station may differ from what the operations explain.
const maxDeviation = 0.1

// resource computes a resource from two readings of a meter. By Little's law, the mean wait is the time
// integral of the queue length divided by the number of uses.
func resource(meter *env.Meter, a, b env.Reading) result.Resource {
	r := result.Resource{
		Name: meter.Name(), Kind: string(meter.Kind()),
		Uses: b.Uses - a.Uses, Waits: b.Waits - a.Waits, Violations: b.Violations - a.Violations,
	}
	span := float64(b.At - a.At)
	if span <= 0 {
		return r
	}
	number := func(x float64) *float64 { return &x }
	if r.Uses > 0 && meter.Kind() != env.KindStation {
		r.WaitMeanNs = number(float64(b.Queue-a.Queue) / float64(r.Uses))
	}
	if meter.Kind() == env.KindChan {
		capacity := meter.Capacity()
		r.Capacity = &capacity
		r.Occupancy = number(float64(b.Queue-a.Queue) / span)
		r.SendParked = number(float64(b.SendParked-a.SendParked) / span)
		r.RecvParked = number(float64(b.RecvParked-a.RecvParked) / span)
		starved := b.RecvWaits - a.RecvWaits
		r.RecvWaits = &starved
	} else {
		r.Utilization = number(float64(b.Busy-a.Busy) / span)
		if r.Uses > 0 {
			r.BusyMeanNs = number(float64(b.Holders-a.Holders) / float64(r.Uses))
		}
	}
	return r
}

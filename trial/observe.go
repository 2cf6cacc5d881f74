package trial

import (
	"runtime"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/result"
)

// gcSeconds is the CPU time of the collections inside the window. Where there was one, the accounts are
// brought up to date by another, whose own cost is that of a third.
func (m *measurement) gcSeconds(cycles result.Value) result.Value {
	if cycles == 0 {
		return 0
	}
	runtime.GC()
	after := host.GCSeconds()
	runtime.GC()
	forced := host.GCSeconds() - after
	return max(0, after-m.gcBefore-forced)
}

// ledger says where the core-seconds of the window went, as shares of CPUs x window: useful (burns
// and sections of real code), gc, idle, and the rest, which is the runtime and whatever code the
// design did not declare. Where nothing was declared useful, only gc and idle are known.
func (m *measurement) ledger(span float64, cpu, gcSeconds result.Value) {
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
		m.warn("work that was declared took longer than the CPU time there was: its sections were preempted or parked, so its share is not known")
	default:
		m.set("ledger_useful", useful)
		m.set("ledger_runtime", max(0, 1-useful-gc-idle))
	}
}

// resources turns the meters' readings over the window into what is reported.
func (m *measurement) resources() []result.Resource {
	list := []result.Resource{}
	waits := map[string]*float64{} // of locks and channels, by name: a station's wait is theirs
	for _, meter := range m.world.Meters() {
		first, ok := m.began.readings[meter]
		if !ok { // made inside the window
			first.At = m.began.at
		}
		r := resource(meter, first, m.ended.readings[meter])
		r.Count = m.ended.sharing[meter]
		if r.Utilization != nil {
			if r.Count == m.began.sharing[meter] {
				*r.Utilization /= float64(r.Count)
			} else { // made for each request: how many there were at any time is not known
				r.Utilization = nil
			}
		}
		if r.Kind != string(env.KindStation) && waits[r.Name] == nil {
			waits[r.Name] = r.WaitMeanNs
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

// resource is the difference of two readings. The mean wait is the time integral of the line by the
// number of uses: Little's law.
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
		r.WaitMeanNs = number(float64(b.Line-a.Line) / float64(r.Uses))
	}
	if meter.Kind() == env.KindChan {
		capacity := meter.Capacity()
		r.Capacity = &capacity
		r.Occupancy = number(float64(b.Line-a.Line) / span)
		r.SendParked = number(float64(b.SendWait-a.SendWait) / span)
		r.RecvParked = number(float64(b.RecvWait-a.RecvWait) / span)
		starved := b.Starved - a.Starved
		r.RecvWaits = &starved
	} else {
		r.Utilization = number(float64(b.Busy-a.Busy) / span)
		if r.Uses > 0 {
			r.BusyMeanNs = number(float64(b.Holders-a.Holders) / float64(r.Uses))
		}
	}
	return r
}

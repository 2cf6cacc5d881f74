package trial

import (
	"math"
	"runtime"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/result"
)

// gcSeconds is the CPU time of the collections that ended inside the window. If there was one, another brings the
// runtime's account up to date; the cost of that one is taken to be the cost of a third. Collections that
// ended after the window are in the account too: each of all counts the same.
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
		m.warn("work that was declared took longer than the CPU time there was: its sections were preempted or " +
			"parked, so its share is not known")
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

// checkUses warns if a station was used more or less often inside the window than the operations there explain, each
// taken to use it as often as the operations of the whole run did. Two requests for each worker and end of the
// window may have been under way.
func (m *measurement) checkUses(r result.Resource, inAll int64) {
	if m.total == 0 || m.trial.WallSeconds <= 0 {
		return
	}
	perOperation := float64(inAll) / float64(m.total)
	want := perOperation * float64(m.within((m.ended.at - m.began.at).Seconds()))
	underWay := 4 * float64(m.spec.Point.Int("workers")) * max(1, perOperation)
	if math.Abs(float64(r.Uses)-want) > mostAstray*want+underWay {
		m.warn("station %s was used %d times inside the window, where its operations explain %.0f: its utilization "+
			"is not that of the whole load",
			r.Name, r.Uses, want)
	}
}

// mostAstray is the share by which a station's uses may differ from what the operations explain.
const mostAstray = 0.1

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

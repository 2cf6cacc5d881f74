package trial

import (
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
)

// A load that repeats itself to the nanosecond may do so in several ways, of which each lasts until something disturbs
// it: one in which a lock is always handed to a goroutine that must be stolen first, for instance, and one in which
// nobody waits for that. To find them the load is run again, walks times, and disturbed steps times in each: whenever
// it repeats itself, one burn lasts longer. The first of each walk disturbs the state that the trial was in, the others
// the one that came of the last.
const (
	walks = 8
	steps = 8
	// mostStates is how many states are told apart.
	mostStates = 16
	// firstSeen is the number of requests after a disturbance, beside two of each worker, at which a period is looked
	// for first.
	firstSeen = 64
	// leastBudget is how many requests all walks together may make beside as many as the trial did.
	leastBudget = 1 << 14
)

// Delay is by how much longer the i-th disturbed burn lasts. An interrupt or a page fault takes 50 us. A state that
// loses more than that each period, as by waking a thread and by its back-off before it steals, returns after one; so
// there are also 4 and 16 times as much, which a time slice of another process takes.
func Delay(i int) time.Duration { return 50 * time.Microsecond << (2 * (i % Delays)) }

// Delays is how many different delays there are.
const Delays = 3

// errProbed ends a walk.
var errProbed = errors.New("the disturbed load has been seen")

// probe disturbs a load that repeats itself, in several walks, and keeps what comes of it.
type probe struct {
	base    repetition // of the trial
	of      string     // the kind of its times
	first   int        // requests at which to look for a period first
	budget  int64      // requests of a walk
	longest int        // most of them after one disturbance
	most    int        // requests in which the trial's own period must be found again
	total   int64      // requests of all walks so far
	draws   *rand.Rand
	found   result.Disturbed

	walk, step int
	left       int64       // of the budget
	end        func(error) // ends the walk
	begun      int         // requests at which the trial's own period was found, by the first walk
	next       int         // requests at which to look for a period
	requests   []served    // since the last disturbance
	counts     []int64     // burns that had begun at the end of each
	burns      int64
	target     int64         // the burn to disturb; 0: none
	from       time.Duration // a period begins
	span       time.Duration // of the period that is disturbed
	phase      float64       // of the last disturbance
}

// disturb finds out whether a load that repeats itself goes on to do so in the same way when it is disturbed.
func (m *measurement) disturb(costs sim.Costs) {
	p := &probe{
		base: m.repeats, of: m.of, first: firstSeen + 2*m.spec.Point.Int("workers"),
		budget: (m.series.all + leastBudget) / walks,
		draws:  rand.New(rand.NewPCG(m.spec.Seed, walks)),
	}
	p.longest = max(int(p.budget/3), 2*p.first, 2*leastRepeats*len(p.base.requests))
	p.most = int(2*m.series.all) + p.first
	p.start(m.repeats.metrics(m.of), *m.trial.Period)
	for p.walk = range walks {
		if p.total > 2*walks*p.budget { // each disturbance takes long
			break
		}
		if err := p.run(m, costs); err != nil {
			p.found.Error = brief(Outcome{Trial: result.Trial{Error: err.Error()}}).Trial.Error
			m.warn("after a disturbance of one burn the design has no number: %s", p.found.Error)
			break
		}
	}
	if p.found.Count == 0 && p.burns > 0 && p.found.Error == "" {
		p.found.Error = "the period of the load was not found again"
		m.warn("the load repeats itself, but what a disturbance does to it is not known: %s", p.found.Error)
	}
	p.finish()
	m.trial.Disturbed = &p.found
}

// run is one walk.
func (p *probe) run(m *measurement, costs sim.Costs) error {
	spec := m.spec
	spec.Timeline, spec.Warmup = 0, 0
	if spec.Duration = 1 << 60; spec.Open != nil {
		spec.Duration = 4 * (m.spec.Warmup + m.spec.Duration)
	}
	p.step, p.burns, p.target, p.left = 0, 0, 0, p.budget
	p.forget()
	if p.next = p.first; p.begun > 0 {
		p.next = p.begun
	}
	again := newSimulation(spec, m.design)
	again.probe = p
	v := again.virtualWorld(costs, m.real)
	_, left := again.run()
	if !v.Ended() || left != nil && !errors.Is(left, errProbed) {
		return left
	}
	return nil
}

// begin is called as the load of a walk begins.
func (p *probe) begin(v *virtual.World) { p.end = v.Fail }

// forget begins anew to look for a period.
func (p *probe) forget() { p.requests, p.counts = p.requests[:0], p.counts[:0] }

// note takes the next request of a walk.
func (p *probe) note(from, to time.Duration) {
	p.total++
	if p.step > 0 || p.target != 0 {
		p.left--
	}
	if p.left <= 0 && (p.step > 1 || p.left < -int64(p.longest)) {
		p.end(errProbed)
	}
	p.requests, p.counts = append(p.requests, served{to, to - from}), append(p.counts, p.burns)
	n, longest := len(p.requests), p.longest
	if p.step == 0 {
		longest = p.most
	}
	if p.target != 0 || n != p.next && n < longest {
		return
	}
	p.next = 2 * n
	r := repeats(append([]served(nil), p.requests...), int64(n))
	switch {
	case len(r.requests) > 0 && p.step > 0:
		p.see(r.metrics(p.of), &result.Period{Operations: len(r.requests), Seconds: r.span.Seconds(),
			Repeats: r.repeats})
	case len(r.requests) > 0 && p.base.same(r):
		p.begun = n
	case n >= longest && p.step > 0: // it repeats nothing
		p.see(p.rest(), nil)
		p.end(errProbed)
	case n >= longest:
		p.end(errProbed)
	default:
		return
	}
	if p.step == steps {
		p.end(errProbed)
	}
	p.aim(len(r.requests), r.span, to)
}

// same reports whether two repetitions have the same rate and the same mean time.
func (r *repetition) same(o repetition) bool {
	a, b := r.metrics(""), o.metrics("")
	return a[result.Throughput] == b[result.Throughput] && a["_mean_ns"] == b["_mean_ns"]
}

// aim chooses the burn of the next period that is to last longer: of a first one that of the walk's part of the period.
func (p *probe) aim(size int, span, now time.Duration) {
	last := len(p.counts) - 1
	burns := p.counts[last] - p.counts[last-size]
	if burns == 0 {
		p.end(errProbed) // there is none
	}
	at := p.draws.Int64N(burns)
	if p.step == 0 {
		at = (int64(p.walk)*burns + at) / walks
	}
	p.target, p.from, p.span = p.burns+1+at, now, span
	p.next = p.first
	p.forget()
}

// stretch is by how much longer a burn lasts that begins.
func (p *probe) stretch(_ *env.Task, at, _ time.Duration) time.Duration {
	if p.burns++; p.burns != p.target {
		return 0
	}
	p.target = 0
	p.forget()
	p.phase = float64((at-p.from)%p.span) / float64(p.span)
	p.step++
	return Delay(p.walk + p.step - 1)
}

// rest are the rate and the times of the rear half of the requests, where they repeat nothing.
func (p *probe) rest() result.Metrics {
	half := len(p.requests) / 2
	r := repetition{requests: append([]served(nil), p.requests[half:]...)}
	r.span = r.requests[len(r.requests)-1].end - p.requests[half-1].end
	return r.metrics(p.of)
}

// start notes the state of the trial itself.
func (p *probe) start(metrics result.Metrics, period result.Period) {
	d := &p.found
	for i := range Delays {
		d.DelaysNs = append(d.DelaysNs, int64(Delay(i)))
	}
	d.States = []result.SteadyState{{Phases: []float64{}, Period: &period, Metrics: metrics}}
	d.Range = map[string][2]result.Value{}
	for name, v := range metrics {
		d.Range[name] = [2]result.Value{v, v}
	}
}

// see notes the state that a disturbance has led to.
func (p *probe) see(metrics result.Metrics, period *result.Period) {
	d := &p.found
	d.Count++
	for name, v := range metrics {
		d.Range[name] = [2]result.Value{min(d.Range[name][0], v), max(d.Range[name][1], v)}
	}
	nearest, distance := 0, math.Inf(1)
	for i := range d.States {
		if far := p.apart(d.States[i].Metrics, metrics); far < distance {
			nearest, distance = i, far
		}
	}
	if distance > result.SameState && len(d.States) < mostStates {
		nearest = len(d.States)
		d.States = append(d.States, result.SteadyState{Period: period, Metrics: metrics})
	}
	s := &d.States[nearest]
	s.Phases = append(s.Phases, math.Round(1000*p.phase)/1000)
}

// apart is the greatest difference of two states: of their rates by the rate, and of their times by the mean time.
func (p *probe) apart(a, b result.Metrics) float64 {
	far := 0.0
	for name, v := range a {
		by := a[p.of+"_mean_ns"]
		if name == result.Throughput {
			by = v
		}
		if d := math.Abs(float64(v - b[name])); d > 0 {
			far = max(far, d/float64(by))
		}
	}
	return far
}

// finish works out the shares.
func (p *probe) finish() {
	for i := range p.found.States {
		s := &p.found.States[i]
		s.Share = float64(len(s.Phases)) / float64(max(1, p.found.Count))
	}
}

// once is the disturbance, for one simulation.
func (l *Late) once() func(*env.Task, time.Duration, time.Duration) time.Duration {
	done := false
	return func(_ *env.Task, at, _ time.Duration) time.Duration {
		if done || at < l.At {
			return 0
		}
		done = true
		return l.By
	}
}

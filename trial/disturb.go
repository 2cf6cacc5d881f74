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

// A load that repeats itself to the nanosecond may have several steady states. Each lasts until a disturbance
// ends it. For example, in one state a lock is always handed to a goroutine that must be stolen first, and in
// another no goroutine waits for that.
//
// To find these states, the load runs again in several walks. Each walk disturbs the load several times: once
// the load repeats itself, one burn lasts longer. The first disturbance of a walk starts from the state of the
// trial, each later one from the state that the previous one led to.
const (
	walks = 8
	steps = 8
	// maxStates is the largest number of states that are distinguished.
	maxStates = 16
	// firstSeen, plus two for each worker, is the number of requests after a disturbance at which the first
	// search for a period takes place.
	firstSeen = 64
	// minBudget, plus the number of requests of the trial, is the number of requests of all walks together.
	minBudget = 1 << 14
)

// Delay returns the extra time of the i-th disturbed burn. An interrupt or a page fault takes 50 us. Some
// states lose more than that in each period, for example to a thread wake-up and the back-off before stealing;
// they return after one such delay. So there are also delays 4 and 16 times as long, which a time slice of
// another process takes.
func Delay(i int) time.Duration { return 50 * time.Microsecond << (2 * (i % Delays)) }

// Delays is the number of different delays.
const Delays = 3

// errWalkEnded ends the simulation of a walk.
var errWalkEnded = errors.New("the disturbed load has been seen")

// disturber disturbs a load that repeats itself, in several walks, and records the states that follow.
type disturber struct {
	base        repetition // the steady state of the trial
	kind        string     // prefix of the names of its time metrics, such as latency
	first       int        // number of requests at the first search for a period
	budget      int64      // requests of one walk
	maxRequests int        // the most requests after one disturbance
	maxFirst    int        // requests within which the trial's own period must be found again
	total       int64      // requests of all walks so far
	draws       *rand.Rand
	found       result.Disturbed

	walk, step  int
	left        int64       // requests left of the budget
	end         func(error) // ends the walk
	firstPeriod int         // requests at which the first walk found the trial's own period; 0: not yet
	next        int         // requests at the next search for a period
	requests    []request   // since the last disturbance
	counts      []int64     // for each request, burns that had begun when it ended
	burns       int64
	target      int64         // index of the burn to disturb; 0: none
	from        time.Duration // when the period to disturb begins
	span        time.Duration // length of that period
	phase       float64       // of the last disturbance within the period, 0 to 1
}

// disturb finds out whether a load that repeats itself still does so in the same way after a disturbance.
func (m *measurement) disturb(costs sim.Costs) {
	p := &disturber{
		base: m.repeats, kind: m.timesKind, first: firstSeen + 2*m.spec.Point.Int("workers"),
		budget: (m.series.all + minBudget) / walks,
		draws:  rand.New(rand.NewPCG(m.spec.Seed, walks)),
	}
	p.maxRequests = max(int(p.budget/3), 2*p.first, 2*minRepeats*len(p.base.requests))
	p.maxFirst = int(2*m.series.all) + p.first
	p.addOriginal(m.repeats.metrics(m.timesKind), *m.trial.Period)
	for p.walk = range walks {
		if p.total > 2*walks*p.budget { // each disturbance takes long
			break
		}
		if err := p.run(m, costs); err != nil {
			p.found.Error = splitStack(Outcome{Trial: result.Trial{Error: err.Error()}}).Trial.Error
			m.warn("after one longer burn the design has no result: %s", p.found.Error)
			break
		}
	}
	if p.found.Count == 0 && p.burns > 0 && p.found.Error == "" {
		p.found.Error = "the period of the load was not found again"
		m.warn("the load repeats, but the effect of a longer burn is unknown: %s", p.found.Error)
	}
	p.finish()
	m.trial.Disturbed = &p.found
}

// run runs one walk.
func (p *disturber) run(m *measurement, costs sim.Costs) error {
	spec := m.spec
	spec.Timeline, spec.Warmup = 0, 0
	if spec.Duration = 1 << 60; spec.Open != nil {
		spec.Duration = 4 * (m.spec.Warmup + m.spec.Duration)
	}
	p.step, p.burns, p.target, p.left = 0, 0, 0, p.budget
	p.reset()
	if p.next = p.first; p.firstPeriod > 0 {
		p.next = p.firstPeriod
	}
	again := newSimulation(spec, m.design)
	again.disturber = p
	v := again.virtualWorld(costs, m.real)
	_, left := again.run()
	if !v.Ended() || left != nil && !errors.Is(left, errWalkEnded) {
		return left
	}
	return nil
}

// begin is called when the load of a walk begins.
func (p *disturber) begin(v *virtual.World) { p.end = v.Fail }

// reset restarts the search for a period.
func (p *disturber) reset() { p.requests, p.counts = p.requests[:0], p.counts[:0] }

// note records the next request of a walk, from its begin to its end in virtual time.
func (p *disturber) note(from, to time.Duration) {
	p.total++
	if p.step > 0 || p.target != 0 {
		p.left--
	}

	if p.left <= 0 && (p.step > 1 || p.left < -int64(p.maxRequests)) {
		p.end(errWalkEnded)
	}

	p.requests, p.counts = append(p.requests, request{to, to - from}), append(p.counts, p.burns)
	n, longest := len(p.requests), p.maxRequests
	if p.step == 0 {
		longest = p.maxFirst
	}
	if p.target != 0 || n != p.next && n < longest {
		return
	}
	p.next = 2 * n
	r := repeats(append([]request(nil), p.requests...), int64(n))
	switch {
	case len(r.requests) > 0 && p.step > 0:
		p.addState(r.metrics(p.kind), &result.Period{Operations: len(r.requests), Seconds: r.span.Seconds(),
			Repeats: r.repeats})
	case len(r.requests) > 0 && p.base.same(r):
		p.firstPeriod = n
	case n >= longest && p.step > 0: // nothing repeats
		p.addState(p.tailMetrics(), nil)
		p.end(errWalkEnded)
	case n >= longest:
		p.end(errWalkEnded)
	default:
		return
	}
	if p.step == steps {
		p.end(errWalkEnded)
	}
	p.aim(len(r.requests), r.span, to)
}

// same reports whether two repetitions have the same throughput and the same mean time.
func (r *repetition) same(o repetition) bool {
	a, b := r.metrics(""), o.metrics("")
	return a[result.Throughput] == b[result.Throughput] && a["_mean_ns"] == b["_mean_ns"]
}

// aim chooses the burn of the next period that will last longer. In the first period of a walk it chooses from
// the walk's own part of the period, so that the walks cover the whole period.
func (p *disturber) aim(size int, span, now time.Duration) {
	last := len(p.counts) - 1
	burns := p.counts[last] - p.counts[last-size]
	if burns == 0 {
		p.end(errWalkEnded) // the load has no burns
	}
	at := p.draws.Int64N(burns)
	if p.step == 0 {
		at = (int64(p.walk)*burns + at) / walks
	}
	p.target, p.from, p.span = p.burns+1+at, now, span
	p.next = p.first
	p.reset()
}

// stretch returns the extra time of a burn that begins at the given time. It implements virtual.Config.Stretch.
func (p *disturber) stretch(_ *env.Task, at, _ time.Duration) time.Duration {
	if p.burns++; p.burns != p.target {
		return 0
	}
	p.target = 0
	p.reset()
	p.phase = float64((at-p.from)%p.span) / float64(p.span)
	p.step++
	return Delay(p.walk + p.step - 1)
}

// tailMetrics returns the throughput and the times of the second half of the requests, for a load that repeats
// nothing.
func (p *disturber) tailMetrics() result.Metrics {
	half := len(p.requests) / 2
	r := repetition{requests: append([]request(nil), p.requests[half:]...)}
	r.span = r.requests[len(r.requests)-1].end - p.requests[half-1].end
	return r.metrics(p.kind)
}

// addOriginal records the state of the trial itself.
func (p *disturber) addOriginal(metrics result.Metrics, period result.Period) {
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

// addState records the state that a disturbance led to.
func (p *disturber) addState(metrics result.Metrics, period *result.Period) {
	d := &p.found
	d.Count++
	for name, v := range metrics {
		d.Range[name] = [2]result.Value{min(d.Range[name][0], v), max(d.Range[name][1], v)}
	}
	nearest, distance := 0, math.Inf(1)
	for i := range d.States {
		if far := p.distance(d.States[i].Metrics, metrics); far < distance {
			nearest, distance = i, far
		}
	}
	if distance > result.SameState && len(d.States) < maxStates {
		nearest = len(d.States)
		d.States = append(d.States, result.SteadyState{Period: period, Metrics: metrics})
	}
	s := &d.States[nearest]
	s.Phases = append(s.Phases, math.Round(1000*p.phase)/1000)
}

// distance returns the largest relative difference of two states: of the throughput relative to the throughput,
// and of each time relative to the mean time.
func (p *disturber) distance(a, b result.Metrics) float64 {
	far := 0.0
	for name, v := range a {
		by := a[p.kind+"_mean_ns"]
		if name == result.Throughput {
			by = v
		}
		if d := math.Abs(float64(v - b[name])); d > 0 {
			far = max(far, d/float64(by))
		}
	}
	return far
}

// finish computes the share of each state.
func (p *disturber) finish() {
	for i := range p.found.States {
		s := &p.found.States[i]
		s.Share = float64(len(s.Phases)) / float64(max(1, p.found.Count))
	}
}

// once returns a function that applies the disturbance to one burn of one simulation.
func (l *Disturbance) once() func(*env.Task, time.Duration, time.Duration) time.Duration {
	done := false
	return func(_ *env.Task, at, _ time.Duration) time.Duration {
		if done || at < l.At {
			return 0
		}
		done = true
		return l.Delay
	}
}

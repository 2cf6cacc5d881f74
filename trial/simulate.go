package trial

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

// world is what a measurement needs of the world that it runs in.
type world interface {
	Run(name string, body func(env.Env)) error
	Now() time.Duration
	Meters() []*env.Meter
	Useful() time.Duration
	Violations() int64
	ViolationsByStation() map[string]int64
}

// Simulate runs a trial in virtual time, on as many CPUs as its point says, in this process: it shares
// nothing with others, so that many may run at once. What virtual time costs nothing to see is always there:
// the resources, and the time that CPUs are busy, with the scheduler's costs, as CPU time.
//
// Real code (env.Env.Begin) is charged with the CPU time that it takes, or as the recording of spec says. Who runs
// other trials at the same time says so with Spec.Crowded.
func Simulate(spec Spec, w *workload.Workload, d workload.Design, costs sim.Costs) Outcome {
	m := newSimulation(spec, d)
	real, err := newRealCode(spec)
	if err != nil {
		m.trial.Status, m.trial.Error = result.Failed, err.Error()
		return Outcome{Trial: m.trial}
	}
	if err := checkWorkers(spec, memory); err != nil {
		m.trial.Status, m.trial.Error = result.Failed, err.Error()
		return Outcome{Trial: m.trial}
	}
	v := m.virtualWorld(costs, real)
	m.opens = func() { v.Record(spec.Timeline) }
	err, left := m.run()
	if v.Full() {
		left = withUsage(left, memory)
	}
	if !v.Ended() { // the design hangs and still has m
		t := newSimulation(spec, d).trial
		t.Status, t.Error = result.Failed, left.Error()
		return brief(Outcome{Trial: t, Limited: errors.Is(left, virtual.ErrLimit)})
	}
	if real.refused || spec.Concurrent && v.Full() { // alone it has more
		return Outcome{Trial: m.trial, MustRunAlone: true}
	}
	if err == nil && left == nil && d.Job != nil {
		err = real.checkComplete()
	}
	limited := errors.Is(err, virtual.ErrLimit) || errors.Is(left, virtual.ErrLimit)
	m.trial.Warnings = append(m.trial.Warnings, v.Warnings()...)
	m.set("operations_simulated", result.Value(v.Operations()))
	m.finish(err, left)
	real.report(m)
	m.trial.Decisions = fmt.Sprintf("%016x", v.Checksum())
	if spec.Disturb && m.trial.Period != nil {
		m.disturb(costs)
	}
	return brief(Outcome{Trial: m.trial, Histograms: m.histograms, Timeline: v.Timeline(), Limited: limited})
}

// newSimulation is a measurement in virtual time that has not begun.
func newSimulation(spec Spec, d workload.Design) *measurement {
	m := &measurement{spec: spec, design: d, virtual: true, trial: Blank(spec)}
	m.trial.World = result.Virtual
	return m
}

// virtualWorld is the world of m.
func (m *measurement) virtualWorld(costs sim.Costs, real *realCode) *virtual.World {
	spec, room := &m.spec, hasRoom
	if spec.Room != nil {
		room = spec.Room
	}
	c := virtual.Config{CPUs: spec.Point.Int("cpus"), Seed: spec.Seed, Costs: costs, Sections: real,
		Timeline: spec.Timeline > 0,
		Limit:    spec.Limit, Stop: spec.Stop, Room: room, RoomEvery: guardEvery}
	switch {
	case m.disturber != nil:
		c.Stretch = m.disturber.stretch
	case spec.Disturbance != nil:
		c.Stretch = spec.Disturbance.once()
	}
	v := virtual.New(c)
	m.world, m.real = v, real
	return v
}

// brief takes the stack out of a trial's error: it has addresses, and a trial says the same each time.
func brief(o Outcome) Outcome {
	if what, _, stack := strings.Cut(o.Trial.Error, "\n"); stack {
		o.Trial.Error, o.Failure = what, o.Trial.Error
	}
	return o
}

// simulated adds what the simulation counted between the snapshots, where a live trial asks the system.
func (m *measurement) simulated() {
	span := (m.ended.at - m.began.at).Seconds()
	cpu := (m.ended.busy - m.began.busy).Seconds()
	m.set(result.CPUSeconds, result.Value(cpu))
	if span > 0 {
		m.set(result.Parallelism, result.Value(cpu/span))
	}
	if m.operations > 0 && m.trial.WallSeconds > 0 {
		m.set("cpu_per_op_ns", result.Value(cpu*1e9)/m.operationsIn(span))
	}
}

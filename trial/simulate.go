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

// world is the part of a world that a measurement needs.
type world interface {
	Run(name string, body func(env.Env)) error
	Now() time.Duration
	Meters() []*env.Meter
	Useful() time.Duration
	Violations() int64
	ViolationsByStation() map[string]int64
}

// Simulate runs a trial in virtual time in this process, on the number of CPUs in its point. It shares nothing
// with other trials, so it is safe for concurrent use. Every simulated trial is instrumented, because that
// costs no virtual time. Its CPU time is the busy time of the virtual CPUs, including the costs of the
// scheduler.
//
// Real code (env.Env.Begin) is charged with the CPU time that it takes, or with the cost in the recording of
// spec. A caller that runs other trials at the same time must set Spec.Concurrent.
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
	m.onOpen = func() { v.Record(spec.Timeline) }
	err, left := m.run()
	if v.Full() {
		left = withUsage(left, memory)
	}
	if !v.Ended() { // the design hangs and still uses m
		t := newSimulation(spec, d).trial
		t.Status, t.Error = result.Failed, left.Error()
		return splitStack(Outcome{Trial: t, Limited: errors.Is(left, virtual.ErrLimit)})
	}
	if real.refused || spec.Concurrent && v.Full() { // alone it has more memory
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
	return splitStack(Outcome{Trial: m.trial, Histograms: m.histograms, Timeline: v.Timeline(), Limited: limited})
}

// newSimulation returns a measurement in virtual time that has not begun.
func newSimulation(spec Spec, d workload.Design) *measurement {
	m := &measurement{spec: spec, design: d, virtual: true, trial: Blank(spec)}
	m.trial.World = result.Virtual
	return m
}

// virtualWorld creates the world of m.
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

// splitStack moves the stack from a trial's error to its failure text. A stack has addresses, and the error of a
// trial must be the same each time.
func splitStack(o Outcome) Outcome {
	if what, _, stack := strings.Cut(o.Trial.Error, "\n"); stack {
		o.Trial.Error, o.Failure = what, o.Trial.Error
	}
	return o
}

// addSimulated adds what the simulation counted between the snapshots; a live trial asks the system.
func (m *measurement) addSimulated() {
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

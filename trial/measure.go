package trial

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/hook"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// measure runs a live trial in this process.
func measure(spec Spec, w *workload.Workload, d workload.Design) Outcome {
	m := &measurement{spec: spec, design: d, trial: Blank(spec)}
	defer setGC(spec.Point, m.sends())()
	before := calibrate.Probe(spec.BurnRate)
	m.world = live.New(live.Config{Seed: spec.Seed, BurnRate: spec.BurnRate,
		Instrument: spec.Instrumented && !spec.Profiled, Poller: true, Punctual: m.sends()})
	err, left := m.run()
	after := calibrate.Probe(spec.BurnRate)
	if spec.BurnRatio > 0 {
		m.set("burn_pace", result.Value(spec.BurnRatio))
	}
	m.set("burn_probe_before", result.Value(before))
	m.set("burn_probe_after", result.Value(after))
	m.finish(err, left)
	return Outcome{Trial: m.trial, Histograms: m.histograms, RequestsFailed: m.requestsFailed(err, left)}
}

// requestsFailed reports whether the trial failed only because requests did.
func (m *measurement) requestsFailed(err, left error) bool {
	all := errors.Is(err, load.ErrAllFailed)
	var failed workload.FailedError
	switch {
	case left != nil || m.trial.Status != result.Failed || err != nil && !all:
		return false
	case m.checkErr == nil:
		return all
	}
	return errors.As(m.checkErr, &failed) && failed.Requests
}

// sends reports whether the trial sends an open loop to servers, whose requests must be sent on time.
func (m *measurement) sends() bool { return m.design.Remote && m.spec.Open != nil }

// run runs the design in the world. err is the error of the load or of the design, left that of the world.
func (m *measurement) run() (err, left error) {
	left = m.world.Run("load", func(e env.Env) {
		if m.design.Stream != nil {
			err = m.stream(e)
		} else {
			err = m.job(e)
		}
	})
	return err, left
}

// measurement is a trial in progress.
type measurement struct {
	spec       Spec
	design     workload.Design
	world      world
	virtual    bool
	real       *realCode  // virtual: charges real code
	series     *series    // virtual: requests of a stream
	disturber  *disturber // virtual: replaces series while the load is disturbed
	repeats    repetition // virtual: the period of the load, if it has one
	timesKind  string
	onOpen     func() // called when the window opens; may be nil
	trial      result.Trial
	histograms map[string][]byte
	checkErr   error    // error of the workload's check
	ownMetrics []string // metrics that the design itself measured
	fallible   bool     // requests of the stream can fail

	profile *bytes.Buffer    // CPU profile in progress
	samples int64            // samples of the profile
	parts   map[string]int64 // samples by part of the CPU-time breakdown

	collected func()        // ends the collection of evidence; nil: none is collected
	throttled time.Duration // see [host.ThrottledTime], when the window opened; only if evidence is collected

	began, ended snapshot
	gcBefore     result.Value
	closed       bool  // the window has closed
	uncovered    bool  // the counters do not cover the window: see checkCoverage
	operations   int64 // operations that ended inside the window
	total        int64 // all operations of a stream
}

// set sets a metric of the trial.
func (m *measurement) set(name string, v result.Value) { m.trial.Metrics[name] = v }

// warn adds a warning to the trial.
func (m *measurement) warn(format string, args ...any) {
	m.trial.Warnings = append(m.trial.Warnings, fmt.Sprintf(format, args...))
}

// begin is called when the window opens.
func (m *measurement) begin() {
	if m.spec.Instrumented && !m.virtual {
		m.gcBefore = host.GCSeconds()
	}
	if m.spec.Profiled && !m.virtual {
		m.startProfile()
	}
	if m.spec.Evidence != nil {
		m.throttled = host.ThrottledTime()
		m.collected = hook.Start(*m.spec.Evidence)
	}
	m.began = m.snap()
	if m.onOpen != nil {
		m.onOpen()
	}
}

// end is called when the window closes.
func (m *measurement) end() {
	m.ended, m.closed = m.snap(), true
	m.stopProfile()
	if m.collected != nil {
		m.set(host.ThrottledSeconds, result.Value((host.ThrottledTime() - m.throttled).Seconds()))
		m.collected()
	}
}

// job runs a job once and measures it.
func (m *measurement) job(e env.Env) error {
	j, err := m.design.Job(e, m.spec.Point)
	if err != nil {
		return err
	}
	m.collectGarbage()
	m.begin()
	start := e.Now()
	err = j.Run(e)
	wall := e.Now() - start
	m.end()
	if err != nil {
		return err

	}

	if j.Check != nil {
		answer, wrong := j.Check()
		m.checkErr = wrong
		if answer != nil {
			m.trial.Answer = answer
		}

	}
	m.addOwnMetrics(j.Metrics)
	m.operations = 1
	m.trial.Operations = 1
	m.trial.WallSeconds = wall.Seconds()

	m.set(result.WallSeconds, result.Value(wall.Seconds()))
	if j.Items > 0 {
		m.set(result.ItemsRate, result.Value(float64(j.Items)/wall.Seconds()))
	}
	if j.Bytes > 0 {
		m.set(result.BytesRate, result.Value(float64(j.Bytes)/wall.Seconds()))
	}
	return nil
}

// addOwnMetrics adds the metrics that the design itself measured. Those that the trial has already take precedence.
func (m *measurement) addOwnMetrics(metrics func() map[string]float64) {
	if metrics == nil {
		return
	}
	for name, v := range metrics() {
		if _, has := m.trial.Metrics[name]; !has {
			m.set(name, result.Value(v))
			m.ownMetrics = append(m.ownMetrics, name)
		}
	}
}

// finish sets the status of the trial and adds what the counters show.
func (m *measurement) finish(err, left error) {
	t, violations := &m.trial, m.world.Violations()
	m.set("violations", result.Value(violations))
	t.Status = result.OK
	if m.design.Expect == workload.Bound {
		t.Status = result.StatusBound
	}
	switch {
	case err != nil:
		t.Status, t.Error = result.Failed, err.Error()
		if m.fallible && m.checkErr != nil { // why requests failed
			t.Error += "; " + m.checkErr.Error()
		}
	case left != nil:
		t.Status, t.Error = result.Failed, left.Error()
	case violations > 0 && m.design.Expect != workload.Bound:
		// This comes before the check of the answer: after a violation, counts of the station are wrong too.
		t.Status, t.Error = result.Violated, violationText(m.world.ViolationsByStation())
		if m.checkErr != nil {
			t.Error += "; " + m.checkErr.Error()
		}
	case errors.As(m.checkErr, &workload.FailedError{}):
		t.Status, t.Error = result.Failed, m.checkErr.Error()
	case m.checkErr != nil:
		t.Status, t.Error = result.Wrong, m.checkErr.Error()
	case t.Invalid:
		t.Status, t.Error = result.Failed, m.lateError()
	}
	t.Invalid = t.Invalid && t.Error == m.lateError() // otherwise the design failed
	switch {
	case err != nil || !m.closed:
	case m.uncovered:
		m.markUnavailable()
	case m.virtual:
		m.addSimulated()
		t.Resources = m.resources()
	default:
		m.addCounters()
		t.Resources = m.resources()

	}
	if t.Status == result.Wrong || t.Status == result.Failed {
		m.dropResults()

	}
	if cpus := m.spec.Point.Int("cpus"); cpus > runtime.NumCPU() && !m.virtual {
		m.warn("%d CPUs were requested, but the machine has %d: goroutines share them, so times do not show the "+
			"effect of more CPUs", cpus, runtime.NumCPU())
	}
}

// dropResults removes every number that could be taken for a result, because a wrong answer has none. What the
// operating system and the runtime counted stays, because it helps to find the cause. That includes the CPU time of a
// server, which would otherwise count as that of other processes.
func (m *measurement) dropResults() {
	for name := range m.trial.Metrics {
		switch u := result.UnitOf(name); {
		case name == result.Rate: // this was given, not measured
		case strings.HasPrefix(name, "latency_"), strings.HasPrefix(name, "service_"),
			strings.HasPrefix(name, "response_"), u == result.PerSecond, u == result.BytesPerSec, u == result.PerOp,
			u == result.BytesPerOp,
			name == result.WallSeconds, name == "cpu_per_op_ns":
			delete(m.trial.Metrics, name)
		}
	}
	for _, name := range m.ownMetrics {
		if name != result.ServerCPUSeconds {
			delete(m.trial.Metrics, name)
		}
	}
	m.trial.WallSeconds, m.trial.Unstable = 0, false
	m.trial.Period, m.trial.Progress, m.repeats = nil, 0, repetition{}
	m.histograms = nil
}

// violationText describes violations by station.
func violationText(clashes map[string]int64) string {
	text := "stations served two users at once:"
	for i, name := range slices.Sorted(maps.Keys(clashes)) {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %s %d times", name, clashes[name])
	}
	return text
}

// Expected reports whether a design that declares x may end a trial with status s.
func Expected(x workload.Expect, s result.Status) bool {
	switch s {
	case result.OK, result.StatusBound:
		return true
	case result.Wrong:
		return x == workload.WrongAnswer || x == workload.MayBreak
	case result.Violated:
		return x == workload.MayViolate || x == workload.Bound
	default:
		return x == workload.MayFail || x == workload.MayBreak
	}
}

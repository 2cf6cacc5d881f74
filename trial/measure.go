package trial

import (
	"bytes"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/hook"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// measure runs the trial in this process.
func measure(spec Spec, w *workload.Workload, d workload.Design) Outcome {
	m := &measurement{spec: spec, design: d, trial: Blank(spec)}
	if spec.Point.Has(workload.GOGC) {
		defer debug.SetGCPercent(debug.SetGCPercent(spec.Point.Int(workload.GOGC)))
	}
	before := calibrate.Probe(spec.BurnRate)
	m.world = live.New(live.Config{Seed: spec.Seed, BurnRate: spec.BurnRate, Instrument: spec.Instrumented && !spec.Profiled,
		Poller: true})
	err, left := m.run()
	after := calibrate.Probe(spec.BurnRate)
	if spec.BurnRatio > 0 {
		m.set("burn_pace", result.Value(spec.BurnRatio))
	}
	m.set("burn_probe_before", result.Value(before))
	m.set("burn_probe_after", result.Value(after))
	m.finish(err, left)
	return Outcome{Trial: m.trial, Histograms: m.histograms}
}

// run runs the design in the world: err is what its load or the design itself reports, left what the world does.
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

// measurement is a trial under way.
type measurement struct {
	spec       Spec
	design     workload.Design
	world      world
	virtual    bool
	real       *realCode  // virtual: what charges real code
	series     *series    // virtual: of a stream
	probe      *probe     // virtual: in place of series, where the load is disturbed
	repeats    repetition // virtual: what the load repeats, if it does; of is the kind of its times
	of         string
	opens      func() // called as the window opens; nil for nothing
	trial      result.Trial
	histograms map[string][]byte
	wrong      error    // what the workload's check found
	own        []string // metrics that the job itself measured

	profile *bytes.Buffer    // of the CPUs, while it is taken
	samples int64            // of it
	parts   map[string]int64 // of them, by the part of the ledger

	collected func() // ends the collection of evidence; nil for none

	began, ended snapshot
	gcBefore     result.Value
	closed       bool  // the window has
	uncovered    bool  // the counters are not of the window: see covers
	operations   int64 // that ended inside the window
	total        int64 // all operations of a stream
}

// snapshot is the state of everything counted at one instant.
type snapshot struct {
	at       time.Duration
	counters host.Counters
	useful   time.Duration
	busy     time.Duration // virtual: of CPUs
	code     charged       // virtual: for real code
	readings map[*env.Meter]env.Reading
	sharing  map[*env.Meter]int // resources of each meter
}

func (m *measurement) set(name string, v result.Value) { m.trial.Metrics[name] = v }

func (m *measurement) warn(format string, args ...any) {
	m.trial.Warnings = append(m.trial.Warnings, fmt.Sprintf(format, args...))
}

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

// collectGarbage brings the runtime's account of its collections up to date, which happens at the end of each only; see
// gcSeconds. It comes before the load: on one busy CPU a collection takes much of a short window.
func (m *measurement) collectGarbage() {
	if m.spec.Instrumented && !m.virtual {
		runtime.GC()
	}
}

// begin is called as the window opens.
func (m *measurement) begin() {
	if m.spec.Instrumented && !m.virtual {
		m.gcBefore = host.GCSeconds()
	}
	if m.spec.Profiled && !m.virtual {
		m.startProfile()
	}
	if m.spec.Evidence != nil {
		m.collected = hook.Start(*m.spec.Evidence)
	}
	m.began = m.snap()
	if m.opens != nil {
		m.opens()
	}
}

func (m *measurement) end() {
	m.ended, m.closed = m.snap(), true
	m.stopProfile()
	if m.collected != nil {
		m.collected()
	}
}

// job measures a job, which is run once.
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
		m.wrong = wrong
		if answer != nil {
			m.trial.Answer = answer
		}
	}
	if j.Metrics != nil {
		for name, v := range j.Metrics() {
			m.set(name, result.Value(v))
			m.own = append(m.own, name)
		}
	}
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

// finish decides how the trial ended and fills in what the counters say.
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
	case left != nil:
		t.Status, t.Error = result.Failed, left.Error()
	case violations > 0 && m.design.Expect != workload.Bound:
		// It comes before the check of the answer: counts of a station that two users met in are wrong too.
		t.Status, t.Error = result.Violated, clashText(m.world.ViolationsByStation())
		if m.wrong != nil {
			t.Error += "; " + m.wrong.Error()
		}
	case m.wrong != nil:
		t.Status, t.Error = result.Wrong, m.wrong.Error()
	case t.Invalid:
		t.Status, t.Error = result.Failed, lateness
	}
	t.Invalid = t.Invalid && t.Error == lateness // else it is the design that went wrong
	switch {
	case err != nil || !m.closed:
	case m.uncovered:
		m.unknown()
	case m.virtual:
		m.simulated()
		t.Resources = m.resources()
	default:
		m.counters()
		t.Resources = m.resources()
	}
	if t.Status == result.Wrong || t.Status == result.Failed {
		m.forget()
	}
	if cpus := m.spec.Point.Int("cpus"); cpus > runtime.NumCPU() && !m.virtual {
		m.warn("%d CPUs were asked for and %d are there: goroutines share them, and times do not show what "+
			"more CPUs would do", cpus, runtime.NumCPU())
	}
}

// forget drops every number that could be taken for a result: a wrong answer has none. What the
// operating system and the runtime counted stays, to find out what went wrong.
func (m *measurement) forget() {
	for name := range m.trial.Metrics {
		switch u := result.UnitOf(name); {
		case name == result.Rate: // what was asked for, not what was found
		case strings.HasPrefix(name, "latency_"), strings.HasPrefix(name, "service_"),
			strings.HasPrefix(name, "response_"), u == result.PerSecond, u == result.BytesPerSec, u == result.PerOp,
			u == result.BytesPerOp,
			name == result.WallSeconds, name == "cpu_per_op_ns":
			delete(m.trial.Metrics, name)
		}
	}
	for _, name := range m.own {
		delete(m.trial.Metrics, name)
	}
	m.trial.WallSeconds, m.trial.Unstable = 0, false
	m.trial.Period, m.trial.Progress, m.repeats = nil, 0, repetition{}
	m.histograms = nil
}

func clashText(clashes map[string]int64) string {
	text := "stations served two users at once:"
	for i, name := range slices.Sorted(maps.Keys(clashes)) {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %s %d times", name, clashes[name])
	}
	return text
}

// counters adds what the operating system and the runtime counted between the snapshots.
func (m *measurement) counters() {
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
		operations := m.within(span)
		m.set("allocs_per_op", delta.Get("allocs")/operations)
		m.set("alloc_bytes_per_op", delta.Get("alloc_bytes")/operations)
		m.set("cpu_per_op_ns", cpu*1e9/operations)
	}
	switch {
	case m.spec.Profiled:
		m.profiledLedger(span, cpu)
	case m.spec.Instrumented:
		m.ledger(span, cpu, m.gcSeconds(delta.Get("gc_cycles")))
	}
}

// unknown says of what the counters would have told that it is not known.
func (m *measurement) unknown() {
	names := []string{result.CPUSeconds, result.Parallelism}
	if m.spec.Instrumented {
		names = append(names, "ledger_useful", "ledger_runtime", "ledger_gc", "ledger_idle")
	}
	for _, name := range names {
		m.set(name, result.Unavailable)
	}
}

// within is the number of operations in a span between snapshots, which may lie a little off the window: so the
// rate counts.
func (m *measurement) within(span float64) result.Value {
	operations := result.Value(m.operations)
	if m.design.Stream != nil && m.spec.Operations == 0 {
		operations *= result.Value(span / m.trial.WallSeconds)
	}
	return operations
}

// Expected reports whether a design declares that its trials may end like this.
func Expected(x workload.Expect, s result.Status) bool {
	switch s {
	case result.OK, result.StatusBound:
		return true
	case result.Wrong:
		return x == workload.WrongAnswer
	case result.Violated:
		return x == workload.MayViolate || x == workload.Bound
	default:
		return x == workload.MayFail
	}
}

package trial

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// measure runs the trial in this process.
func measure(spec Spec, w *workload.Workload, d workload.Design) Outcome {
	m := &measurement{spec: spec, design: d, trial: Blank(spec)}
	before := calibrate.Probe(spec.BurnRate)
	m.world = live.New(live.Config{Seed: spec.Seed, BurnRate: spec.BurnRate, Observe: spec.Observed})
	var err error
	left := m.world.Run("load", func(e env.Env) {
		if d.Stream != nil {
			err = m.stream(e)
		} else {
			err = m.job(e)
		}
	})
	after := calibrate.Probe(spec.BurnRate)
	m.set("burn_probe_before", result.Value(before))
	m.set("burn_probe_after", result.Value(after))
	m.set("violations", result.Value(m.world.Violations()))
	m.finish(err, left)
	return Outcome{Trial: m.trial, Histograms: m.histograms}
}

// measurement is a trial under way.
type measurement struct {
	spec       Spec
	design     workload.Design
	world      *live.World
	trial      result.Trial
	histograms map[string][]byte
	wrong      error // what the workload's check found

	began      snapshot
	ended      snapshot
	operations int64 // that ended inside the window
}

// snapshot is the state of everything counted at one instant.
type snapshot struct {
	at       time.Duration
	counters host.Counters
	spent    host.Ledger
	useful   time.Duration
	readings map[*env.Meter]env.Reading
}

func (m *measurement) set(name string, v result.Value) { m.trial.Metrics[name] = v }

// snap reads all counters. The CPU classes of the runtime are brought up to date by a garbage
// collection, so only observed trials look at them.
func (m *measurement) snap() snapshot {
	s := snapshot{}
	if m.spec.Observed {
		runtime.GC()
		s.spent = host.CPUClasses()
	}
	s.at = m.world.Now()
	s.counters.Read()
	s.useful = m.world.Useful()
	s.readings = map[*env.Meter]env.Reading{}
	for _, meter := range m.world.Meters() {
		s.readings[meter] = meter.Read()
	}
	return s
}

func (m *measurement) begin() { m.began = m.snap() }
func (m *measurement) end()   { m.ended = m.snap() }

// stream measures a stream under a closed loop.
func (m *measurement) stream(e env.Env) error {
	s, err := m.design.Stream(e, m.spec.Point)
	if err != nil {
		return err
	}
	loop := closedLoop{
		op: s.Op, workers: m.spec.Point.Int("workers"),
		warmup: m.spec.Warmup, window: m.spec.Duration,
		operations: m.spec.Operations, sample: m.spec.Sample,
		atBegin: m.begin, atEnd: m.end,
	}
	l, loadErr := loop.run(e)
	if s.Close != nil {
		s.Close(e)
	}
	answer, wrong := answered(s.Check, l.total)
	m.trial.Answer, m.wrong = answer, wrong
	if loadErr != nil {
		return loadErr
	}
	m.operations = l.inside
	m.trial.Operations = l.inside
	m.trial.WallSeconds = l.window.Seconds()
	m.set(result.Throughput, result.Value(float64(l.inside)/l.window.Seconds()))
	m.set("concurrency", result.Value(l.concurrency))
	m.set(result.LatencyMean, result.Value(l.latency.Mean()))
	for _, q := range result.Quantiles {
		v, ok := l.latency.Quantile(q.Q)
		if !ok {
			m.set("latency_"+q.Name+"_ns", result.Unavailable)
			continue
		}
		m.set("latency_"+q.Name+"_ns", result.Value(v))
	}
	blob, err := l.latency.Encode()
	m.histograms = map[string][]byte{"latency": blob}
	return err
}

// job measures a job, which is run once.
func (m *measurement) job(e env.Env) error {
	j, err := m.design.Job(e, m.spec.Point)
	if err != nil {
		return err
	}
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
	t := &m.trial
	t.Status = result.OK
	if m.design.Expect == workload.Bound {
		t.Status = result.StatusBound
	}
	switch {
	case err != nil:
		t.Status, t.Error = result.Failed, err.Error()
	case left != nil:
		t.Status, t.Error = result.Failed, left.Error()
	case m.wrong != nil:
		t.Status, t.Error = result.Wrong, m.wrong.Error()
	case m.world.Violations() > 0 && m.design.Expect != workload.Bound:
		t.Status, t.Error = result.Violated, clashText(m.world.Clashes())
	}
	if err == nil {
		m.count()
		t.Resources = m.resources()
	}
	if t.Status == result.Wrong || t.Status == result.Failed {
		// A wrong answer has no number.
		for _, name := range []string{result.Throughput, result.ItemsRate, result.BytesRate, result.WallSeconds} {
			delete(t.Metrics, name)
		}
	}
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

// count adds what the operating system and the runtime counted between the snapshots.
func (m *measurement) count() {
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
		operations := result.Value(m.operations)
		if m.design.Stream != nil && m.spec.Operations == 0 {
			// The snapshots may lie a little off the window, so the rate counts.
			operations *= result.Value(span / m.trial.WallSeconds)
		}
		m.set("allocs_per_op", delta.Get("allocs")/operations)
		m.set("alloc_bytes_per_op", delta.Get("alloc_bytes")/operations)
		m.set("cpu_per_op_ns", cpu*1e9/operations)
	}
	if m.spec.Observed {
		m.ledger(span, cpu)
	}
}

// ledger says where the core-seconds of the window went, as shares of CPUs x window: useful (burns
// and sections of real code), gc, idle, and the rest, which is the runtime and whatever code the
// design did not declare. Where nothing was declared useful, only gc and idle are known.
func (m *measurement) ledger(span float64, cpu result.Value) {
	total := result.Value(span * float64(m.spec.Point.Int("cpus")))
	if !(total > 0) {
		return
	}
	gc := m.ended.spent.Since(m.began.spent).GC / total
	idle := max(0, 1-cpu/total)
	m.set("ledger_gc", gc)
	m.set("ledger_idle", idle)
	m.set("ledger_useful", result.Unavailable)
	m.set("ledger_runtime", result.Unavailable)
	if useful := m.ended.useful - m.began.useful; useful > 0 {
		share := result.Value(useful.Seconds()) / total
		m.set("ledger_useful", share)
		m.set("ledger_runtime", max(0, 1-share-gc-idle))
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
		Name: meter.Name(), Kind: string(meter.Kind()), Count: meter.Count(),
		Uses: b.Uses - a.Uses, Waits: b.Waits - a.Waits, Violations: b.Clashes - a.Clashes,
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
	} else {
		r.Utilization = number(float64(b.Busy-a.Busy) / span / float64(r.Count))
		if r.Uses > 0 {
			r.BusyMeanNs = number(float64(b.Busy-a.Busy) / float64(r.Uses))
		}
	}
	return r
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

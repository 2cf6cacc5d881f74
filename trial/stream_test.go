package trial

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/internal/hist"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

func hundred(d time.Duration) *hist.Histogram {
	h := hist.New()
	for range 100 {
		h.Record(int64(d))
	}
	return h
}

func TestPunctual(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		lag     *hist.Histogram
		served  int64 // of 100
		virtual bool
		late    bool
		about   string
	}{
		{hundred(390 * time.Microsecond), 100, false, false, "below a tenth"},
		{hundred(500 * time.Microsecond), 100, false, true, "above a tenth"},
		{hist.New(), 100, false, false, "never idle"},
		{hundred(500 * time.Microsecond), 40, false, true, "most gave up, and a tenth of a service was waited for"},
		{hundred(390 * time.Microsecond), 40, false, false, "most gave up"},
		{hundred(500 * time.Microsecond), 100, true, false, "virtual time, where nothing disturbs"},
	} {
		m := &measurement{world: live.New(live.Config{}), virtual: c.virtual, uncovered: true,
			trial: result.Trial{Metrics: result.Metrics{}},
			spec:  Spec{Point: plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})}}
		times := hist.New()
		for range c.served {
			times.Record(int64(4 * ms))
		}
		m.checkLag(&load.OpenResult{Lag: c.lag, Response: times, Service: times, Arrived: 100, Served: c.served})
		if m.trial.Invalid != c.late {
			t.Errorf("%s: invalid %v", c.about, m.trial.Invalid)
		}
		m.finish(nil, nil)
		if got := m.trial; (got.Status == result.Failed) != c.late || c.late &&
			!strings.Contains(got.Error, "noticed late") {
			t.Errorf("%s: %+v", c.about, got)
		}
		// A failure of the design takes precedence, and its trial is not even unstable.
		m.checkErr, m.trial.Unstable = errors.New("2 lattes for 1 customer"), true
		if m.finish(nil, nil); m.trial.Status != result.Wrong || m.trial.Invalid || m.trial.Unstable {
			t.Errorf("%s, and wrong: %+v", c.about, m.trial)
		}
	}
}

// TestWrongKeepsServerTime: a wrong answer has no metrics of its design, but the CPU time of its server, which is not
// that of other processes.
func TestWrongKeepsServerTime(t *testing.T) {
	m := &measurement{world: live.New(live.Config{}), uncovered: true, checkErr: errors.New("a wrong tree"),
		trial: result.Trial{Metrics: result.Metrics{}},
		spec:  Spec{Point: plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})}}
	m.addOwnMetrics(func() map[string]float64 { return map[string]float64{"server_cpu_seconds": 2, "status_200": 7} })
	if m.finish(nil, nil); m.trial.Status != result.Wrong || m.trial.Metrics.Get("server_cpu_seconds") != 2 ||
		m.trial.Metrics.Get("status_200").Known() {
		t.Errorf("%s: %v", m.trial.Status, m.trial.Metrics)
	}
}

// TestLostAreInfinite has 10 of 100 requests lost, so the response time of the slowest tenth is unknown.
func TestLostAreInfinite(t *testing.T) {
	m := &measurement{trial: result.Trial{Metrics: result.Metrics{}}}
	h := hist.New()
	for i := range int64(900) {
		h.Record(i + 1)
	}
	if err := m.distribution("response", h, 100); err != nil {
		t.Fatal(err)
	}
	get := func(name string) float64 { return float64(m.trial.Metrics.Get("response_" + name + "_ns")) }
	if get("p50") != 500 || get("p90") != 900 || get("mean") != 450.5 {
		t.Errorf("p50 %v, p90 %v, mean %v", get("p50"), get("p90"), get("mean"))
	}
	if !math.IsInf(get("p95"), 1) || !math.IsInf(get("max"), 1) || get("min") != 1 {
		t.Errorf("p95 %v, max %v, min %v", get("p95"), get("max"), get("min"))
	}
}

// TestUnstable has 100 arrivals in a window at a rate of 100 per second. Each of 2 workers serves 50 per second
// if a service takes 20 ms.
func TestUnstable(t *testing.T) {
	for _, c := range []struct {
		capacity float64
		backlog  int64
		limit    int
		service  time.Duration
		want     bool
		about    string
	}{
		{0, 30, -1, 1, false, "the queue wanders"},
		{0, 100, -1, 1, true, "the queue grows"},
		{99, 0, -1, 1, true, "the capacity is less"},
		{100, 0, -1, 1, false, "the capacity is just that"},
		{101, 0, -1, 1, false, "the capacity is more"},
		{101, 100, -1, 1, true, "the capacity was more, but the queue grows"},
		{0, 5, 5, 21 * time.Millisecond, true, "the queue is full, and the workers never idle"},
		{0, 5, 5, 19 * time.Millisecond, false, "customers are lost, though the workers do idle"},
		{101, 5, 5, 21 * time.Millisecond, false, "a capacity that was measured is believed"},
	} {
		loop, service := &load.Open{Workers: 2, QueueLimit: c.limit}, hundred(c.service)
		if got := unstable(100, c.capacity, loop,
			&load.OpenResult{Arrived: 100, Backlog: c.backlog, First: c.backlog / 2, FirstArrived: 50,
				Service: service}); got != c.want {
			t.Errorf("%s: unstable %v", c.about, got)
		}
	}
	stall := &load.OpenResult{Arrived: 100, Backlog: 100, FirstArrived: 50, Service: hundred(time.Millisecond)}
	if unstable(100, 101, &load.Open{Workers: 2, QueueLimit: -1}, stall) {
		t.Error("a queue that grows in one half of the window only may be a stall of the machine")
	}
}

// TestRecordedLoad checks that recorded arrivals count as they occur in the window, not by their mean. Here 100
// per second arrive in the window, at a worker that serves 50, and 2 per second in the whole file.
func TestRecordedLoad(t *testing.T) {
	gaps := []time.Duration{9 * time.Second}
	for range 19 {
		gaps = append(gaps, 10*time.Millisecond)
	}
	spec := Spec{Seed: 1, Warmup: 9 * time.Second, Duration: 200 * time.Millisecond,
		Point: plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)},
			plan.Setting{Factor: "workers", Level: plan.IntLevel(1)}),
		Open: &OpenLoad{Rate: load.RateOf(gaps), Capacity: 50, Gaps: gaps}}
	bar := workload.Design{Name: "bar", Stream: func(env.Env, plan.Point) (workload.Stream, error) {
		return workload.Stream{Op: func(e env.Env, _ uint64) { e.Burn(20 * time.Millisecond) }}, nil
	}}
	x := Simulate(spec, &workload.Workload{Name: "test"}, bar, sim.Costs{}).Trial
	if x.Status != result.OK || !x.Unstable || math.Abs(float64(x.Metrics.Get(result.OfferedLoad))-2) > 1e-9 {
		t.Errorf("load %v, unstable %v: %+v", x.Metrics.Get(result.OfferedLoad), x.Unstable, x)
	}
}

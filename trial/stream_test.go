package trial

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/internal/hist"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
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
		lag   *hist.Histogram
		late  bool
		about string
	}{
		{hundred(390 * time.Microsecond), false, "below a tenth"},
		{hundred(500 * time.Microsecond), true, "above a tenth"},
		{hist.New(), false, "never idle"},
	} {
		m := &measurement{world: live.New(live.Config{}), virtual: true, trial: result.Trial{Metrics: result.Metrics{}},
			spec: Spec{Point: plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})}}
		m.punctual(&load.OpenResult{Lag: c.lag, Response: hundred(4 * ms), Arrived: 100, Served: 100})
		if m.trial.Invalid != c.late {
			t.Errorf("%s: invalid %v", c.about, m.trial.Invalid)
		}
		m.finish(nil, nil)
		if got := m.trial; (got.Status == result.Failed) != c.late || c.late && !strings.Contains(got.Error, "noticed late") {
			t.Errorf("%s: %+v", c.about, got)
		}
		// What the design did wrong weighs more.
		m.wrong = errors.New("2 lattes for 1 customer")
		if m.finish(nil, nil); m.trial.Status != result.Wrong || m.trial.Invalid {
			t.Errorf("%s, and wrong: %+v", c.about, m.trial)
		}
	}
}

// TestLostAreInfinite: 10 of 100 customers were lost, so that nobody can say when the slowest tenth had
// its answer.
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

func TestUnstableByItsQueue(t *testing.T) {
	for _, c := range []struct {
		capacity float64
		backlog  int64
		want     bool
	}{{0, 30, false}, {0, 100, true}, {99, 0, true}, {100, 0, false}, {101, 100, false}} {
		got := unstable(&OpenLoad{Rate: 100, Capacity: c.capacity}, &load.OpenResult{Arrived: 100, Backlog: c.backlog})
		if got != c.want {
			t.Errorf("capacity %v, backlog %d of 100: unstable %v", c.capacity, c.backlog, got)
		}
	}
}

package trial

import (
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

func blankMeasurement(workers int) *measurement {
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)},
		plan.Setting{Factor: "workers", Level: plan.IntLevel(workers)})
	return &measurement{trial: result.Trial{Metrics: result.Metrics{}}, spec: Spec{Point: point, Instrumented: true}}
}

// TestCovers checks that counters that do not cover nearly the whole window are unknown, with a warning.
func TestCovers(t *testing.T) {
	const ms = time.Millisecond
	window := span{50 * ms, 350 * ms, 354 * ms}
	for _, c := range []struct {
		began, ended time.Duration
		warning      string
	}{
		{50 * ms, 350 * ms, ""},
		{52 * ms, 354 * ms, ""},
		{64 * ms, 350 * ms, ""},
		{66 * ms, 354 * ms, "cover 95%"}, // 94.7%
		{349 * ms, 354 * ms, "cover 0%"}, // garbage was collected until then
		{400 * ms, 400 * ms, "cover 0%"},
		{50 * ms, 300 * ms, "cover 83%"},
		{50 * ms, 359 * ms, ""},
		{50 * ms, 361 * ms, "after the load ended"},
	} {
		m := blankMeasurement(1)
		m.began.at, m.ended.at = c.began, c.ended
		m.checkCoverage(window)
		got := strings.Join(m.trial.Warnings, "; ")
		if m.uncovered != (c.warning != "") || !strings.Contains(got, c.warning) {
			t.Errorf("read from %v to %v: unknown %v, warnings %q; want %q", c.began, c.ended, m.uncovered, got,
				c.warning)
		}
	}
}

// TestUnknownCounters checks that no value comes from counters that do not cover the window.
func TestUnknownCounters(t *testing.T) {
	m := blankMeasurement(1)
	m.uncovered = true
	m.markUnavailable()
	for _, name := range []string{result.CPUSeconds, result.Parallelism, "ledger_idle", "ledger_useful"} {
		if v, has := m.trial.Metrics[name]; !has || v.Known() {
			t.Errorf("%s is %v, %v; want it to be there and unknown", name, v, has)
		}
	}
}

// TestCheckUses checks the warning about a station whose uses do not match the operations of the window.
func TestCheckUses(t *testing.T) {
	for _, c := range []struct {
		uses, inAll int64
		warns       bool
	}{
		{74, 87, false},
		{0, 87, true}, // counters that missed the window
		{49, 87, true},
		{68, 87, false}, // requests in progress
		{0, 0, false},
		{0, 3, false}, // a station that is hardly ever used
		{200, 174, true},
		{148, 174, false}, // two uses for each operation
	} {
		m := blankMeasurement(1)
		m.total, m.operations, m.trial.WallSeconds = 87, 74, 0.3
		m.ended.at = 300 * time.Millisecond
		m.checkUses(result.Resource{Name: "grinder", Uses: c.uses}, c.inAll)
		if got := len(m.trial.Warnings) > 0; got != c.warns {
			t.Errorf("%d uses in the window, %d in all: warnings %q", c.uses, c.inAll, m.trial.Warnings)
		}
	}
}

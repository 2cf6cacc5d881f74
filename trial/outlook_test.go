package trial

import (
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

// TestOutlook: a load that would run far beyond its limit ends when that can be seen, and no sooner; one that would take
// less than twice its limit goes on, as does one of a number of operations.
func TestOutlook(t *testing.T) {
	for _, c := range []struct {
		what        string
		each        time.Duration // real time of 1024 requests
		virtual     time.Duration // that goes by in one
		span, limit time.Duration
		ends        int64 // after so many requests; 0: never
	}{
		{"slow", time.Second, time.Nanosecond, 10 * time.Second, 10 * time.Minute, 6 * lookEvery},
		{"slow, with a short limit", time.Second, time.Nanosecond, 10 * time.Second, 10 * time.Second, 2 * lookEvery},
		{"a little less than twice its limit", time.Second, 11 * time.Microsecond, 10 * time.Second, 450 * time.Second, 0},
		{"a little more than twice its limit", time.Second, 11 * time.Microsecond, 10 * time.Second, 440 * time.Second, 6 * lookEvery},
		{"no limit", time.Second, time.Nanosecond, 10 * time.Second, 0, 0},
		{"a number of operations", time.Second, time.Nanosecond, 0, 10 * time.Minute, 0},
	} {
		clock, ended := time.Unix(1, 0), int64(0)
		o := &outlook{span: c.span, limit: c.limit, workers: 1, now: func() time.Time { return clock }}
		o.fail = func(err error) {
			if ended == 0 {
				ended = o.n
			}
			if !strings.Contains(err.Error(), "(--time-limit); give --operations, a shorter") {
				t.Errorf("%s: %v", c.what, err)
			}
		}
		for n := range int64(20 * lookEvery) {
			if n%lookEvery == 0 {
				clock = clock.Add(c.each)
			}
			o.note(time.Duration(n+1) * c.virtual)
		}
		if ended != c.ends {
			t.Errorf("%s: it ends after %d requests, want %d", c.what, ended, c.ends)
		}
	}
}

// TestOutlookOfBursts: requests that all end together, thousands at an instant, say nothing of a time to come before the next do.
func TestOutlookOfBursts(t *testing.T) {
	clock := time.Unix(1, 0)
	o := &outlook{span: 11 * time.Second, limit: 600 * time.Second, workers: 5000, now: func() time.Time { return clock }}
	o.fail = func(err error) { t.Fatalf("after %d requests, %v: %v", o.n, clock.Sub(time.Unix(1, 0)), err) }
	for round := range 11 { // of 25 s each, 275 s in all
		for range 5000 {
			clock = clock.Add(5 * time.Millisecond)
			o.note(time.Duration(round+1) * time.Second)
		}
	}
}

// TestNoTime: operations that take no time end the trial, with a word of what to do; as many at one instant do not if time goes by
// in between.
func TestNoTime(t *testing.T) {
	d := workload.Design{Name: "idle", Uses: []string{"workers"}, Stream: func(e env.Env, _ plan.Point) (workload.Stream, error) {
		m, served := e.Mutex("m"), 0
		return workload.Stream{Op: func(env.Env, uint64) { m.Lock(); served++; m.Unlock() }}, nil
	}}
	w := &workload.Workload{Name: "test", Designs: []workload.Design{d}}
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)}, plan.Setting{Factor: "workers", Level: plan.IntLevel(2)})
	o := Simulate(Spec{Workload: "test", Design: "idle", Point: point, Duration: time.Second}, w, d, sim.Costs{})
	if !strings.Contains(o.Trial.Error, "take no virtual time") || !strings.Contains(o.Trial.Error, "--stage") {
		t.Errorf("the error is %q", o.Trial.Error)
	}
	failed := 0
	p := outlook{workers: 2, fail: func(error) { failed++ }}
	for n := range 3 * mostAtOnce {
		p.note(time.Duration(n / mostAtOnce))
	}
	if failed > 0 {
		t.Error("a million requests at each of three instants are refused")
	}
	for range mostAtOnce {
		p.note(2)
	}
	if failed != 1 {
		t.Errorf("two million requests at one instant are refused %d times", failed)
	}
}

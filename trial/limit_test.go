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

// TestLimitPredictor checks that a load that would run far beyond its limit ends as soon as that can be
// predicted. A load that would take less than twice its limit continues.
func TestLimitPredictor(t *testing.T) {
	for _, c := range []struct {
		what        string
		each        time.Duration // real time of 1024 requests
		virtual     time.Duration // virtual time of 1024 requests
		span, limit time.Duration
		ends        int64 // number of requests at the end; 0: it does not end
	}{
		{"slow", time.Second, time.Nanosecond, 10 * time.Second, 10 * time.Minute, 6 * checkEvery},
		{"slow, with a short limit", time.Second, time.Nanosecond, 10 * time.Second, 10 * time.Second, 2 * checkEvery},
		{"a little less than twice its limit", time.Second, 11 * time.Microsecond, 10 * time.Second, 450 * time.Second,
			0},
		{"a little more than twice its limit", time.Second, 11 * time.Microsecond, 10 * time.Second, 440 * time.Second,
			6 * checkEvery},
		{"a little less than twice its limit, in half the time", time.Second, 11 * time.Microsecond, 5 * time.Second,
			225 * time.Second, 0},
		{"no limit", time.Second, time.Nanosecond, 10 * time.Second, 0, 0},
	} {
		clock, ended := time.Unix(1, 0), int64(0)
		o := &limitPredictor{span: c.span, limit: c.limit, workers: 1, now: func() time.Time { return clock }}
		o.fail = func(err error) {
			if ended == 0 {
				ended = o.n
			}
			if !strings.Contains(err.Error(), "; give a number of operations, a shorter") {
				t.Errorf("%s: %v", c.what, err)
			}
		}
		for n := range int64(20 * checkEvery) {
			if n%checkEvery == 0 {
				clock = clock.Add(c.each)
			}
			o.note(time.Duration(n+1) * c.virtual)
		}
		if ended != c.ends {
			t.Errorf("%s: it ends after %d requests, want %d", c.what, ended, c.ends)
		}
	}
}

// TestLimitPredictorBursts checks that requests that all end together, at one instant or shortly after each
// other, do not count as too many. The same holds for several requests of each worker at one instant.
func TestLimitPredictorBursts(t *testing.T) {
	for apart, workers := range map[time.Duration]int{0: 500, time.Nanosecond: 5000} {
		clock := time.Unix(1, 0)
		o := &limitPredictor{span: 11 * time.Second, limit: 600 * time.Second, workers: workers,
			now: func() time.Time { return clock }}
		o.fail = func(err error) {
			t.Fatalf("%v apart, after %d requests, %v: %v", apart, o.n, clock.Sub(time.Unix(1, 0)), err)
		}
		for round := range 11 { // 25 s each, 275 s in total
			for i := range 5000 {
				clock = clock.Add(5 * time.Millisecond)
				o.note(time.Duration(round+1)*time.Second + time.Duration(i)*apart)
			}
		}
	}
}

// TestLimitPredictorOpenLoop checks the error of an open loop, in which the arrivals are too many.
func TestLimitPredictorOpenLoop(t *testing.T) {
	for open, want := range map[bool]string{false: "the operations take so little virtual time that 2s holds too " +
		"many: the simulation would run to its limit of 1m0s; give a number of operations, a shorter warm-up and " +
		"duration, or more work to each",
		true: "too many requests arrive in 2s of virtual time: the simulation would run to its limit of 1m0s; give " +
			"a lower rate or load, or a shorter warm-up and duration"} {
		o := &limitPredictor{span: 2 * time.Second, limit: time.Minute, open: open}
		if got := o.tooMany().Error(); got != want {
			t.Errorf("open %t: %s\nwant %s", open, got, want)
		}
	}
}

// simulateTwo simulates a stream with two workers on one CPU.
func simulateTwo(s Spec, op func(env.Env, uint64)) Outcome {
	d := workload.Design{Name: "d", Uses: []string{"workers"},
		Stream: func(env.Env, plan.Point) (workload.Stream, error) { return workload.Stream{Op: op}, nil }}
	s.Workload, s.Design = "test", "d"
	s.Point = plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)},
		plan.Setting{Factor: "workers", Level: plan.IntLevel(2)})
	return Simulate(s, &workload.Workload{Name: "test", Designs: []workload.Design{d}}, d, sim.Costs{})
}

// TestLimitPredictorSimulation checks that a simulated load is predicted, including its warm-up. A load with a
// number of operations is not, because it ends, even if it takes no virtual time for long.
func TestLimitPredictorSimulation(t *testing.T) {
	burn := func(e env.Env, _ uint64) { e.Burn(1) }
	o := simulateTwo(Spec{Warmup: 1000 * time.Hour, Duration: time.Second, Limit: 10 * time.Second}, burn)
	if !strings.Contains(o.Trial.Error, "1000h0m1s holds too many: the simulation would run to its limit of 10s") {
		t.Errorf("the error is %q", o.Trial.Error)
	}
	o = simulateTwo(Spec{Warmup: 1000 * time.Hour, Duration: time.Second, Limit: 10 * time.Second,
		Open: &OpenLoad{Rate: 1e6}}, burn)
	if !strings.Contains(o.Trial.Error, "too many requests arrive in 1000h0m1s") {
		t.Errorf("in an open loop the error is %q", o.Trial.Error)
	}
	const many = 3 * maxAtOnce // each of the two workers would make too many at one instant
	o = simulateTwo(Spec{Operations: many, Duration: 1000 * time.Hour}, func(e env.Env, request uint64) {
		if request == many-1 {
			e.Burn(time.Second)
		}
	})
	if o.Trial.Error != "" || o.Trial.Operations != many || o.Trial.WallSeconds != 1 {
		t.Errorf("%d operations took %v s, error %q", o.Trial.Operations, o.Trial.WallSeconds, o.Trial.Error)
	}
}

// TestNoTime checks that operations that take no virtual time end the trial with advice. As many at one instant
// do not, if time passes in between.
func TestNoTime(t *testing.T) {
	served := 0
	o := simulateTwo(Spec{Duration: time.Second}, func(env.Env, uint64) { served++ })
	if !strings.Contains(o.Trial.Error, "take no virtual time") || !strings.Contains(o.Trial.Error, "coffee's stage") {
		t.Errorf("the error is %q", o.Trial.Error)
	}
	failed := 0
	p := limitPredictor{workers: 2, fail: func(error) { failed++ }}
	note := func(requests int, at time.Duration) {
		for range requests {
			p.note(at)
		}
	}
	for at := range time.Duration(3) {
		note(maxAtOnce+19, at)
	}
	if failed > 0 {
		t.Error("a million requests at each of three instants are refused")
	}
	if note(1, 2); failed != 1 {
		t.Errorf("twenty more are refused %d times", failed)
	}
	if note(1000, 2); failed != 1 {
		t.Errorf("it is told %d times", failed)
	}
}

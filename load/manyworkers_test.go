//go:build !race

package load

import (
	"runtime"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/sim"
)

const manyWorkers = 10_000

func tenth(e env.Env, request uint64) bool {
	e.Wait(100 * ms)
	return request%10 > 0
}

// TestManyWorkersClosed runs a closed loop with 10,000 workers of a remote design, in both worlds. The race detector
// allows fewer goroutines.
func TestManyWorkersClosed(t *testing.T) {
	c := Closed{Remote: true, Workers: manyWorkers, Warmup: 50 * ms, Window: 200 * ms, AtBegin: func() {},
		AtEnd: func() {}, Try: tenth}
	w := virtual.New(virtual.Config{CPUs: 2, Seed: 1, Costs: sim.Costs{}})
	v := c
	v.At, v.OneByOne = w.At, true
	var l ClosedResult
	var err error
	if left := w.Run("load", func(e env.Env) { l, err = v.Run(e) }); left != nil || err != nil {
		t.Fatal(left, err)
	}
	if l.Inside != 18_000 || l.Failed != 2000 || l.Latency.Mean() != 100e6 || l.Concurrency != manyWorkers {
		t.Errorf("%d succeeded, %d failed, mean %v, concurrency %v", l.Inside, l.Failed, l.Latency.Mean(),
			l.Concurrency)
	}

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c.Warmup, c.Window, c.Operations = 0, 0, 2*manyWorkers
	c.AtEnd = func() { runtime.ReadMemStats(&after) }
	world := live.New(live.Config{Seed: 1, Poller: true})
	if left := world.Run("load", func(e env.Env) { l, err = c.Run(e) }); left != nil || err != nil {
		t.Fatal(left, err)
	}
	if l.Inside != 18_000 || l.Failed != 2000 || l.Latency.Count() != 18_000 {
		t.Errorf("live: %+v", l)
	}
	if each := (after.Sys - before.Sys) / manyWorkers; each > 20_000 {
		t.Errorf("each worker takes %d bytes", each)
	}
}

// TestManyWorkersOpen is TestManyWorkersClosed for an open loop.
func TestManyWorkersOpen(t *testing.T) {
	o := Open{Remote: true, Workers: manyWorkers, Arrivals: Arrivals{Kind: Constant, Rate: 2000}, QueueLimit: -1,
		Window: 200 * ms, Drain: time.Minute, AtBegin: func() {}, AtEnd: func() {}, Try: tenth}
	virtually, v := virtual.New(virtual.Config{CPUs: 2, Seed: 1, Costs: sim.Costs{}}), o
	v.At = virtually.At
	world := live.New(live.Config{Seed: 1, Poller: true, Punctual: true})
	for i, run := range []func(string, func(env.Env)) error{virtually.Run, world.Run} {
		loop := []Open{v, o}[i]
		var r OpenResult
		var err error
		if left := run("load", func(e env.Env) { r, err = loop.Run(e) }); left != nil || err != nil {
			t.Fatal(left, err)
		}
		if r.Arrived != 400 || r.Served != 360 || r.Failed != 40 || r.Lag.Count()+r.Waited != 400 {
			t.Errorf("world %d: %+v", i, r)
		}
		if i == 0 && (r.Response.Mean() != 100e6 || r.Waited != 0 || r.Lag.Mean() != 0) {
			t.Errorf("in virtual time: response %v, lag %v: %+v", r.Response.Mean(), r.Lag.Mean(), r)
		}
	}
}

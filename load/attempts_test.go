package load

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/sim"
)

// TestFailures: of requests of 10 ms, every fourth fails. It is in the counts of failures only, and the times of all
// add up to the window.
func TestFailures(t *testing.T) {
	for _, remote := range []bool{false, true} {
		l, _, _, err := runLoad(t, Closed{Remote: remote, Workers: 2, Warmup: 45 * ms, Window: 400 * ms,
			Try: func(e env.Env, request uint64) bool {
				e.Sleep(10 * ms)
				return request/2%4 != 3 // the same for both workers
			}})
		if err != nil {
			t.Fatal(err)
		}
		// Those of a worker end at 10, 20, 30 ms and so on; the fourth, eighth and so on fail. The window is [45, 445).
		if l.Inside != 60 || l.Failed != 20 || l.Latency.Count() != 60 || l.Latency.Mean() != 10e6 ||
			l.Concurrency != 2 {
			t.Errorf("remote %t: %d succeeded, %d failed, %d timed, concurrency %v", remote, l.Inside, l.Failed,
				l.Latency.Count(), l.Concurrency)
		}
		// The halves of the one across the begin, which succeeds, and of the one across the end, the 45th.
		if math.Abs(l.Progress-60) > 1e-9 {
			t.Errorf("remote %t: progress %v", remote, l.Progress)
		}
	}
}

// TestFailureAcrossEnds: a request that fails makes no progress, also if it crosses an end of the window.
func TestFailureAcrossEnds(t *testing.T) {
	l, _, _, err := runLoad(t, Closed{Workers: 1, Warmup: 15 * ms, Window: 20 * ms,
		Try: func(e env.Env, request uint64) bool {
			e.Sleep(10 * ms)
			return request == 2
		}})
	if err != nil || l.Inside != 1 || l.Failed != 1 || l.Progress != 1 || l.Concurrency != 1 || l.Last != 40*ms {
		t.Errorf("%d succeeded, %d failed, progress %v, concurrency %v, ended at %v: %v", l.Inside, l.Failed,
			l.Progress, l.Concurrency, l.Last, err)
	}
}

// TestFailuresAddUp counts requests of random times and outcomes on its own.
func TestFailuresAddUp(t *testing.T) {
	for seed := range uint64(30) {
		draws := rand.New(rand.NewPCG(seed, 1))
		begin, window := time.Duration(draws.IntN(50))*ms, time.Duration(100+draws.IntN(400))*ms
		var mu sync.Mutex
		var good, bad int64
		var times time.Duration
		l, _, _, err := runLoad(t, Closed{Remote: seed%2 == 0, Workers: 1 + draws.IntN(40), Warmup: begin,
			Window: window, Try: func(e env.Env, request uint64) bool {
				d, start := e.Rand().At(request, 1), e.Now()
				took, ok := time.Duration(1+d.IntN(20e6)), d.IntN(3) > 0
				e.Sleep(took)
				mu.Lock()
				defer mu.Unlock()
				switch end := start + took; {
				case end < begin || end >= begin+window:
				case ok:
					good++
					times += took
				default:
					bad++
				}
				return ok
			}})
		if err != nil || l.Inside != good || l.Failed != bad || l.Latency.Count() != good ||
			time.Duration(l.Latency.Sum()) != times {
			t.Errorf("seed %d: %d succeeded in %v and %d failed, want %d in %v and %d: %v", seed, l.Inside,
				time.Duration(l.Latency.Sum()), l.Failed, good, times, bad, err)
		}
	}
}

// TestAllFail: a load whose requests all fail has no result, and one that fails at once ends early.
func TestAllFail(t *testing.T) {
	never := func(d time.Duration) Attempt {
		return func(e env.Env, _ uint64) bool {
			e.Sleep(d)
			return false
		}
	}
	_, _, _, err := runLoad(t, Closed{Workers: 2, Window: 400 * ms, Try: never(30 * ms)})
	if err != ErrAllFailed {
		t.Errorf("slow failures: %v", err)
	}
	l, _, _, err := runLoad(t, Closed{Workers: 2, Operations: 10, Try: never(30 * ms)})
	if err != ErrAllFailed || l.Failed != 10 || l.Total != 10 {
		t.Errorf("ten failures: %d of %d: %v", l.Failed, l.Total, err)
	}

	l, _, closed, err := runLoad(t, Closed{Workers: 2, Warmup: time.Hour, Window: time.Hour, Try: never(ms)})
	if err == nil || err.Error() != "the last 10020 requests all failed, so the load ended early" ||
		l.Total < 10020 || l.Total > 10021 || closed != 0 {
		t.Errorf("failures at once: %d, closed at %v: %v", l.Total, closed, err)
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := Closed{Workers: 2, Window: time.Hour, Try: never(ms), AtBegin: func() {}, AtEnd: func() {}}
		live.New(live.Config{}).Run("load", func(e env.Env) { c.Run(e) })
		if took := time.Since(start); took > 6*time.Second {
			t.Errorf("the load ended after %v", took)
		}
	})

	seldom := func(e env.Env, request uint64) bool {
		e.Sleep(ms)
		return request%10_000 == 0
	}
	l, _, _, err = runLoad(t, Closed{Workers: 2, Window: 30 * time.Second, Try: seldom})
	if err != nil || l.Inside < 5 {
		t.Errorf("one of 10,000 succeeds: %d, %v", l.Inside, err)
	}
}

// TestAllFailVirtually: the end of such a load in virtual time leaves nothing behind.
func TestAllFailVirtually(t *testing.T) {
	w := virtual.New(virtual.Config{CPUs: 2, Seed: 1, Costs: sim.Costs{}})
	c := Closed{Workers: 8, Window: time.Hour, At: w.At, OneByOne: true, AtBegin: func() {}, AtEnd: func() {},
		Try: func(e env.Env, _ uint64) bool {
			e.Sleep(ms)
			return false
		}}
	var err error
	if left := w.Run("load", func(e env.Env) { _, err = c.Run(e) }); left != nil {
		t.Error(left)
	}
	if err == nil || !strings.Contains(err.Error(), "ended early") {
		t.Error(err)
	}
}

// TestOpenFailures: one server with a request each 10 ms, 4 ms of service, and every fifth fails.
func TestOpenFailures(t *testing.T) {
	for _, remote := range []bool{false, true} {
		o := Open{Remote: remote, Workers: 1, Arrivals: Arrivals{Kind: Constant, Rate: 100}, QueueLimit: -1,
			Window: time.Second, Drain: time.Second, Try: func(e env.Env, request uint64) bool {
				e.Sleep(4 * ms)
				return request%5 != 0
			}}
		r := runOpen(t, o)
		if r.Arrived != 100 || r.Served != 80 || r.Failed != 20 || r.Completed != 80 || r.InTime != 80 ||
			r.Backlog != 0 || r.First != 0 || r.Failing != 80*ms || r.Response.Count() != 80 ||
			r.Service.Mean() != 4e6 {
			t.Errorf("remote %t: %+v", remote, r)
		}
	}
}

// TestOpenAllFail: an open load whose requests all fail has no result.
func TestOpenAllFail(t *testing.T) {
	var err error
	o := Open{Workers: 1, Arrivals: Arrivals{Kind: Constant, Rate: 100}, QueueLimit: -1, Window: ms * 100,
		AtBegin: func() {}, AtEnd: func() {}, Try: func(env.Env, uint64) bool { return false }}
	live.New(live.Config{}).Run("load", func(e env.Env) { _, err = o.Run(e) })
	if err != ErrAllFailed {
		t.Error(err)
	}
}

// TestWaited compares the requests that found all workers busy with the recursion of Kiefer and Wolfowitz.
func TestWaited(t *testing.T) {
	for seed := range uint64(20) {
		draws := rand.New(rand.NewPCG(seed, 2))
		workers, busy := 1+draws.IntN(4), 0.3+0.6*draws.Float64()
		service := func(e env.Env, request uint64) time.Duration {
			d := e.Rand().At(request, 1)
			return 1 + time.Duration(d.Exp()*busy*float64(workers)*10e6)
		}
		want, n := int64(0), int64(0)
		arrivals := Arrivals{Kind: Poisson, Rate: 100}
		r := runOpen(t, Open{Remote: true, Workers: workers, Arrivals: arrivals, QueueLimit: -1,
			Window: 5 * time.Second, Drain: time.Second,
			Op: func(e env.Env, request uint64) {
				if request == 0 { // before the others, the truth
					free, s := make([]time.Duration, workers), newSource(arrivals, e.Rand())
					for ; s.at < 5e9; s.advance() {
						request, at := s.peek()
						slices.Sort(free)
						if free[0] > at {
							want++
						}
						free[0] = max(free[0], at) + service(e, request)
						n++
					}
				}
				e.Sleep(service(e, request))
			}})
		if r.Waited != want || r.Lag.Count() != n-want || r.Arrived != n || r.Lag.Mean() != 0 {
			t.Errorf("seed %d: %d of %d waited, %d lags of mean %v; want %d of %d", seed, r.Waited, r.Arrived,
				r.Lag.Count(), r.Lag.Mean(), want, n)
		}
	}
}

// TestRemoteLag has bursts of four requests, 1 ms apart, of which the first is noticed 3 ms late. Two workers serve
// each in half a millisecond, so that on time no request would wait for a worker: the lag of each counts, and none is
// abandoned. With 10 ms of service the last two of a burst do wait.
func TestRemoteLag(t *testing.T) {
	r := runLate(t, Open{Remote: true, QueueLimit: -1, Patience: ms / 2, Op: sleepFor(ms / 2)})
	// 2.98, 1.98, 1.48 and 0.48 ms, because the baton is passed on 20 us before an arrival.
	if r.Served != 40 || r.Waited != 0 || r.Lag.Count() != 40 || r.Lag.Mean() != 1.73e6 {
		t.Errorf("%d lags of %v ns: %+v", r.Lag.Count(), r.Lag.Mean(), r)
	}
	if r = runLate(t, Open{Remote: true, QueueLimit: -1, Patience: ms / 2}); r.Served != 20 || r.Abandoned != 20 {
		t.Errorf("with patience: %+v", r)
	}
	if r = runLate(t, Open{Remote: true, QueueLimit: -1}); r.Waited != 20 || r.Lag.Mean() != 2.48e6 {
		t.Errorf("%d lags of %v ns: %+v", r.Lag.Count(), r.Lag.Mean(), r)
	}
}

// TestSharedRecorders: the workers of a remote design share a few recorders, whatever their number.
func TestSharedRecorders(t *testing.T) {
	for workers, want := range map[int]int{3: 3, 10_000: maxShared} {
		c := Closed{Workers: workers, Remote: true}
		if n := c.recorders(); n != want || len(c.attempts().locks) != want {
			t.Errorf("%d workers have %d recorders, want %d", workers, n, want)
		}
		r := openRun{Open: &Open{Workers: workers, Remote: true}, workers: make([]server, workers)}
		free := r.equip()
		if len(r.times) != want || r.workers[workers-1].times != &r.times[(workers-1)%want] {
			t.Errorf("%d workers of an open loop have %d recorders, want %d", workers, len(r.times), want)
		}
		free()
	}
}

// TestRemoteLive runs both loops on the Go runtime, for the race detector.
func TestRemoteLive(t *testing.T) {
	const workers = 64
	try := func(e env.Env, request uint64) bool {
		e.Wait(ms / 10)
		return request%10 > 0
	}
	closed := Closed{Remote: true, Workers: workers, Operations: 3000, AtBegin: func() {}, AtEnd: func() {}, Try: try}
	open := Open{Remote: true, Workers: workers, Arrivals: Arrivals{Kind: Constant, Rate: 5000}, QueueLimit: -1,
		Window: 100 * ms, Drain: time.Minute, AtBegin: func() {}, AtEnd: func() {}, Try: try}
	var l ClosedResult
	var r OpenResult
	var err, openErr error
	left := live.New(live.Config{Seed: 1, Poller: true, Punctual: true}).Run("load", func(e env.Env) {
		l, err = closed.Run(e)
		r, openErr = open.Run(e)
	})
	if left != nil || err != nil || openErr != nil || l.Inside != 2700 || l.Failed != 300 || l.Latency.Count() != 2700 {
		t.Errorf("%v, %v, %v: %+v", left, err, openErr, l)
	}
	if r.Served != 450 || r.Failed != 50 || r.Lag.Count()+r.Waited != 500 || r.Response.Count() != 450 {
		t.Errorf("%+v", r)
	}
}

// TestRemoteCosts: with the costs of the scheduler, requests in virtual time are sent some microseconds late.
func TestRemoteCosts(t *testing.T) {
	w := virtual.New(virtual.Config{CPUs: 2, Seed: 1, Costs: sim.Typical()})
	o := Open{Remote: true, Workers: 50, Arrivals: Arrivals{Kind: Poisson, Rate: 1000}, QueueLimit: -1, At: w.At,
		Window: 10 * time.Second, Drain: time.Second, AtBegin: func() {}, AtEnd: func() {},
		Try: func(e env.Env, request uint64) bool {
			e.Wait(5 * ms)
			return true
		}}
	var r OpenResult
	var err error
	if left := w.Run("load", func(e env.Env) { r, err = o.Run(e) }); left != nil || err != nil {
		t.Fatal(left, err)
	}
	if r.Served != r.Arrived || r.Waited != 0 || r.Lag.Count() != r.Arrived || r.Lag.Mean() <= 0 ||
		r.Lag.Mean() > 50e3 {
		t.Errorf("mean lag %v ns, %d waited: %+v", r.Lag.Mean(), r.Waited, r)
	}
}

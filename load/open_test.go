package load

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
)

const ms = time.Millisecond

// runOpen runs an open loop in a bubble, where waiting takes exactly its time and computing none.
func runOpen(t *testing.T, o Open) OpenResult {
	t.Helper()
	var r OpenResult
	synctest.Test(t, func(t *testing.T) {
		w := live.New(live.Config{Seed: 7})
		o.AtBegin, o.AtEnd = func() {}, func() {}
		var err error
		if left := w.Run("load", func(e env.Env) { r, err = o.Run(e) }); left != nil {
			t.Error(left)
		}
		if err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestOpenBelowCapacity(t *testing.T) {
	r := runOpen(t, Open{Op: sleepFor(4 * ms), Workers: 1, Arrivals: Arrivals{Kind: Constant, Rate: 100},
		QueueLimit: -1,
		Warmup:     50 * ms, Window: time.Second, Drain: time.Second})
	if r.Arrived != 100 || r.Served != 100 || r.Completed != 100 || r.InTime != 100 || r.Backlog != 0 {
		t.Errorf("100 customers: %+v", r)
	}
	if r.Response.Mean() != 4e6 || r.Service.Mean() != 4e6 {
		t.Errorf("response %v ns, service %v ns, want 4 ms each", r.Response.Mean(), r.Service.Mean())
	}
	if r.Lag.Count() != 100 || r.Lag.Mean() != 0 {
		t.Errorf("%d arrivals noticed by an idle worker, %v ns late", r.Lag.Count(), r.Lag.Mean())
	}
}

// TestArrivalsEnd checks that no request arrives after the window of a load that ends, however long the last ones take.
func TestArrivalsEnd(t *testing.T) {
	for _, remote := range []bool{false, true} {
		o := Open{Op: sleepFor(700 * ms), Remote: remote, Workers: 200, Arrivals: Arrivals{Kind: Constant, Rate: 100},
			QueueLimit: -1, Window: time.Second, Drain: time.Second, Ends: true}
		if r := runOpen(t, o); r.Arrived != 100 || r.Served != 100 || r.Total != 100 || r.Window != time.Second {
			t.Errorf("remote %t: %+v", remote, r)
		}
		o.Ends = false
		if r := runOpen(t, o); r.Arrived != 100 || r.Total <= 150 {
			t.Errorf("remote %t, without an end: %+v", remote, r)
		}
	}
}

// TestOpenOverload has a customer each 10 ms and 15 ms of service: the queue grows by a third of them.
func TestOpenOverload(t *testing.T) {
	o := Open{Op: sleepFor(15 * ms), Workers: 1, Arrivals: Arrivals{Kind: Constant, Rate: 100}, QueueLimit: -1,
		Window: 600 * ms, Drain: time.Second}
	r := runOpen(t, o)
	if r.Arrived != 60 || r.Served != 60 || r.Completed != 39 || r.Backlog != 21 { // the first ends at 20 ms
		t.Errorf("all are served in the end: %+v", r)
	}
	if r.First != 11 || r.FirstArrived != 30 { // until 300 ms, 19 of the 30 are served
		t.Errorf("in the first half %d of %d are left, want 11 of 30", r.First, r.FirstArrived)
	}
	o.Drain = 0
	r = runOpen(t, o)
	if r.Arrived != 60 || r.Served != 40 || r.Unfinished != 20 {
		t.Errorf("no time to drain: %+v", r)
	}
	o.Patience = 20 * ms
	r = runOpen(t, o)
	if r.Abandoned == 0 || r.Served+r.Abandoned+r.Unfinished != 60 || r.Response.Mean() > 35e6 {
		t.Errorf("patience of 20 ms: %+v", r)
	}
	if r.InTime >= r.Completed {
		t.Errorf("%d of %d ended within the patience, though many wait 10 ms and more for 15 ms of service", r.InTime,
			r.Completed)
	}
}

// TestOpenLoss has two servers, no room to wait and a service of two gaps and a half: with customers at
// 0.5, 1.5, ... gaps two of three are served.
func TestOpenLoss(t *testing.T) {
	r := runOpen(t, Open{Op: sleepFor(25 * ms), Workers: 2, Arrivals: Arrivals{Kind: Constant, Rate: 100},
		QueueLimit: 0,
		Window:     600 * ms, Drain: time.Second})
	if r.Arrived != 60 || r.Served != 40 || r.Dropped != 20 || r.Response.Mean() != 25e6 {
		t.Errorf("%+v", r)
	}
}

// TestOpenAgainstEvents compares random loads with a simulation by events, customer by customer.
func TestOpenAgainstEvents(t *testing.T) {
	for seed := range uint64(300) {
		d := env.Rand{}.At(seed, 1)
		o := Open{
			Workers: 1 + d.IntN(4), QueueLimit: d.IntN(6) - 1, Drain: time.Hour,
			Warmup: time.Duration(d.IntN(100)) * ms, Window: time.Duration(200+d.IntN(800)) * ms,
			Arrivals: Arrivals{Kind: []string{Poisson, Constant}[d.IntN(2)], Rate: 20 + 200*d.Float64()},
		}
		if d.IntN(2) == 0 {
			o.Patience = time.Duration(1 + d.IntN(int(60*ms)))
		}
		service := func(request uint64) time.Duration {
			s := env.Rand{}.At(request, seed)
			return time.Duration(s.Exp()*20e6) + 1
		}
		o.Op = func(e env.Env, request uint64) { e.Sleep(service(request)) }
		if seed%2 == 0 {
			o.Remote, o.Send = true, transmit(service)
		}
		got := runOpen(t, o)
		want := reference(o, service)
		have := fmt.Sprintf("%d arrived, %d served, %d dropped, %d abandoned, %d unfinished, %d completed, %d "+
			"in time, response %v",
			got.Arrived, got.Served, got.Dropped, got.Abandoned, got.Unfinished, got.Completed, got.InTime,
			got.Response.Sum())
		if have != want {
			t.Fatalf("seed %d: %d workers, queue limit %d, patience %v, %s at %.1f /s\nhave %s\nwant %s",
				seed, o.Workers, o.QueueLimit, o.Patience, o.Arrivals.Kind, o.Arrivals.Rate, have, want)
		}
	}
}

// reference serves the same customers by the textbook: at each arrival it knows when every server is
// free, who waits and until when.
func reference(o Open, service func(uint64) time.Duration) string {
	w := live.New(live.Config{Seed: 7})
	var s *source
	w.Run("draws", func(e env.Env) { s = newSource(o.Arrivals, e.Rand()) })
	begin, end := o.Warmup, o.Warmup+o.Window
	free := make([]time.Duration, o.Workers)
	type waiting struct {
		request uint64
		at      time.Duration
	}
	var queue []waiting
	var arrived, served, dropped, abandoned, completed, inTime, response int64
	count := func(n *int64, at time.Duration) {
		if at >= begin && at < end {
			*n++
		}
	}
	start := func(c waiting, at time.Duration) {
		i := slices.Index(free, slices.Min(free))
		free[i] = at + service(c.request)
		count(&served, c.at)
		count(&completed, free[i])
		if o.Patience == 0 || free[i]-c.at <= o.Patience {
			count(&inTime, free[i])
		}
		if c.at >= begin && c.at < end {
			response += int64(free[i] - c.at)
		}
	}
	serveUntil := func(now time.Duration) { // waiting requests are served as workers become free
		for len(queue) > 0 && slices.Min(free) <= now {
			c, at := queue[0], slices.Min(free)
			queue = queue[1:]
			if at = max(at, c.at); o.Patience > 0 && at-c.at > o.Patience {
				count(&abandoned, c.at)
				continue
			}
			start(c, at)
		}
		for o.Patience > 0 && len(queue) > 0 && queue[0].at+o.Patience < now {
			count(&abandoned, queue[0].at)
			queue = queue[1:]
		}
	}
	// Requests arrive after the window until all that arrived in it have left the queue.
	lastMeasured := time.Duration(0)
	for {
		request, at := s.peek()
		serveUntil(at)
		if at < end {
			lastMeasured = at
		} else if open := slices.ContainsFunc(queue, func(c waiting) bool { return c.at <= lastMeasured }); !open {
			break
		}
		s.advance()
		count(&arrived, at)
		c := waiting{request, at}
		switch {
		case len(queue) == 0 && slices.Min(free) <= at:
			start(c, at)
		case o.QueueLimit >= 0 && len(queue) >= o.QueueLimit:
			count(&dropped, at)
		default:
			queue = append(queue, c)
		}
	}
	return fmt.Sprintf("%d arrived, %d served, %d dropped, %d abandoned, %d unfinished, %d completed, %d "+
		"in time, response %v",
		arrived, served, dropped, abandoned, 0, completed, inTime, response)
}

// lateWorld notices an arrival 3 ms late.
type lateWorld struct{ *live.World }

func (w lateWorld) Until(t *env.Task, at time.Duration) {
	if at > w.Now() {
		w.World.Until(t, at+3*ms)
	}
}

// runLate runs an open loop with bursts of four requests, 1 ms apart. The first request of each is noticed 3 ms late.
func runLate(t *testing.T, o Open) (r OpenResult) {
	t.Helper()
	if o.Workers, o.Window, o.Drain = 2, time.Second, time.Second; o.Op == nil {
		o.Op = sleepFor(10 * ms)
	}
	o.Arrivals = Arrivals{Gaps: []time.Duration{96 * ms, ms, ms, ms}}
	o.AtBegin, o.AtEnd = func() {}, func() {}
	synctest.Test(t, func(t *testing.T) {
		w := lateWorld{live.New(live.Config{})}
		root := env.NewTask(w, "load", func(e env.Env) {
			var err error
			if r, err = o.Run(e); err != nil {
				t.Error(err)
			}
		})
		root.Start()()
	})
	return r
}

// TestOpenNoticedLate checks bursts of four requests to two workers without a queue: two of each burst find an idle
// worker, however late they are noticed, and two do not.
func TestOpenNoticedLate(t *testing.T) {
	r := runLate(t, Open{QueueLimit: 0})
	if r.Arrived != 40 || r.Served != 20 || r.Dropped != 20 {
		t.Errorf("%+v", r)
	}
	if r.Response.Mean() != 12.5e6 || r.Service.Mean() != 10e6 { // 3 ms late, and 2
		t.Errorf("response %v ns, service %v ns", r.Response.Mean(), r.Service.Mean())
	}
	if r.Lag.Mean() != 1.5e6 || r.Lag.Count() != 40 { // 3, 2, 1 and 0 ms
		t.Errorf("%d lags of %v ns, want 40 of 1.5 ms", r.Lag.Count(), r.Lag.Mean())
	}
}

// TestOpenLateIsNoLossOfPatience checks that a request is not abandoned because the loop noticed it late.
func TestOpenLateIsNoLossOfPatience(t *testing.T) {
	r := runLate(t, Open{QueueLimit: -1, Patience: ms / 2})
	if r.Arrived != 40 || r.Served != 20 || r.Abandoned != 20 {
		t.Errorf("%+v", r)
	}
}

// TestOpenMM1 holds the mean response of one exponential server to the closed form S / (1 - rho)
// (Kleinrock, Queueing Systems 1, 3.2).
func TestOpenMM1(t *testing.T) {
	r := runOpen(t, Open{Workers: 1, Arrivals: Arrivals{Kind: Poisson, Rate: 70}, QueueLimit: -1,
		Warmup: 10 * time.Second,
		Window: 1000 * time.Second, Drain: time.Hour,
		Op: func(e env.Env, request uint64) {
			d := e.Rand().At(request, 1)
			e.Sleep(time.Duration(d.Exp() * 10e6))
		}})
	// 70,000 correlated responses: the standard error is about 1.5 %.
	if want := 10e6 / (1 - 0.7); math.Abs(r.Response.Mean()/want-1) > 0.06 {
		t.Errorf("mean response %.3g ns, want %.3g", r.Response.Mean(), want)
	}
}

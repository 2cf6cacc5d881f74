package load

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
)

// transmit sends requests at their times, and receives each reply after its service time.
func transmit(service func(request uint64) time.Duration) Transmission {
	return func(e env.Env, request uint64, at time.Duration) (sent, received time.Duration, ok bool) {
		e.Until(at)
		sent = e.Now()
		e.Sleep(service(request))
		return sent, e.Now(), true
	}
}

// TestSend: what a request needs before it is sent, and after its reply came, is in no response time.
func TestSend(t *testing.T) {
	const prepare, service, notice = ms / 2, 5 * ms, 3 * ms
	o := Open{Remote: true, Workers: 3, Arrivals: Arrivals{Kind: Constant, Rate: 100}, QueueLimit: -1,
		Window: time.Second, Drain: time.Second}
	o.Send = func(e env.Env, request uint64, at time.Duration) (sent, received time.Duration, ok bool) {
		if now := e.Now(); now != at-longestPassing {
			t.Errorf("request %d, of %v, is sent at %v", request, at, now)
		}
		e.Sleep(prepare)
		e.Until(at)
		sent = e.Now()
		e.Sleep(service)
		received = e.Now()
		e.Sleep(notice)
		return sent, received, request%10 > 0
	}
	r := runOpen(t, o)
	if r.Served != 90 || r.Failed != 10 || r.Failing != 10*service || r.Waited != 0 || r.Lag.Count() != 100 ||
		r.Lag.Mean() != 0 || r.Service.Mean() != float64(service) || r.Response.Mean() != float64(service) {
		t.Errorf("service %v ns, response %v ns, lag %v ns: %+v", r.Service.Mean(), r.Response.Mean(), r.Lag.Mean(), r)
	}

	// A worker that has not noticed its last reply is not free for the next request.
	o.Workers, o.Arrivals.Rate, o.Window = 1, 1000, 10*ms
	o.Send = func(e env.Env, _ uint64, at time.Duration) (sent, received time.Duration, ok bool) {
		e.Until(at)
		sent = e.Now()
		e.Sleep(2 * ms)
		return sent, sent + ms/2, true
	}
	if r = runOpen(t, o); r.Waited != 9 || r.Lag.Count() != 1 || r.Service.Mean() != 0.5e6 || r.Response.Mean() != 5e6 {
		t.Errorf("response %v ns: %+v", r.Response.Mean(), r)
	}
}

// TestSendDisorder: times of Send in an impossible order end the run with an error.
func TestSendDisorder(t *testing.T) {
	for name, x := range map[string]struct{ sent, received time.Duration }{
		"sent too early":      {-ms, 0},
		"received before":     {0, -1},
		"received in future":  {0, time.Hour},
		"sent after received": {time.Hour, 0},
	} {
		o := Open{Remote: true, Workers: 3, Arrivals: Arrivals{Kind: Constant, Rate: 100}, QueueLimit: -1,
			Window: time.Second, Drain: time.Second, AtBegin: func() {}, AtEnd: func() {}}
		o.Send = func(e env.Env, request uint64, at time.Duration) (sent, received time.Duration, ok bool) {
			e.Until(at)
			if now := e.Now(); request != 50 {
				return now, now, true
			}
			return at + x.sent, at + x.received, true
		}
		synctest.Test(t, func(t *testing.T) {
			env.NewTask(live.New(live.Config{}), "load", func(e env.Env) {
				if _, err := o.Run(e); err == nil || !strings.HasPrefix(err.Error(), "request 50 was to be sent at ") {
					t.Errorf("%s: %v", name, err)
				}
			}).Start()()
		})
	}
}

// TestPassing: requests that are rare are prepared early, and others keep few workers.
func TestPassing(t *testing.T) {
	send := transmit(func(uint64) time.Duration { return 0 })
	for _, c := range []struct {
		rate   float64
		send   Transmission
		remote bool
		want   time.Duration
	}{
		{10, send, true, longestPassing}, {2500, send, true, 8 * ms / 10}, {5000, send, true, shortestPassing},
		{5001, send, true, remotePassing}, {10, nil, true, remotePassing}, {10, nil, false, 0},
	} {
		gaps := []time.Duration{time.Duration(1e9 / c.rate)}
		for _, a := range []Arrivals{{Kind: Poisson, Rate: c.rate}, {Gaps: gaps}} {
			r := openRun{Open: &Open{Remote: c.remote, Send: c.send, Arrivals: a}}
			if r.setPassing(); r.passing/time.Microsecond != c.want/time.Microsecond {
				t.Errorf("%v requests a second: %v, want %v", c.rate, r.passing, c.want)
			}
		}
	}
}

// slowWorld wakes each goroutine 0.7 ms late, except for a time that is near.
type slowWorld struct{ *live.World }

func (w slowWorld) Wait(t *env.Task, d time.Duration) {
	if d > 0 {
		w.World.Wait(t, d+7*ms/10)
	}
}

// TestLateTimers: timers that are 0.7 ms late delay no request, neither one that is prepared 0.8 ms early, nor one that
// is not prepared early.
func TestLateTimers(t *testing.T) {
	for _, rate := range []float64{100, 2500, 6000} {
		o := Open{Remote: true, Workers: 400, Arrivals: Arrivals{Kind: Constant, Rate: rate}, QueueLimit: -1,
			Window: time.Second, Drain: time.Second, AtBegin: func() {}, AtEnd: func() {},
			Send: transmit(func(uint64) time.Duration { return 30 * ms })}
		synctest.Test(t, func(t *testing.T) {
			env.NewTask(slowWorld{live.New(live.Config{})}, "load", func(e env.Env) {
				r, err := o.Run(e)
				if err != nil || r.Served != int64(rate) || r.Lag.Mean() != 0 || r.Response.Mean() != 30e6 {
					t.Errorf("%v a second: %v; lag %v ns, response %v ns", rate, err, r.Lag.Mean(), r.Response.Mean())
				}
			}).Start()()
		})
	}
}

package trial

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/hist"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

// flaky returns a design whose requests take 10 ms, and of which every fail-th fails.
func flaky(fail uint64, check error) workload.Design {
	return workload.Design{Name: "flaky", Remote: true, Stream: func(env.Env, plan.Point) (workload.Stream, error) {
		return workload.Stream{
			Try: func(e env.Env, request uint64) bool {
				e.Wait(10 * time.Millisecond)
				return request%fail > 0
			},
			Check: func(uint64) (workload.Answer, error) { return nil, check },
			Metrics: func() map[string]float64 {
				return map[string]float64{"errors_reset": 3, "errors_body": 2, "error_share": 7}
			},
		}, nil
	}}
}

// virtually runs a trial of a design in virtual time.
func virtually(d workload.Design, workers int, open *OpenLoad) result.Trial {
	spec := Spec{Seed: 1, Duration: 10 * time.Second, Open: open,
		Point: plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)},
			plan.Setting{Factor: "workers", Level: plan.IntLevel(workers)})}
	return Simulate(spec, &workload.Workload{Name: "test"}, d, sim.Costs{}).Trial
}

// TestFailedRequests: one of five requests fails, and is infinite in the quantiles and not in the rates.
func TestFailedRequests(t *testing.T) {
	closed := virtually(flaky(5, nil), 2, nil)
	open := virtually(flaky(5, nil), 20, &OpenLoad{Rate: 100})
	for kind, x := range map[string]result.Trial{"latency": closed, "response": open} {
		m := x.Metrics
		if x.Status != result.OK || math.Abs(float64(m.Get(result.ErrorShare))-0.2) > 0.01 || x.Period != nil ||
			len(x.Warnings) == 0 ||
			!strings.HasPrefix(x.Warnings[0], "requests failed, most by reset (metric errors_reset): ") {
			t.Errorf("%s: %+v", kind, x)
		}
		failed := float64(m.Get(result.FailedRequests))
		want := map[string]float64{"latency": 2000, "response": 1000}[kind]
		if got := failed + float64(x.Operations); math.Abs(got/want-1) > 0.1 || math.Abs(failed/got-0.2) > 0.01 {
			t.Errorf("%s: %v failed, %d operations", kind, failed, x.Operations)
		}
		if m.Get(kind+"_p75_ns") != 10e6 || !math.IsInf(float64(m.Get(kind+"_p90_ns")), 1) ||
			m.Get(kind+"_mean_ns") != 10e6 {
			t.Errorf("%s: p75 %v, p90 %v, mean %v", kind, m.Get(kind+"_p75_ns"), m.Get(kind+"_p90_ns"),
				m.Get(kind+"_mean_ns"))
		}
		if m.Get("errors_reset") != 3 {
			t.Errorf("%s: own metrics %v", kind, m)
		}
	}
	if rate := float64(closed.Metrics.Get(result.Throughput)); rate != 159.8 || closed.Progress != 1600 {
		t.Errorf("throughput %v, progress %v", rate, closed.Progress)
	}
	lost, share := open.Metrics.Get(result.LostShare), open.Metrics.Get(result.ErrorShare)
	if lost != share || open.Metrics.Get(result.Goodput) > 90 || open.Metrics.Get(result.WaitedShare) != 0 {
		t.Errorf("%v lost, %v failed: %v", lost, share, open.Metrics)
	}

	wrong := virtually(flaky(5, errors.New("status 500")), 2, nil)
	share = wrong.Metrics.Get(result.ErrorShare)
	if _, has := wrong.Metrics["errors_reset"]; wrong.Status != result.Wrong || has ||
		wrong.Metrics.Get(result.Throughput).Known() || math.Abs(float64(share)-0.2) > 0.01 {
		t.Errorf("%+v", wrong)
	}
	none := virtually(flaky(1, errors.New("refused")), 2, nil)
	if want := "all requests within the window failed; refused"; none.Status != result.Failed || none.Error != want {
		t.Errorf("%+v", none)
	}
}

// TestResent: a trial has a warning if many requests were sent again, because these failures are not counted.
func TestResent(t *testing.T) {
	for resent, want := range map[float64]string{0: "", 19: "", 700: "about 30% of the requests were sent again"} {
		d := workload.Design{Name: "d", Remote: true, Stream: func(env.Env, plan.Point) (workload.Stream, error) {
			return workload.Stream{
				Try:     func(e env.Env, _ uint64) bool { e.Wait(10 * time.Millisecond); return true },
				Metrics: func() map[string]float64 { return map[string]float64{"resent": resent} },
			}, nil
		}}
		x := virtually(d, 2, nil) // 2000 requests
		if got := strings.Join(x.Warnings, "\n"); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%v: %q", resent, x.Warnings)
		}
	}
}

// TestOpAndTry: a stream has one of both.
func TestOpAndTry(t *testing.T) {
	for _, s := range []workload.Stream{{}, {Op: func(env.Env, uint64) {},
		Try: func(env.Env, uint64) bool { return true }}} {
		d := workload.Design{Name: "d", Stream: func(env.Env, plan.Point) (workload.Stream, error) { return s, nil }}
		if x := virtually(d, 1, nil); x.Status != result.Failed || !strings.Contains(x.Error, "either Op or Try") {
			t.Errorf("%+v", x)
		}
	}
}

// TestSendAlone: only a stream of a remote design that may fail sends requests at their times.
func TestSendAlone(t *testing.T) {
	send := func(env.Env, uint64, time.Duration) (_, _ time.Duration, ok bool) { return 0, 0, true }
	for _, d := range []workload.Design{{Remote: true}, {}} {
		s := workload.Stream{Op: func(env.Env, uint64) {}, Send: send}
		if !d.Remote {
			s.Op, s.Try = nil, func(env.Env, uint64) bool { return true }
		}
		d.Name, d.Stream = "d", func(env.Env, plan.Point) (workload.Stream, error) { return s, nil }
		if x := virtually(d, 1, nil); x.Status != result.Failed || !strings.Contains(x.Error, "has Send") {
			t.Errorf("%+v", x)
		}
	}
}

// TestSendInOpenLoops: an open loop sends requests at their times, and a closed loop does not.
func TestSendInOpenLoops(t *testing.T) {
	d := workload.Design{Name: "d", Remote: true, Stream: func(env.Env, plan.Point) (workload.Stream, error) {
		return workload.Stream{
			Try: func(e env.Env, _ uint64) bool { e.Wait(10 * time.Millisecond); return true },
			Send: func(e env.Env, _ uint64, at time.Duration) (sent, received time.Duration, ok bool) {
				e.Until(at)
				e.Wait(7 * time.Millisecond)
				return at, at + 5*time.Millisecond, true
			},
		}, nil
	}}
	if x := virtually(d, 20, &OpenLoad{Rate: 50}); x.Metrics.Get("response_max_ns") != 5e6 {
		t.Errorf("open loop: %+v", x)
	}
	if x := virtually(d, 20, nil); x.Metrics.Get("latency_max_ns") != 10e6 {
		t.Errorf("closed loop: %+v", x)
	}
}

// TestBusyPool: four requests arrive while a worker is busy, so that most wait for it.
func TestBusyPool(t *testing.T) {
	x := virtually(flaky(1000, nil), 1, &OpenLoad{Rate: 80})
	share := float64(x.Metrics.Get(result.WaitedShare))
	if want := "all 1 workers were busy when about 80% of the requests arrived"; math.Abs(share-0.8) > 0.05 ||
		!strings.Contains(strings.Join(x.Warnings, "\n"), want) {
		t.Errorf("%v waited: %q", share, x.Warnings)
	}
	x = virtually(flaky(1000, nil), 20, &OpenLoad{Rate: 80})
	if strings.Contains(strings.Join(x.Warnings, ""), "busy") {
		t.Errorf("no request waits: %q", x.Warnings)
	}
}

// TestSlowResponses: responses of 2 s without a warm-up. In the window of 10 s, 200 requests more arrive than end,
// although none waits. One worker that takes 20 ms for each lets the queue grow.
func TestSlowResponses(t *testing.T) {
	wait := func(d time.Duration) workload.Design {
		return workload.Design{Name: "slow", Remote: true, Stream: func(env.Env, plan.Point) (workload.Stream, error) {
			return workload.Stream{Op: func(e env.Env, _ uint64) { e.Wait(d) }}, nil
		}}
	}
	for _, d := range []time.Duration{500 * time.Millisecond, 2 * time.Second, 9 * time.Second} {
		for _, ends := range []bool{false, true} {
			x := virtually(wait(d), 1000, &OpenLoad{Rate: 100, Ends: ends})
			if x.Unstable || x.Metrics.Get("response_p50_ns") != result.Value(d) {
				t.Errorf("%v: %+v", d, x)
			}
			// Of requests that end after the window, the throughput has none.
			if warned := strings.Contains(strings.Join(x.Warnings, ""), "ended after the window"); warned !=
				(ends && d > time.Second) {
				t.Errorf("%v, ends %t: %q", d, ends, x.Warnings)
			}
		}
	}
	if x := virtually(wait(20*time.Millisecond), 1, &OpenLoad{Rate: 100}); !x.Unstable {
		t.Errorf("a worker for 50 of 100 requests a second: %+v", x)
	}
}

// TestBusyWithFailures: failed requests keep workers busy too. Half of the requests take 30 ms and fail, so that with
// 10 ms for the others the mean is 20 ms.
func TestBusyWithFailures(t *testing.T) {
	l := &load.OpenResult{Arrived: 100, Service: hist.New(), Failed: 50, Failing: 1500 * time.Millisecond}
	for range 50 {
		l.Service.Record(10e6)
	}
	for rate, want := range map[float64]bool{99: false, 101: true} {
		if got := unstable(rate, 0, &load.Open{Workers: 2, QueueLimit: 5}, l); got != want {
			t.Errorf("%v a second: unstable %t", rate, got)
		}
	}
}

// TestRemoteLateness: an invalid trial of a remote design names its own reason.
func TestRemoteLateness(t *testing.T) {
	m := &measurement{design: workload.Design{Remote: true}}
	local := &measurement{}
	if !strings.Contains(m.lateError(), "although a worker was idle") ||
		!strings.Contains(local.lateError(), "noticed late while no request was in service") {
		t.Errorf("%q, %q", m.lateError(), local.lateError())
	}
}

// TestRemoteLive measures a remote design on the Go runtime. If the machine stalls, the trial must be invalid.
func TestRemoteLive(t *testing.T) {
	spec := Spec{Seed: 1, Duration: 200 * time.Millisecond, BurnRate: 1, Open: &OpenLoad{Rate: 500},
		Point: plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)},
			plan.Setting{Factor: "workers", Level: plan.IntLevel(200)},
			plan.Setting{Factor: "arrivals", Level: plan.TextLevel(load.Constant)})}
	x := measure(spec, &workload.Workload{Name: "test"}, flaky(5, nil)).Trial
	m := x.Metrics
	switch {
	case m.Get("arrived") != 100:
		t.Errorf("%+v", x)
	case m.Get("unfinished") > 0: // a long stall
	case m.Get(result.FailedRequests) != 20 || m.Get(result.ErrorShare) != 0.2:
		t.Errorf("%+v", x)
	case x.Invalid && strings.Contains(x.Error, "although a worker was idle"), x.Unstable:
	case x.Status != result.OK || m.Get("errors_reset") != 3 || m.Get("response_min_ns") < 10e6 ||
		!m.Get(result.WaitedShare).Known():
		t.Errorf("%+v", x)
	}
}

// TestNoPeriod: a stream whose requests can fail has no period, because its series does not know which ones failed.
func TestNoPeriod(t *testing.T) {
	op := func(e env.Env, _ uint64) { e.Wait(10 * time.Millisecond) }
	for _, s := range []workload.Stream{{Op: op}, {Try: func(e env.Env, request uint64) bool {
		op(e, request)
		return true
	}}} {
		d := workload.Design{Name: "d", Stream: func(env.Env, plan.Point) (workload.Stream, error) { return s, nil }}
		spec := Spec{Seed: 1, Warmup: time.Second, Duration: time.Second, Point: plan.NewPoint(
			plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)},
			plan.Setting{Factor: "workers", Level: plan.IntLevel(2)})}
		x := Simulate(spec, &workload.Workload{Name: "test"}, d, sim.Costs{}).Trial
		if (x.Period != nil) != (s.Op != nil) {
			t.Errorf("period %v with Op %t", x.Period, s.Op != nil)
		}
	}
}

// TestRequestsFailed: only a trial in which too many requests failed may fare better if it is repeated.
func TestRequestsFailed(t *testing.T) {
	other := errors.New("out of milk")
	requests, ended := workload.FailedError{Err: other, Requests: true}, workload.FailedError{Err: other}
	for name, x := range map[string]struct {
		status           result.Status
		err, left, check error
		want             bool
	}{
		"too many":                        {result.Failed, nil, nil, requests, true},
		"all":                             {result.Failed, load.ErrAllFailed, nil, requests, true},
		"all, as allowed":                 {result.Failed, load.ErrAllFailed, nil, nil, true},
		"all, and the server ended":       {result.Failed, load.ErrAllFailed, nil, ended, false},
		"all, and a reply was wrong":      {result.Failed, load.ErrAllFailed, nil, other, false},
		"the load failed":                 {result.Failed, other, nil, requests, false},
		"goroutines are left":             {result.Failed, nil, other, requests, false},
		"a reply was wrong":               {result.Wrong, nil, nil, other, false},
		"an assertion failed meanwhile":   {result.Violated, nil, nil, requests, false},
		"none":                            {result.OK, nil, nil, nil, false},
		"something else, without a check": {result.Failed, nil, nil, nil, false},
	} {
		m := &measurement{trial: result.Trial{Status: x.status}, checkErr: x.check}
		if m.requestsFailed(x.err, x.left) != x.want {
			t.Errorf("%s: %v", name, !x.want)
		}
	}
}

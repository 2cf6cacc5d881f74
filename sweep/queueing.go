package sweep

import (
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/model"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// mostDeterministic is the coefficient of variation below which a service counts as deterministic.
const maxDeterministicCV = 0.05

// mostLost is the share of customers that may be lost where a formula without losses is shown, mostLoaded the
// load up to which it is: beyond, the response depends on the load's last digit.
const (
	maxLost = 0.01
	maxLoad = 0.95
)

// The formulas are of one service after the other. Go takes a CPU from a goroutine that has had it for a slice
// (runtime.forcePreemptNS) and lets the others have theirs, so that throughput says that one is in service at a
// time, and yet longer services take turns. Shorter ones do where one ends within a slice that another began: that
// shows in how long they take. mostLonger is how much longer that may be than for a worker who is alone: not all of
// it is turns, since a CPU that was idle is slow at first.
const (
	timeSlice   = 10e6 // ns
	maxSlowdown = 1.5
)

// longEnough is how many times as long as the queue takes to forget its beginning a window must be for the
// mean in it to be compared with that of a queue that has run for ever. The mean wait is then short by up to
// 1/40, because the queue began empty, and that of one trial differs from the others' with a coefficient of variation
// of sqrt(1/10): see relaxation.
const minRelaxations = 20

// predict adds what queueing theory says of the response, where it applies: one request in service at a
// time, Poisson arrivals, hardly a loss, and a window that is long. Where requests take turns, or the window is too
// short, the value is unavailable, and the trial has the service of one worker, or the window that would do.
func (s *Sweep) addModelResponse(t *result.Trial, c plan.Case, o *trial.OpenLoad) {
	a := s.capacityOf(c).Solo
	poisson := !c.Point.Has("arrivals") || c.Point.Text("arrivals") == load.Poisson
	if o == nil || a == nil || o.Rate*a.Mean > maxLoad*1e9 || !poisson || !t.Good() || t.Unstable {
		return
	}
	if float64(t.Metrics.Get(result.LostShare)) > maxLost {
		return
	}
	name, sd := result.ModelMG1, a.SD
	if a.SD < maxDeterministicCV*a.Mean {
		name, sd = result.ModelMD1, 0
	}
	if need := minRelaxations * relaxation(o.Rate/1e9, a.Mean, sd); float64(s.Header.Settings.Duration) < need {
		t.Metrics[name], t.Metrics[result.ModelWindow] = result.Unavailable, result.Value(need)
		return
	}
	if c.Point.Int("workers") > 1 && (float64(t.Metrics.Get("service_mean_ns")) > maxSlowdown*a.Mean || a.Mean > timeSlice) {
		t.Metrics[name], t.Metrics[result.ModelAlone] = result.Unavailable, result.Value(a.Mean)
		return
	}
	if seconds, ok := model.MG1Response(o.Rate, a.Mean/1e9, sd/1e9); ok {
		t.Metrics[name] = result.Value(seconds * 1e9)
	}
}

// relaxation is the time in which the queue of one server forgets where it began: near saturation its unfinished
// work moves as a reflected Brownian motion, whose unit of time is variance over drift squared, rate E[S^2] /
// (1 - rate S)^2 (Whitt, Planning queueing simulations, Management Science 35, 1989). A mean over T such units
// that begins empty is short by 1/(2T), and has the variance 2/T, of its limit and that squared.
func relaxation(rate, mean, sd float64) float64 {
	idle := 1 - rate*mean
	return rate * (mean*mean + sd*sd) / (idle * idle)
}

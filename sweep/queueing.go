package sweep

import (
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/model"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// maxDeterministicCV is the coefficient of variation up to which a service time counts as deterministic.
const maxDeterministicCV = 0.05

// maxLost is the largest fraction of lost requests at which a formula without losses is shown. maxLoad is the
// largest load: near saturation, the response time depends on the last digit of the load.
const (
	maxLost = 0.01
	maxLoad = 0.95
)

// The formulas hold for a single server that serves one request at a time. Go preempts a goroutine after a time
// slice (runtime.forcePreemptNS), so longer services share the CPU by round robin, although throughput shows one
// server. Shorter services are preempted if they start within another's slice, and then take longer. maxSlowdown is
// the largest tolerated ratio of mean service time to that of a single worker. It is well above 1 because a CPU
// that was idle is slow at first.
const (
	timeSlice   = 10e6 // ns
	maxSlowdown = 1.5
)

// minRelaxations is the least length of a window in relaxation times of the queue; see relaxation. Only then is a
// mean compared with that of a stationary queue. At 20, the mean wait is too short by up to 1/40, because the queue
// began empty, and has a coefficient of variation of sqrt(1/10) between trials.
const minRelaxations = 20

// addModelResponse adds the response time that queueing theory gives, if its conditions hold: one request in
// service at a time, Poisson arrivals, few losses and a long window. If requests share the CPU the value is
// unavailable, and the trial records the service time of a single worker. If the window is too short it is
// unavailable, and the trial records the window needed.
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

	if c.Point.Int("workers") > 1 && (float64(t.Metrics.Get("service_mean_ns")) > maxSlowdown*a.Mean ||
		a.Mean > timeSlice) {
		t.Metrics[name], t.Metrics[result.ModelAlone] = result.Unavailable, result.Value(a.Mean)
		return
	}

	if seconds, ok := model.MG1Response(o.Rate, a.Mean/1e9, sd/1e9); ok {
		t.Metrics[name] = result.Value(seconds * 1e9)
	}
}

// relaxation returns the relaxation time of a single-server queue. Near saturation its unfinished work is a reflected
// Brownian motion, whose time unit is variance over drift squared, rate E[S^2] / (1 - rate S)^2 (Whitt, Planning
// queueing simulations, Management Science 35, 1989). A mean over T such units from an empty queue is short by 1/(2T)
// of its limit, and its variance is 2/T of the limit squared.
func relaxation(rate, mean, sd float64) float64 {
	idle := 1 - rate*mean
	return rate * (mean*mean + sd*sd) / (idle * idle)
}

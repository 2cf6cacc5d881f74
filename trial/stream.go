package trial

import (
	"errors"
	"math"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/hist"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// stream measures a stream under load.
func (m *measurement) stream(e env.Env) error {
	s, err := m.design.Stream(e, m.spec.Point)
	switch {
	case err != nil:
		return err
	case (s.Op == nil) == (s.Try == nil):
		return errors.New("the design's stream must have either Op or Try")
	case s.Send != nil && (s.Try == nil || !m.design.Remote):
		return errors.New("the design's stream has Send: it must also have Try, and the design must be Remote")
	}
	m.fallible = s.Try != nil
	run := m.closedLoop
	if m.spec.Open != nil {
		run = m.openLoop
	}

	m.collectGarbage()
	total, window, loadErr := run(e, s)

	if s.Close != nil {
		s.Close(e)
	}
	answer, wrong := checkAnswer(s.Check, total)
	m.trial.Answer, m.checkErr = answer, wrong
	m.addOwnMetrics(s.Metrics)
	m.warnFailed()
	m.checkResent(total)
	if loadErr != nil {
		return loadErr
	}

	if m.spec.Operations == 0 {
		m.checkCoverage(window)
	}
	return nil
}

// span is the window of a load, and the end of the load, in the time of the world.
type span struct{ opened, closed, ended time.Duration }

const (
	minCovered   = 0.95 // share of the window that the counters must cover
	maxReadDelay = 0.02 // share of the window by which they may be read after the end of the load
)

// checkCoverage checks that the counters cover the window: not only a part of it, nor much time after the load.
func (m *measurement) checkCoverage(w span) {
	window := (w.closed - w.opened).Seconds()
	covered := (min(m.ended.at, w.closed) - max(m.began.at, w.opened)).Seconds() / window
	late := (m.ended.at - max(w.closed, w.ended)).Seconds() / window
	switch {
	case covered < minCovered:
		m.warn("the counters cover %.0f%% of the window: CPU time, parallelism and resources are unknown; use a "+
			"longer duration", 100*max(0, covered))
	case late > maxReadDelay:
		m.warn("the counters were read more than 2%% of the window after the load ended: CPU time, parallelism and " +
			"resources are unknown")
	default:
		return
	}
	m.uncovered = true
}

// checkAnswer calls the check of a design, if it has one.
func checkAnswer(check func(uint64) (workload.Answer, error), operations int64) (workload.Answer, error) {
	if check == nil {
		return workload.Answer{}, nil
	}
	a, err := check(uint64(operations))
	if a == nil {
		a = workload.Answer{}
	}
	return a, err
}

// closedLoop runs a closed loop. It returns the number of all operations, and the window.
func (m *measurement) closedLoop(e env.Env, s workload.Stream) (total int64, window span, err error) {
	loop := load.Closed{
		Op: s.Op, Try: s.Try, Remote: m.design.Remote, Workers: m.spec.Point.Int("workers"),
		Warmup: m.spec.Warmup, Window: m.spec.Duration,
		Operations: m.spec.Operations, Sample: m.spec.Sample,
		AtBegin: m.begin, AtEnd: m.end,
	}
	if v, ok := m.world.(*virtual.World); ok {
		loop.Note, loop.At, loop.OneByOne = m.startSeries(e, v), v.At, true
	}
	l, err := loop.Run(e)
	window = span{l.Closed - l.Window, l.Closed, l.Last}
	if err != nil {
		return l.Total, window, err
	}
	m.count(l.Inside, l.Window)
	m.trial.Progress, m.total = l.Progress, l.Total
	m.set("concurrency", l.Concurrency)
	m.countFailed(l.Failed, l.Inside)
	if l.Latency.Count() == 0 {
		m.warn("no operation was timed, so there are no latencies: one in %d is timed, and each worker completed "+
			"fewer; sample more often", m.spec.Sample)
	}
	err = m.distribution("latency", l.Latency, l.Failed)
	m.settle("latency", l.Failed)
	return l.Total, window, err
}

// openLoop runs an open loop. It returns what closedLoop returns.
func (m *measurement) openLoop(e env.Env, s workload.Stream) (total int64, window span, err error) {
	p, offered := m.spec.Point, m.spec.Open
	m.set(result.Rate, result.Value(offered.Rate))
	loop := load.Open{
		Op: s.Op, Try: s.Try, Send: s.Send, Remote: m.design.Remote, Workers: p.Int("workers"),
		Arrivals:   load.Arrivals{Kind: load.Poisson, Rate: offered.Rate, Gaps: offered.Gaps},
		QueueLimit: -1,
		Warmup:     m.spec.Warmup, Window: m.spec.Duration, Drain: m.spec.Duration, Ends: offered.Ends,
		AtBegin: m.begin, AtEnd: m.end,
	}
	if p.Has("patience") {
		loop.Patience = p.Duration("patience")
	}
	if p.Has("queue-limit") {
		loop.QueueLimit = p.Int("queue-limit")
	}
	if p.Has("arrivals") && offered.Gaps == nil {
		loop.Arrivals.Kind = p.Text("arrivals")
	}
	if v, ok := m.world.(*virtual.World); ok {
		loop.Note, loop.At = m.startSeries(e, v), v.At
	}
	if err := loop.Validate(); err != nil {
		return 0, span{}, err
	}
	l, err := loop.Run(e)
	window = span{l.Closed - l.Window, l.Closed, l.Closed}
	if err != nil {
		return l.Total, window, err
	}
	lost := m.countOpen(&l)
	rate := offered.arrivalRate(&l)
	m.set(result.OfferedLoad, result.Unavailable)
	if offered.Capacity > 0 {
		m.set(result.OfferedLoad, result.Value(rate/offered.Capacity))
	}
	m.trial.Unstable = unstable(rate, offered.Capacity, &loop, &l)
	if err := m.distribution("service", l.Service, l.Failed); err != nil {
		return l.Total, window, err
	}
	if err := m.distribution("response", l.Response, lost); err != nil {
		return l.Total, window, err
	}
	m.settle("response", lost)
	if m.trial.Unstable {
		m.dropResponse()
		return l.Total, window, nil
	}
	m.checkLag(&l)
	m.checkPool(&l, loop.Workers)
	m.checkEnd(&l)
	return l.Total, window, nil
}

// countOpen records what became of the requests, and returns the number of lost ones.
func (m *measurement) countOpen(l *load.OpenResult) (lost int64) {
	m.count(l.Completed, l.Window)
	m.total = l.Total
	seconds := l.Window.Seconds()
	lost = l.Arrived - l.Served
	m.set("offered_per_s", result.Value(float64(l.Arrived)/seconds))
	m.set(result.Goodput, result.Value(float64(l.InTime)/seconds))
	m.set("arrived", result.Value(l.Arrived))
	m.set(result.Dropped, result.Value(l.Dropped))
	m.set(result.Abandoned, result.Value(l.Abandoned))
	m.set("unfinished", result.Value(l.Unfinished))
	m.countFailed(l.Failed, l.Served)
	m.set(result.LostShare, result.Value(float64(lost)/float64(l.Arrived)))
	return lost
}

// arrivalRate returns the rate of arrivals in the window, per second. For recorded arrivals it counts those in
// the window, because their mean says little about a part of the file.
func (o *OpenLoad) arrivalRate(l *load.OpenResult) float64 {
	if o.Gaps != nil {
		return float64(l.Arrived) / l.Window.Seconds()
	}
	return o.Rate
}

// unstable reports whether requests arrive faster than the design can serve them. Then the queue grows as long
// as the load lasts, so response times depend on the length of the load; or requests are lost, so response
// times depend on the queue limit.
//
// A growing queue is evidence if it grew by more than four standard deviations of Poisson arrivals, plus what a
// queue near saturation varies by itself. It must grow in both halves of the window; otherwise a single stall of the
// machine or one burst of arrivals would be enough. If the capacity is unknown and requests give up, the loss decides:
// beyond capacity, but not below, serving them all would keep more workers busy than there are.
func unstable(rate, capacity float64, loop *load.Open, l *load.OpenResult) bool {
	grew := func(backlog, arrived int64) bool {
		n := float64(arrived)
		return float64(backlog) > 4*math.Sqrt(n)+n/50
	}
	first := l.First - startUp(rate, loop, l, loop.Window/2)
	all := l.Backlog - startUp(rate, loop, l, loop.Window)
	switch {
	case capacity > 0 && rate > capacity,
		grew(first, l.FirstArrived) && grew(all-first, l.Arrived-l.FirstArrived):
		return true
	case capacity > 0:
		return false
	case loop.QueueLimit >= 0 || loop.Patience > 0:
		return rate*meanService(l)/1e9 > float64(loop.Workers)
	}
	return false
}

// startUp returns by how many the requests in service grow in the first part of a window, even if none waits: no
// response ends before the shortest service time. So responses longer than the warm-up are no growth of the queue.
func startUp(rate float64, loop *load.Open, l *load.OpenResult, part time.Duration) int64 {
	shortest, _ := l.Service.Quantile(0)
	longer := min(shortest/1e9-loop.Warmup.Seconds(), part.Seconds())
	return int64(min(rate*max(0, longer), float64(loop.Workers)))
}

// dropResponse removes the response times of an unstable trial.
func (m *measurement) dropResponse() {
	m.set("response_mean_ns", result.Unavailable)
	m.set("response_sd_ns", result.Unavailable)
	for _, q := range result.Quantiles {
		m.set("response_"+q.Name+"_ns", result.Unavailable)
	}
}

// count records the operations that ended inside the window.
func (m *measurement) count(operations int64, window time.Duration) {
	m.operations = operations
	m.trial.Operations = operations
	m.trial.WallSeconds = window.Seconds()
	m.set(result.Throughput, result.Value(float64(operations)/window.Seconds()))
}

// distribution adds the mean, the standard deviation, the quantiles and the histogram of recorded times. Lost
// requests count as infinite in the quantiles, and not at all in the mean.
func (m *measurement) distribution(of string, h *hist.Histogram, lost int64) error {
	mean, sd := result.Unavailable, result.Unavailable
	if h.Count() > 0 {
		mean, sd = result.Value(h.Mean()), result.Value(h.StdDev())
	}
	m.set(of+"_mean_ns", mean)
	m.set(of+"_sd_ns", sd)
	for _, q := range result.Quantiles {
		v, ok := h.QuantileOf(q.Q, lost)
		if !ok {
			v = math.NaN()
		}
		m.set(of+"_"+q.Name+"_ns", result.Value(v))
	}
	blob, err := h.Encode()
	if m.histograms == nil {
		m.histograms = map[string][]byte{}
	}
	m.histograms[of] = blob
	return err
}

package trial

import (
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/result"
)

// countFailed records the failed requests of the window, if the design's requests can fail.
func (m *measurement) countFailed(failed, succeeded int64) {
	if !m.fallible {
		return
	}
	m.set(result.FailedRequests, result.Value(failed))
	m.set(result.ErrorShare, result.Value(float64(failed)/float64(failed+succeeded)))
}

// warnFailed warns of failed requests, and names the most frequent kind if the design counts kinds.
func (m *measurement) warnFailed() {
	if !(m.trial.Metrics.Get(result.FailedRequests) > 0) {
		return
	}
	most, metric, largest := "", result.FailedRequests, result.Value(0)
	for _, name := range slices.Sorted(slices.Values(m.ownMetrics)) {
		kind, ok := strings.CutPrefix(name, "errors_")
		if n := m.trial.Metrics.Get(name); ok && n > largest {
			most, metric, largest = ", most by "+kind, name, n
		}
	}
	m.warn("requests failed%s (metric %s): they count as infinitely slow in quantiles, and not in the throughput", most,
		metric)
}

// meanService returns the mean service time in nanoseconds of all requests that were served, also of those that failed.
func meanService(l *load.OpenResult) float64 {
	return (float64(l.Service.Sum()) + float64(l.Failing)) / float64(l.Service.Count()+l.Failed)
}

// minWaited is the share of requests that found all workers busy from which on a trial has a warning.
const minWaited = 0.01

// checkPool warns if requests waited for a worker of a remote design. Its servers could have served them.
func (m *measurement) checkPool(l *load.OpenResult, workers int) {
	if !m.design.Remote {
		return
	}
	// Requests without a worker waited in vain.
	share := float64(l.Waited+l.Dropped+l.Abandoned+l.Unfinished) / float64(l.Arrived)
	m.set(result.WaitedShare, result.Value(share))
	if share >= minWaited {
		m.warn("all %d workers were busy when about %g%% of the requests arrived: response times include waiting for "+
			"a free worker; give more workers", workers, roughPercent(share))
	}
}

// roughPercent is a positive share in percent, with one digit, so that the trials of a run have few different warnings.
func roughPercent(share float64) float64 {
	unit := math.Pow10(int(math.Floor(math.Log10(100 * share))))
	return math.Round(100*share/unit) * unit
}

// minResent is the share of requests that were sent again from which on a trial has a warning. A few are sent while the
// server closes an idle connection.
const minResent = 0.01

// checkResent warns if the client sent many of all requests again, which hides that the server broke connections.
func (m *measurement) checkResent(total int64) {
	if share := float64(m.trial.Metrics.Get("resent")) / float64(max(1, total)); share >= minResent {
		m.warn("about %g%% of the requests were sent again, because the server broke a reused connection (metric "+
			"resent): that counts as no failure, and latencies include both attempts", roughPercent(share))
	}
}

// checkEnd warns if many requests of a load without a warm-up ended after its window. The throughput lacks them, and no
// earlier requests take their place.
func (m *measurement) checkEnd(l *load.OpenResult) {
	if m.spec.Open.Ends && m.spec.Warmup == 0 && 10*l.Completed < 9*l.Served {
		m.warn("more than a tenth of the requests ended after the window, so the throughput is too low: give more " +
			"operations")
	}
}

// maxLag is the largest lag of an idle design in noticing an arrival, as a share of the median response time.
const maxLag = 0.1

// checkLag marks a trial as invalid if requests were late although the design could have served them: see
// [load.OpenResult]. The machine or the harness causes that lag, and it would be taken for the design's.
func (m *measurement) checkLag(l *load.OpenResult) {
	lag, name := 0.0, ""
	for _, q := range []struct {
		name string
		q    float64
	}{{"p99", 0.99}, {"p95", 0.95}, {"p90", 0.9}, {"p50", 0.5}} {
		if v, ok := l.Lag.Quantile(q.q); ok {
			lag, name = v, q.name
			break
		}
	}
	if name == "" {
		return // fewer than 20 arrivals found the design idle, too few for a median of their lags
	}
	m.set("lag_"+name+"_ns", result.Value(lag))
	median, ok := l.Response.QuantileOf(0.5, l.Arrived-l.Served)
	if math.IsInf(median, 1) { // most were lost, and any lag is less than a tenth of infinity
		median, ok = l.Service.Quantile(0.5)
	}
	// In virtual time, only the given scheduler costs delay an idle design.
	m.trial.Invalid = !m.virtual && ok && lag > maxLag*median
}

// lateError returns the error of an invalid trial. It has no figure, so that a table shows it once; the metric lag_
// has the figure.
func (m *measurement) lateError() string {
	what, short := "arrivals were noticed late while no request was in service", "the operation is"
	if m.design.Remote {
		what, short = "requests were sent late although a worker was idle", "responses are"
	}
	return what + ", by more than a tenth of the median response: the machine is busy with other work, or " + short +
		" too short for an open loop"
}

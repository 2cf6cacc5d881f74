package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/result"
)

// value returns the metric of a trial: infinite if more requests were lost than the quantile leaves, and the worst
// value of a failed trial. It is NaN if the trial does not have the metric.
func (o Objective) value(t *result.Trial, metric string) float64 {
	worst := math.Inf(1)
	if !o.AtMax {
		worst = math.Inf(-1)
	}
	x := t.Metrics.Get(metric)
	_, has := t.Metrics[metric]
	switch {
	case !t.Good(), t.Unstable && strings.HasPrefix(metric, "response_"):
		return worst
	case x.Known():
		return float64(x)
	case !has && (metric == result.ErrorShare || missingCount(t, metric)):
		return 0 // no request can fail, or none failed in this way
	case o.AtMax && o.unbounded(t, metric):
		return worst
	}
	return math.NaN()
}

// unbounded reports whether an unknown quantile of a trial is infinite, because more requests were lost than it leaves.
// Journals hold null for infinity. Compare with [hist.Histogram.QuantileOf].
func (o Objective) unbounded(t *result.Trial, metric string) bool {
	q, ok := o.quantile()
	n, share := 0.0, 0.0
	switch of, _, _ := strings.Cut(metric, "_"); of {
	case "response":
		n, share = known(t, "arrived"), known(t, result.LostShare)
	case "latency", "service":
		if share = known(t, result.ErrorShare); share > 0 {
			n = known(t, result.FailedRequests) / share
		}
	}
	few := 0 < q && q < 1 && n*min(q, 1-q) < minBeyond-1e-6
	return ok && !few && share*n > (1-q)*n+1e-6
}

// minBeyond is the number of requests that must lie beyond a quantile.
const minBeyond = 10

// missingCount reports whether a trial counted its requests by kinds of failures or by replies, and the metric is a
// kind or a reply that did not occur: it is 0.
func missingCount(t *result.Trial, metric string) bool {
	_, has := t.Metrics[metric]
	_, counts := t.Metrics[result.ErrorShare]
	return counts && !has && slices.ContainsFunc([]string{"errors_", "status_", "code_"},
		func(prefix string) bool { return strings.HasPrefix(metric, prefix) })
}

// known returns a metric of a trial, or 0 if it has none.
func known(t *result.Trial, metric string) float64 {
	if x := t.Metrics.Get(metric); x.Known() {
		return float64(x)
	}
	return 0
}

// whyUnknown says why a trial lacks a metric.
func (o Objective) whyUnknown(t *result.Trial, metric string) string {
	_, has := t.Metrics[metric]
	of, _, _ := strings.Cut(metric, "_")
	name := map[string]string{"latency": "latency", "response": "response time", "service": "service time"}[of]
	q, ok := o.quantile()
	switch {
	case !has && name != "":
		return "this design has no " + name
	case ok && q > 0 && q < 1:
		return fmt.Sprintf("some trials have fewer than %.0f requests, too few for %s: measure longer (option "+
			"duration)", math.Ceil(minBeyond/min(q, 1-q)-1e-6), o.Name)
	}
	return "some trials have no " + metric
}

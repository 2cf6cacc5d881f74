package compare

import (
	"slices"
	"strings"

	"github.com/brewput/brewput/result"
)

// Direction is +1 for a metric of which more is better, -1 where less is, and 0 where nobody knows. declared are the
// metrics' own words, "higher" or "lower".
func Direction(metric string, declared map[string]string) int {
	switch declared[metric] {
	case "higher":
		return 1
	case "lower":
		return -1
	}
	of, per := unitOf(metric)
	switch {
	case result.LargerIsBetter(metric) || per == "s" || per == "sec":
		return 1
	case per == "op" || slices.Contains(timeUnits, of):
		return -1
	}
	switch of { // nobody's word ends in these by chance
	case "bytes", "B", "op":
		return -1
	}
	return 0
}

// timeUnits are as the names of metrics end in them.
var timeUnits = []string{"ns", "us", "µs", "ms", "sec", "seconds"}

// clocked reports whether a metric is measured by a clock: a time, or a rate.
func clocked(metric string) bool {
	of, per := unitOf(metric)
	return slices.Contains(timeUnits, of) || per == "s" || per == "sec" || strings.HasSuffix(metric, "_per_s")
}

// unitOf is what the name of a metric ends in: ns of p99-ns, ns and op of ns/op.
func unitOf(metric string) (of, per string) {
	of, per, _ = strings.Cut(metric, "/")
	return of[strings.LastIndexAny(of, "-_")+1:], per
}

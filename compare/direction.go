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
	if result.LargerIsBetter(metric) || strings.HasSuffix(metric, "/s") || strings.HasSuffix(metric, "/sec") {
		return 1
	}
	u := result.UnitOf(metric)
	if strings.HasSuffix(metric, "/op") || u == result.Nanoseconds || u == result.Seconds {
		return -1
	}
	if strings.Contains(metric, "/") { // of ops/cpu-sec more is better
		return 0
	}
	switch metric[strings.LastIndexAny(metric, "-_")+1:] { // nobody's word ends in these by chance
	case "ns", "us", "µs", "ms", "sec", "seconds", "bytes", "B", "op":
		return -1
	}
	return 0
}

// timeUnits are as the names of metrics have them: in p99-ns, ns/op, reqs_per_s.
var timeUnits = []string{"ns", "nsec", "us", "µs", "usec", "ms", "msec", "s", "sec", "second", "seconds", "minute"}

// clocked reports whether a metric is measured by a clock, by the units in its name: a time, or a rate. One more than
// there is costs a few blocks: it is not called exact.
func clocked(metric string) bool {
	words := strings.FieldsFunc(metric, func(r rune) bool { return strings.ContainsRune("/-_", r) })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(timeUnits, w) })
}

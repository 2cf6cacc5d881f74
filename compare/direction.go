package compare

import (
	"slices"
	"strings"

	"github.com/brewput/brewput/result"
)

// Direction returns +1 if more of a metric is better, -1 if less is, and 0 if unknown. declared maps metrics to
// "higher" or "lower" and takes precedence.
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
	if strings.Contains(metric, "/") { // a rate such as ops/cpu-sec: more is better
		return 0
	}

	switch metric[strings.LastIndexAny(metric, "-_")+1:] { // unlikely to end other names
	case "ns", "us", "µs", "ms", "sec", "seconds", "bytes", "B", "op":
		return -1
	}
	return 0
}

// timeUnits are the time units in names of metrics, as in p99-ns, ns/op and reqs_per_s.
var timeUnits = []string{"ns", "nsec", "us", "µs", "usec", "ms", "msec", "s", "sec", "second", "seconds", "minute"}

// clocked reports whether a metric is measured with a clock, judging by the units in its name. A false positive
// costs a few blocks, because the metric is then not called exact.
func clocked(metric string) bool {
	words := strings.FieldsFunc(metric, func(r rune) bool { return strings.ContainsRune("/-_", r) })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(timeUnits, w) })
}

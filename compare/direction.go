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
	case result.LargerIsBetter(metric) || slices.Contains(timeUnits, per):
		return 1
	case per == "op" || slices.Contains(timeUnits, of):
		return -1
	case per == "" && (of == "bytes" || of == "B" || of == "op"): // nobody's word ends in these by chance
		return -1
	}
	return 0
}

// timeUnits are as the names of metrics end in them.
var timeUnits = []string{"ns", "us", "µs", "ms", "s", "sec", "seconds"}

// clocked reports whether a metric is measured by a clock: a time, or a rate.
func clocked(metric string) bool {
	of, per := unitOf(metric)
	return slices.Contains(timeUnits, of) || slices.Contains(timeUnits, per)
}

// unitOf is what the name of a metric ends in: ns of p99-ns, ns and op of ns/op, reqs and s of reqs-per-s.
func unitOf(metric string) (of, per string) {
	metric = strings.NewReplacer("_per_", "/", "-per-", "/").Replace(metric)
	of, per, _ = strings.Cut(metric, "/")
	last := func(s string) string { return s[strings.LastIndexAny(s, "-_")+1:] }
	if _, unit, ok := strings.Cut(per, "_"); ok { // time_per_op_ns
		return unit, last(per[:len(per)-len(unit)-1])
	}
	return last(of), per
}

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
	case per == "op" || slices.Contains(timeUnits, of) && (of != "s" || strings.HasPrefix(metric, "s/")): // MB-s is no time
		return -1
	case per == "" && (of == "bytes" || of == "B" || of == "op"): // nobody's word ends in these by chance
		return -1
	}
	return 0
}

// timeUnits are as the names of metrics end in them.
var timeUnits = []string{"ns", "nsec", "us", "µs", "usec", "ms", "msec", "s", "sec", "second", "seconds"}

// clocked reports whether a metric is measured by a clock, by its unit: a time, or a rate.
func clocked(metric string) bool {
	of, per := unitOf(metric)
	return slices.Contains(timeUnits, of) || slices.Contains(timeUnits, per) || per == "min" || per == "minute"
}

// unitOf is the unit that the name of a metric tells, for each of what: ns of p99-ns; ns and op of ns/op and time_per_op_ns;
// reqs and s of reqs-per-s.
func unitOf(metric string) (of, per string) {
	name, rest, _ := strings.Cut(strings.NewReplacer("_per_", "/", "-per-", "/").Replace(metric), "/")
	words := strings.FieldsFunc(rest, func(r rune) bool { return r == '-' || r == '_' })
	if len(words) > 1 && slices.Contains(timeUnits, words[len(words)-1]) {
		return words[len(words)-1], words[0]
	}
	if len(words) > 0 {
		per = words[0]
	}
	return name[strings.LastIndexAny(name, "-_")+1:], per
}

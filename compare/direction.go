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
	brief := of == "s" || of == "second" // MB-s is no time, s/op is
	switch {
	case result.LargerIsBetter(metric) || slices.Contains(timeUnits, per):
		return 1
	case per == "op" || slices.Contains(timeUnits, of) && (!brief || per != ""):
		return -1
	case per == "" && (of == "bytes" || of == "B" || of == "op"): // nobody's word ends in these by chance
		return -1
	}
	return 0
}

// timeUnits are as the names of metrics end in them.
var timeUnits = []string{"ns", "nsec", "us", "µs", "usec", "ms", "msec", "s", "sec", "second", "seconds"}

// durations are what is said to be a time, so that a unit at the end of the name is its own: time_per_op_ns, other than ops-per-cpu-sec.
var durations = []string{"time", "latency", "duration", "delay", "wait", "cpu"}

// clocked reports whether a metric is measured by a clock, by its units: a time, or a rate.
func clocked(metric string) bool {
	_, per := unitOf(metric)
	return slices.ContainsFunc(strings.FieldsFunc(metric, func(r rune) bool { return r == '/' || isDash(r) }), func(w string) bool { return slices.Contains(timeUnits, w) }) ||
		per == "min" || per == "minute"
}

func isDash(r rune) bool { return r == '-' || r == '_' }

// unitOf is the unit that the name of a metric tells, for each of what: ns of p99-ns; ns and op of ns/op and time_per_op_ns;
// reqs and s of reqs-per-s.
func unitOf(metric string) (of, per string) {
	name, rest, _ := strings.Cut(strings.NewReplacer("_per_", "/", "-per-", "/").Replace(metric), "/")
	of = name[strings.LastIndexAny(name, "-_")+1:]
	words := strings.FieldsFunc(rest, isDash)
	if len(words) == 0 {
		return of, ""
	}
	if last := words[len(words)-1]; slices.Contains(durations, of) && slices.Contains(timeUnits, last) {
		of = last
	}
	return of, words[0]
}

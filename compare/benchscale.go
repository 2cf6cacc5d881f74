package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// atPoint prints settings after the name of a benchmark, as go test does for the CPUs: "-4 GOGC=50".
func atPoint(settings []plan.Setting) string {
	cpus, rest := "", ""
	for _, s := range settings {
		if s.Factor == "cpus" {
			cpus = "-" + s.Level.String()
		} else {
			rest += " " + s.Factor + "=" + s.Level.String()
		}
	}
	return cpus + rest
}

// rangeAnswer names the fastest and the slowest benchmark.
func rangeAnswer(rows []Row) string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !r.Metric(result.TimePerOp).Median.Known() })
	if len(rows) == 0 {
		return ""
	}
	fast, slow, names := rows[0], rows[0], map[string]bool{}
	for _, r := range rows {
		names[r.Design] = true
		if r.Metric(result.TimePerOp).Median < fast.Metric(result.TimePerOp).Median {
			fast = r
		}
		if r.Metric(result.TimePerOp).Median > slow.Metric(result.TimePerOp).Median {
			slow = r
		}
	}
	named := func(r Row) string { return r.Design + " " + timePerOp(r.Metric(result.TimePerOp).Median) }
	if len(names) == 1 {
		if len(rows) > 1 {
			return "" // the scaling says it
		}
		return named(fast) + "."
	}
	return fmt.Sprintf("%d benchmarks: fastest %s, slowest %s.", len(names), named(fast), named(slow))
}

// timePerOp prints a time in nanoseconds with three digits.
func timePerOp(ns result.Value) string {
	x, unit := float64(ns), "ns"
	for _, next := range []string{"µs", "ms", "s"} {
		if x < 999.5 {
			break
		}
		x, unit = x/1000, next
	}
	return fmt.Sprintf("%.3g%s/op", x, unit)
}

// limitWords says in a few words what keeps a benchmark from scaling.
func limitWords(limit string) string {
	switch limit {
	case LimitLock:
		return "waits for mutexes"
	case LimitWake:
		return "waits for wake-ups"
	case LimitWaiting:
		return "CPUs are idle"
	case LimitInflation:
		return "takes more CPU time"
	case LimitGC:
		return "garbage collection"
	}
	return ""
}

// Unscaled reports whether the limit of a benchmark is worth a line: it tries to use more CPUs, and something keeps it
// from scaling.
func (s Scaling) Unscaled() bool { return limitWords(s.Limit) != "" }

// scalingAnswer says which benchmarks scale with CPUs, and which of those that use several do not.
func scalingAnswer(list []Scaling) string {
	if len(list) == 0 {
		return ""
	}
	count := map[string]int{}
	var scale, unscaled []string
	for _, s := range list {
		count[s.Limit]++
		label := s.Design + atPoint(s.Point.Settings())
		switch {
		case s.Limit == LimitNone:
			scale = append(scale, fmt.Sprintf("%s %.3gx", label, float64(s.Speedup)))
		case s.Unscaled():
			unscaled = append(unscaled, fmt.Sprintf("%s %.3gx (%s)", label, float64(s.Speedup), limitWords(s.Limit)))
		}
	}
	var parts []string
	add := func(names []string, verb string) {
		if n := len(names); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s: %s", n, verb, few(names)))
		}
	}
	add(scale, "scale")
	add(unscaled, "do not")
	if n := count[LimitOneCPU]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d use one CPU", n))
	}
	if n := len(list) - len(scale) - len(unscaled) - count[LimitOneCPU]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d unclear", n))
	}
	return fmt.Sprintf("From %d to %d CPUs, of %d: %s.", list[0].From, list[0].To, len(list),
		strings.Join(parts, "; "))
}

// few joins the first three names.
func few(names []string) string {
	if len(names) > 3 {
		return strings.Join(names[:3], ", ") + fmt.Sprintf(" and %d more", len(names)-3)
	}
	return strings.Join(names, ", ")
}

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

// rangeAnswer names the fastest and the slowest benchmark. scaled means that the answer also says how benchmarks scale.
func rangeAnswer(rows []Row, scaled bool) string {
	var list []Verdict // the rows, for their labels
	var times []result.Value
	names := map[[2]string]bool{}
	for _, r := range rows {
		if ns := r.Metric(result.TimePerOp).Median; ns.Known() {
			list = append(list, Verdict{Workload: r.Workload, A: r.Design, Point: r.Point})
			times = append(times, ns)
			names[[2]string{r.Workload, r.Design}] = true
		}
	}
	if len(list) == 0 || len(list) > 1 && len(names) == 1 && scaled {
		return ""
	}
	label := labels(list)
	fast, slow := slices.Index(times, slices.Min(times)), slices.Index(times, slices.Max(times))
	named := func(i int) string { return label(list[i]) + " " + timePerOp(times[i]) }
	count := ""
	if len(names) > 1 {
		count = fmt.Sprintf("%d benchmarks: ", len(names))
	}
	switch {
	case len(list) == 1:
		return named(0) + "."
	case times[fast] == times[slow]:
		return count + "all " + timePerOp(times[fast]) + "."
	}
	return fmt.Sprintf("%sfastest %s, slowest %s.", count, named(fast), named(slow))
}

// timePerOp prints a time per operation.
func timePerOp(ns result.Value) string { return figure(ns, result.TimePerOp) + "/op" }

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

// scalingAnswer says which benchmarks scale with CPUs, and which of those that use several do not. Benchmarks that were
// measured on other numbers of CPUs have a sentence of their own.
func scalingAnswer(list []Scaling) string {
	if len(list) == 0 {
		return ""
	}
	other := func(s Scaling) bool { return s.From != list[0].From || s.To != list[0].To }
	if slices.ContainsFunc(list, other) {
		same := slices.DeleteFunc(slices.Clone(list), other)
		rest := slices.DeleteFunc(slices.Clone(list), func(s Scaling) bool { return !other(s) })
		return scalingAnswer(same) + " " + scalingAnswer(rest)
	}
	count := map[string]int{}
	var scale, unscaled []string
	for _, s := range list {
		count[s.Limit]++
		label := s.Design + atPoint(s.Point.Settings()) + " " + times(float64(s.Speedup))
		switch {
		case s.Limit == LimitNone:
			scale = append(scale, label)
		case s.Unscaled():
			unscaled = append(unscaled, label+" ("+limitWords(s.Limit)+")")
		}
	}
	var parts []string
	add := func(n int, one, several string, names []string) {
		if n == 0 {
			return
		}
		text := fmt.Sprintf("%d ", n)
		if len(parts) == 0 {
			text += fmt.Sprintf("of %d ", len(list))
		}
		text += map[bool]string{true: one, false: several}[n == 1]
		if len(names) > 0 {
			text += ": " + few(names, maxNamed)
		}
		parts = append(parts, text)
	}
	add(len(scale), "scales", "scale", scale)
	add(len(unscaled), "does not", "do not", unscaled)
	add(count[LimitOneCPU], "uses one CPU", "use one CPU", nil)
	noisy := count[LimitNoise] + count[LimitOtherProcesses]
	add(noisy, "is too noisy to judge", "are too noisy to judge", nil)
	add(len(list)-len(scale)-len(unscaled)-count[LimitOneCPU]-noisy, "is unknown", "are unknown", nil)
	from := "From"
	if !slices.ContainsFunc(list, func(s Scaling) bool { return s.Low.Known() }) {
		from = "Rough, without intervals: from"
	}
	return fmt.Sprintf("%s %d to %d CPUs, %s.", from, list[0].From, list[0].To, strings.Join(parts, "; "))
}

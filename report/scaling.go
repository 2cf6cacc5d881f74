package report

import (
	"fmt"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/result"
)

// scalingLine is one line on a benchmark that does not scale.
func scalingLine(s compare.Scaling) string {
	text := s.Design
	if at := pointText(s.Point, nil); at != "" {
		text += " (" + at + ")"
	}
	text += fmt.Sprintf("  %sx on %s", ratio(s.Speedup), cpuCount(s.To))
	if s.Low.Known() {
		text += " " + bracketed(s.Low, s.High)
	}
	switch s.Limit {
	case compare.LimitLock:
		return text + fmt.Sprintf("  %.2f goroutines wait for mutexes", float64(s.Mutex))
	case compare.LimitWake:
		return text + fmt.Sprintf("  hand-overs: %.2f goroutines wait to run", float64(s.Ready))
	case compare.LimitWaiting:
		return text + fmt.Sprintf("  only %.2f CPUs busy", float64(s.UsedTo))
	case compare.LimitInflation:
		return text + fmt.Sprintf("  %sx the CPU time", ratio(s.Inflation))
	case compare.LimitGC:
		return text + fmt.Sprintf("  garbage collection takes %s", decimal.WholePercent(float64(s.GC)))
	}
	return text
}

// scalingText is one sentence on how a benchmark scales and what limits it, with the evidence.
func scalingText(s compare.Scaling) string {
	text := s.Design
	if at := pointText(s.Point, nil); at != "" {
		text += " (" + at + ")"
	}
	text += fmt.Sprintf(": %sx from %d to %s", ratio(s.Speedup), s.From, cpuCount(s.To))
	if s.Low.Known() {
		text += " (" + intervalText("", s.Low, s.High) + ")"
	}
	text += ", efficiency " + decimal.WholePercent(float64(s.Efficiency)) + ": "

	perOp := fmt.Sprintf("%s of CPU time an operation at %d, %s at %s",
		number(s.CPUFrom, result.Nanoseconds, fewDigits), s.From, number(s.CPUTo, result.Nanoseconds, fewDigits),
		cpuCount(s.To))
	used := fmt.Sprintf("%.2f of %s busy", float64(s.UsedTo), cpuCount(s.To))

	switch s.Limit {
	case compare.LimitNone:
		return text + "it scales" + collectorText(s)
	case compare.LimitOneCPU:
		return text + "it uses one CPU (" + used + "); more CPUs help only if it works in parallel, for example " +
			"with b.RunParallel" + inflationText(s) + collectorText(s)
	case compare.LimitLock:
		return text + fmt.Sprintf("on average %.2f goroutines wait for mutexes (%s; %s)", float64(s.Mutex),
			used, perOp) + collectorText(s)
	case compare.LimitWake:
		return text + fmt.Sprintf("goroutines wait for wake-ups, as from a lock or a channel: on average %.2f were "+
			"runnable but not running while CPUs were idle (%s; %s)", float64(s.Ready), used, perOp) +
			collectorText(s)
	case compare.LimitWaiting:
		return text + fmt.Sprintf("CPUs are idle (%s), but not because of mutexes: goroutines wait for each other "+
			"or for I/O (on average %.2f are runnable but not running)", used, float64(s.Ready)) +
			collectorText(s)
	case compare.LimitInflation:
		return text + fmt.Sprintf("the same work takes %sx the CPU time (%s): CPUs share cache lines, memory "+
			"bandwidth or cores", ratio(s.Inflation), perOp) + collectorText(s)
	case compare.LimitGC:
		return text + fmt.Sprintf("the same work takes %sx the CPU time (%s), %s of it in garbage collection",
			ratio(s.Inflation), perOp, decimal.WholePercent(float64(s.GC)))
	case compare.LimitOtherProcesses:
		return text + fmt.Sprintf("other processes or the hypervisor used %.2f of a CPU, so the benchmark cannot be "+
			"judged; measure again on an idle machine", float64(s.OtherCPUs))
	case compare.LimitNoise:
		return text + "the speed-up is too uncertain to say what limits it; measure more blocks"
	}
	return text + "its limit is unknown, because the runtime's counters are missing"
}

// inflationText names the growth of the CPU time if it matters next to another limit.
func inflationText(s compare.Scaling) string {
	if s.Inflates() {
		return fmt.Sprintf("; an operation takes %sx the CPU time", ratio(s.Inflation))
	}
	return ""
}

// collectorText names the garbage collector's share of the CPU time if it matters.
func collectorText(s compare.Scaling) string {
	if s.Collects() {
		return "; the garbage collector takes " + decimal.WholePercent(float64(s.GC)) + " of the CPU time"
	}
	return ""
}

// explainCommand is the command that explains why a benchmark does not scale.
func explainCommand(s compare.Scaling) string {
	name, _, _ := strings.Cut(s.Design, "/")
	return "brewput explain -- go test -bench " + name + " " + s.Curve[0].Workload
}

func cpuCount(n int) string {
	if n == 1 {
		return "1 CPU"
	}
	return fmt.Sprintf("%d CPUs", n)
}

// writeSpeedups plots the throughput of each benchmark relative to that at the fewest CPUs.
func writeSpeedups(b *strings.Builder, scalings []compare.Scaling, st Style) {
	var rows []compare.Row
	for _, s := range scalings {
		for _, r := range s.Curve {
			m := r.Metric(compare.SpeedupMetric)
			if vague(m.Low, m.High) { // it would set the scale of the plot
				m.Low, m.High = result.Unavailable, result.Unavailable
				r.Metrics = map[string]result.Summary{compare.SpeedupMetric: m}
			}
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return
	}
	if f := frames(rows)[0]; f.xFactor() == "cpus" {
		writePlot(b, &f, "cpus", compare.SpeedupMetric, "speed-up", st)
	}
}

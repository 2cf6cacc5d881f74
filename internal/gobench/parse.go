package gobench

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/brewput/brewput/result"
)

// Line is the result of a benchmark as printed.
type Line struct {
	Name   string // without "Benchmark" and the number of CPUs
	N      int64
	Values map[string]float64 // by unit, as printed
}

// lineBegin matches the start of a result. Output of the benchmark may precede it on its line.
var lineBegin = regexp.MustCompile(`Benchmark(\S*)[ \t]+(\d+)\t[ \t]*`)

// Parse finds the results in the output of a test binary that ran with -test.cpu=cpus and -test.v. Output of
// the benchmarks may lie between them.
func Parse(output string, cpus int) []Line {
	var list []Line
	for text := range strings.Lines(output) {
		text = strings.TrimRight(text, "\r\n")
		at := lineBegin.FindAllStringSubmatchIndex(text, -1)
		if at == nil {
			continue
		}
		m := at[len(at)-1]
		n, err := strconv.ParseInt(text[m[4]:m[5]], 10, 64)
		values := pairs(strings.Fields(text[m[1]:]))
		if err != nil || values == nil {
			continue
		}
		name := text[m[2]:m[3]]
		if cpus != 1 {
			name = strings.TrimSuffix(name, "-"+strconv.Itoa(cpus))
		}
		list = append(list, Line{name, n, values})
	}
	return list
}

// pairs parses numbers with their units; it returns nil if the words are anything else.
func pairs(words []string) map[string]float64 {
	if len(words) == 0 || len(words)%2 != 0 {
		return nil
	}
	values := map[string]float64{}
	for i := 0; i < len(words); i += 2 {
		x, err := strconv.ParseFloat(words[i], 64)
		if err != nil || !isDecimal(words[i]) {
			return nil
		}
		values[words[i+1]] = x + 0 // -0 + 0 = 0
	}
	return values
}

// isDecimal reports whether a number that ParseFloat accepts is decimal, infinite or NaN, not hexadecimal or
// with underscores.
func isDecimal(text string) bool { return !strings.ContainsAny(text, "xX_") }

// metricOf maps units to Brewput's metrics. Any other unit is the name of its metric.
var metricOf = map[string]string{
	"ns/op": result.TimePerOp, "B/op": result.AllocedPerOp, "allocs/op": result.AllocsPerOp,
	"brewput-cpu-ns/op": result.CPUPerOp, "brewput-mutex-ns/op": result.MutexPerOp, "brewput-gc-ns/op": result.GCPerOp,
	"brewput-sched-ns/op": result.SchedPerOp,
}

// Metrics returns the values of a line by metric, and derived ones such as operations per second.
func (l Line) Metrics() result.Metrics {
	m := result.Metrics{}
	for unit, x := range l.Values {
		name, known := metricOf[unit]
		switch {
		case unit == "MB/s":
			m[result.BytesRate] = result.Value(x * 1e6)
		case known:
			m[name] = result.Value(x)
		default:
			m[unit] = result.Value(x)
		}
	}
	if t := float64(m.Get(result.TimePerOp)); t > 0 && !math.IsInf(t, 0) && !math.IsInf(1e9/t, 0) {
		m[result.Throughput] = result.Value(1e9 / t)
	}
	return m
}

// unitLine matches the line by which a benchmark declares the better direction of a unit.
var unitLine = regexp.MustCompile(`(?m)^Unit (\S+) .*\bbetter=(higher|lower)\b`)

// Directions returns the directions of units that the output declares, "higher" or "lower".
func Directions(output string) map[string]string {
	m := map[string]string{}
	for _, match := range unitLine.FindAllStringSubmatch(output, -1) {
		m[match[1]] = match[2]
	}
	return m
}

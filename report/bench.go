package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"

	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/result"
)

// Metrics of the cost of an operation. go test prints those of allocation as B/op and allocs/op.
const (
	cpuPerOp        = "cpu_per_op_ns"
	allocBytesPerOp = "alloc_bytes_per_op"
	allocsPerOp     = "allocs_per_op"
)

// pair is a number with its unit, as benchstat reads it.
type pair struct {
	unit  string
	value float64
}

// Bench writes trials in the Go benchmark format, one line for each trial that has numbers:
// https://golang.org/design/14313-benchmark-format. The header holds lines such as goos and cpu. Numbers are exact,
// so that benchstat computes the same medians.
func Bench(w io.Writer, trials []result.Trial, header [][2]string) error {
	var b strings.Builder
	for _, h := range header {
		fmt.Fprintf(&b, "%s: %s\n", quote.Key(h[0]), quote.Line(h[1]))
	}

	// benchstat knows ns/op, B/s, B/op and allocs/op by itself.
	for _, unit := range []string{"ops/s", "items/s"} {
		fmt.Fprintf(&b, "Unit %s better=higher\n", unit)
	}
	for _, unit := range []string{"p50-ns", "p95-ns", "p99-ns", "service-ns", "cpu-s/op"} {
		fmt.Fprintf(&b, "Unit %s better=lower\n", unit)
	}

	for i := range trials {
		t := &trials[i]
		if !t.Good() || t.Kind == result.KindInstrumented {
			continue
		}
		pairs, iterations := benchPairs(t)
		if len(pairs) == 0 {
			continue // the format has no line without a number
		}
		fmt.Fprintf(&b, "%s\t%d", benchName(t), iterations)
		for _, p := range pairs {
			fmt.Fprintf(&b, "\t%s %s", formatExact(p.value), p.unit)
		}
		b.WriteString("\n")
	}
	return Style{}.emit(w, b.String())
}

// benchPairs returns a trial's known numbers. A stream's ns/op is its mean latency. A job is one iteration, and its
// ns/op is its wall time.
func benchPairs(t *result.Trial) (pairs []pair, iterations int64) {
	add := func(unit string, v result.Value, factor float64) {
		if x := float64(v) * factor; !math.IsNaN(x) && !math.IsInf(x, 0) {
			pairs = append(pairs, pair{unit, x})
		}
	}

	iterations = t.Operations
	if wall := t.Metrics.Get(result.WallSeconds); wall.Known() {
		iterations = 1
		add("ns/op", wall, 1e9)
		add("items/s", t.Metrics.Get(result.ItemsRate), 1)
		add("B/s", t.Metrics.Get(result.BytesRate), 1)
	} else if t.Open { // an operation lasts until its request is answered
		add("ns/op", t.Metrics.Get("response_mean_ns"), 1)
		add("ops/s", t.Metrics.Get(result.Throughput), 1)
		for _, q := range []string{"p50", "p95", "p99"} {
			add(q+"-ns", t.Metrics.Get("response_"+q+"_ns"), 1)
		}
		add("service-ns", t.Metrics.Get("service_mean_ns"), 1)
	} else {
		add("ns/op", t.Metrics.Get(result.LatencyMean), 1)
		add("ops/s", t.Metrics.Get(result.Throughput), 1)
		add("p50-ns", t.Metrics.Get(result.LatencyP50), 1)
		add("p95-ns", t.Metrics.Get(latencyP95), 1)
		add("p99-ns", t.Metrics.Get(latencyP99), 1)
	}

	add("cpu-s/op", t.Metrics.Get(cpuPerOp)/1e9, 1)
	add("B/op", t.Metrics.Get(allocBytesPerOp), 1)
	add("allocs/op", t.Metrics.Get(allocsPerOp), 1)
	return pairs, iterations
}

// benchName is a name such as BenchmarkCoffee/design=locking/world=live/buffer=10-6. The number of CPUs is always
// printed, even 1. Otherwise readers would take the end of a level such as "c-locale-9" for it.
func benchName(t *result.Trial) string {
	var b strings.Builder
	b.WriteString("Benchmark" + camel(t.Workload) + "/design=" + escape(t.Design) + "/world=" + escape(t.World))
	for _, s := range t.Point.Settings() {
		if s.Factor != "cpus" {
			b.WriteString("/" + escape(s.Factor) + "=" + escape(s.Level.String()))
		}
	}
	if l, ok := t.Point.Get("cpus"); ok {
		b.WriteString("-" + escape(l.String()))
	}
	return b.String()
}

// camel turns word-count into WordCount.
func camel(s string) string {
	var b strings.Builder
	upper := true
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			upper = true
			continue
		}
		if upper {
			r = unicode.ToUpper(r)
		}
		upper = false
		b.WriteRune(r)
	}
	return b.String()
}

// escape writes slashes, spaces and percent signs as %XX, because they would end a part of a name.
func escape(s string) string {
	var b strings.Builder
	for _, r := range quote.Line(s) {
		if r == '/' || r == '%' || unicode.IsSpace(r) {
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

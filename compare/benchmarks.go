package compare

import (
	"slices"

	"github.com/brewput/brewput/result"
)

// BenchComparison is the comparison of two sides of Go benchmarks, such as two files.
type BenchComparison struct {
	Workload     string // the package; "" if there are several
	Paired       bool   // both sides were measured in the same blocks
	Pairs        []Pair
	Metrics      []MetricVerdicts // in table order
	OnlyA, OnlyB []Row            // benchmarks missing on the other side
}

// CompareBenchmarks compares Go benchmarks of two runs or files by every metric. paired means that both were
// measured in the same blocks. declared holds the declared directions of metrics; see [DeclaredDirections].
func (c Criteria) CompareBenchmarks(a, b Run, paired bool, declared map[string]string) *BenchComparison {
	comparison := &BenchComparison{Paired: paired}
	comparison.Pairs, comparison.OnlyA, comparison.OnlyB = c.pairRuns(a, b, paired)
	comparison.Metrics = c.ByMetric(comparison.Pairs, declared)
	return comparison
}

// SingleResults returns the benchmarks of the newer side that are not compared because some side has only one
// result.
func (c *BenchComparison) SingleResults() (rows []Row) {
	for _, s := range c.Pairs {
		if min(s.A.N, s.B.N) < 2 {
			rows = append(rows, *s.A)
		}
	}
	return rows
}

// UnmatchedMetric is a metric that only one side reports for a benchmark that both have. It is not compared.
type UnmatchedMetric struct {
	Metric       string
	OnlyA, OnlyB []Row // benchmarks for which only A or only B has it
}

// UnmatchedMetrics returns the metrics that some benchmark has on one side only, in table order.
func (c *BenchComparison) UnmatchedMetrics() (list []UnmatchedMetric) {
	var rows []Row
	for _, s := range c.Pairs {
		rows = append(rows, *s.A, *s.B)
	}

	for _, metric := range append([]string{result.TimePerOp, result.AllocedPerOp, result.AllocsPerOp},
		CustomMetrics(rows)...) {
		m := UnmatchedMetric{Metric: metric}
		for _, s := range c.Pairs {
			switch inA, inB := s.A.Metric(metric).Median.Known(), s.B.Metric(metric).Median.Known(); {
			case inA && !inB:
				m.OnlyA = append(m.OnlyA, *s.A)
			case inB && !inA:
				m.OnlyB = append(m.OnlyB, *s.B)
			}
		}
		if len(m.OnlyA)+len(m.OnlyB) > 0 {
			list = append(list, m)
		}
	}
	return list
}

// Replicated reports whether some verdict is based on several files or runs per side. others names the benchmarks
// with other verdicts, except exact ones.
func (c *BenchComparison) Replicated() (some bool, others []string) {
	for _, m := range c.Metrics {
		for _, g := range m.Groups {
			for _, v := range g.Verdicts {
				some = some || v.RunsA > 0
				if v.RunsA == 0 && !v.Exact && !slices.Contains(others, v.A) {
					others = append(others, v.A)
				}
			}
		}
	}
	return some, others
}
